//! Makes suggestions of what subscriptions ask for: what changed, also since a time (`changes`), what a prompt mentions
//! (`mentions`), and what the cursor of an editor is near (`cursor`), each with its callers and the tests to run. Needs both
//! halves: what is asked for is kept by `memory`, what surrounds a change is known by `code`. What a subscription's pattern
//! fits is in `pattern`, what is not as it was at the last look in `baseline`.
//!
//! Nothing is done where nobody subscribed.

mod baseline;
mod changes;
mod cursor;
mod mentions;
mod pattern;

pub use baseline::ChangeBaseline;

use crate::memory::{NewSuggestion, Subscription, Suggestion, SuggestionItem, add_suggestion, subscription_weight};
use crate::{Engine, Error, ImpactRequest, Project, Result};
use model::ContentHash;
use std::collections::BTreeMap;

/// Callers and tests of one suggestion.
const MAX_CALLERS: usize = 6;
const MAX_TESTS: usize = 4;
/// The least certainty of a caller that is named.
const LEAST_CONFIDENCE: f32 = 0.5;
/// What callers or tests add to the relevance.
const DEPENDENT_RELEVANCE: f64 = 0.3;

/// What a subscription is to be told of.
struct SuggestionDraft {
    title: String,
    items: Vec<SuggestionItem>,
    relevance: f64,
    cause: ContentHash,
}

/// What depends on something.
#[derive(Default)]
struct KnownDependents {
    items: Vec<SuggestionItem>,
    callers: usize,
    tests: usize,
}

impl Engine {
    async fn find_dependents(&self, project: &Project, symbols: Vec<String>) -> Result<KnownDependents> {
        if symbols.is_empty() {
            return Ok(KnownDependents::default());
        }
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
            Err(Error::NotFound { .. } | Error::Parameter { .. }) => return Ok(KnownDependents::default()),
            impact => impact?,
        };
        let (callers, tests) = (impact.affected.len() + impact.omitted, impact.tests.len() + impact.omitted_tests);
        let affected = impact.affected.into_iter().map(|caller| item("caller", caller.named.id));
        let items = affected.chain(impact.tests.into_iter().map(|test| item("test", test.path))).collect();
        Ok(KnownDependents { items, callers, tests })
    }

    /// The files of a project with the hashes of their contents, as they were indexed last.
    async fn worktree_hashes(&self, project: &Project) -> Result<BTreeMap<String, ContentHash>> {
        let worktree = self.store.open_worktree(&project.id, &project.root_text()).await?;
        let files = self.store.worktree_files(&worktree.id).await?;
        Ok(files.into_iter().map(|file| (file.path, file.hash)).collect())
    }

    async fn keep_suggestion(
        &self,
        project: &Project,
        subscription: Subscription,
        draft: SuggestionDraft,
    ) -> Result<Option<Suggestion>> {
        let weight = subscription_weight(&self.memory, &project.id, &subscription.id).await?;
        let relevance = draft.relevance.min(1.0) * weight;
        if relevance < subscription.min_relevance {
            return Ok(None);
        }
        let new = NewSuggestion {
            subscription: subscription.id,
            session: subscription.session,
            relevance,
            title: draft.title,
            items: draft.items,
            cause: draft.cause.to_string(),
        };
        add_suggestion(&self.memory, &project.id, new).await
    }
}

impl KnownDependents {
    fn counts(&self) -> String {
        format!("callers: {}, test files: {}", self.callers, self.tests)
    }

    fn relevance(&self) -> f64 {
        if self.callers + self.tests > 0 { DEPENDENT_RELEVANCE } else { 0.0 }
    }
}

fn item(kind: &str, place: String) -> SuggestionItem {
    SuggestionItem { kind: kind.to_owned(), place }
}
