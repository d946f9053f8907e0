//! What the last conversation about a project holds for certain, for whoever begins the next one.

use super::assemble::facts_item;
use super::fact::is_firm;
use super::list::moment;
use super::{AssembledItem, conversation_id, fact};
use crate::{Engine, Project, Result};
use model::{Fact, FactKind, Timestamp, Tokens};
use store::{Conversation, Window};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct RecollectRequest {
    /// A conversation that is not meant, by name or id: the one that asks.
    pub except: Option<String>,
    /// Most tokens of the text.
    pub budget: Tokens,
}

/// What a conversation left behind.
#[derive(Clone, Debug)]
pub struct Recollection {
    /// What people call it.
    pub conversation: String,
    /// The facts shown.
    pub facts: Vec<Fact>,
    /// Their text, quoted.
    pub text: String,
    /// Tokens of the text.
    pub tokens: Tokens,
}

pub(crate) async fn recollect(
    engine: &Engine,
    project: &Project,
    request: RecollectRequest,
) -> Result<Option<Recollection>> {
    let except = request.except.as_deref().map(conversation_id);
    let mut newest: Option<(Timestamp, Conversation)> = None;
    for conversation in engine.store.conversations().await? {
        if conversation.project.as_ref() != Some(&project.id) || Some(&conversation.id) == except.as_ref() {
            continue;
        }
        let Some(last) = engine.store.messages(&conversation.id, Window::Last(1)).await?.pop() else { continue };
        if newest.as_ref().is_none_or(|(known, _)| *known < moment(&last)) {
            newest = Some((moment(&last), conversation));
        }
    }
    let Some((_, conversation)) = newest else { return Ok(None) };
    let mut facts = fact::current(engine, &conversation.id).await?;
    // What was only remarked on is of no use to another conversation.
    facts.retain(|fact| fact.kind != FactKind::Constraint || is_firm(&fact.subject));
    // Whoever works in the project needs no path to it in front of each file.
    let root = format!("{}/", project.root.display());
    for fact in facts.iter_mut().filter(|fact| fact.kind == FactKind::File) {
        if let Some(inside) = fact.subject.strip_prefix(&root) {
            fact.subject = inside.to_owned();
        }
    }
    Ok(match facts_item(&facts, &conversation.id, request.budget) {
        Some(AssembledItem::Facts { facts, text, tokens }) => {
            Some(Recollection { conversation: conversation.name, facts, text, tokens })
        }
        _ => None,
    })
}
