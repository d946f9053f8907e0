//! Counts the texts of a session, and measures how many tokens its vendor bills for one that the program counts: each
//! vendor cuts texts in its own way.

use anyhow::Result;

use super::token_counter::TokenCounter;
use super::trace::{SessionTrace, TextOrigin};

/// A step of fewer tokens says little about the vendor's count.
const STEP_TOKENS: u64 = 500;

/// Fewer steps than this say nothing.
const STEPS: usize = 3;

pub(super) struct TextCounts {
    /// As the program counts, for each text of the trace.
    pub(super) tokens: Vec<u64>,
    /// Tokens of the vendor for one of these; 1 where the session does not show it.
    pub(super) scale: f64,
}

/// Counts all texts. An answer is taken to have as many tokens as the vendor reported, or as it shows, where those are
/// more: some versions of the agent wrote only the first report down.
pub(super) fn count_texts(trace: &mut SessionTrace, counter: &mut TokenCounter) -> Result<TextCounts> {
    let texts: Vec<&str> = trace.texts.iter().map(|text| text.text.as_str()).collect();
    let tokens = counter.count_texts(&texts)?;
    for at in 0..trace.requests.len() {
        let answered = sum_between(trace, &tokens, at).0;
        let output = &mut trace.requests[at].output;
        *output = (*output).max(answered);
    }
    let scale = measure_scale(trace, &tokens).unwrap_or(1.0);
    Ok(TextCounts { tokens, scale })
}

/// Tokens of the model's texts and of all others between a request and the next; and whether there are pictures.
fn sum_between(trace: &SessionTrace, tokens: &[u64], request: usize) -> (u64, u64, bool) {
    let from = trace.requests[request].line;
    let until = trace.requests.get(request + 1).map_or(usize::MAX, |next| next.line);
    let mut sums = (0, 0, false);
    for (text, count) in trace.texts.iter().zip(tokens).filter(|(text, _)| (from..until).contains(&text.line)) {
        *(if text.origin == TextOrigin::Model { &mut sums.0 } else { &mut sums.1 }) += count;
        sums.2 |= text.is_pictured;
    }
    sums
}

/// By how much the context grew for each token that came into it, less what the model itself had said: the median over
/// the steps of the session.
fn measure_scale(trace: &SessionTrace, tokens: &[u64]) -> Option<f64> {
    let mut ratios = Vec::new();
    for (at, pair) in trace.requests.windows(2).enumerate() {
        let (_, came, is_pictured) = sum_between(trace, tokens, at);
        let growth = pair[1].context().saturating_sub(pair[0].context()).saturating_sub(pair[0].output);
        if pair[0].period == pair[1].period && came >= STEP_TOKENS && growth > 0 && !is_pictured {
            ratios.push(growth as f64 / came as f64);
        }
    }
    ratios.sort_by(f64::total_cmp);
    (ratios.len() >= STEPS).then(|| ratios[ratios.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::super::trace::{BilledRequest, ContextText};
    use super::*;

    #[test]
    fn the_scale_is_what_the_context_grew_by() {
        let mut trace = SessionTrace::default();
        let mut context = 20_000;
        for step in 0..4 {
            let line = step * 10;
            trace.requests.push(BilledRequest { line, cache_read: context, output: 100, ..BilledRequest::default() });
            let origin = TextOrigin::Output("Bash".to_owned());
            let text = String::new();
            trace.texts.push(ContextText { line: line + 5, origin, text, is_pictured: false });
            context += 100 + 1_500;
        }
        assert_eq!(measure_scale(&trace, &[1_000; 4]), Some(1.5));
        assert_eq!(measure_scale(&trace, &[400; 4]), None);
    }
}
