//! Shortens a long tool output before the agent sees it: first and last lines, lines with errors in between, and the id
//! of the message that has all of it.
//!
//! Pure and deterministic: what was shown can be computed again when the event is stored. Diffs and data are never
//! shortened, because every line counts.

use std::fmt::Write as _;

/// Lines at each end, and the bytes they may have. Twice as many would cost a third of what is spared.
const LINES: usize = 40;
const BYTES: usize = 1_500;
/// Lines in between that tell of failures, and the bytes of each.
const ALARMS: usize = 20;
const ALARM_BYTES: usize = 240;
/// Lines that are values, after which all are taken for values.
const VALUES: usize = 3;
const FAILURE_WORDS: [&str; 6] = ["error", "failed", "panicked", "exception", "fatal", "warning:"];

/// An output of a tool that is longer than `longest` bytes in brief. `handle` names the message that has all of it. None
/// for a text of which nothing may be missing, and where no line is short enough to be shown: what is left would say
/// nothing.
pub fn shorten_output(text: &str, tool: &str, handle: &str, longest: u64) -> Option<String> {
    let is_long = longest > 0 && text.len() as u64 > longest;
    if !is_long || is_exact(text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let fits = |lines: &mut dyn Iterator<Item = &&str>| {
        let mut bytes = 0;
        lines
            .take(LINES)
            .take_while(|line| {
                bytes += line.len() + 1;
                bytes <= BYTES
            })
            .count()
    };
    let head = fits(&mut lines.iter());
    // The tail may not overlap the head, or lines would be shown twice.
    let tail = fits(&mut lines[head..].iter().rev());
    if head + tail == 0 {
        return None;
    }
    let between = &lines[head..lines.len() - tail];
    let mut short: String = lines[..head].iter().map(|line| format!("{line}\n")).collect();
    let (first, last) = (head + 1, lines.len() - tail);
    let bytes: usize = between.iter().map(|line| line.len() + 1).sum();
    let _ = writeln!(
        short,
        "[… {bytes} bytes of {tool} output, lines {first}-{last} of {}, are not shown; epitome keeps all of it: expand {handle}]",
        lines.len()
    );
    // A failure in the middle must not be hidden by the brief.
    let alarms = (first..).zip(between).filter(|(_, line)| is_alarming(line));
    for (number, line) in alarms.take(ALARMS) {
        let _ = writeln!(short, "{number}: {}", truncate_line(line));
    }
    short.extend(lines[lines.len() - tail..].iter().map(|line| format!("{line}\n")));
    Some(short)
}

/// Whether the text is of a kind of which nothing may be missing.
fn is_exact(text: &str) -> bool {
    let start = text.trim_start();
    // A diff or data with lines missing is worse than none: the model would edit files by it.
    let is_diff = start.starts_with("diff --git") || start.starts_with("--- ") || text.contains("\n@@ -");
    is_diff || is_json(start)
}

/// One value, or one a line, as far as a look at the first lines tells.
fn is_json(text: &str) -> bool {
    // What the value is does not matter, so it is checked without being built.
    let is_value = |text: &str| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok();
    text.starts_with(['{', '[']) && (is_value(text) || text.lines().take(VALUES).all(is_value))
}

fn is_alarming(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    FAILURE_WORDS.iter().any(|word| line.contains(word))
}

fn truncate_line(line: &str) -> &str {
    let end = (0..=ALARM_BYTES.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(lines: usize) -> String {
        (1..=lines).map(|number| format!("line {number} of a build that says much\n")).collect()
    }

    fn shorten(text: &str) -> Option<String> {
        shorten_output(text, "Bash", "msg_1", 8_000)
    }

    #[test]
    fn a_long_output_is_shown_by_its_ends_and_its_alarms() {
        let shown = shorten(&long(500).replace("line 250 of", "error: line 250 of")).expect("it is long");
        assert!(shown.starts_with("line 1 of"), "{shown}");
        assert!(shown.ends_with("line 500 of a build that says much\n"), "{shown}");
        assert!(shown.contains("\n250: error: line 250"), "{shown}");
        let omitted = "of Bash output, lines 41-460 of 500, are not shown; epitome keeps all of it: expand msg_1]";
        assert!(shown.contains(omitted), "{shown}");
    }

    #[test]
    fn what_must_be_exact_or_is_short_stays_as_it_is() {
        assert_eq!(shorten(&long(10)), None);
        assert_eq!(shorten(&format!("diff --git a b\n{}", long(500))), None);
        assert_eq!(shorten(&serde_json::Value::from(vec![long(500)]).to_string()), None);
        assert_eq!(shorten(&"{\"a\": 1}\n".repeat(2_000)), None);
        assert_eq!(shorten(&"a line without an end ".repeat(500)), None);
        assert_eq!(shorten_output(&long(500), "Bash", "msg_1", 0), None);
    }
}
