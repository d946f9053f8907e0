//! Figures of a day: what hooks told, how much of a request is ours, how long hooks take.

use serde_json::{Value, json};

use super::day::Played;
use super::model::Purpose;
use super::texts::{told_in, words_of};
use super::witness::HookCall;
use crate::bench::round;

/// Characters of a token, roughly: shares and sums, not bills.
const CHARACTERS: f64 = 4.0;

pub(super) fn of(played: &Played) -> Value {
    let told: usize = played.hooks.iter().flat_map(HookCall::told).map(|told| told.chars().count()).sum();
    let requests = played.exchanges.iter().filter(|exchange| matches!(exchange.purpose, Purpose::Turn(_)));
    let shares: Vec<f64> = requests.map(|exchange| share(&exchange.request)).collect();
    let mut milliseconds: Vec<f64> = played.hooks.iter().map(|call| call.milliseconds).collect();
    milliseconds.sort_by(f64::total_cmp);
    json!({
        "turns": played.turns.len(),
        "seconds_in_turns": round(played.seconds),
        "told_tokens_per_turn": round(told as f64 / CHARACTERS / played.turns.len().max(1) as f64),
        "share_of_request_mean": round(shares.iter().sum::<f64>() / shares.len().max(1) as f64),
        "share_of_request_most": round(shares.iter().copied().fold(0.0, f64::max)),
        "hooks": milliseconds.len(),
        "hook_ms_p50": round(quantile(&milliseconds, 0.5)),
        "hook_ms_p99": round(quantile(&milliseconds, 0.99)),
    })
}

/// Our tools and what our hooks told, by all bytes of a request. What our server says of itself is not counted: agents
/// put it among their own words.
fn share(request: &Value) -> f64 {
    let told: usize = told_in(&words_of(request)).iter().map(String::len).sum();
    let ours = told + tools(&request["tools"]);
    ours as f64 / request.to_string().len().max(1) as f64
}

/// Bytes of the tools that are ours, however they are put together.
fn tools(value: &Value) -> usize {
    let name = value["name"].as_str().or_else(|| value["function"]["name"].as_str());
    match value {
        Value::Array(items) => items.iter().map(tools).sum(),
        _ if name.is_some_and(|name| name.contains("epitome")) => value.to_string().len(),
        Value::Object(members) => ["functionDeclarations", "function_declarations"]
            .iter()
            .filter_map(|name| members.get(*name))
            .map(tools)
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
        assert_eq!(tools(&json!([ours, { "name": "Read" }])), size);
        assert_eq!(tools(&json!([{ "functionDeclarations": [ours, { "name": "read" }] }])), size);
        assert!(tools(&json!([{ "type": "function", "function": ours }])) > size);
        assert_eq!(tools(&Value::Null), 0);
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
