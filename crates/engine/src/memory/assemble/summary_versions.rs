//! A summary of a context in several sizes: as it was written, and in fewer words for a small budget.
//!
//! Shorter texts are made of the summary by the built-in summarizer, which keeps the goal, the rules and where the work
//! stands. They are only shown: what is stored stays as it is.

use super::summary_form::{SummaryExtent, SummaryForm, render_summary};
use crate::memory::summarize::{OutlineInput, SummaryOutline, strip_closing};
use model::{Summary, TokenCount, count_tokens};

/// One summary, in each size.
pub(super) struct SummaryVersions {
    pub(super) summary: Summary,
    below: u64,
    form: SummaryForm,
    /// From the longest to the shortest; all the same where the summary is short, or shorter ones are not needed.
    texts: [ShownText; SHORTER_PERCENTS.len() + 1],
}

#[derive(Clone)]
struct ShownText {
    text: String,
    tokens: TokenCount,
}

/// The sizes of shorter versions in percent of the whole, and the tokens that no version goes below. Small steps leave
/// little of a budget unused.
const SHORTER_PERCENTS: [u32; 5] = [85, 70, 55, 40, 25];
const MIN_SHORTER_TOKENS: u32 = 48;

impl SummaryVersions {
    /// The version of the fewest words.
    pub(super) const SHORTEST: usize = SHORTER_PERCENTS.len();

    /// A summary that has `below` others under it, in one size.
    pub(super) fn new(summary: Summary, below: u64, form: SummaryForm) -> Self {
        let text = render_summary(&summary, &summary.content, SummaryExtent::Whole, below, form);
        let whole = ShownText { tokens: count_tokens(&text), text };
        Self { texts: std::array::from_fn(|_| whole.clone()), summary, below, form }
    }

    /// Adds the shorter sizes, which take time to write.
    pub(super) fn add_shorter(&mut self) {
        let summary = &self.summary;
        let outline = SummaryOutline::from_inputs(&[OutlineInput::Summary(&summary.content)]);
        for (place, percent) in SHORTER_PERCENTS.into_iter().enumerate() {
            let draft = outline.write_draft(TokenCount((summary.tokens.0 * percent / 100).max(MIN_SHORTER_TOKENS)));
            // The closing line names what expanding gives. The whole summary has a better one, and the shorter text has
            // no room for two.
            let content = strip_closing(&draft.content);
            let text = render_summary(summary, content, SummaryExtent::Shortened, self.below, self.form);
            let tokens = count_tokens(&text);
            // A version that came out longer than the one before it is not used: the selection relies on each step
            // sparing something.
            let longer = self.texts[place].clone();
            self.texts[place + 1] = if tokens < longer.tokens { ShownText { text, tokens } } else { longer };
        }
    }

    pub(super) fn text(&self, version: usize) -> &str {
        &self.texts[version].text
    }

    pub(super) fn tokens(&self, version: usize) -> TokenCount {
        self.texts[version].tokens
    }
}
