//! The read operation: returns files, line ranges and symbols straight from the disk, so that a reply shows the present
//! text, in a view mode and within a token budget.
//!
//! The index is asked one thing only: whether it has the same content ([`Freshness`]). Reading works without it.

mod auto_mode;
mod content;
mod fit;
mod freshness;
mod hydrate;
mod indexed_symbols;
mod path_suggestions;
mod read_scope;
mod render;
mod resolve_targets;
mod source_lines;
mod target;

use crate::base::budget::{check_budget, footer_allowance};
use crate::base::{
    Error, Project, Result, SeenFinder, SeenRegion, SeenReport, SeenTexts, WithheldText, run_blocking, text_fence,
};
use crate::code::CodeContext;
use crate::code::relate::RelationKind;
use crate::ledger::modes;
use fit::FitOutcome;
pub use freshness::Freshness;
use indexed_symbols::KnownSymbols;
use model::{LineRange, TokenCount, count_tokens, show_name};
use read_scope::{FileHashes, ReadScope, TargetRequest};
pub(crate) use source_lines::{shown_lines, text_bytes};
use std::sync::Arc;
pub use syntax::ViewMode;

/// The note below a text of which some bytes could not be shown.
const LOSSY_TEXT_NOTE: &str = "[… some bytes are not UTF-8 and stand as \u{FFFD}]\n";

/// How to show what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeChoice {
    /// In this mode.
    Fixed(ViewMode),
    /// By its size and kind.
    Auto,
}

impl ModeChoice {
    /// Reads a mode's word, or `auto`.
    pub fn parse(word: &str) -> Option<Self> {
        let fixed = ViewMode::parse(word).map(Self::Fixed);
        fixed.or((word == "auto").then_some(Self::Auto))
    }
}

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest {
    /// `path`, `path:10-20` (lines), `path@0-4096` (bytes), a symbol id (`path#Container.name`) or handle, each relative
    /// to the project.
    pub targets: Vec<String>,
    /// How to show it, if the caller says.
    pub mode: Option<ModeChoice>,
    /// How to show it where the caller does not say, or leaves it to us: the user's setting comes before our table.
    pub default_mode: Option<ModeChoice>,
    /// Most tokens of the text: the items with their headings, and the list of omissions.
    pub budget: Option<TokenCount>,
    /// How many steps to follow what symbols depend on; 0 for the symbols alone.
    pub depth: u32,
    /// Who knows what the reader has already: a reference stands for it.
    pub seen: SeenFinder,
}

/// What was read.
#[derive(Debug, Default)]
pub struct ReadReply {
    /// The texts, in the order of the targets; after them what they depend on.
    pub items: Vec<ReadItem>,
    /// Targets that are not among the items, with the reason.
    pub omitted: Vec<OmittedTarget>,
}

impl ReadReply {
    /// Tokens of everything that was asked for, as it is. What was added without being asked for spares its reader
    /// nothing, and does not count.
    pub fn original_tokens(&self) -> u64 {
        let asked = self.items.iter().filter(|item| item.relation.is_none() && item.withheld.is_none());
        asked.map(|item| u64::from(item.original_tokens.0)).sum()
    }

    /// What the reader of all items now has, and what was not sent again.
    pub fn seen_report(&self) -> SeenReport {
        let withheld = self.items.iter().filter_map(|item| item.withheld.clone()).collect();
        let shown =
            self.items.iter().filter(|item| item.withheld.is_none()).filter_map(ReadItem::seen_region).collect();
        SeenReport { shown, withheld }
    }

    fn add_outcome(&mut self, id: String, drawn: Result<FitOutcome>, relation: Option<(RelationKind, String)>) {
        match drawn {
            Ok(FitOutcome::Item(item)) => self.items.push(ReadItem { relation, ..*item }),
            Ok(FitOutcome::TooLong { id, tokens }) => {
                self.omitted.push(OmittedTarget { id, why: OmissionReason::Budget { tokens } });
            }
            Err(error) => self.omitted.push(OmittedTarget { id, why: OmissionReason::Failed(error) }),
        }
    }
}

/// One text that was read.
#[derive(Clone, Debug)]
pub struct ReadItem {
    /// The target it answers.
    pub id: String,
    /// Project-relative path.
    pub path: String,
    /// The lines shown; empty files and pieces of lines have none.
    pub lines: Option<LineRange>,
    /// The text.
    pub text: String,
    /// How it is shown.
    pub mode: ViewMode,
    /// Whether the index knows it like this.
    pub freshness: Freshness,
    /// Whether some bytes are not UTF-8 and stand as a replacement character in the text.
    pub lossy: bool,
    /// Bytes of the source shown.
    pub original_bytes: u64,
    /// Tokens of the text.
    pub tokens: TokenCount,
    /// Tokens of the source shown: of a long one, as many as its beginning has for its length.
    pub original_tokens: TokenCount,
    /// Why it is here although the request did not name it: its relation, and to which id.
    pub relation: Option<(RelationKind, String)>,
    /// The id it was asked for by, where it has another one now: it was renamed or moved.
    pub moved_from: Option<String>,
    /// The name it was asked for by, where several symbols have it, and how many.
    pub one_of: Option<(String, usize)>,
    /// The text, where the reader has seen it and `text` is a reference.
    pub withheld: Option<WithheldText>,
}

impl ReadItem {
    /// The item as part of a text with others.
    pub fn render_text(&self) -> String {
        let why = match (&self.relation, &self.moved_from) {
            (Some((relation, of)), _) => format!(" ({} of {of})", relation.as_str()),
            (None, Some(was)) => format!(" (moved from {was})"),
            (None, None) => {
                self.one_of.as_ref().map(|(name, count)| format!(" (one of {count} named {name})")).unwrap_or_default()
            }
        };
        let newline = if self.text.ends_with('\n') { "" } else { "\n" };
        let heading = format!("{}{why}", self.id);
        // The text is exact, so only an end that it does not hold tells it from the heading of the next one.
        let fence = text_fence(&self.text, '`');
        format!("## {}\n{fence}\n{}{newline}{fence}\n{}", show_name(&heading), self.text, self.lossy_note())
    }

    /// What its reader sees of the file; none for bytes and for what cannot be shown exactly.
    fn seen_region(&self) -> Option<SeenRegion> {
        let range = self.lines.filter(|_| !self.lossy)?;
        SeenRegion::of_text(&self.path, self.mode.as_str(), range, &self.text)
    }

    /// Puts a reference in the place of a text that the reader has seen.
    fn withhold(&mut self, seen: &SeenTexts) {
        let region = self.seen_region();
        self.withheld = seen.withhold(region.as_ref(), &mut self.text);
        if self.withheld.is_some() {
            self.tokens = count_tokens(&self.text);
        }
    }

    /// The note below its text.
    pub fn lossy_note(&self) -> &'static str {
        if self.lossy { LOSSY_TEXT_NOTE } else { "" }
    }
}

/// A target that was not read.
#[derive(Debug)]
pub struct OmittedTarget {
    /// The target, as it can be asked for again.
    pub id: String,
    /// Why.
    pub why: OmissionReason,
}

/// Why a target was not read.
#[derive(Debug)]
pub enum OmissionReason {
    /// It does not fit what is left of the budget, however short it is shown.
    Budget {
        /// What the shortest form would cost.
        tokens: TokenCount,
    },
    /// So many more symbols that it depends on are not even named.
    More {
        /// How many.
        count: usize,
    },
    /// It cannot be read.
    Failed(Error),
}

pub(crate) async fn run(code: &CodeContext, project: &Project, request: ReadRequest) -> Result<ReadReply> {
    if request.targets.is_empty() {
        return Err(Error::Parameter { field: "targets", reason: "is empty: name at least one".to_owned() });
    }
    if request.targets.iter().any(|target| target.trim().is_empty()) {
        return Err(Error::Parameter {
            field: "targets",
            reason: "has an empty one: name a file or symbol".to_owned(),
        });
    }
    check_budget(request.budget)?;
    // Before the budget is divided: a name may turn out to be several targets.
    let resolved = resolve_targets::resolve_targets(code, project, request.targets).await?;
    let targets: Vec<String> = resolved.iter().map(|resolved| resolved.target.clone()).collect();
    // A single item needs no heading, and no note follows it.
    let is_alone = request.depth == 0 && matches!(resolved.as_slice(), [only] if only.moved_from.is_none());
    let budget =
        request.budget.map(|budget| if is_alone { budget } else { budget.saturating_sub(footer_allowance(budget)) });
    let learned = modes::load_learned(&code.ledger).await;
    // Where modes are learned, a caller that names none leaves it to us.
    let asked = request.mode.or(learned.as_ref().map(|_| ModeChoice::Auto));
    let mode = auto_mode::choose_mode(asked, request.default_mode);
    let reading = ReadScope {
        project: project.clone(),
        limits: syntax::ExtractLimits {
            max_bytes: code.settings.max_file_bytes as usize,
            ..syntax::ExtractLimits::default()
        },
        mode,
        budget,
        is_alone,
        clock: Arc::clone(&code.clock),
        known: Arc::new(KnownSymbols::load_targets(code, project, &targets).await),
        learned: learned.map(Arc::new),
    };
    let wanted =
        |target: &String| TargetRequest { target: target.clone(), mode: reading.mode, heading: target.clone() };
    let (drawn, mut hashes) = reading.render_targets(targets.iter().map(wanted).collect(), budget).await?;
    let mut reply = ReadReply::default();
    for (resolved, drawn) in resolved.into_iter().zip(drawn) {
        let shown = reply.items.len();
        // A target that the graph refused was rendered as well, by its text; the refusal says more.
        reply.add_outcome(resolved.target, resolved.refused.map_or(drawn, Err), None);
        if let Some(item) = reply.items.get_mut(shown) {
            item.moved_from = resolved.moved_from;
            item.one_of = resolved.one_of;
        }
    }
    if request.depth > 0 {
        hydrate::add_dependencies(code, project, &reading, request.depth, &mut reply, &mut hashes).await?;
    }
    // After dependencies, so that they are compared as well, and so that the index fills in for files that are gone.
    freshness::set_freshness(code, project, &mut reply, &hashes, budget).await;
    path_suggestions::suggest_paths(code, project, &mut reply).await;
    // Last, so that what is compared is what would be sent.
    if request.seen.is_asking() {
        reply = run_blocking("looking for what was seen", move || {
            let regions: Vec<SeenRegion> = reply.items.iter().filter_map(ReadItem::seen_region).collect();
            let seen = request.seen.find_seen(&regions);
            reply.items.iter_mut().for_each(|item| item.withhold(&seen));
            reply
        })
        .await?;
    }
    // Where nothing was read, the first failure is the answer; beside items a failure is part of the reply.
    if reply.items.is_empty()
        && let Some(at) = reply.omitted.iter().position(|omitted| matches!(omitted.why, OmissionReason::Failed(_)))
        && let OmissionReason::Failed(error) = reply.omitted.swap_remove(at).why
    {
        return Err(error);
    }
    Ok(reply)
}

/// What is left of a budget.
fn remaining_budget(budget: Option<TokenCount>, reply: &ReadReply) -> Option<TokenCount> {
    budget.map(|budget| budget.saturating_sub(reply.items.iter().map(|item| count_tokens(&item.render_text())).sum()))
}
