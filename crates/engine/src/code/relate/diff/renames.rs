//! Detects renamed files in a diff: removed and added files are paired where at least half of their content is the
//! same.

use super::line_diff::split_lines;
use super::{FilePair, FileSide};
use std::collections::HashMap;

/// With more added or removed files than this, only identical ones are paired.
const MOST_FILES: usize = 100;

/// Pairs each added file with the removed file it was before, if there is one.
pub(super) fn join_renames(pairs: Vec<FilePair>) -> Vec<FilePair> {
    let (came, others): (Vec<FilePair>, Vec<FilePair>) =
        pairs.into_iter().partition(|pair| pair.before == FileSide::Absent);
    let (mut went, mut joined): (Vec<FilePair>, Vec<FilePair>) =
        others.into_iter().partition(|pair| pair.after == FileSide::Absent);
    let is_few = came.len() <= MOST_FILES && went.len() <= MOST_FILES;
    for pair in came {
        // An identical file comes before a similar one.
        let same = went.iter().position(|old| old.before == pair.after);
        let near = || if is_few { find_nearest(&went, &pair) } else { None };
        match same.or_else(near) {
            Some(at) => joined.push(FilePair { before: went.remove(at).before, ..pair }),
            None => joined.push(pair),
        }
    }
    joined.extend(went);
    joined
}

/// The removed file that shares most with an added one, if that is at least half of the longer one.
fn find_nearest(went: &[FilePair], came: &FilePair) -> Option<usize> {
    let shares = went.iter().map(|old| shared_percent(&old.before, &came.after)).enumerate();
    // Among equal shares the first file wins; `max_by` alone would take the last.
    let (at, best) = shares.max_by(|(a, left), (b, right)| left.cmp(right).then(b.cmp(a)))?;
    (best >= 50).then_some(at)
}

/// The percentage of the longer text that consists of common lines.
fn shared_percent(before: &FileSide, after: &FileSide) -> usize {
    let (FileSide::Bytes(before), FileSide::Bytes(after)) = (before, after) else { return 0 };
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    for line in split_lines(before) {
        *counts.entry(line).or_default() += 1;
    }
    let mut shared = 0;
    for line in split_lines(after) {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            // Counted in bytes: files that share only braces and blank lines are not alike.
            shared += line.len() + 1;
        }
    }
    shared * 100 / before.len().max(after.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(path: &str, before: Option<&str>, after: Option<&str>) -> FilePair {
        let side = |text: Option<&str>| text.map_or(FileSide::Absent, |text| FileSide::Bytes(text.as_bytes().to_vec()));
        FilePair { path: path.to_owned(), before: side(before), after: side(after) }
    }

    #[test]
    fn a_file_that_is_half_the_same_under_another_name_is_the_same_file() {
        let old = "one\ntwo\nthree\nfour\n";
        let pairs = vec![
            pair("new.py", None, Some("one\ntwo\nthree\nfive\n")),
            pair("old.py", Some(old), None),
            pair("other.py", Some("nothing\nlike\nit\n"), None),
            pair("fresh.py", None, Some("words\nof\nits\nown\n")),
        ];
        let told: Vec<String> = join_renames(pairs)
            .iter()
            .map(|pair| format!("{} {} {}", pair.path, pair.before != FileSide::Absent, pair.after != FileSide::Absent))
            .collect();
        assert_eq!(told, ["new.py true true", "fresh.py false true", "other.py true false"]);
    }
}
