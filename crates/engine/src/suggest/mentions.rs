//! Suggestions of what a prompt mentions: symbols by a word or a kind, files by a pattern.

use super::{SuggestionDraft, item, pattern};
use crate::memory::{PatternKind, Subscription, Suggestion, TriggerKind, active_subscriptions};
use crate::{Engine, Project, Result, SymbolRequest};
use model::DigestBuilder;

/// Symbols of a word that was mentioned.
const MAX_MENTIONED: usize = 3;
/// The relevance of what a prompt mentions.
const MENTION_RELEVANCE: f64 = 0.8;

impl Engine {
    /// Makes suggestions of what a prompt of a session mentions; `event` names the prompt, which is looked at once.
    pub async fn suggest_mentions(
        &self,
        project: &Project,
        session: &str,
        prompt: &str,
        event: &str,
    ) -> Result<Vec<Suggestion>> {
        let mut asked = active_subscriptions(&self.memory, &project.id, TriggerKind::ContextMention).await?;
        asked.retain(|it| it.session.as_deref().is_none_or(|of| of == session));
        let mut made = Vec::new();
        for subscription in asked {
            let places = match subscription.pattern {
                PatternKind::Keyword if pattern::mentions_word(prompt, &subscription.value) => {
                    self.symbols_called(project, &subscription, &subscription.value, false).await?
                }
                // What a colleague shares is told by its own trigger.
                PatternKind::Keyword | PatternKind::Author => Vec::new(),
                PatternKind::FilePattern => {
                    let files = self.worktree_hashes(project).await?;
                    let fits = |path: &&String| pattern::fits_path(&subscription, path);
                    let named = files.keys().filter(fits).filter(|path| pattern::mentions_file(prompt, path));
                    named.take(MAX_MENTIONED).cloned().collect()
                }
                PatternKind::EntityType => {
                    let mut found = Vec::new();
                    for name in pattern::code_names(prompt) {
                        found.extend(self.symbols_called(project, &subscription, name, true).await?);
                    }
                    found.truncate(MAX_MENTIONED);
                    found
                }
            };
            // A word that no symbol has is nothing to tell of.
            let Some(first) = places.first() else { continue };
            let what = if subscription.pattern == PatternKind::Keyword { &subscription.value } else { first };
            let draft = SuggestionDraft {
                title: format!("`{what}` was mentioned"),
                items: places.iter().map(|place| item("mentioned", place.clone())).collect(),
                relevance: MENTION_RELEVANCE,
                cause: DigestBuilder::new("mention").add_field(event.as_bytes()).finish(),
            };
            made.extend(self.keep_suggestion(project, subscription, draft).await?);
        }
        Ok(made)
    }

    /// The ids of symbols that a subscription means, by a name: exactly that name, or one like it.
    async fn symbols_called(
        &self,
        project: &Project,
        subscription: &Subscription,
        name: &str,
        is_exact: bool,
    ) -> Result<Vec<String>> {
        let request = SymbolRequest {
            name: name.to_owned(),
            kinds: pattern::symbol_kind(subscription).into_iter().collect(),
            path: subscription.scope.clone(),
            limit: MAX_MENTIONED,
        };
        let found = self.find_symbols(project, request).await?;
        Ok(found.hits.into_iter().filter(|hit| !is_exact || hit.name == name).map(|hit| hit.named.id).collect())
    }
}
