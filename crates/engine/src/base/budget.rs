//! Keeps the text of a reply within its token budget: `BudgetWriter` accepts only the pieces of text that still fit.
//! Headings, notes and the list of omissions count like the rest, so a part of the budget is reserved for them.

use crate::base::{Error, Result};
use model::{TokenCount, count_tokens, show_name};
use std::borrow::Cow;

/// A smaller budget has no room to name what was left out.
pub(crate) const LEAST_BUDGET: TokenCount = TokenCount(64);

/// Bounds of what is kept free for the lines below the items, and its share of the budget between them.
const LEAST_RESERVE: u32 = 24;
const MOST_RESERVE: u32 = 120;
const RESERVE_SHARE: u32 = 20;

/// Refuses a budget that no reply can keep.
pub(crate) fn check_budget(budget: Option<TokenCount>) -> Result<()> {
    match budget {
        Some(budget) if budget < LEAST_BUDGET => {
            let reason =
                format!("is {budget}: must be at least {LEAST_BUDGET} tokens, so that what is left out can be named");
            Err(Error::Parameter { field: "budget", reason })
        }
        _ => Ok(()),
    }
}

/// The part of a budget that is kept free for the lines below the items.
pub(crate) fn footer_allowance(budget: TokenCount) -> TokenCount {
    TokenCount((budget.0 / RESERVE_SHARE).clamp(LEAST_RESERVE, MOST_RESERVE))
}

/// The longest beginning of a text within a budget, at least one character, and its tokens.
pub(crate) fn beginning_within(text: &str, budget: TokenCount) -> (&str, TokenCount) {
    // Most tokens have about four bytes: longer beginnings are seldom worth a try.
    let mut end = text.floor_char_boundary(budget.0 as usize * 4);
    loop {
        let tokens = count_tokens(&text[..end]);
        if tokens <= budget {
            return (&text[..end], tokens);
        }
        // Cut in proportion to the excess; where rounding cuts nothing, by a character, so that the loop ends.
        let shorter = text.floor_char_boundary(end * budget.0 as usize / tokens.0 as usize);
        end = if shorter < end { shorter } else { text.floor_char_boundary(end - 1) };
        if end == 0 {
            let first = text.chars().next().map_or(0, char::len_utf8);
            return (&text[..first], count_tokens(&text[..first]));
        }
    }
}

/// The text of a reply while it is written: it accepts the pieces that fit, and knows how much is left.
#[derive(Clone, Debug, Default)]
pub struct BudgetWriter {
    text: String,
    budget: Option<TokenCount>,
    spent: TokenCount,
}

impl BudgetWriter {
    /// An empty page; without a budget everything fits.
    pub fn new(budget: Option<TokenCount>) -> Self {
        Self { budget, ..Self::default() }
    }

    /// What is left of the budget.
    pub fn left(&self) -> TokenCount {
        self.budget.map_or(TokenCount(u32::MAX), |budget| budget.saturating_sub(self.spent))
    }

    /// Adds a piece that ends with a line, if it fits and leaves so much free.
    pub fn add(&mut self, piece: &str, free: TokenCount) -> bool {
        // Without a budget the count decides nothing, and counting takes time.
        let tokens = if self.budget.is_some() { count_tokens(piece) } else { TokenCount(0) };
        // `free` is what the rest of the page needs: an item must not take the room of the footer.
        let fits = tokens + free <= self.left();
        if fits {
            self.text.push_str(piece);
            self.spent += tokens;
        }
        fits
    }

    /// Adds a line with as many of some names as fit, at most `most`; the others are counted. `lead` says what they are.
    pub fn add_names(&mut self, lead: &str, names: &[String], most: usize) {
        // Names are of files and conversations, which may hold a line break.
        let names: Vec<Cow<'_, str>> = names.iter().map(|name| show_name(name)).collect();
        let line = |named: usize| {
            let rest = names.len() - named;
            match (named, rest) {
                (0, _) => format!("{lead}: {rest}\n"),
                (_, 0) => format!("{lead}: {}\n", names.join(", ")),
                _ => format!("{lead}: {} and {rest} more\n", names[..named].join(", ")),
            }
        };
        if !names.is_empty() {
            // The size of a line in tokens is known only once it is written, so shorter lists are tried one by one.
            let _ = (0..=names.len().min(most)).rev().any(|named| self.add(&line(named), TokenCount(0)));
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_do_not_fit_are_counted() {
        let names: Vec<String> = (0..9).map(|number| format!("src/session{number}.rs:1-20")).collect();
        let written = |budget| {
            let mut page = BudgetWriter::new(budget);
            page.add_names("left out", &names, usize::MAX);
            page.finish()
        };
        assert!(written(None).ends_with("src/session8.rs:1-20\n"));
        assert_eq!(
            written(Some(TokenCount(40))),
            "left out: src/session0.rs:1-20, src/session1.rs:1-20, src/session2.rs:1-20 and 6 more\n"
        );
        assert_eq!(written(Some(TokenCount(6))), "left out: 9\n");
    }

    proptest! {
        #[test]
        fn a_page_costs_no_more_than_its_budget(
            pieces in prop::collection::vec("[a-z(){} \n\u{e9}\u{4e2d}]{0,80}", 0..12),
            budget in 0_u32..200,
        ) {
            let mut page = BudgetWriter::new(Some(TokenCount(budget)));
            for piece in &pieces {
                page.add(&format!("{piece}\n"), TokenCount(0));
            }
            page.add_names("left out", &pieces, usize::MAX);
            prop_assert!(count_tokens(&page.finish()) <= TokenCount(budget));
        }

        #[test]
        fn a_beginning_keeps_to_its_budget(text in "[a-z \n\u{e9}\u{4e2d}]{1,200}", budget in 3_u32..60) {
            let (beginning, tokens) = beginning_within(&text, TokenCount(budget));
            prop_assert!(text.starts_with(beginning) && !beginning.is_empty());
            prop_assert!(tokens <= TokenCount(budget) && tokens == count_tokens(beginning));
        }
    }
}
