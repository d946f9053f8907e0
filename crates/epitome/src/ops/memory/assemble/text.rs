//! Renders the reply of `assemble` as one text within its token budget. The newest turn and the newest message of the
//! user are in every context, however long they are: in a text their ends are cut where they do not fit, with the
//! handle that leads to the rest.

use super::{AssembleItem, AssembleOmission};
use engine::{BudgetWriter, beginning_within};
use model::{TokenCount, count_tokens, show_quoted};
use std::borrow::Cow;

/// What is kept free to tell what is left out.
const FOOTER: TokenCount = TokenCount(24);

/// A message that is cut keeps this much, heading and handle included.
const MIN_CUT_MESSAGE_TOKENS: TokenCount = TokenCount(56);

/// What the handle costs at most.
const HANDLE: TokenCount = TokenCount(28);

pub(super) fn render_items(items: &[AssembleItem], omitted: &[AssembleOmission], budget: Option<TokenCount>) -> String {
    let mut pieces: Vec<String> =
        items.iter().map(|item| format!("{}{}\n\n", item.heading, item_text(item, &item.text))).collect();
    if let Some(budget) = budget {
        shorten_pieces(&mut pieces, items, budget.saturating_sub(FOOTER));
    }
    let mut page = BudgetWriter::new(budget);
    let mut left_out: Vec<String> = omitted.iter().map(AssembleOmission::to_text).collect();
    for (item, piece) in items.iter().zip(&pieces) {
        if !page.add(piece, FOOTER) {
            left_out.push(format!("{} (expand it)", item.id));
        }
    }
    page.add_names("left out for the budget", &left_out, usize::MAX);
    page.finish()
}

/// The words of a message, none of which looks like a heading of ours; everything else is written by us.
fn item_text<'t>(item: &AssembleItem, text: &'t str) -> Cow<'t, str> {
    if item.kind == "message" { show_quoted(text) } else { Cow::Borrowed(text) }
}

/// Cuts the longest messages until all of it fits, or nothing more can be cut.
fn shorten_pieces(pieces: &mut [String], items: &[AssembleItem], room: TokenCount) {
    let mut sizes: Vec<TokenCount> = pieces.iter().map(|piece| count_tokens(piece)).collect();
    loop {
        let over = sizes.iter().copied().sum::<TokenCount>().saturating_sub(room);
        // Only messages are cut: a summary or a fact is short already, and half of one would be wrong.
        let longest = (0..items.len()).filter(|at| items[*at].kind == "message").max_by_key(|at| sizes[*at]);
        let Some(at) = longest.filter(|at| over > TokenCount(0) && sizes[*at] > MIN_CUT_MESSAGE_TOKENS) else { return };
        let wanted = sizes[at].saturating_sub(over).max(MIN_CUT_MESSAGE_TOKENS);
        let AssembleItem { id, heading, text, .. } = &items[at];
        let (shown, _) = beginning_within(text, wanted.saturating_sub(count_tokens(heading) + HANDLE));
        let beginning = item_text(&items[at], shown);
        pieces[at] = format!("{heading}{beginning}\n[… expand {id}.{} for the rest]\n\n", shown.len());
        let size = count_tokens(&pieces[at]);
        // Cutting no longer helps: the heading and the handle alone take this much.
        if size >= sizes[at] {
            return;
        }
        sizes[at] = size;
    }
}
