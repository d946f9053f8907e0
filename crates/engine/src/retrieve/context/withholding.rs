//! Puts references in the place of texts that the reader of an answer has seen in its session, and says which texts an
//! answer leaves it with.

use super::answer_format::price_item;
use super::{AnswerFormat, AnswerItem, ItemOrigin};
use crate::base::{SeenFinder, SeenRegion, SeenReport, WithheldText};
use model::show_text;
use std::borrow::Cow;

/// The mode of regions in answers: as they are on disk.
const EXACT: &str = "raw";

/// A text that was withheld, with the source of its item.
pub(super) type WithheldItem = (String, WithheldText);

/// Puts references in the place of what was seen.
pub(super) fn withhold_items(items: &mut [AnswerItem], seen: &SeenFinder, format: AnswerFormat) -> Vec<WithheldItem> {
    if !seen.is_asking() {
        return Vec::new();
    }
    let regions: Vec<SeenRegion> = items.iter().filter_map(|item| seen_region(item, format)).collect();
    let seen = seen.find_seen(&regions);
    let mut withheld = Vec::new();
    for item in items {
        let region = seen_region(item, format);
        if let Some(text) = seen.withhold(region.as_ref(), &mut item.text) {
            withheld.push((item.source.clone(), text));
            *item = price_item(item.clone(), format);
        }
    }
    withheld
}

/// What the reader has of files once it got these items.
pub(super) fn report_seen(items: &[AnswerItem], withheld: &[WithheldItem], format: AnswerFormat) -> SeenReport {
    let is_withheld = |item: &&AnswerItem| withheld.iter().any(|(source, _)| *source == item.source);
    let shown = items.iter().filter(|item| !is_withheld(item)).filter_map(|item| seen_region(item, format)).collect();
    let is_kept = |source: &str| items.iter().any(|item| item.source == source);
    let withheld = withheld.iter().filter(|(source, _)| is_kept(source)).map(|(_, text)| text.clone()).collect();
    SeenReport { shown, withheld }
}

/// What an item shows, where that is the text of its source to the letter.
fn seen_region(item: &AnswerItem, format: AnswerFormat) -> Option<SeenRegion> {
    // Only characters that were not written in another way were seen as they are.
    let is_exact = matches!(show_text(&item.text), Cow::Borrowed(_)) && format != AnswerFormat::Xml;
    if !is_exact || item.is_summary {
        return None;
    }
    match &item.place {
        Some(place) => SeenRegion::of_text(&place.path, EXACT, place.lines, &item.text),
        None if item.origin == ItemOrigin::Conversation => SeenRegion::of_said(&item.source, &item.text),
        None => None,
    }
}
