//! Packs the ranked regions of a baseline into a token budget for the retrieval benchmark: whole regions by rank under
//! bare headings.

use std::collections::HashSet;

use anyhow::Result;

use super::python_process::PythonProcess;
use super::tree::{LineCosts, TreeLines};
use super::{BenchAnswer, LineRegion};

/// More regions fit no budget.
const MAX_REGIONS: usize = 400;

/// The tokens of the fence below a region.
const FENCE: u64 = 3;

/// With less than this above the heading's cost a region is not begun.
const MIN_REGION_TOKENS: u64 = 8;

/// The regions that may be packed, with what their headings cost.
pub(super) struct PricedRegions<'r> {
    regions: Vec<(&'r LineRegion, u64)>,
}

impl<'r> PricedRegions<'r> {
    /// Counts what packing will ask for.
    pub(super) fn new(
        regions: &'r [LineRegion],
        tree: &mut TreeLines,
        costs: &mut LineCosts,
        helper: &mut PythonProcess,
    ) -> Result<Self> {
        let regions = &regions[..regions.len().min(MAX_REGIONS)];
        tree.open_files(regions.iter().map(|region| region.path.as_str()));
        let lines = regions.iter().flat_map(|region| region.line_numbers().map(|number| (&region.path, number)));
        costs.count_lines(helper, lines.filter_map(|(path, number)| tree.line_text(path, number)))?;
        // As bare as possible, so that the baseline wastes nothing on headings.
        let heading = |region: &LineRegion| format!("## {}:{}-{}\n```\n", region.path, region.start, region.end);
        let headings: Vec<String> = regions.iter().map(heading).collect();
        let heads = helper.count_tokens(&headings)?;
        Ok(Self { regions: regions.iter().zip(heads).collect() })
    }

    /// Whole regions, best first, as far as they fit; the first is cut where it alone is too long. No line twice.
    pub(super) fn pack_regions(&self, tree: &TreeLines, costs: &LineCosts, budget: u64) -> BenchAnswer {
        let mut items = Vec::new();
        let mut left = budget;
        let mut shown: HashSet<(&str, u32)> = HashSet::new();
        for (region, head) in &self.regions {
            let path = region.path.as_str();
            let cost = |number: &u32| costs.line_cost(tree.line_text(path, *number).unwrap_or_default());
            let mut lines: Vec<u32> =
                region.line_numbers().filter(|number| !shown.contains(&(path, *number))).collect();
            let head = head + FENCE;
            let mut tokens = head + lines.iter().map(cost).sum::<u64>();
            // The first region is cut rather than left out: an empty answer would make the baseline look worse than it
            // is.
            while items.is_empty()
                && tokens > left
                && let Some(last) = lines.pop()
            {
                tokens -= cost(&last);
            }
            if lines.is_empty() || tokens > left || head + MIN_REGION_TOKENS > left {
                continue;
            }
            left -= tokens;
            shown.extend(lines.iter().map(|number| (path, *number)));
            items.push((path.to_owned(), lines));
        }
        BenchAnswer { items, tokens: budget - left }
    }
}
