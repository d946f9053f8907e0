//! Sessions, messages and statements of conversations (decisions, tasks, rules) as ends of links: how a text names one, what
//! it is called, and what it is joined to.

use super::entity_end::{GraphEnd, NamedEnd};
use super::entity_view::EntityView;
use super::entity_walk::Step;
use crate::base::Result;
use crate::memory::{
    DecisionRequest, DescribedItem, MemoryContext, describe_item, facts_of, find_decisions, open_question,
};
use model::{ConversationId, EdgeKind, Fact, FactId, Message, MessageId, ProjectId};
use serde_json::json;
use store::{Conversation, MessageWindow};

/// Something of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum MemoryEnd {
    Session(ConversationId),
    Message(MessageId),
    Fact(FactId),
}

/// Of a text so much is a name.
const LONGEST_NAME: usize = 120;
/// Of a message so much is shown; `describe` has all of it.
const LONGEST_CONTENT: usize = 2_000;
/// A question at the end of a session stands in one of so many messages: what follows it has no words.
const LAST_MESSAGES: u32 = 10;
/// So many decisions are listed.
const MOST_DECISIONS: u32 = 10_000;

impl MemoryEnd {
    /// The end of an id in a link, which may lead to nothing any more.
    pub(super) fn of_id(id: &str) -> Option<Self> {
        let message = || MessageId::parse(id).ok().map(Self::Message);
        let fact = || FactId::parse(id).ok().map(Self::Fact);
        let session = || ConversationId::parse(id).ok().map(Self::Session);
        message().or_else(fact).or_else(session)
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Session(id) => id.as_str(),
            Self::Message(id) => id.as_str(),
            Self::Fact(id) => id.as_str(),
        }
    }

    /// What a text means that begins like the id of something of a conversation.
    pub(super) async fn find(memory: &MemoryContext, text: &str) -> Result<Option<Self>> {
        let text = text.trim();
        if ![ConversationId::PREFIX, MessageId::PREFIX, FactId::PREFIX].iter().any(|prefix| text.starts_with(prefix)) {
            return Ok(None);
        }
        Ok(match describe_item(memory, text).await? {
            DescribedItem::Message { message, .. } => Some(Self::Message(message.id.clone())),
            DescribedItem::Conversation { conversation, .. } => Some(Self::Session(conversation.id.clone())),
            DescribedItem::Fact(described) => Some(Self::Fact(described.fact.id)),
            DescribedItem::Summary { .. } | DescribedItem::Artifact(_) | DescribedItem::Memory(..) => None,
        })
    }

    /// As replies show it; `gone` where it is not stored any more.
    pub(super) async fn name(&self, memory: &MemoryContext) -> Result<NamedEnd> {
        let view = self.describe(memory).await?;
        Ok(match view {
            Some(view) => NamedEnd { id: view.id, kind: view.kind, name: view.name, path: None, lines: None },
            None => NamedEnd::gone(self.id()),
        })
    }

    /// All that is known of it.
    pub(super) async fn describe(&self, memory: &MemoryContext) -> Result<Option<EntityView>> {
        Ok(match self {
            Self::Session(id) => memory.store.load_conversation(id).await?.as_ref().map(session_view),
            Self::Message(id) => memory.store.load_message(id).await?.as_ref().map(message_view),
            Self::Fact(id) => memory.store.load_fact(id).await?.as_ref().map(fact_view),
        })
    }

    /// What it is joined to; of the messages of a session the first `most`.
    pub(super) async fn steps(&self, memory: &MemoryContext, most: usize) -> Result<Vec<Step>> {
        let step = |end: MemoryEnd, is_out: bool, relationship: EdgeKind| Step {
            other: GraphEnd::Memory(end),
            is_out,
            relationship,
            weight: 100,
            link: None,
        };
        let mut steps = Vec::new();
        match self {
            Self::Session(id) => {
                for fact in facts_of(memory, id).await? {
                    steps.push(step(Self::Fact(fact.id), true, EdgeKind::Contains));
                }
                let window = MessageWindow::After { seq: 0, limit: u32::try_from(most).unwrap_or(u32::MAX) };
                for message in memory.store.load_messages(id, window).await? {
                    steps.push(step(Self::Message(message.id), true, EdgeKind::Contains));
                }
            }
            Self::Message(id) => {
                let Some(message) = memory.store.load_message(id).await? else { return Ok(steps) };
                let facts = facts_of(memory, &message.conversation).await?;
                let taken = facts.into_iter().filter(|fact| fact.sources.contains(id));
                steps.extend(taken.map(|fact| step(Self::Fact(fact.id), false, EdgeKind::References)));
                steps.push(step(Self::Session(message.conversation), false, EdgeKind::Contains));
            }
            Self::Fact(id) => {
                let Some(fact) = memory.store.load_fact(id).await? else { return Ok(steps) };
                let sources = fact.sources.into_iter();
                steps.extend(sources.map(|source| step(Self::Message(source), true, EdgeKind::References)));
                steps.push(step(Self::Session(fact.conversation), false, EdgeKind::Contains));
            }
        }
        Ok(steps)
    }
}

/// The sessions of a project, newest first.
pub(super) async fn list_sessions(memory: &MemoryContext, project: &ProjectId) -> Result<Vec<EntityView>> {
    Ok(conversations_of(memory, project).await?.iter().map(session_view).collect())
}

/// The decisions of a project, newest first.
pub(super) async fn list_decisions(memory: &MemoryContext, project: &ProjectId) -> Result<Vec<EntityView>> {
    let request =
        DecisionRequest { project: Some(project.clone()), limit: MOST_DECISIONS, ..DecisionRequest::default() };
    let found = find_decisions(memory, request).await?;
    let view = |decision: crate::memory::Decision| EntityView {
        content: Some(decision.decision),
        created: decision.at,
        metadata: Some(json!({ "session": decision.conversation.as_str(), "reason": decision.reason })),
        ..EntityView::new(decision.id.to_string(), "decision", decision.title)
    };
    Ok(found.decisions.into_iter().map(view).collect())
}

/// The questions with which sessions of a project end: nobody answered them there.
pub(super) async fn list_questions(memory: &MemoryContext, project: &ProjectId) -> Result<Vec<EntityView>> {
    let mut questions = Vec::new();
    for conversation in conversations_of(memory, project).await? {
        let newest = match memory.store.load_messages(&conversation.id, MessageWindow::Last(LAST_MESSAGES)).await {
            // Damaged messages are told by `verify`, and take no other question with them.
            Err(error) if error.is_damage() => continue,
            newest => newest?,
        };
        if let Some((message, question)) = open_question(&newest) {
            questions.push(EntityView {
                content: Some(question.clone()),
                created: Some(message.happened()),
                metadata: Some(json!({ "session": conversation.id.as_str() })),
                ..EntityView::new(message.id.to_string(), "question", cut(&question, LONGEST_NAME))
            });
        }
    }
    Ok(questions)
}

async fn conversations_of(memory: &MemoryContext, project: &ProjectId) -> Result<Vec<Conversation>> {
    let mut conversations = memory.store.list_conversations().await?;
    conversations.retain(|known| known.project.as_ref() == Some(project));
    conversations.sort_by(|a, b| (b.updated, &a.id).cmp(&(a.updated, &b.id)));
    Ok(conversations)
}

fn session_view(it: &Conversation) -> EntityView {
    EntityView {
        metadata: Some(json!({ "name": it.name, "messages": it.messages, "state": it.state.as_str() })),
        created: Some(it.created),
        updated: Some(it.updated),
        ..EntityView::new(it.id.to_string(), "session", cut(it.title.as_ref().unwrap_or(&it.name), LONGEST_NAME))
    }
}

fn message_view(it: &Message) -> EntityView {
    let content = it.body.content();
    let words = content.split_whitespace().collect::<Vec<_>>().join(" ");
    EntityView {
        content: Some(cut(&content, LONGEST_CONTENT)),
        metadata: Some(json!({
            "session": it.conversation.as_str(), "seq": it.seq, "role": it.body.role.as_str(),
            "whole": content.len() <= LONGEST_CONTENT,
        })),
        created: Some(it.happened()),
        hash: Some(it.hash.0.to_string()),
        ..EntityView::new(it.id.to_string(), "message", cut(&words, LONGEST_NAME))
    }
}

fn fact_view(it: &Fact) -> EntityView {
    EntityView {
        content: Some(it.subject.clone()),
        metadata: Some(json!({ "session": it.conversation.as_str(), "state": it.state.as_str(), "times": it.times })),
        ..EntityView::new(it.id.to_string(), it.kind.as_str(), cut(&it.subject, LONGEST_NAME))
    }
}

/// A text of so many bytes at most, with a mark where it was longer.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", text[..text.floor_char_boundary(most)].trim_end())
}
