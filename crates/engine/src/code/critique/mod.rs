//! Compares the claims of a draft with the symbol table and the graph, without a model: which symbols and files it names
//! exist, with which parameters, where, and what calls what.
//!
//! ```text
//! sentence         which sentences state a fact
//! mention          which symbols and paths they name
//! claim_search     what they claim of those
//! project_names    what the project knows of the names
//! library_types    what classes of a language's own library have
//! symbol_check, place_check, signature_check, relation_check   whether a claim holds
//! ```
//! A claim is denied only where the project proves the contrary. What it neither shows nor denies is unknown: a name from
//! a dependency, a key of a setting, a command.

mod claim_search;
mod library_types;
mod mention;
mod place_check;
mod project_names;
mod relation_check;
mod sentence;
mod signature_check;
mod symbol_check;

use crate::base::{Project, Result, run_blocking};
use crate::code::graph_load::load_graph;
use crate::code::{CodeContext, index};
use claim_search::{ClaimSubject, FoundClaim, StatedParameters, find_claims};
use mention::SymbolMention;
use model::ByteSpan;
use project_names::{NamePlaces, ProjectNames};
use sentence::split_draft;
use signature_check::FileSymbols;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClaimKind {
    /// That a symbol exists.
    Symbol,
    /// Which parameters it has.
    Signature,
    /// Where something is.
    Location,
    /// How something behaves.
    Behaviour,
    /// What calls or extends what.
    Relation,
    /// Which version, or when.
    Version,
}

model::enum_words! {
    pub ClaimKind {
        Symbol = "symbol",
        Signature = "signature",
        Location = "location",
        Behaviour = "behaviour",
        Relation = "relation",
        Version = "version",
    }
}

/// Whether a claim is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimSupport {
    /// The project shows it.
    Yes,
    /// The project shows the contrary.
    No,
    /// Neither.
    Unknown,
}

model::enum_words! {
    pub ClaimSupport {
        Yes = "yes",
        No = "no",
        Unknown = "unknown",
    }
}

/// What is wrong with a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IssueKind {
    /// A claim is contradicted, or nothing such exists.
    Hallucination,
    /// Nothing shows a claim.
    Unsupported,
    /// What a claim is about changed.
    Outdated,
    /// Something that belongs to the answer is not mentioned.
    Incomplete,
}

model::enum_words! {
    pub IssueKind {
        Hallucination = "hallucination",
        Unsupported = "unsupported",
        Outdated = "outdated",
        Incomplete = "incomplete",
    }
}

/// A claim of a draft, and whether it is supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftClaim {
    /// What it is about.
    pub kind: ClaimKind,
    /// Its words.
    pub text: String,
    /// Its bytes in the draft.
    pub span: ByteSpan,
    /// The bytes of its sentence.
    pub sentence: ByteSpan,
    /// Whether it is supported.
    pub support: ClaimSupport,
    /// What shows it: a place, or a piece of the context.
    pub source: Option<String>,
}

impl DraftClaim {
    /// A claim that nobody looked at yet.
    pub(super) fn new(kind: ClaimKind, text: String, span: ByteSpan, sentence: ByteSpan) -> Self {
        Self { kind, text, span, sentence, support: ClaimSupport::Unknown, source: None }
    }
}

/// Something wrong with a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftIssue {
    /// What is wrong.
    pub kind: IssueKind,
    /// The words it is about; for what is missing, what that is.
    pub claim: String,
    /// Their bytes in the draft; none for what is missing.
    pub span: Option<ByteSpan>,
    /// What shows that it is wrong.
    pub evidence: Option<String>,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

/// How much an issue matters, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IssueSeverity {
    /// The draft must not go out so.
    High,
    /// Somebody should look at it.
    Medium,
    /// It could say more.
    Low,
}

model::enum_words! {
    pub IssueSeverity {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

impl DraftIssue {
    /// How much it matters.
    pub fn severity(&self) -> IssueSeverity {
        match self.kind {
            IssueKind::Hallucination => IssueSeverity::High,
            IssueKind::Unsupported | IssueKind::Outdated => IssueSeverity::Medium,
            IssueKind::Incomplete => IssueSeverity::Low,
        }
    }
}

/// What came of comparing a claim with the project.
#[derive(Clone, Debug)]
struct ClaimCheck {
    support: ClaimSupport,
    source: Option<String>,
    issue: Option<IssueKind>,
    evidence: Option<String>,
    suggestion: Option<String>,
}

impl ClaimCheck {
    fn new(support: ClaimSupport, issue: Option<IssueKind>) -> Self {
        Self { support, source: None, issue, evidence: None, suggestion: None }
    }

    fn supported(source: String) -> Self {
        Self { source: Some(source), ..Self::new(ClaimSupport::Yes, None) }
    }

    /// The project shows the contrary.
    fn denied(evidence: String) -> Self {
        Self { evidence: Some(evidence), ..Self::new(ClaimSupport::No, Some(IssueKind::Hallucination)) }
    }

    /// Nothing shows it, and something should.
    fn unsupported(evidence: String) -> Self {
        Self { evidence: Some(evidence), ..Self::new(ClaimSupport::Unknown, Some(IssueKind::Unsupported)) }
    }

    /// Nothing can be said.
    fn unknown(why: &str) -> Self {
        Self { evidence: Some(why.to_owned()), ..Self::new(ClaimSupport::Unknown, None) }
    }

    fn suggest(self, suggestion: Option<String>) -> Self {
        Self { suggestion, ..self }
    }
}

/// More claims of one draft are not looked at.
const MOST_CLAIMS: usize = 300;

/// What was found in a draft.
#[derive(Clone, Debug, Default)]
pub(crate) struct DraftFindings {
    /// In the order of the draft.
    pub(crate) claims: Vec<DraftClaim>,
    /// What contradicts the project, or is not shown by it.
    pub(crate) issues: Vec<DraftIssue>,
    /// How many claims were not looked at.
    pub(crate) omitted: usize,
}

/// Compares a draft with a project.
pub(crate) async fn check_draft(code: &CodeContext, project: &Project, draft: &str) -> Result<DraftFindings> {
    let graph = load_graph(code, project).await?;
    let text = split_draft(draft);
    let file_names: HashSet<&str> = graph.file_nodes().map(|file| graph.name(file)).collect();
    let knows_file = |name: &str| file_names.contains(name.rsplit('/').next().unwrap_or(name));
    let mut found = find_claims(&text, knows_file);
    let omitted = found.len().saturating_sub(MOST_CLAIMS);
    found.truncate(MOST_CLAIMS);
    let own_words: HashSet<String> = text.own_words.iter().map(|word| (*word).to_owned()).collect();
    let places = NamePlaces::find(code, project, collect_names(&found)).await?;
    let paths =
        signature_paths(&ProjectNames::new(Arc::clone(&graph), NamePlaces::empty(), project.root.clone()), &found);
    let symbols = index::symbols_at(code, project, &paths).await?;
    let symbols: FileSymbols = paths.into_iter().zip(symbols).collect();
    let root = project.root.clone();
    run_blocking("comparing claims", move || {
        let names = ProjectNames::new(graph, places, root);
        let own_words: HashSet<&str> = own_words.iter().map(String::as_str).collect();
        let mut findings = DraftFindings { omitted, ..DraftFindings::default() };
        for FoundClaim { mut claim, subject } in found {
            let check = check_claim(&names, &subject, &symbols, &own_words);
            claim.support = check.support;
            claim.source = check.source;
            if let Some(kind) = check.issue {
                findings.issues.push(DraftIssue {
                    kind,
                    claim: claim.text.clone(),
                    span: Some(claim.span),
                    evidence: check.evidence,
                    suggestion: check.suggestion,
                });
            }
            findings.claims.push(claim);
        }
        findings
    })
    .await
}

fn check_claim(
    names: &ProjectNames,
    subject: &ClaimSubject,
    symbols: &FileSymbols,
    own_words: &HashSet<&str>,
) -> ClaimCheck {
    match subject {
        ClaimSubject::Symbol { symbol, is_stated } => symbol_check::check_symbol(names, symbol, *is_stated, own_words),
        ClaimSubject::Signature { symbol, parameters } => {
            signature_check::check_signature(names, symbol, parameters, symbols)
        }
        ClaimSubject::File(path) => symbol_check::check_file(names, path),
        ClaimSubject::Place { symbol, path, is_defined } => {
            place_check::check_place(names, symbol, path, *is_defined, own_words)
        }
        ClaimSubject::Call { caller, file, callee, is_denied } => {
            relation_check::check_call(names, caller, file.as_ref(), callee, *is_denied, own_words)
        }
        ClaimSubject::Base { symbol, base } => relation_check::check_base(names, symbol, base),
        ClaimSubject::Words => ClaimCheck::unknown("only a text can tell"),
    }
}

/// Every name that is looked for in the text of the project.
fn collect_names(found: &[FoundClaim]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |symbol: &SymbolMention| names.extend(symbol.segments.iter().cloned());
    for found in found {
        match &found.subject {
            ClaimSubject::Symbol { symbol, .. }
            | ClaimSubject::Place { symbol, .. }
            | ClaimSubject::Signature { symbol, .. } => add(symbol),
            ClaimSubject::Call { caller, callee, .. } => {
                add(caller);
                add(callee);
            }
            ClaimSubject::Base { symbol, base } => {
                add(symbol);
                add(base);
            }
            ClaimSubject::File(_) | ClaimSubject::Words => {}
        }
    }
    let arguments = found.iter().filter_map(|found| {
        let ClaimSubject::Signature { parameters: StatedParameters::List(list), .. } = &found.subject else {
            return None;
        };
        Some(list)
    });
    for argument in arguments.flatten() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        names.extend(argument.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    names
}

/// The files whose signatures are needed.
fn signature_paths(names: &ProjectNames, found: &[FoundClaim]) -> Vec<String> {
    let symbols = found.iter().filter_map(|found| {
        if let ClaimSubject::Signature { symbol, .. } = &found.subject { Some(symbol) } else { None }
    });
    let functions = symbols.flat_map(|symbol| signature_check::find_functions(names, symbol));
    let paths: BTreeSet<String> = functions.map(|node| names.graph.path(node).to_owned()).collect();
    paths.into_iter().collect()
}
