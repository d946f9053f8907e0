//! Packs code regions and their graph neighbours into the token budget of an answer; a file's heading is paid once.
//!
//! A first region that is too long is cut: where it is clearly the answer it takes all of the budget, else a part, and
//! regions that fit whole take the rest. Neighbours come after the first region and those others that fit into most of
//! the rest: a function one call away from the answer helps more than one that might be the answer.

use super::answer_format::{AnswerFormat, shared_heading};
use super::code_items::CodeCandidate;
use super::neighbours::RegionNeighbour;
use super::packer::{CutMode, PackedForm, pack_candidates};
use super::{AnswerItem, budget_share};
use model::{LineRange, TokenCount};
use std::collections::HashMap;

/// Regions and neighbours in the forms that fitted.
pub(super) struct PackedRegions {
    pub(super) regions: Vec<Option<PackedForm<AnswerItem>>>,
    pub(super) neighbours: Vec<PackedForm<AnswerItem>>,
}

/// Hundredths of what the first region leaves that other regions may take before neighbours do.
const BEFORE_NEIGHBOURS: u32 = 75;

/// Hundredths of a budget that an excerpt of the first region may take where that does not fit whole and is not clearly
/// the answer.
const EXCERPT_SHARE: u32 = 35;

/// Packs regions, and neighbours of those that are shown.
pub(super) fn pack_regions(
    places: &[CodeCandidate<'_>],
    near: &[CodeCandidate<'_>],
    budget: TokenCount,
    format: AnswerFormat,
) -> PackedRegions {
    let mut sheet = RegionPacker { left: budget, format, headings: HashMap::new() };
    let (first, others) = places.split_at(places.len().min(1));
    // A first region that is far ahead is the answer and is cut if it has to be. One that is barely ahead is tried
    // whole first, because whole regions behind it may hold the answer.
    let is_clear = clear_answer(places).is_some();
    let mut regions = sheet.add_regions(first, budget, if is_clear { CutMode::Allowed } else { CutMode::Never });
    if !is_clear && regions.iter().all(Option::is_none) {
        regions = sheet.add_regions(first, budget_share(budget, EXCERPT_SHARE), CutMode::Allowed);
    }
    // A quarter of the rest is kept for neighbours; the loop at the end gives back what they leave.
    let share = if near.is_empty() { 100 } else { BEFORE_NEIGHBOURS };
    regions.extend(sheet.add_regions(others, budget_share(sheet.left, share), CutMode::Never));
    // Where nothing else fits, the first region may have all of the budget.
    if regions.iter().skip(first.len()).all(Option::is_none) {
        // Packed again from an empty sheet: the excerpt above was limited to a share that nothing else took.
        sheet = RegionPacker { left: budget, format, headings: HashMap::new() };
        regions.splice(..first.len(), sheet.add_regions(first, budget, CutMode::Allowed));
    }
    let shown: Vec<bool> = regions.iter().map(Option::is_some).collect();
    let shown = || places.iter().zip(&shown).filter(|(_, is_shown)| **is_shown).map(|(place, _)| &place.hit);
    // A neighbour of a region that was left out would be a hint to nothing, and one inside of a shown region is shown.
    let is_wanted =
        |near: &RegionNeighbour| shown().any(|region| near.is_of(region)) && !shown().any(|region| near.is_in(region));
    let wanted: Vec<&CodeCandidate<'_>> = near.iter().filter(|found| found.near.is_some_and(is_wanted)).collect();
    let neighbours: Vec<PackedForm<AnswerItem>> =
        sheet.add_regions(&wanted, sheet.left, CutMode::Never).into_iter().flatten().collect();
    if !neighbours.is_empty() {
        for (place, form) in places.iter().zip(&mut regions).filter(|(_, form)| form.is_none()) {
            // A region whose lines a neighbour shows already would print them twice.
            if !neighbours.iter().any(|form| overlaps_item(place, &form.it)) {
                *form = sheet.add_regions(&[place], sheet.left, CutMode::Never).pop().flatten();
            }
        }
    }
    PackedRegions { regions, neighbours }
}

/// The first region is the answer where it fits so much better than the next: of doc comments whose first region is so
/// far ahead, five in six have their function there.
const MIN_CLEAR_LEAD: f32 = 1.5;

/// The region that is the answer, where one clearly is: it is whole before anything else is shown.
pub(super) fn clear_answer<'p, 'd>(places: &'p [CodeCandidate<'d>]) -> Option<&'p CodeCandidate<'d>> {
    let first = places.first()?;
    let next = places.get(1).map_or(f32::NEG_INFINITY, |place| place.hit.fit);
    (first.hit.fit - next >= MIN_CLEAR_LEAD).then_some(first)
}

/// Whether an item shows lines of a region.
fn overlaps_item(place: &CodeCandidate<'_>, item: &AnswerItem) -> bool {
    let meet = |lines: LineRange| lines.start <= place.hit.lines.end && place.hit.lines.start <= lines.end;
    item.place.as_ref().is_some_and(|shown| shown.path == place.hit.path && meet(shown.lines))
}

/// The rest of a budget, and the headings that are paid for already.
struct RegionPacker {
    left: TokenCount,
    format: AnswerFormat,
    headings: HashMap<String, TokenCount>,
}

impl RegionPacker {
    /// Packs regions into a part of what is left.
    fn add_regions<'f, 'd: 'f, F>(
        &mut self,
        places: &[F],
        budget: TokenCount,
        first: CutMode,
    ) -> Vec<Option<PackedForm<AnswerItem>>>
    where
        F: std::borrow::Borrow<CodeCandidate<'d>> + 'f,
    {
        let packed = pack_candidates(places, budget, |found, most, cut| {
            let found: &CodeCandidate<'d> = found.borrow();
            let cut = if cut == CutMode::Allowed { first } else { cut };
            // A second region of a file stands under the heading that is paid for, so it may cost that much more by
            // itself.
            let shared = self.headings.get(&*found.hit.path).copied().unwrap_or(TokenCount(0));
            let form = found.render_form(most + shared, cut)?;
            self.headings.entry(found.hit.path.clone()).or_insert_with(|| shared_heading(&form.it, self.format));
            Some(PackedForm { tokens: form.tokens.saturating_sub(shared), ..form })
        });
        self.left = self.left.saturating_sub(packed.iter().flatten().map(|form| form.tokens).sum());
        packed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Project;
    use crate::code::search::{HitPreview, SearchHit};
    use crate::retrieve::context::code_items::RenderScope;
    use crate::retrieve::context::excerpt::QuestionWords;

    fn hit(start: u32, end: u32, fit: f32) -> SearchHit {
        SearchHit {
            path: "a.py".to_owned(),
            lines: LineRange { start, end },
            score: 0.0,
            fit,
            symbol: None,
            focus: None,
            file_lines: Some(200),
            is_prose: false,
            why: String::new(),
            summary: None,
            matched: Vec::new(),
            preview: HitPreview::default(),
            parts: Vec::new(),
            related: Vec::new(),
            related_omitted: 0,
        }
    }

    /// The lines that are shown of regions of a file.
    fn shown(hits: &[(u32, u32, f32)], budget: u32) -> Vec<(u32, u32)> {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let text: String = (100..300).map(|at| format!("weigh({at})\n")).collect();
        fs_err::write(directory.path().join("a.py"), text).expect("a file");
        let project = Project::from_directory(directory.path()).expect("a project");
        let words = QuestionWords::from_question("weigh it");
        let rendering = RenderScope { project, format: AnswerFormat::Markdown, for_neighbour: TokenCount(0), words };
        let places: Vec<CodeCandidate<'_>> =
            hits.iter().map(|(start, end, fit)| CodeCandidate::new(hit(*start, *end, *fit), &rendering)).collect();
        let packed = pack_regions(&places, &[], TokenCount(budget), AnswerFormat::Markdown);
        let shown = packed.regions.iter().flatten().filter_map(|form| form.it.place.as_ref());
        shown.map(|place| (place.lines.start, place.lines.end)).collect()
    }

    #[test]
    fn a_first_region_that_is_too_long_is_cut_and_leaves_room_where_it_is_not_clearly_the_answer() {
        let clear = [(1, 150, 9.0), (160, 170, 2.0)];
        let alike = [(1, 150, 9.0), (160, 170, 8.5)];
        assert_eq!(shown(&alike, 200), [(1, 11), (160, 170)]);
        assert_eq!(shown(&alike, 2_000), [(1, 150), (160, 170)]);
        let cannot = [(1, 150, 9.0), (20, 140, 8.5)];
        for (hits, budget) in [(clear, 200), (cannot, 100)] {
            let shown = shown(&hits, budget);
            assert!(matches!(shown[..], [(1, 5..=149)]), "{hits:?}: {shown:?}");
        }
    }
}
