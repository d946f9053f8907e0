//! Suggestions of what changed: since the last look of a process that follows the project, or since the last suggestion of a
//! subscription that waits for a time.

use super::baseline::{ChangeBaseline, ChangedPlace};
use super::{SuggestionDraft, item, pattern};
use crate::base::run_blocking;
use crate::code::index;
use crate::memory::{
    PatternKind, Subscription, Suggestion, SuggestionItem, TriggerKind, active_subscriptions, newest_suggestion_time,
};
use crate::{Engine, Project, Result};
use model::{DigestBuilder, Symbol, Timestamp};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

/// Places of one suggestion.
const MAX_PLACES: usize = 10;
/// The relevance of a change that nothing depends on, and what being one of few places adds to it.
const CHANGE_RELEVANCE: f64 = 0.5;
const FEW_RELEVANCE: f64 = 0.2;
const FEW_PLACES: usize = 3;

impl Engine {
    /// Makes suggestions of what changed in the index since the last look. The first look only remembers.
    pub async fn suggest_changes(&self, project: &Project, baseline: &mut ChangeBaseline) -> Result<Vec<Suggestion>> {
        let asked = active_subscriptions(&self.memory, &project.id, TriggerKind::FileChange).await?;
        if asked.is_empty() {
            *baseline = ChangeBaseline::default();
            return Ok(Vec::new());
        }
        let kinds = asked.iter().filter_map(pattern::symbol_kind).collect();
        let (files, symbols) = baseline.compare(self, project, kinds).await?;
        let mut made = Vec::new();
        for subscription in asked {
            let fits = match subscription.pattern {
                PatternKind::FilePattern | PatternKind::Keyword => {
                    pattern::fitting_files(project, &subscription, files.clone()).await?
                }
                PatternKind::EntityType => pattern::fitting_symbols(&subscription, &symbols),
                PatternKind::Author => Vec::new(),
            };
            if !fits.is_empty() {
                let draft = self.describe_changes(project, &subscription, &fits).await?;
                made.extend(self.keep_suggestion(project, subscription, draft).await?);
            }
        }
        Ok(made)
    }

    /// Makes suggestions of what changed since the last one of each subscription whose time has come.
    pub async fn suggest_due(&self, project: &Project) -> Result<Vec<Suggestion>> {
        let asked = active_subscriptions(&self.memory, &project.id, TriggerKind::Schedule).await?;
        let mut made = Vec::new();
        for subscription in asked {
            let told = newest_suggestion_time(&self.memory, &project.id, &subscription.id).await?;
            let last = told.unwrap_or(subscription.created);
            let every = subscription.every.and_then(|every| i64::try_from(every.as_millis()).ok());
            if every.is_none_or(|every| self.clock.now().0 < last.0.saturating_add(every)) {
                continue;
            }
            let changed = self.files_written_after(project, last).await?;
            let fits = match subscription.pattern {
                PatternKind::FilePattern | PatternKind::Keyword => {
                    pattern::fitting_files(project, &subscription, changed).await?
                }
                PatternKind::EntityType => self.files_with_kind(project, &subscription, changed).await?,
                PatternKind::Author => Vec::new(),
            };
            if !fits.is_empty() {
                let mut draft = self.describe_changes(project, &subscription, &fits).await?;
                draft.title = format!("since {last}: {}", draft.title);
                // Whichever process looks first: the others see the same time behind them.
                draft.cause = DigestBuilder::new("schedule").add_field(&last.0.to_le_bytes()).finish();
                made.extend(self.keep_suggestion(project, subscription, draft).await?);
            }
        }
        Ok(made)
    }

    async fn describe_changes(
        &self,
        project: &Project,
        subscription: &Subscription,
        changed: &[ChangedPlace],
    ) -> Result<SuggestionDraft> {
        let mut cause = DigestBuilder::new("changed places");
        for ChangedPlace { place, text } in changed {
            cause = cause.add_field(place.as_bytes()).add_optional(text.as_ref().map(|text| &text.as_bytes()[..]));
        }
        let kind = |it: &ChangedPlace| if it.text.is_some() { "changed" } else { "removed" };
        let shown = changed.iter().take(MAX_PLACES);
        let mut items: Vec<SuggestionItem> = shown.map(|it| item(kind(it), it.place.clone())).collect();
        let there = changed.iter().filter(|it| it.text.is_some()).take(MAX_PLACES);
        let around = self.find_dependents(project, there.map(|it| it.place.clone()).collect()).await?;
        let mut title = match changed {
            [ChangedPlace { place, text: Some(_) }] => format!("{place} changed"),
            [ChangedPlace { place, text: None }] => format!("{place} was removed"),
            several => {
                let what = match subscription.pattern {
                    PatternKind::FilePattern => "files that fit",
                    PatternKind::EntityType => "places of the kind",
                    PatternKind::Keyword | PatternKind::Author => "files with",
                };
                format!("{} {what} `{}` changed", several.len(), subscription.value)
            }
        };
        let _ = write!(title, "; {}", around.counts());
        if changed.len() > MAX_PLACES {
            let _ = write!(title, ", {} of the places not named", changed.len() - MAX_PLACES);
        }
        let few = if changed.len() <= FEW_PLACES { FEW_RELEVANCE } else { 0.0 };
        let relevance = CHANGE_RELEVANCE + around.relevance() + few;
        items.extend(around.items);
        Ok(SuggestionDraft { title, items, relevance, cause: cause.finish() })
    }

    async fn files_written_after(&self, project: &Project, last: Timestamp) -> Result<Vec<ChangedPlace>> {
        let worktree = self.store.open_worktree(&project.id, &project.root_text()).await?;
        let files = self.store.worktree_files(&worktree.id).await?;
        let root = project.root.clone();
        run_blocking("looking for changed files", move || {
            let after = UNIX_EPOCH + Duration::from_millis(last.0.unsigned_abs());
            // The disk, not the index: that trusts no time of a file that was written as it was read.
            let is_written = |path: &str| {
                let written = fs_err::symlink_metadata(root.join(path)).and_then(|file| file.modified());
                written.is_ok_and(|written| written > after)
            };
            let changed = files.into_iter().filter(|file| is_written(&file.path));
            changed.map(|file| ChangedPlace { place: file.path, text: Some(file.hash) }).collect()
        })
        .await
    }

    /// Those of some files that define a symbol of the kind of a subscription.
    async fn files_with_kind(
        &self,
        project: &Project,
        subscription: &Subscription,
        mut files: Vec<ChangedPlace>,
    ) -> Result<Vec<ChangedPlace>> {
        files.retain(|file| pattern::is_inside(subscription, &file.place));
        let paths: Vec<String> = files.iter().map(|file| file.place.clone()).collect();
        let symbols = index::symbols_at(&self.code, project, &paths).await?;
        let kind = pattern::symbol_kind(subscription);
        let has_kind = |symbols: Vec<Symbol>| symbols.iter().any(|symbol| Some(symbol.kind) == kind);
        let named: BTreeSet<String> =
            paths.into_iter().zip(symbols).filter_map(|(path, symbols)| has_kind(symbols).then_some(path)).collect();
        files.retain(|file| named.contains(&file.place));
        Ok(files)
    }
}
