//! Suggestions of what the cursor of an editor is near: the file, a symbol of a kind, a word.

use super::{SuggestionDraft, item, pattern};
use crate::code::index;
use crate::memory::{PatternKind, Suggestion, TriggerKind, active_subscriptions};
use crate::{Engine, Error, Project, Result};
use model::{DigestBuilder, Symbol, UtcDay};

/// The relevance of a symbol that the cursor is near: a person looks at more than matters to an agent.
const NEAR_RELEVANCE: f64 = 0.6;
/// How many lines from a cursor something is near to it.
pub(super) const NEAR_LINES: u32 = 10;

impl Engine {
    /// Makes suggestions of what the cursor of an editor is near; `place` is a line of a file, as `src/a.rs:12`. The same
    /// thing is told once a day.
    pub async fn suggest_near(&self, project: &Project, place: &str) -> Result<Vec<Suggestion>> {
        let (path, line) = parse_place(place)?;
        let asked = active_subscriptions(&self.memory, &project.id, TriggerKind::CursorProximity).await?;
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let symbols = index::symbols_of(&self.code, project, path).await?;
        let mut made = Vec::new();
        for subscription in asked.into_iter().filter(|it| pattern::is_inside(it, path)) {
            let around = innermost(&symbols, line);
            let subject = match subscription.pattern {
                PatternKind::FilePattern => pattern::fits_path(&subscription, path)
                    .then(|| around.map_or_else(|| path.to_owned(), |symbol| symbol.id.to_string())),
                PatternKind::EntityType => pattern::symbol_kind(&subscription)
                    .and_then(|kind| nearest(symbols.iter().filter(|symbol| symbol.kind == kind), line))
                    .map(|symbol| symbol.id.to_string()),
                PatternKind::Author => None,
                PatternKind::Keyword => {
                    let named =
                        symbols.iter().filter(|symbol| pattern::mentions_word(&symbol.name, &subscription.value));
                    match nearest(named, line) {
                        Some(symbol) => Some(symbol.id.to_string()),
                        None => pattern::word_near(project, path, line, &subscription.value)
                            .await?
                            .map(|at| innermost(&symbols, at).map_or_else(|| path.to_owned(), |it| it.id.to_string())),
                    }
                }
            };
            let Some(subject) = subject else { continue };
            let around = self.find_dependents(project, vec![subject.clone()]).await?;
            let day = UtcDay::from_timestamp(self.clock.now()).0;
            let draft = SuggestionDraft {
                title: format!("the cursor is at {subject}; {}", around.counts()),
                relevance: NEAR_RELEVANCE + around.relevance(),
                cause: DigestBuilder::new("cursor")
                    .add_field(subject.as_bytes())
                    .add_field(&day.to_le_bytes())
                    .finish(),
                items: std::iter::once(item("near", subject)).chain(around.items).collect(),
            };
            made.extend(self.keep_suggestion(project, subscription, draft).await?);
        }
        Ok(made)
    }
}

/// A path and a line of it.
fn parse_place(place: &str) -> Result<(&str, u32)> {
    let parts = place.trim().rsplit_once(':');
    let parsed = parts.and_then(|(path, line)| Some((path, line.parse::<u32>().ok().filter(|line| *line > 0)?)));
    parsed.filter(|(path, _)| !path.is_empty()).ok_or_else(|| {
        let reason = format!("is `{place}`, and has to be a place: `src/a.rs:12`");
        Error::Parameter { field: "id", reason }
    })
}

/// The innermost symbol around a line.
fn innermost(symbols: &[Symbol], line: u32) -> Option<&Symbol> {
    symbols.iter().filter(|symbol| symbol.lines.contains(line)).min_by_key(|symbol| symbol.lines.count())
}

/// The symbol that a line is in, else the nearest one that is near to it.
fn nearest<'s>(symbols: impl Iterator<Item = &'s Symbol>, line: u32) -> Option<&'s Symbol> {
    let distance = |symbol: &Symbol| symbol.lines.start.saturating_sub(line).max(line.saturating_sub(symbol.lines.end));
    symbols
        .filter(|symbol| distance(symbol) <= NEAR_LINES)
        .min_by_key(|symbol| (distance(symbol), symbol.lines.count()))
}
