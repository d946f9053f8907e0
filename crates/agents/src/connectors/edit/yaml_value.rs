//! Parses the lines of one YAML entry into a JSON value, whatever their style: agents rewrite their settings, and only
//! the values can be compared then. Supported is what settings are made of: maps and lists by indent or in brackets,
//! strings with and without quotes, numbers. Anything else (anchors, tags) gives `None`, and the caller compares the
//! lines themselves.

use super::yaml::YamlCollection;
use serde_json::{Map, Number, Value};

/// Settings are not deeper; what is nested without end is not followed.
const MAX_NESTING_DEPTH: usize = 32;

/// The value of an entry, given its lines.
pub(super) fn read(entry: &str, kind: YamlCollection) -> Option<Value> {
    let lines: Vec<Line<'_>> = entry.lines().filter_map(Line::read).collect();
    let mut reader = Reader { lines, at: 0 };
    let first = reader.lines.first()?.indent;
    let mut value = reader.node(first, 0)?;
    // Lines are left that no rule took: a guess about the rest could make a foreign entry look like ours.
    if reader.at < reader.lines.len() {
        return None;
    }
    match kind {
        YamlCollection::Map => value.as_object_mut()?.values_mut().next().map(Value::take),
        YamlCollection::List => value.get_mut(0).map(Value::take),
    }
}

#[derive(Clone, Copy)]
struct Line<'t> {
    indent: usize,
    /// Without indent and comment.
    said: &'t str,
}

impl<'t> Line<'t> {
    /// A line that says something.
    fn read(line: &'t str) -> Option<Self> {
        let said = line.trim_start_matches(' ');
        let indent = line.len() - said.len();
        let said = without_comment(said).trim_end();
        (!said.is_empty()).then_some(Self { indent, said })
    }

    /// The text behind the dash of a list's element.
    fn element(&self) -> Option<&'t str> {
        if self.said == "-" { Some("") } else { self.said.strip_prefix("- ") }
    }
}

struct Reader<'t> {
    lines: Vec<Line<'t>>,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The map or list that begins here.
    fn node(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if depth > MAX_NESTING_DEPTH {
            return None;
        }
        if self.lines.get(self.at)?.element().is_some() { self.list(indent, depth) } else { self.map(indent, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut elements = Vec::new();
        while let Some(line) = self.here(indent)
            && let Some(rest) = line.element()
        {
            let inside = rest.trim_start();
            let is_node = inside == "-" || inside.starts_with("- ") || key_of(inside).is_some();
            if is_node && !inside.starts_with(['{', '[']) {
                // The element begins in the line of its dash, and its other lines are aligned with its own beginning:
                // `- name: x`.
                let own = Line { indent: indent + line.said.len() - inside.len(), said: inside };
                self.lines[self.at] = own;
                elements.push(self.node(own.indent, depth + 1)?);
            } else {
                self.at += 1;
                elements.push(self.value(inside, indent, depth)?);
            }
        }
        Some(Value::Array(elements))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        while let Some(line) = self.here(indent) {
            let (key, rest) = key_of(line.said)?;
            self.at += 1;
            members.insert(key, self.value(rest.trim(), indent, depth)?);
        }
        Some(Value::Object(members))
    }

    /// The line that is next, where it stands at this indent.
    fn here(&self, indent: usize) -> Option<Line<'t>> {
        self.lines.get(self.at).copied().filter(|line| line.indent == indent)
    }

    /// A value that begins behind a key or a dash, and may go on in deeper lines.
    fn value(&mut self, begun: &str, indent: usize, depth: usize) -> Option<Value> {
        let next = self.lines.get(self.at).copied();
        if begun.is_empty() {
            return match next {
                Some(next) if next.indent > indent => self.node(next.indent, depth + 1),
                // YAML allows the dashes of a list to stand below the first letter of its key.
                Some(next) if next.indent == indent && next.element().is_some() && !self.is_element_before(indent) => {
                    self.list(indent, depth + 1)
                }
                _ => Some(Value::Null),
            };
        }
        let mut text = begun.to_owned();
        // A plain text may go on in deeper lines, which YAML joins with one space.
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent > indent) {
            text = format!("{text} {}", line.said);
            self.at += 1;
        }
        // No value of ours is a block of text (`|` or `>`), so it is enough to know that one is there.
        if begun.starts_with(['|', '>']) { Some(Value::String(text)) } else { flow(&text, depth) }
    }

    /// Whether the line that was read last is an element of a list at this indent.
    fn is_element_before(&self, indent: usize) -> bool {
        self.lines[..self.at].last().is_some_and(|line| line.indent == indent && line.element().is_some())
    }
}

/// A key and what stands behind its colon.
fn key_of(said: &str) -> Option<(String, &str)> {
    let end = outside_quotes(said)
        .find(|(at, letter)| *letter == ':' && said[at + 1..].chars().next().is_none_or(|next| next == ' '));
    let (key, rest) = (&said[..end?.0], &said[end?.0 + 1..]);
    match flow(key.trim(), 0)? {
        Value::String(key) => Some((key, rest)),
        // `yes: 1` and `8080: x` are keys all the same; as keys they stay as written.
        Value::Bool(_) | Value::Number(_) | Value::Null => Some((key.trim().to_owned(), rest)),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A value in one line: in brackets, in quotes, or plain.
fn flow(text: &str, depth: usize) -> Option<Value> {
    if depth > MAX_NESTING_DEPTH {
        return None;
    }
    let inside = |open: char, close: char| text.strip_prefix(open).map(|rest| rest.strip_suffix(close));
    if let Some(inside) = inside('[', ']') {
        return pieces(inside?)
            .into_iter()
            .map(|piece| flow(piece, depth + 1))
            .collect::<Option<Vec<_>>>()
            .map(Value::from);
    }
    if let Some(inside) = inside('{', '}') {
        let member = |piece| {
            // A map in JSON style needs no space behind the colon: `{"a":1}`.
            let (key, value) = key_of(piece).or_else(|| {
                let end = outside_quotes(piece).find(|(_, letter)| *letter == ':')?.0;
                Some((flow(&piece[..end], depth + 1)?.as_str()?.to_owned(), &piece[end + 1..]))
            })?;
            Some((key, flow(value.trim(), depth + 1)?))
        };
        return pieces(inside?).into_iter().map(member).collect::<Option<Map<_, _>>>().map(Value::Object);
    }
    match text.chars().next() {
        // JSON's escapes only; a text with other escapes of YAML is not read.
        Some('"') => serde_json::from_str::<String>(text).ok().map(Value::String),
        Some('\'') => {
            let inside = text.strip_prefix('\'')?.strip_suffix('\'')?;
            Some(Value::String(inside.replace("''", "'")))
        }
        // Anchors, tags and the like change what follows in ways that are not followed here.
        Some('&' | '*' | '!' | '|' | '>' | '%' | '@' | '`') => None,
        _ => Some(plain(text)),
    }
}

/// A text without quotes, which may be no text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => {
            let whole = text.parse::<i64>().ok().map(Number::from);
            // `inf` and `nan` parse as numbers in Rust, but are texts in these files.
            let is_number = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
            let broken = || text.parse().ok().filter(|_| is_number).and_then(Number::from_f64);
            whole.or_else(broken).map_or_else(|| Value::String(text.to_owned()), Value::Number)
        }
    }
}

/// The items between the commas of a list or map in brackets.
fn pieces(inside: &str) -> Vec<&str> {
    let (mut pieces, mut from, mut open) = (Vec::new(), 0, 0_usize);
    for (at, letter) in outside_quotes(inside) {
        match letter {
            '[' | '{' => open += 1,
            ']' | '}' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                pieces.push(inside[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(inside[from..].trim());
    // YAML allows a comma behind the last item.
    if pieces.last().is_some_and(|last| last.is_empty()) {
        pieces.pop();
    }
    pieces
}

fn without_comment(said: &str) -> &str {
    let starts = |(at, letter): &(usize, char)| *letter == '#' && (*at == 0 || said[..*at].ends_with([' ', '\t']));
    outside_quotes(said).find(starts).map_or(said, |(at, _)| &said[..at])
}

/// The letters that stand in no quotes. A quote opens where a value can begin: an apostrophe inside of a word does not.
fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut open, mut before, mut is_escaped) = (None, ' ', false);
    text.char_indices().filter(move |(_, letter)| {
        let last = std::mem::replace(&mut before, *letter);
        match open {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if *letter == '\\' => is_escaped = true,
            Some(quote) if quote == *letter => open = None,
            Some(_) => {}
            // `it's` is one word: an apostrophe opens a quote only where a value can begin.
            None if ['"', '\''].contains(letter) && " ,:[{-".contains(last) => open = Some(*letter),
            None => return true,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(entry: &str, kind: YamlCollection, expected: &Value) {
        assert_eq!(read(entry, kind).as_ref(), Some(expected), "{entry}");
    }

    #[test]
    fn one_entry_in_many_styles_is_one_value() {
        let value = json!({ "name": "ours", "args": ["mcp", "--x"], "envs": {}, "enabled": true, "timeout": 300 });
        check(
            "  ours:\n    name: \"ours\"\n    args: [\"mcp\",\"--x\"]\n    envs: {}\n    enabled: true\n    timeout: 300\n",
            YamlCollection::Map,
            &value,
        );
        check(
            "  ours: # by hand\n      timeout: 300\n      name: 'ours'\n\n      args:\n      - mcp\n      - \"--x\"\n      # here\n      envs: {}\n      enabled: True\n",
            YamlCollection::Map,
            &value,
        );
    }

    #[test]
    fn an_element_of_a_list_begins_in_the_line_of_its_dash() {
        let value = json!({ "name": "ours", "command": "/opt/a b/c", "args": ["mcp"], "env": { "A": "1" } });
        for entry in [
            "- name: ours\n  command: /opt/a b/c\n  args: [mcp]\n  env: {A: '1'}\n",
            "  -   name: \"ours\"\n      command: '/opt/a b/c'\n      args:\n        - mcp\n      env:\n        A: \"1\"\n",
            "  - {\"name\":\"ours\",\"command\":\"/opt/a b/c\",\"args\":[\"mcp\"],\"env\":{\"A\":\"1\"}}\n",
        ] {
            check(entry, YamlCollection::List, &value);
        }
    }

    #[test]
    fn what_agents_write_beside_ours_is_read_over() {
        let entry = "  ours:\n    cmd: C:\\x\n    description: >-\n      folded: - text\n      # no comment\n    note: it's a, b: see\n      the rest\n    none: null\n    list:\n    - - 1\n      - -2.5\n    - a: b\n      c: ~\n    last: ''\n";
        let value = read(entry, YamlCollection::Map).expect("it is read");
        assert_eq!(value["cmd"], "C:\\x");
        assert_eq!(value["list"], json!([[1, -2.5], { "a": "b", "c": null }]));
        assert_eq!((&value["none"], &value["last"]), (&Value::Null, &json!("")));
    }

    #[test]
    fn what_is_not_understood_is_none() {
        let deep = format!("a:\n  b: {}\n", "[".repeat(500) + &"]".repeat(500));
        let dashes = format!("a:\n  {}x\n", "- ".repeat(100_000));
        for entry in
            ["a: &x 1\n", "a:\n  b: *x\n", "a: !!str 1\n", "a: \"\\x41\"\n", "a:\n  b: [1\n", "a\n", "", &deep, &dashes]
        {
            assert_eq!(read(entry, YamlCollection::Map), None, "{entry:.60}");
        }
    }

    #[test]
    fn an_entry_that_its_agent_wrote_anew_stands_and_goes() {
        use super::super::{FileFormat, Graft, has_graft, put_graft, take_out};
        let value =
            json!({ "name": "epitome", "enabled": true, "cmd": "/opt/bin/epitome", "args": ["mcp"], "envs": {} });
        let graft = Graft::Entry { path: ["extensions", "epitome"].map(str::to_owned).to_vec(), value };
        let before = "extensions:\n  developer:\n    enabled: true\n";
        let (_, written) = put_graft(FileFormat::Yaml, before, &graft).expect("it can be put in").expect("it is new");
        let entry = |cmd: &str, args: &str| {
            format!(
                "  epitome:\n    enabled: true\n    name: epitome\n    description: see a/b\n    cmd: {cmd}\n    args:\n    - {args}\n    envs: {{}}\n    timeout: null\n"
            )
        };
        let check = |entry: String, is_standing: bool, is_taken: bool| {
            let text = format!("{before}{entry}");
            assert_eq!(has_graft(FileFormat::Yaml, &text, &graft), Ok(is_standing), "{entry}");
            let left = take_out(FileFormat::Yaml, &text, &written).expect("it can be taken out");
            assert_eq!(left, if is_taken { before.to_owned() } else { text }, "{entry}");
        };
        check(entry("/opt/bin/epitome", "mcp"), true, true);
        check(entry("'/opt/bin/epitome'", "mcp"), true, true);
        check(entry("/opt/bin/epitome", "other"), false, true);
        check(entry("/elsewhere/epitome", "mcp"), false, true);
        check(entry("/opt/bin/another", "mcp"), false, false);
    }
}
