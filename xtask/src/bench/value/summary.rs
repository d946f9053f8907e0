//! Sums the sessions of the value benchmark up: totals, ratios with their spread, and where the money goes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::session_value::{SessionValue, ValuePart};
use crate::bench::round_thousandths;

/// The goal: dollars with us to dollars without.
const WANTED: f64 = 0.6;

pub(super) fn sum_up(values: &[SessionValue]) -> Value {
    let dollars: f64 = values.iter().map(|value| value.dollars).sum();
    let tokens: f64 = values.iter().map(SessionValue::tokens).sum();
    let mut billed = [0; 4];
    let mut parts: BTreeMap<&str, ValuePart> = BTreeMap::new();
    let mut origins: BTreeMap<&str, f64> = BTreeMap::new();
    let (mut change, mut views, mut reads) = (ValuePart::default(), ValuePart::default(), [0; 3]);
    for value in values {
        for (sum, count) in billed.iter_mut().zip(value.billed) {
            *sum += count;
        }
        for (sum, count) in reads.iter_mut().zip(value.reads) {
            *sum += count;
        }
        for (name, part) in &value.parts {
            parts.entry(name).or_default().add(*part);
        }
        for (name, dollars) in &value.origins {
            *origins.entry(name).or_default() += dollars;
        }
        change.add(value.change());
        views.add(value.views);
    }
    origins.insert("the model's answers", values.iter().map(|value| value.output_dollars).sum());
    let share = |part: f64| round_thousandths(part / dollars * 100.0);
    let part_rows: BTreeMap<&str, Value> = parts
        .iter()
        .map(|(name, part)| {
            let mut row = part.to_json();
            row["percent_of_dollars"] = json!(share(part.dollars));
            (*name, row)
        })
        .collect();
    let [input, cache_reads, cache_writes, output] = billed;
    json!({
        "sessions": values.len(),
        "billed": { "input": input, "cache_reads": cache_reads, "cache_writes": cache_writes, "output": output },
        "dollars": round_thousandths(dollars),
        "dollars_with_us_to_without": {
            "all": round_thousandths(1.0 + change.dollars / dollars),
            "wanted": WANTED,
            "by_session": describe_spread(values.iter().map(SessionValue::dollar_ratio).collect()),
        },
        "tokens_with_us_to_without": {
            "all": round_thousandths(1.0 + change.billed / tokens),
            "by_session": describe_spread(values.iter().map(SessionValue::token_ratio).collect()),
        },
        "parts": part_rows,
        "if_whole_files_were_read_by_auto": {
            "files": reads[0],
            "shown_whole": reads[1],
            "rest_was_needed": reads[2],
            "spared": views.to_json(),
            "percent_of_dollars": share(views.dollars),
            "dollars_with_us_to_without": {
                "all": round_thousandths(1.0 + (change.dollars + views.dollars) / dollars),
                "by_session": describe_spread(values.iter().map(SessionValue::ratio_with_views).collect()),
            },
        },
        "percent_of_dollars_by_origin":
            origins.iter().map(|(name, part)| (*name, json!(share(*part)))).collect::<BTreeMap<_, _>>(),
        "billed_tokens_for_one_of_o200k": describe_spread(values.iter().map(|value| value.scale).collect()),
    })
}

fn describe_spread(mut ratios: Vec<f64>) -> Value {
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (ratios.len().saturating_sub(1) as f64 * share).round() as usize;
        ratios.get(place).map(|ratio| round_thousandths(*ratio))
    };
    json!({ "least": at(0.0), "quarter": at(0.25), "median": at(0.5), "three_quarters": at(0.75), "most": at(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_of_the_sorted_ratios() {
        let spread = describe_spread(vec![1.2, 0.8, 1.0, 1.1, 0.9]);
        let expected = json!({ "least": 0.8, "quarter": 0.9, "median": 1.0, "three_quarters": 1.1, "most": 1.2 });
        assert_eq!(spread, expected);
        assert_eq!(describe_spread(Vec::new())["median"], Value::Null);
    }
}
