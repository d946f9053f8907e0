//! Scores one answer of the retrieval benchmark: how many of the gold lines it shows, and their rank.

use std::collections::HashSet;

use super::data::GoldLines;
use super::tree::{LineCosts, TreeLines};
use super::{BenchAnswer, LineRegion};

/// The measures of one answer.
pub(super) struct AnswerMeasure {
    /// Share of the gold lines.
    pub(super) lines: f64,
    /// Whether every gold function is shown wholly; none where the gold stands in no function.
    pub(super) whole: Option<bool>,
    /// Share of the answer's tokens that are gold.
    pub(super) precision: f64,
    /// Share of them that are no code: headings, fences and marks.
    pub(super) markers: f64,
}

/// Compares an answer with the gold; the lines of both must have been opened and counted.
pub(super) fn measure_answer(
    tree: &TreeLines,
    costs: &LineCosts,
    gold: &[GoldLines],
    answer: &BenchAnswer,
) -> AnswerMeasure {
    let shown: HashSet<(&str, u32)> =
        answer.items.iter().flat_map(|(path, lines)| lines.iter().map(|line| (path.as_str(), *line))).collect();
    let mut functions: Vec<Vec<(&str, u32)>> = Vec::new();
    for gold in gold {
        let path = gold.path.as_str();
        // Blank lines answer nothing, so they are not asked for.
        let filled =
            |(start, end): &(u32, u32)| tree.filled_lines(path, *start, *end).into_iter().map(move |line| (path, line));
        functions.extend(gold.functions.iter().map(|function| filled(function).collect()));
    }
    let of_functions: HashSet<(&str, u32)> = functions.iter().flatten().copied().collect();
    let changed: HashSet<(&str, u32)> =
        gold.iter().flat_map(|gold| gold.lines.iter().map(|line| (gold.path.as_str(), *line))).collect();
    let filled: HashSet<(&str, u32)> =
        changed.iter().filter(|(path, line)| !tree.filled_lines(path, *line, *line).is_empty()).copied().collect();
    // The changed lines count; where none has text, the functions they stand in.
    let wanted =
        [filled, changed, of_functions.clone()].into_iter().find(|lines| !lines.is_empty()).unwrap_or_default();
    let count = |lines: &HashSet<(&str, u32)>| lines.intersection(&shown).count() as f64;
    let cost = |(path, line): &(&str, u32)| costs.line_cost(tree.line_text(path, *line).unwrap_or_default());
    let tokens = answer.tokens.max(1) as f64;
    let gold_tokens: u64 = of_functions.union(&wanted).filter(|line| shown.contains(*line)).map(cost).sum();
    let code_tokens: u64 = shown.iter().map(cost).sum();
    let is_whole = |lines: &Vec<(&str, u32)>| lines.iter().all(|line| shown.contains(line));
    AnswerMeasure {
        lines: count(&wanted) / wanted.len().max(1) as f64,
        whole: (!functions.is_empty()).then(|| functions.iter().all(is_whole)),
        precision: gold_tokens as f64 / tokens,
        // Everything of an answer that is no line of a file: headings, fences and marks.
        markers: 1.0 - code_tokens as f64 / tokens,
    }
}

/// Where a ranking has the gold, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GoldRanks {
    /// The last of the gold files among the distinct files.
    pub(super) file: Option<usize>,
    /// The region that completes the gold functions.
    pub(super) function: Option<usize>,
    /// Whether there are any gold functions.
    pub(super) has_function: bool,
}

pub(super) fn rank_gold(gold: &[GoldLines], regions: &[LineRegion]) -> GoldRanks {
    // Rank among files, not regions: five regions of the first file leave the next file at rank two.
    let mut files: Vec<&str> = Vec::new();
    for region in regions {
        if !files.contains(&region.path.as_str()) {
            files.push(&region.path);
        }
    }
    let file_of = |gold: &GoldLines| files.iter().position(|path| *path == gold.path).map(|at| at + 1);
    let functions: Vec<(&str, u32, u32)> = gold
        .iter()
        .flat_map(|gold| gold.functions.iter().map(|(start, end)| (gold.path.as_str(), *start, *end)))
        .collect();
    let function_of = |(path, start, end): &(&str, u32, u32)| {
        let overlaps = |region: &LineRegion| region.path == *path && region.start <= *end && *start <= region.end;
        regions.iter().position(overlaps).map(|at| at + 1)
    };
    GoldRanks {
        file: last_rank(gold.iter().map(file_of)),
        function: last_rank(functions.iter().map(function_of)),
        has_function: !functions.is_empty(),
    }
}

/// The largest of some ranks; none where one is missing, or there are none.
fn last_rank(ranks: impl Iterator<Item = Option<usize>>) -> Option<usize> {
    ranks.collect::<Option<Vec<usize>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(path: &str, start: u32, end: u32) -> LineRegion {
        LineRegion { path: path.to_owned(), start, end }
    }

    fn gold(path: &str, functions: &[(u32, u32)]) -> GoldLines {
        GoldLines { path: path.to_owned(), lines: Vec::new(), functions: functions.to_vec() }
    }

    #[test]
    fn all_gold_counts_not_the_first_of_it() {
        let regions = [region("b", 1, 9), region("a", 1, 4), region("b", 20, 29), region("a", 8, 9)];
        let check = |gold: &[GoldLines], file, function| {
            assert_eq!(rank_gold(gold, &regions), GoldRanks { file, function, has_function: true });
        };
        check(&[gold("a", &[(4, 6)])], Some(2), Some(2));
        check(&[gold("a", &[(4, 6), (9, 12)])], Some(2), Some(4));
        check(&[gold("a", &[(1, 2)]), gold("b", &[(10, 19)])], Some(2), None);
        check(&[gold("c", &[(1, 2)])], None, None);
    }

    #[test]
    fn blank_lines_are_never_missed_and_headings_are_no_code() {
        let folder = std::env::temp_dir().join(format!("epitome-lines-{}", std::process::id()));
        fs_err::create_dir_all(&folder).expect("a folder");
        fs_err::write(folder.join("a.py"), "def a():\n\n    pass\nx\n").expect("a file");
        let mut tree = TreeLines::new(folder.clone());
        tree.open_files(["a.py"].into_iter());
        let costs = LineCosts::default();
        let answer = BenchAnswer { items: vec![("a.py".to_owned(), vec![1, 3])], tokens: 10 };
        let measured = measure_answer(&tree, &costs, &[gold("a.py", &[(1, 3)])], &answer);
        assert_eq!((measured.whole, measured.lines, measured.markers), (Some(true), 1.0, 1.0));
        let part = measure_answer(&tree, &costs, &[gold("a.py", &[(1, 4)])], &answer);
        assert_eq!(part.whole, Some(false));
        fs_err::remove_dir_all(folder).expect("it goes");
    }
}
