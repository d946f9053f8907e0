//! Reads what stands at the head of a document: between rules (`---`, `+++`), as fields (`:owner: x`, `#+author: x`), or
//! as lines of a header (`Status: Final`). Values are kept as they are written.

/// So many entries are kept, and so much of each.
const MOST_ENTRIES: usize = 40;
const LONGEST_VALUE: usize = 300;
/// A header without marks has so many lines at least: one alone may be a sentence.
const LEAST_HEADER: usize = 3;

/// The metadata of a document, and the number of lines that hold it.
pub(super) fn read_metadata(lines: &[&str]) -> (Vec<(String, String)>, usize) {
    let first = lines.first().map_or("", |line| line.trim_end().trim_start_matches('\u{feff}'));
    let (entries, head) = match first {
        "---" | "+++" => fenced_entries(lines, first),
        _ => {
            let (fields, head) = field_entries(lines);
            if fields.is_empty() { header_entries(lines) } else { (fields, head) }
        }
    };
    let kept = entries.into_iter().filter(|(name, value)| !name.is_empty() && !value.is_empty());
    (kept.take(MOST_ENTRIES).map(|(name, value)| (name, cut(value))).collect(), head)
}

fn cut(mut value: String) -> String {
    value.truncate(value.floor_char_boundary(LONGEST_VALUE));
    value
}

/// Between two rules: `key: value`, `key = value`, and lists below a key.
fn fenced_entries(lines: &[&str], fence: &str) -> (Vec<(String, String)>, usize) {
    let closes = |line: &&str| line.trim_end() == fence || (fence == "---" && line.trim_end() == "...");
    // A rule that is never closed is a rule across the page.
    let Some(end) = lines.iter().skip(1).position(closes) else { return (Vec::new(), 0) };
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in &lines[1..=end] {
        let separator = if fence == "---" { ':' } else { '=' };
        if let (Some(item), Some((_, value))) = (line.trim_start().strip_prefix("- "), entries.last_mut()) {
            let gap = if value.is_empty() { "" } else { ", " };
            *value += &format!("{gap}{}", unquote(item));
        } else if let Some((name, value)) = line.split_once(separator).filter(|_| !line.starts_with([' ', '\t', '#'])) {
            entries.push((name.trim().to_owned(), unquote(value).to_owned()));
        }
    }
    (entries, end + 2)
}

/// Fields with marks around their names, at the top or behind the title.
fn field_entries(lines: &[&str]) -> (Vec<(String, String)>, usize) {
    let mut entries = Vec::new();
    let mut head = 0;
    for (at, line) in lines.iter().enumerate().take(MOST_ENTRIES) {
        let line = line.trim_end();
        let marked = line.strip_prefix("#+").or_else(|| line.strip_prefix(':'));
        let entry = marked.and_then(|rest| rest.split_once(':')).filter(|(name, _)| is_name(name));
        if let Some((name, value)) = entry {
            entries.push((name.to_owned(), value.trim().to_owned()));
            head = at + 1;
        } else if !entries.is_empty() {
            break;
        } else if at > 4 {
            return (Vec::new(), 0);
        }
    }
    // The title above the fields stays text.
    let is_at_top = entries.len() == head;
    (entries, if is_at_top { head } else { 0 })
}

/// Lines of a header as mails have them.
fn header_entries(lines: &[&str]) -> (Vec<(String, String)>, usize) {
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in lines {
        match line.split_once(':') {
            _ if line.trim().is_empty() => break,
            Some((name, value)) if is_name(name) && name.starts_with(char::is_uppercase) => {
                entries.push((name.to_owned(), value.trim().to_owned()));
            }
            _ if line.starts_with([' ', '\t']) && !entries.is_empty() => {
                if let Some((_, value)) = entries.last_mut() {
                    *value += &format!(" {}", line.trim());
                }
            }
            _ => return (Vec::new(), 0),
        }
    }
    if entries.len() < LEAST_HEADER {
        return (Vec::new(), 0);
    }
    let head = lines.iter().position(|line| line.trim().is_empty()).unwrap_or(lines.len());
    (entries, head)
}

fn is_name(name: &str) -> bool {
    (1..=30).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_ ".contains(c))
}

fn unquote(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}
