//! The context that a draft is compared with: the one it was written from, or one that is looked up for its question.
//! It decides what the symbol table cannot: what a sentence says of behaviour, versions and dates.

use super::CritiqueRequest;
use crate::Engine;
use crate::base::{Project, Result};
use crate::code::critique::{ClaimKind, ClaimSupport, DraftFindings, DraftIssue, IssueKind};
use crate::memory::find_unsupported;
use crate::retrieve::context::{AnswerQuery, build_answer};
use model::terms::each_term;
use search::StemRules;
use std::collections::HashSet;

/// How many of the first items an answer should mention.
const TOP_ITEMS: usize = 3;
/// The share of a sentence's words that a piece of the context has which says it.
const SHARED_WORDS: f32 = 0.6;
/// How many names are listed that the context lacks.
const MOST_NAMED: usize = 3;

/// A piece of the context.
struct ContextItem {
    /// Where it is from; empty where the caller did not say.
    source: String,
    text: String,
    stems: HashSet<String>,
    /// Names of which an answer should have one: of the file, and of what is in it.
    names: Vec<String>,
}

/// What a draft is compared with besides the code.
pub(super) struct CritiqueContext {
    items: Vec<ContextItem>,
    whole: Option<String>,
    /// Whether its items are ranked, so that the first ones belong to an answer.
    is_ranked: bool,
}

impl CritiqueContext {
    pub(super) async fn build(
        engine: &Engine,
        project: &Project,
        request: &CritiqueRequest,
        degraded: &mut Vec<String>,
    ) -> Result<Self> {
        if let Some(text) = request.context.as_ref().filter(|text| !text.trim().is_empty()) {
            let item = ContextItem::new("context".to_owned(), text.clone(), Vec::new());
            return Ok(Self { items: vec![item], whole: Some(text.clone()), is_ranked: false });
        }
        let Some(query) = request.query.as_ref().filter(|query| !query.trim().is_empty()) else {
            return Ok(Self { items: Vec::new(), whole: None, is_ranked: false });
        };
        let asked = AnswerQuery {
            query: query.clone(),
            budget: request.budget,
            anyway: true,
            initiative: request.initiative,
            ..AnswerQuery::default()
        };
        let answer = build_answer(engine, project, asked).await?;
        degraded.extend(answer.degraded);
        let items = answer.items.into_iter().map(|item| {
            let file = item.place.as_ref().map(|place| place.path.clone());
            let name = file.iter().filter_map(|path| path.rsplit('/').next()).map(str::to_owned).collect();
            ContextItem::new(item.source, item.text, name)
        });
        let items: Vec<ContextItem> = items.collect();
        let whole = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join("\n\n");
        Ok(Self { whole: Some(whole).filter(|_| !items.is_empty()), items, is_ranked: true })
    }

    /// All of it.
    pub(super) fn text(&self) -> Option<&str> {
        self.whole.as_deref()
    }

    /// Looks for what sentences say of behaviour, versions and dates.
    pub(super) fn check_words(&self, findings: &mut DraftFindings) {
        let Some(whole) = &self.whole else { return };
        let sources: String = self.items.iter().map(|item| format!("{}\n", item.source)).collect();
        let material = format!("{sources}{whole}");
        for claim in &mut findings.claims {
            if !matches!(claim.kind, ClaimKind::Behaviour | ClaimKind::Version) {
                continue;
            }
            let lacking = find_unsupported(&claim.text, &material);
            let wanted = stems_of(&claim.text);
            let shared = |item: &ContextItem| wanted.iter().filter(|stem| item.stems.contains(*stem)).count();
            let best = self.items.iter().max_by_key(|item| shared(item));
            let is_said =
                |item: &&ContextItem| !wanted.is_empty() && shared(item) as f32 >= wanted.len() as f32 * SHARED_WORDS;
            match best.filter(is_said) {
                Some(item) if lacking.is_empty() => {
                    claim.support = ClaimSupport::Yes;
                    claim.source = Some(item.source.clone());
                }
                _ if lacking.is_empty() => {}
                _ => findings.issues.push(DraftIssue {
                    kind: IssueKind::Unsupported,
                    claim: claim.text.clone(),
                    span: Some(claim.span),
                    evidence: Some(format!(
                        "the context does not have {}",
                        lacking.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                    )),
                    suggestion: None,
                }),
            }
        }
    }

    /// Adds the first items that the draft says nothing about.
    pub(super) fn add_incomplete(&self, draft: &str, issues: &mut Vec<DraftIssue>) {
        if !self.is_ranked {
            return;
        }
        let said = stems_of(draft);
        for item in self.items.iter().take(TOP_ITEMS).filter(|item| !item.names.is_empty()) {
            let is_named = item.names.iter().any(|name| {
                let stem = name.split('.').next().unwrap_or(name);
                draft.contains(name.as_str()) || stem.len() > 3 && draft.contains(stem)
            });
            // Most of its words may be said without its name.
            let shared = said.iter().filter(|stem| item.stems.contains(*stem)).count();
            if !is_named && (shared as f32) < said.len() as f32 * SHARED_WORDS {
                issues.push(DraftIssue {
                    kind: IssueKind::Incomplete,
                    claim: item.source.clone(),
                    span: None,
                    evidence: Some("it is among the first of the context, and not mentioned".to_owned()),
                    suggestion: None,
                });
            }
        }
    }
}

impl ContextItem {
    fn new(source: String, text: String, names: Vec<String>) -> Self {
        let stems = stems_of(&text);
        Self { source, text, stems, names }
    }
}

/// The stems of the words of a text that say something.
fn stems_of(text: &str) -> HashSet<String> {
    let mut stems = HashSet::new();
    let mut stem = String::new();
    each_term(text, |term| {
        if term.len() > 3 {
            StemRules::Code.stem_word(term, &mut stem);
            stems.insert(stem.clone());
        }
    });
    stems
}
