//! Fits the turns of a summary into a number of tokens: all of them in less detail before any of them is left out, and
//! the first one, the goal, and the last one, where the work stands, never.

use super::turn::{TURN_DETAILS, TurnNote};
use model::count_tokens;

/// Turns as they are told.
pub(super) struct FittedTurns<'a> {
    turns: &'a [TurnNote],
    weights: Vec<i32>,
    /// For each turn, its place among the details; `None` for one that is left out.
    details: Vec<Option<usize>>,
    /// For each turn, its text in each detail and the tokens of that, once it was asked for: writing one takes time, and
    /// fitting asks for the same again and again.
    texts: Vec<[Option<(String, u32)>; TURN_DETAILS.len()]>,
}

impl<'a> FittedTurns<'a> {
    /// All turns in the most detail.
    pub(super) fn new(turns: &'a [TurnNote]) -> Self {
        let weights = turns.iter().map(TurnNote::weight).collect();
        let texts = turns.iter().map(|_| Default::default()).collect();
        Self { turns, weights, details: vec![Some(0); turns.len()], texts }
    }

    /// Tells all turns in one detail.
    pub(super) fn set_detail(&mut self, detail: usize) {
        self.details.fill(Some(detail));
    }

    fn text_of(&mut self, at: usize, detail: usize) -> &(String, u32) {
        let turn = &self.turns[at];
        self.texts[at][detail].get_or_insert_with(|| {
            let text = turn.render(TURN_DETAILS[detail]);
            let tokens = count_tokens(&text).0;
            (text, tokens)
        })
    }

    /// Leaves the lightest turns out until the rest fits.
    pub(super) fn drop_to(&mut self, most: u32) {
        while self.token_count() > most && self.drop_lightest() {}
    }

    /// Tokens of all that is told.
    pub(super) fn token_count(&mut self) -> u32 {
        // Turns that were left out cost as well: each gap has a line that says how many.
        let told: u32 = (0..self.turns.len()).filter_map(|at| Some(self.text_of(at, self.details[at]?).1)).sum();
        let is_gap = |at: usize| self.details[at].is_none() && (at == 0 || self.details[at - 1].is_some());
        told + (0..self.turns.len()).filter(|at| is_gap(*at)).count() as u32 * GAP_TOKENS
    }

    /// Leaves the lightest turn out; false where only the first and the last are left.
    pub(super) fn drop_lightest(&mut self) -> bool {
        let last = self.turns.len().saturating_sub(1);
        let between = (1..last).filter(|at| self.details[*at].is_some());
        // Among equals the older one: the work goes on from the newer.
        let Some(lightest) = between.min_by_key(|at| (self.weights[*at], *at)) else { return false };
        self.details[lightest] = None;
        true
    }

    /// Tells turns in more detail while it fits: where the work stands first, then the goal, then the weightiest.
    pub(super) fn refine(&mut self, mut left: u32) {
        let last = self.turns.len().saturating_sub(1);
        let mut order: Vec<usize> = (0..self.turns.len()).filter(|at| self.details[*at].is_some()).collect();
        order.sort_by_key(|at| (*at != last, *at != 0, -self.weights[*at], usize::MAX - *at));
        for at in order {
            // One step of detail after the other, because the steps are not equally long and a later one may still fit.
            while let Some(detail) = self.details[at].filter(|detail| *detail > 0) {
                let more = self.text_of(at, detail - 1).1.saturating_sub(self.text_of(at, detail).1);
                if more > left {
                    break;
                }
                left -= more;
                self.details[at] = Some(detail - 1);
            }
        }
    }

    /// The lines of all turns, in order, with how many were left out where they stood.
    pub(super) fn render(&mut self) -> String {
        let mut text = String::new();
        let mut missing = 0;
        for at in 0..self.turns.len() {
            let Some(detail) = self.details[at] else {
                missing += 1;
                continue;
            };
            if missing > 0 {
                text += &render_gap(missing);
                missing = 0;
            }
            text += &self.text_of(at, detail).0;
        }
        if missing > 0 {
            text += &render_gap(missing);
        }
        text
    }
}

/// Tokens of the line that says how many turns were left out, about.
const GAP_TOKENS: u32 = 6;

fn render_gap(turns: usize) -> String {
    format!("… {turns} more turn{}\n", if turns == 1 { "" } else { "s" })
}

/// Whether a line only says that turns were left out.
pub(super) fn is_gap(line: &str) -> bool {
    line.strip_prefix("… ").is_some_and(|rest| rest.ends_with(" more turn") || rest.ends_with(" more turns"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns() -> Vec<TurnNote> {
        let turn = |number: usize| TurnNote {
            asked: format!("Please add the report number {number} to the page of the customers."),
            did: format!("edited report_{number}.rs"),
            result: format!("The report number {number} was added to the page, with a test."),
        };
        (1..=6).map(turn).collect()
    }

    #[test]
    fn the_goal_and_the_end_are_left_out_last() {
        let turns = turns();
        let mut fitted = FittedTurns::new(&turns);
        fitted.set_detail(TURN_DETAILS.len() - 1);
        fitted.drop_to(100);
        let text = fitted.render();
        assert!(count_tokens(&text).0 <= 100, "{text}");
        assert!(text.contains("number 1 to") && text.contains("number 6 to") && text.contains("more turns"), "{text}");
        assert!(text.lines().any(is_gap) && !is_gap("… and 3 more"));
    }

    #[test]
    fn what_is_left_over_gives_more_detail() {
        let turns = turns();
        let mut fitted = FittedTurns::new(&turns);
        fitted.set_detail(TURN_DETAILS.len() - 1);
        assert!(!fitted.render().contains("Did: "));
        fitted.refine(30);
        assert!(fitted.render().contains("Did: edited report_6.rs"), "{}", fitted.render());
    }
}
