//! Searches summaries for a pattern, the second stage of `grep`: there are few, so all are read from the store page by
//! page.

use super::cursor::GrepCursor;
use super::{GrepFound, GrepMatch, GrepSearch, is_late};
use crate::base::Result;
use crate::memory::damage::damage_note;
use model::{EventTime, Summary, Timestamp};
use store::StoreCursor;

/// Summaries read at a time.
const PAGE: u32 = 128;

impl GrepSearch<'_> {
    /// Looks through summaries behind a place.
    pub(super) async fn search_summaries(&mut self, mut before: Option<StoreCursor>) -> Result<()> {
        // Where the first match goes that has no room, the next page begins.
        let mut behind = before;
        loop {
            let page = self.memory.store.scan_summaries(self.conversation.as_ref(), before, PAGE).await?;
            let is_last = page.len() < PAGE as usize;
            for (cursor, summary) in page {
                if is_late(&*self.memory.clock, self.deadline) {
                    self.reply.is_complete = false;
                    self.continue_with(&GrepCursor::Summaries(before));
                    return Ok(());
                }
                before = Some(cursor);
                if !self.is_within(&summary.conversation) {
                    continue;
                }
                // A damaged text is never shown, nor matched: its words are not those that were stored.
                if !summary.is_intact() {
                    let damage = format!("summary {} is damaged: its text is not what it was made with", summary.id);
                    self.reply.degraded.push(damage_note(&damage));
                    continue;
                }
                if !self.is_in_period(&summary) || !self.matcher.is_match(&summary.content) {
                    continue;
                }
                self.reply.total += 1;
                if self.reply.matches.len() < self.request.limit as usize {
                    let snippet = self.matcher.match_snippet(&summary.content);
                    self.reply.matches.push(GrepMatch {
                        found: GrepFound::Summary(Box::new(summary)),
                        snippet,
                        repeats: None,
                    });
                    behind = Some(cursor);
                } else {
                    self.continue_with(&GrepCursor::Summaries(behind));
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Whether one of the messages of a summary may lie within the bounds.
    fn is_in_period(&self, summary: &Summary) -> bool {
        let instant = |text: &Option<String>| text.clone().and_then(|text| EventTime::from_text(text).instant);
        let first = instant(&summary.from);
        let last = instant(&summary.until);
        let within = |bound: Option<Timestamp>, fits: &dyn Fn(Timestamp) -> bool| bound.is_none_or(fits);
        within(self.request.since, &|since| last.or(first).unwrap_or(summary.created) >= since)
            && within(self.request.until, &|until| first.or(last).unwrap_or(summary.created) < until)
    }
}
