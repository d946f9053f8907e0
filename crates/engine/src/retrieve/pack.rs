//! Packing: what fits a budget, best first, with what was left out.

use super::{SearchHit, find};
use crate::{Engine, Error, Project, Result, read};
use model::{Tokens, count_tokens};

/// A question and how many tokens its answer may cost.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The question.
    pub query: String,
    /// Most tokens of all items together.
    pub budget: Tokens,
}

/// One piece of an answer.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Where it is from: `path:start-end`.
    pub source: String,
    /// Its text.
    pub text: String,
    /// Tokens of the text.
    pub tokens: Tokens,
    /// What made it fit.
    pub why: String,
}

/// Whether the question needed anything looked up.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Whether something was looked up.
    pub retrieve: bool,
    /// Why.
    pub reason: String,
}

/// An answer that fits its budget.
#[derive(Clone, Debug)]
pub struct Context {
    /// The pieces, best first.
    pub items: Vec<Packed>,
    /// Tokens of all pieces.
    pub tokens: Tokens,
    /// Places that would have come next, for asking on.
    pub omitted: Vec<String>,
    /// What did not run, and how to have it.
    pub degraded: Vec<String>,
    /// Whether something was looked up.
    pub gate: Gate,
}

/// How many places are considered; the budget decides how many are shown.
const CANDIDATES: usize = 20;

/// A piece cut shorter than this says too little to be worth its header.
const LEAST_LINES: usize = 5;

pub(crate) async fn context(engine: &Engine, project: &Project, request: ContextRequest) -> Result<Context> {
    if request.budget == Tokens(0) {
        return Err(Error::Parameter { field: "budget", reason: "must be at least 1 token".to_owned() });
    }
    let hits = find(engine, project, &request.query, CANDIDATES).await?;
    let gate = Gate { retrieve: true, reason: "every question is looked up".to_owned() };
    let mut context = Context { items: Vec::new(), tokens: Tokens(0), omitted: Vec::new(), degraded: Vec::new(), gate };
    for hit in hits {
        let source = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
        let left = request.budget.saturating_sub(context.tokens);
        match fit(project, &hit, left) {
            Ok(Some(item)) => {
                context.tokens += item.tokens;
                context.items.push(item);
            }
            Ok(None) => context.omitted.push(source),
            // It changed since it was found: one piece less, not no answer.
            Err(error) => context.degraded.push(format!("{source} is left out: {error}")),
        }
    }
    Ok(context)
}

/// The hit as a piece of at most `left` tokens: whole, or its first lines with a mark that says where to read on.
fn fit(project: &Project, hit: &SearchHit, left: Tokens) -> Result<Option<Packed>> {
    let text = read::lines(project, &hit.path, hit.lines)?;
    let whole = packed(hit, text.clone(), hit.lines.end);
    if whole.tokens <= left {
        return Ok(Some(whole));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Halve until it fits: a few counts instead of one for each line.
    let mut keep = lines.len() / 2;
    while keep >= LEAST_LINES {
        let last = hit.lines.start + keep as u32 - 1;
        let cut = format!(
            "{}[… lines {}-{} left out for the budget: read {}:{}-{}]\n",
            lines[..keep].concat(),
            last + 1,
            hit.lines.end,
            hit.path,
            last + 1,
            hit.lines.end
        );
        let piece = packed(hit, cut, last);
        if piece.tokens <= left {
            return Ok(Some(piece));
        }
        keep /= 2;
    }
    Ok(None)
}

fn packed(hit: &SearchHit, text: String, last: u32) -> Packed {
    Packed {
        source: format!("{}:{}-{}", hit.path, hit.lines.start, last),
        tokens: count_tokens(&text),
        text,
        why: hit.why.clone(),
    }
}
