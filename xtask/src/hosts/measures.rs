//! Measurements of an end-to-end test run: the size of injected texts, our share of a model request, how long hooks
//! take.

use serde_json::{Value, json};

use super::day::PlayedDay;
use super::hook_recorder::HookCall;
use super::model::RequestPurpose;
use super::texts::{told_in, words_of};
use crate::bench::round_thousandths;

/// Characters of a token, roughly: shares and sums, not bills.
const CHARS_PER_TOKEN: f64 = 4.0;

pub(super) fn day_measures(played: &PlayedDay) -> Value {
    let told: usize = played.hooks.iter().flat_map(HookCall::told_texts).map(|told| told.chars().count()).sum();
    // Requests for titles and summaries are the host's own, and the share is about turns.
    let requests = played.exchanges.iter().filter(|exchange| matches!(exchange.purpose, RequestPurpose::Turn(_)));
    let shares: Vec<f64> = requests.map(|exchange| own_share(&exchange.request)).collect();
    let mut milliseconds: Vec<f64> = played.hooks.iter().map(|call| call.milliseconds).collect();
    milliseconds.sort_by(f64::total_cmp);
    json!({
        "turns": played.turns.len(),
        "seconds_in_turns": round_thousandths(played.seconds),
        "told_tokens_per_turn": round_thousandths(told as f64 / CHARS_PER_TOKEN / played.turns.len().max(1) as f64),
        "share_of_request_mean": round_thousandths(shares.iter().sum::<f64>() / shares.len().max(1) as f64),
        "share_of_request_most": round_thousandths(shares.iter().copied().fold(0.0, f64::max)),
        "hooks": milliseconds.len(),
        "hook_ms_p50": round_thousandths(quantile(&milliseconds, 0.5)),
        "hook_ms_p99": round_thousandths(quantile(&milliseconds, 0.99)),
    })
}

/// Our tools and the texts of our hooks, divided by all bytes of a request. The instructions of our server are not
/// counted: agents put it among their own words.
fn own_share(request: &Value) -> f64 {
    let told: usize = told_in(&words_of(request)).iter().map(String::len).sum();
    let ours = told + own_tool_bytes(&request["tools"]);
    ours as f64 / request.to_string().len().max(1) as f64
}

/// Bytes of the tools that are ours, however they are put together.
fn own_tool_bytes(value: &Value) -> usize {
    let name = value["name"].as_str().or_else(|| value["function"]["name"].as_str());
    match value {
        Value::Array(items) => items.iter().map(own_tool_bytes).sum(),
        _ if name.is_some_and(|name| name.contains("epitome")) => value.to_string().len(),
        Value::Object(members) => ["functionDeclarations", "function_declarations"]
            .iter()
            .filter_map(|name| members.get(*name))
            .map(own_tool_bytes)
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = ((sorted.len().max(1) - 1) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_tools_are_counted_in_every_form() {
        let ours = json!({ "name": "mcp__epitome__read" });
        let size = ours.to_string().len();
        assert_eq!(own_tool_bytes(&json!([ours, { "name": "Read" }])), size);
        assert_eq!(own_tool_bytes(&json!([{ "functionDeclarations": [ours, { "name": "read" }] }])), size);
        assert!(own_tool_bytes(&json!([{ "type": "function", "function": ours }])) > size);
        assert_eq!(own_tool_bytes(&Value::Null), 0);
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let check = |values: &[f64], share: f64, expected: f64| {
            assert_eq!(quantile(values, share).to_bits(), expected.to_bits(), "{share} of {values:?}");
        };
        check(&[1.0, 2.0, 3.0], 0.5, 2.0);
        check(&[1.0, 2.0, 3.0], 0.99, 3.0);
        check(&[], 0.5, 0.0);
    }
}
