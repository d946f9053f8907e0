//! Formats the one-line message about a file with syntax that could not be parsed: its path and the first ranges of
//! lines.

use model::{LineRange, show_name};

/// How many stretches of lines are listed.
const MAX_LISTED_RANGES: usize = 3;

/// One line about a file.
pub(crate) fn tell_unparsed(path: &str, unparsed: &[LineRange]) -> String {
    let lines = |range: &LineRange| format!("{}-{}", range.start, range.end);
    let told: Vec<String> = unparsed.iter().take(MAX_LISTED_RANGES).map(lines).collect();
    let more = if unparsed.len() > MAX_LISTED_RANGES { " and more" } else { "" };
    let told = told.join(", ");
    let path = show_name(path);
    format!("parts of {path} could not be parsed (lines {told}{more}): names defined there may be missing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stretches_are_told() {
        let range = |start| LineRange { start, end: start + 9 };
        let told = tell_unparsed("src/a.kt", &[range(10)]);
        assert_eq!(told, "parts of src/a.kt could not be parsed (lines 10-19): names defined there may be missing");
        let told = tell_unparsed("a.kt", &[range(1), range(21), range(41), range(61)]);
        assert!(told.contains("(lines 1-10, 21-30, 41-50 and more)"), "{told}");
    }
}
