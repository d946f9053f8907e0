//! One answer to a question, over code, documents and conversations, within a budget.
//!
//! ```text
//! gate     does the question need anything looked up?
//! find     places of the project, and messages that are about it
//! share    how much of the budget each may take, by what is asked
//! pack     forms of each, fullest first, so that the answer spans more for the same tokens
//! ```
//! The same question over the same files and messages gives the same bytes.

mod code;
mod form;
mod pack;
mod talk;

pub use form::{Format, written};
pub use talk::Said;

use super::code::Question;
use super::gate::{Gate, gate};
use super::intent::{Intent, holds};
use super::{Filters, SearchHit, find};
use crate::{Engine, Error, Project, Result, index};
use code::Found;
use model::Tokens;
use pack::{Form, pack};
use std::sync::Arc;

/// A question and how many tokens its answer may cost.
#[derive(Clone, Debug, Default)]
pub struct ContextRequest {
    /// The question.
    pub query: String,
    /// Most tokens of all items together, as they are written.
    pub budget: Tokens,
    /// Which places of the project may be in the answer.
    pub filters: Filters,
    /// Which messages may be in the answer.
    pub said: Said,
    /// Look even where the question seems to need nothing.
    pub anyway: bool,
    /// How the answer will be written.
    pub format: Format,
}

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it is from: `path:start-end`, or `message conversation#seq`, with `:start-end/bytes` where only those bytes
    /// are shown.
    pub source: String,
    /// Its text.
    pub text: String,
    /// Tokens of it as it is written.
    pub tokens: Tokens,
    /// What made it fit.
    pub why: String,
    /// When it was said, in the words of its source.
    pub at: Option<String>,
    /// What it is from.
    pub origin: Origin,
}

/// What an item is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Source code, or data.
    Code,
    /// A document.
    Document,
    /// A conversation.
    Conversation,
}

/// An answer that fits its budget.
#[derive(Clone, Debug)]
pub struct Context {
    /// The pieces: of the project best first, then of conversations best first, or the other way round where it was
    /// asked about them.
    pub items: Vec<Item>,
    /// Tokens of all pieces.
    pub tokens: Tokens,
    /// Places that would have come next, for asking on.
    pub omitted: Vec<String>,
    /// What did not run, and how to have it.
    pub degraded: Vec<String>,
    /// Whether something was looked up.
    pub gate: Gate,
    /// What was asked for.
    pub intent: Intent,
}

/// How many places are considered; the budget decides how many are shown.
const CANDIDATES: usize = 24;

/// Where a document comes in at the latest, when the question is about an idea.
const DOCUMENT_PLACE: usize = 3;

pub(crate) async fn context(engine: &Engine, project: &Project, request: ContextRequest) -> Result<Context> {
    if request.budget == Tokens(0) {
        return Err(Error::Parameter { field: "budget", reason: "must be at least 1 token".to_owned() });
    }
    let intent = Intent::of(&request.query);
    let gate = decide(engine, project, &request).await?;
    let mut context =
        Context { items: Vec::new(), tokens: Tokens(0), omitted: Vec::new(), degraded: Vec::new(), gate, intent };
    if !context.gate.retrieve {
        return Ok(context);
    }
    let said = match talk::find(engine, project, &request.query, &request.said, request.format).await {
        Ok(said) => said,
        // Code can be answered for without what was said about it.
        Err(error) => {
            context.degraded.push(format!("conversations are left out: {error}"));
            Vec::new()
        }
    };
    let hits = find(engine, project, &request.query, &request.filters, CANDIDATES * 2).await?;
    let hits = considered(hits, intent);
    let (project, settings) = (project.clone(), engine.settings.clone());
    index::blocking("packing", move || {
        let about_talk = is_about_talk(&request.query);
        let for_talk = share_of_talk(intent, about_talk);
        let of_talk = pack(&said, part(request.budget, for_talk), |item, most| {
            let form = || Form { it: item.clone(), tokens: item.tokens, is_whole: true };
            (item.tokens <= most).then(form)
        });
        let spent = of_talk.iter().flatten().map(|form| form.tokens).sum();
        let left = request.budget.saturating_sub(spent);
        let words: Arc<[String]> = Question::new(&request.query).terms.into_iter().map(|term| term.stem).collect();
        let mut places = Vec::new();
        for hit in hits {
            let source = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
            match Found::read(&project, &settings, hit, Arc::clone(&words)) {
                Ok(found) => places.push(found),
                // It changed since it was found: one piece less, not no answer.
                Err(error) => context.degraded.push(format!("{source} is left out: {error}")),
            }
        }
        let of_code = pack(&places, left, |found, most| found.draw(most, request.format));
        let mut code = Vec::new();
        for (found, form) in places.iter().zip(of_code) {
            match form {
                Some(form) => code.push(form.it),
                None => context.omitted.push(found.source()),
            }
        }
        let mut talk = Vec::new();
        for (item, form) in said.into_iter().zip(of_talk) {
            match form {
                Some(form) => talk.push(form.it),
                None => context.omitted.push(item.source),
            }
        }
        let (first, then) = if about_talk { (talk, code) } else { (code, talk) };
        context.items = first.into_iter().chain(then).collect();
        context.tokens = context.items.iter().map(|item| item.tokens).sum();
        context
    })
    .await
}

/// Whether to look: by the wording, and never against what the project itself defines.
async fn decide(engine: &Engine, project: &Project, request: &ContextRequest) -> Result<Gate> {
    let by_words = gate(&request.query, |_| false);
    if by_words.retrieve {
        return Ok(by_words);
    }
    if request.anyway {
        let reason = format!("asked for anyway, although it {}", by_words.reason);
        return Ok(Gate { retrieve: true, reason, confidence: 1.0 });
    }
    let catalog = super::code::load(engine, project).await?;
    Ok(gate(&request.query, |word| catalog.defines(word)))
}

/// The places to consider. Code comes before documents in a search; who asks about an idea is helped by the best
/// document as well.
fn considered(mut hits: Vec<SearchHit>, intent: Intent) -> Vec<SearchHit> {
    if intent.is_conceptual()
        && let Some(at) = hits.iter().position(|hit| hit.is_prose).filter(|at| *at > DOCUMENT_PLACE)
    {
        let document = hits.remove(at);
        hits.insert(DOCUMENT_PLACE, document);
    }
    hits.truncate(CANDIDATES);
    hits
}

/// The share of a budget that conversations may take, in hundredths.
fn share_of_talk(intent: Intent, about_talk: bool) -> u32 {
    if about_talk {
        return 70;
    }
    match intent {
        Intent::List | Intent::Find => 15,
        Intent::Explain | Intent::Compare => 20,
        Intent::How => 25,
        Intent::Debug => 35,
        Intent::Why => 40,
    }
}

/// Whether a question asks for what was said or done before.
fn is_about_talk(question: &str) -> bool {
    let lower = question.to_lowercase();
    let phrases = [
        "we",
        "did i",
        "i said",
        "you said",
        "told",
        "decided",
        "decide",
        "discussed",
        "last time",
        "last week",
        "yesterday",
        "earlier",
        "previously",
        "conversation",
        "remember",
        "agreed",
    ];
    phrases.iter().any(|phrase| holds(&lower, phrase))
}

fn part(budget: Tokens, hundredths: u32) -> Tokens {
    Tokens((u64::from(budget.0) * u64::from(hundredths) / 100) as u32)
}
