//! Averages the measures of the retrieval benchmark over the questions of a set, for each tool and budget.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::measure::{AnswerMeasure, GoldRanks};
use crate::bench::round_thousandths;

/// The budgets at which answers are compared.
pub(super) const BUDGETS: [u64; 5] = [500, 1_000, 2_000, 4_000, 8_000];

/// Ranks up to which something counts as found.
const RANK_CUTOFFS: [usize; 3] = [1, 5, 10];

/// The scores of each tool: by set and wording, then by tool.
#[derive(Default)]
pub(super) struct ScoreTable(BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, ToolScore>>);

/// Of one tool.
#[derive(Default)]
struct ToolScore {
    answers: BTreeMap<u64, Vec<AnswerMeasure>>,
    ranks: Vec<GoldRanks>,
}

impl ScoreTable {
    /// Notes how one question was answered.
    pub(super) fn add_question(
        &mut self,
        of: (&'static str, &'static str),
        tool: &'static str,
        ranks: GoldRanks,
        answers: Vec<(u64, AnswerMeasure)>,
    ) {
        let score = self.0.entry(of).or_default().entry(tool).or_default();
        score.ranks.push(ranks);
        for (budget, measured) in answers {
            score.answers.entry(budget).or_default().push(measured);
        }
    }

    /// The table: percent, but for the number of questions.
    pub(super) fn to_json(&self) -> Value {
        let mut sets: BTreeMap<String, Value> = BTreeMap::new();
        for ((set, variant), tools) in &self.0 {
            let questions = tools.values().map(|score| score.ranks.len()).max().unwrap_or_default();
            let tools: BTreeMap<&str, Value> = tools.iter().map(|(tool, score)| (*tool, score.to_json())).collect();
            sets.insert(format!("{set}, {variant}"), json!({ "questions": questions, "tools": tools }));
        }
        json!(sets)
    }
}

impl ToolScore {
    fn to_json(&self) -> Value {
        let by_budget = |value: fn(&AnswerMeasure) -> Option<f64>| -> Value {
            let means = self
                .answers
                .iter()
                .map(|(budget, all)| (budget.to_string(), json!(mean_percent(all.iter().filter_map(value)))));
            json!(means.collect::<serde_json::Map<String, Value>>())
        };
        let at = |ranks: Vec<Option<usize>>| -> Value {
            let share =
                |most: usize| mean_percent(ranks.iter().map(|rank| f64::from(rank.is_some_and(|rank| rank <= most))));
            json!(
                RANK_CUTOFFS
                    .iter()
                    .map(|most| (most.to_string(), json!(share(*most))))
                    .collect::<serde_json::Map<_, _>>()
            )
        };
        // Questions whose gold lies outside of any function, such as a constant, cannot be found by function.
        let functions = self.ranks.iter().filter(|ranks| ranks.has_function).map(|ranks| ranks.function).collect();
        json!({
            "gold_lines_shown": by_budget(|measured| Some(measured.lines)),
            "gold_functions_whole": by_budget(|measured| Some(f64::from(measured.whole?))),
            "precision": by_budget(|measured| Some(measured.precision)),
            "markers": by_budget(|measured| Some(measured.markers)),
            "function_found_at": at(functions),
            "file_found_at": at(self.ranks.iter().map(|ranks| ranks.file).collect()),
        })
    }
}

/// The mean of some shares, in percent.
fn mean_percent(shares: impl Iterator<Item = f64>) -> f64 {
    let shares: Vec<f64> = shares.collect();
    (round_thousandths(shares.iter().sum::<f64>() / shares.len().max(1) as f64) * 1_000.0).round() / 10.0
}
