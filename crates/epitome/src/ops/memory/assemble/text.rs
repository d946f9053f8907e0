//! Renders the reply of `assemble` as one text within its token budget. The engine cut what is shown whatever it costs,
//! so that here only what is left out has to be named.

use super::{AssembleItem, AssembleOmission};
use engine::BudgetWriter;
use model::{TokenCount, show_quoted};
use std::borrow::Cow;

/// What is kept free to tell what is left out.
const FOOTER: TokenCount = TokenCount(24);

pub(super) fn render_items(items: &[AssembleItem], omitted: &[AssembleOmission], budget: Option<TokenCount>) -> String {
    let mut page = BudgetWriter::new(budget);
    let mut left_out: Vec<String> = omitted.iter().map(AssembleOmission::to_text).collect();
    for item in items {
        if !page.add(&format!("{}{}\n\n", item.heading, item_text(item)), FOOTER) {
            left_out.push(format!("{} (expand it)", item.id));
        }
    }
    page.add_names("left out for the budget", &left_out, usize::MAX);
    page.finish()
}

/// The words of a message, none of which looks like a heading of ours; everything else is written by us.
fn item_text(item: &AssembleItem) -> Cow<'_, str> {
    if item.kind == "message" { show_quoted(&item.text) } else { Cow::Borrowed(&item.text) }
}
