//! Makes suggestions of what subscriptions ask for: files that changed, with their callers and the tests to run, and words
//! that a prompt mentions, with the symbols of that name. Needs both halves: what is asked for is kept by `memory`, what
//! surrounds a change is known by `code`.
//!
//! Nothing is done where nobody subscribed.

use crate::base::path_pattern::PathPattern;
use crate::memory::{
    NewSuggestion, Subscription, Suggestion, SuggestionItem, TriggerKind, active_subscriptions, add_suggestion,
    subscription_weight,
};
use crate::{Engine, Error, ImpactRequest, Project, Result, SymbolRequest};
use model::{ContentHash, DigestBuilder};
use std::collections::BTreeMap;

/// The files of a project as they were at the last look.
#[derive(Clone, Debug, Default)]
pub struct ChangeBaseline(Option<BTreeMap<String, ContentHash>>);

/// Files, callers and tests of one suggestion.
const MAX_CHANGED: usize = 10;
const MAX_CALLERS: usize = 6;
const MAX_TESTS: usize = 4;
/// Symbols of a word that was mentioned.
const MAX_MENTIONED: usize = 3;
/// The least certainty of a caller that is named.
const LEAST_CONFIDENCE: f32 = 0.5;
/// The relevance of a change that nothing depends on, and what callers or tests, and being one of few files, add to it.
const CHANGE_RELEVANCE: f64 = 0.5;
const DEPENDENT_RELEVANCE: f64 = 0.3;
const FEW_RELEVANCE: f64 = 0.2;
const FEW_FILES: usize = 3;
/// The relevance of symbols of a word that a prompt has.
const MENTION_RELEVANCE: f64 = 0.8;

/// A file that is not as it was; its hash, or none where it is gone.
type FileDifference = (String, Option<ContentHash>);

impl Engine {
    /// Makes suggestions of what changed in the index since the last look. The first look only remembers.
    pub async fn suggest_changes(&self, project: &Project, baseline: &mut ChangeBaseline) -> Result<Vec<Suggestion>> {
        let asked = active_subscriptions(&self.memory, &project.id, TriggerKind::FileChange).await?;
        if asked.is_empty() {
            baseline.0 = None;
            return Ok(Vec::new());
        }
        let worktree = self.store.open_worktree(&project.id, &project.root_text()).await?;
        let files = self.store.worktree_files(&worktree.id).await?;
        let now: BTreeMap<String, ContentHash> = files.into_iter().map(|file| (file.path, file.hash)).collect();
        let Some(before) = baseline.0.replace(now.clone()) else { return Ok(Vec::new()) };
        let changed = changed_files(&before, &now);
        let mut made = Vec::new();
        for subscription in asked {
            let fits = fitting_files(&subscription, &changed);
            if !fits.is_empty() {
                made.extend(self.suggest_files(project, subscription, fits).await?);
            }
        }
        Ok(made)
    }

    async fn suggest_files(
        &self,
        project: &Project,
        subscription: Subscription,
        changed: Vec<&FileDifference>,
    ) -> Result<Option<Suggestion>> {
        let mut cause = DigestBuilder::new("changed files");
        let mut items = Vec::new();
        for (path, hash) in &changed {
            cause = cause.add_field(path.as_bytes()).add_optional(hash.as_ref().map(|hash| &hash.as_bytes()[..]));
            let kind = if hash.is_some() { "changed" } else { "removed" };
            items.push(SuggestionItem { kind: kind.to_owned(), place: path.clone() });
        }
        let omitted = items.len().saturating_sub(MAX_CHANGED);
        items.truncate(MAX_CHANGED);
        let there = changed.iter().filter(|(_, hash)| hash.is_some()).take(MAX_CHANGED);
        let symbols: Vec<String> = there.map(|(path, _)| path.clone()).collect();
        let (mut callers, mut tests) = (0, 0);
        if !symbols.is_empty() {
            let request = ImpactRequest {
                symbols,
                diff: None,
                depth: 1,
                min_confidence: LEAST_CONFIDENCE,
                limit: MAX_CALLERS,
                tests: MAX_TESTS,
                mentions: 0,
            };
            let impact = match self.analyze_impact(project, request).await {
                // A file that no graph has, such as a document, has neither callers nor tests.
                Err(Error::NotFound { .. } | Error::Parameter { .. }) => None,
                impact => Some(impact?),
            };
            if let Some(impact) = impact {
                callers = impact.affected.len() + impact.omitted;
                tests = impact.tests.len() + impact.omitted_tests;
                let item = |kind: &str, place: String| SuggestionItem { kind: kind.to_owned(), place };
                items.extend(impact.affected.into_iter().map(|caller| item("caller", caller.named.id)));
                items.extend(impact.tests.into_iter().map(|test| item("test", test.path)));
            }
        }
        let relevance = CHANGE_RELEVANCE
            + if callers + tests > 0 { DEPENDENT_RELEVANCE } else { 0.0 }
            + if changed.len() <= FEW_FILES { FEW_RELEVANCE } else { 0.0 };
        let title = match changed.as_slice() {
            [(path, Some(_))] => format!("{path} changed"),
            [(path, None)] => format!("{path} was removed"),
            several => format!("{} files that fit `{}` changed", several.len(), subscription.value),
        };
        let more = if omitted > 0 { format!(", {omitted} of the files not named") } else { String::new() };
        let title = format!("{title}; callers: {callers}, test files: {tests}{more}");
        self.keep_suggestion(project, subscription, relevance, title, items, cause.finish()).await
    }

    /// Makes suggestions of what a prompt of a session mentions; `event` names the prompt, which is looked at once.
    pub async fn suggest_mentions(
        &self,
        project: &Project,
        session: &str,
        prompt: &str,
        event: &str,
    ) -> Result<Vec<Suggestion>> {
        let asked = active_subscriptions(&self.memory, &project.id, TriggerKind::ContextMention).await?;
        let mut made = Vec::new();
        for subscription in asked {
            let is_meant = subscription.session.as_deref().is_none_or(|of| of == session);
            if !is_meant || !mentions_word(prompt, &subscription.value) {
                continue;
            }
            let request = SymbolRequest {
                name: subscription.value.clone(),
                kinds: Vec::new(),
                path: subscription.scope.clone(),
                limit: MAX_MENTIONED,
            };
            let found = self.find_symbols(project, request).await?;
            let items: Vec<SuggestionItem> = found
                .hits
                .into_iter()
                .map(|hit| SuggestionItem { kind: "mentioned".to_owned(), place: hit.named.id })
                .collect();
            // A word that no symbol has is nothing to tell of.
            if items.is_empty() {
                continue;
            }
            let title = format!("`{}` was mentioned", subscription.value);
            let cause = DigestBuilder::new("mention").add_field(event.as_bytes()).finish();
            made.extend(self.keep_suggestion(project, subscription, MENTION_RELEVANCE, title, items, cause).await?);
        }
        Ok(made)
    }

    async fn keep_suggestion(
        &self,
        project: &Project,
        subscription: Subscription,
        relevance: f64,
        title: String,
        items: Vec<SuggestionItem>,
        cause: ContentHash,
    ) -> Result<Option<Suggestion>> {
        let weight = subscription_weight(&self.memory, &project.id, &subscription.id).await?;
        let relevance = relevance.min(1.0) * weight;
        if relevance < subscription.min_relevance {
            return Ok(None);
        }
        let new = NewSuggestion {
            subscription: subscription.id,
            session: subscription.session,
            relevance,
            title,
            items,
            cause: cause.to_string(),
        };
        add_suggestion(&self.memory, &project.id, new).await
    }
}

fn changed_files(before: &BTreeMap<String, ContentHash>, now: &BTreeMap<String, ContentHash>) -> Vec<FileDifference> {
    let other = now.iter().filter(|(path, hash)| before.get(*path) != Some(hash));
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let mut changed: Vec<FileDifference> = other.map(|(path, hash)| (path.clone(), Some(*hash))).collect();
    changed.extend(gone.map(|path| (path.clone(), None)));
    changed.sort();
    changed
}

fn fitting_files<'c>(subscription: &Subscription, changed: &'c [FileDifference]) -> Vec<&'c FileDifference> {
    // Read when it was added; one that a later version cannot read names nothing.
    let Ok(pattern) = PathPattern::new(&subscription.value) else { return Vec::new() };
    let scope = subscription.scope.as_deref().map(|scope| format!("{}/", scope.trim_matches('/')));
    let is_inside = |path: &str| scope.as_deref().is_none_or(|scope| path.starts_with(scope));
    changed.iter().filter(|(path, _)| is_inside(path) && pattern.fits(path)).collect()
}

/// Whether a text has a word, in any spelling of letters.
fn mentions_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(&word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_what_has_other_bytes_is_new_or_is_gone() {
        let hash = |text: &str| ContentHash::hash_bytes(text.as_bytes());
        let before =
            BTreeMap::from([("a".to_owned(), hash("1")), ("b".to_owned(), hash("1")), ("c".to_owned(), hash("1"))]);
        let now =
            BTreeMap::from([("a".to_owned(), hash("1")), ("b".to_owned(), hash("2")), ("d".to_owned(), hash("1"))]);
        let changed = changed_files(&before, &now);
        let told: Vec<(&str, bool)> = changed.iter().map(|(path, hash)| (path.as_str(), hash.is_some())).collect();
        assert_eq!(told, [("b", true), ("c", false), ("d", true)]);
        assert!(changed_files(&now, &now).is_empty());
    }

    #[test]
    fn a_word_is_mentioned_as_a_word() {
        assert!(mentions_word("Why does parse_header fail?", "parse_header"));
        assert!(mentions_word("the Session is gone", "session"));
        assert!(!mentions_word("the sessions are gone", "session"));
        assert!(!mentions_word("reparse_header", "parse_header"));
    }
}
