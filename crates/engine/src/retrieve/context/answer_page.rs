//! Writes the final text of an answer within its token budget: the items, then notes and the list of omitted places.
//!
//! Items get the budget less the notes and a reserve. The list of omitted places gets the rest: its names are worth
//! less than the items.

use super::answer_format::render_items;
use super::{AnswerFormat, PackedAnswer};
use crate::base::budget::{BudgetWriter, footer_allowance};
use crate::retrieve::answer_notes::{NoteDetail, entity_lines, note_lines};
use model::{TokenCount, count_tokens};

/// The tokens that items may cost.
pub(super) fn room_for_items(context: &PackedAnswer, budget: TokenCount) -> TokenCount {
    budget.saturating_sub(count_tokens(&render_notes(context, budget))).saturating_sub(footer_allowance(budget))
}

/// Writes the text of an answer and counts it. Items that do not fit beside the notes are dropped, the last first.
pub(super) fn write_page(context: &mut PackedAnswer, budget: TokenCount, format: AnswerFormat) {
    loop {
        let (text, tokens) = render_page(context, budget, format);
        // Prices of single items do not add up exactly: tokens merge across the end of one item and the beginning of
        // the next. So the whole text is counted, and this is what keeps the budget.
        if tokens > budget
            && let Some(last) = context.items.pop()
        {
            // It was packed, so it is better than everything that was left out before.
            context.omitted.insert(0, last.source);
            continue;
        }
        (context.text, context.tokens) = (text, tokens);
        return;
    }
}

/// So many places that were left out are named in the text, one for each thousand tokens; a small answer only counts them.
/// The reply names more of them.
const MOST_NAMED: u32 = 3;
const TOKENS_A_NAME: u32 = 1_000;

/// The text, and what it costs.
fn render_page(context: &PackedAnswer, budget: TokenCount, format: AnswerFormat) -> (String, TokenCount) {
    let notes = render_notes(context, budget);
    if !context.gate.retrieve {
        let reason = &context.gate.reason;
        return count_text(format!("nothing looked up: the question {reason} (`anyway` looks all the same)\n{notes}"));
    }
    if context.items.is_empty() && context.omitted.is_empty() {
        return count_text(format!("nothing found\n{notes}"));
    }
    let items = render_items(&context.items, format);
    // The size has no more digits than the budget.
    let around = count_tokens(&format!("{items}{budget} tokens\n{notes}"));
    let mut page = BudgetWriter::new(Some(budget.saturating_sub(around)));
    let named = (budget.0 / TOKENS_A_NAME).min(MOST_NAMED);
    // After the items, from what they leave: naming a place must never cost the place of an item.
    page.add_names("left out for the budget", &context.omitted, named as usize);
    let left_out = page.finish();
    // The text contains its own size, and a number of more digits may cost a token more.
    let mut size = TokenCount(0);
    loop {
        let (text, tokens) = count_text(format!("{items}{size} tokens\n{left_out}{notes}"));
        if tokens == size {
            return (text, tokens);
        }
        size = tokens;
    }
}

fn count_text(text: String) -> (String, TokenCount) {
    let tokens = count_tokens(&text);
    (text, tokens)
}

/// The notes below the items, in half of the budget at most.
fn render_notes(context: &PackedAnswer, budget: TokenCount) -> String {
    let mut lines = entity_lines(&context.entities);
    let notes =
        note_lines(&context.questions, &context.corrected, &context.consulted, &context.degraded, NoteDetail::Brief);
    lines.extend(notes);
    let mut page = BudgetWriter::new(Some(TokenCount(budget.0 / 2)));
    let left_out = lines.iter().filter(|line| !page.add(line, LEFT_OUT)).count();
    if left_out > 0 {
        page.add(&format!("notes left out for the budget: {left_out}\n"), TokenCount(0));
    }
    page.finish()
}

/// The cost of the line that counts omitted notes.
const LEFT_OUT: TokenCount = TokenCount(12);
