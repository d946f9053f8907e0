//! What was said as items of an answer, where it is about the question at all.
//!
//! Recall never comes back empty when a word matches, which is right for somebody who asks what was said. A question
//! about code with one common word in an old conversation is not that: such a match stays out.

use super::form::{self, Format};
use super::{Item, Origin};
use crate::retrieve::code::{Question, stems};
use crate::{Engine, Project, RecallRequest, RecallScope, Recalled, Result, Span};
use model::{Role, Timestamp, Tokens};

/// Which messages may be in an answer.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Only of this role.
    pub role: Option<Role>,
    /// Only from then on.
    pub since: Option<Timestamp>,
    /// Only before then.
    pub until: Option<Timestamp>,
}

/// A message must hold this share of the words of a question.
const LEAST_SHARE: f32 = 0.6;

/// How many are considered.
const CANDIDATES: u32 = 8;

/// What was said in the project about a question, best first, each with a form that costs its tokens.
pub(super) async fn find(
    engine: &Engine,
    project: &Project,
    query: &str,
    said: &Said,
    format: Format,
) -> Result<Vec<Item>> {
    let request = RecallRequest {
        query: query.to_owned(),
        scope: RecallScope::Project,
        role: said.role,
        since: said.since,
        until: said.until,
        limit: CANDIDATES,
        budget: None,
    };
    let reply = engine.recall(project, request).await?;
    let question = Question::new(query);
    let about = reply.results.into_iter().filter(|recalled| share(&question, recalled) >= LEAST_SHARE);
    Ok(about.map(|recalled| item(recalled, format)).collect())
}

/// How many of a question's words a message holds, with what stands beside it.
fn share(question: &Question, recalled: &Recalled) -> f32 {
    let mut held = stems(&recalled.text);
    recalled.neighbours.iter().for_each(|neighbour| held.extend(stems(&neighbour.text)));
    let known = question.terms.iter().filter(|term| held.contains(&term.stem)).count();
    known as f32 / question.terms.len().max(1) as f32
}

fn item(recalled: Recalled, format: Format) -> Item {
    let message = &recalled.message;
    let speaker = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
    let Span { start, end, of } = recalled.span;
    let cut = if recalled.span.is_whole() { String::new() } else { format!(":{start}-{end}/{of}") };
    let item = Item {
        source: format!("{} {}#{}{cut}", message.id, recalled.conversation, message.seq),
        text: format!("{speaker}: {}", recalled.text),
        tokens: Tokens(0),
        why: recalled.why,
        at: message.body.at.as_ref().map(|at| at.text.clone()),
        origin: Origin::Conversation,
    };
    form::priced(item, format)
}
