//! Puts one entry below a top-level key of a YAML settings file, or finds and removes it, line by line and without a
//! parser: what people keep in these files is a key at the margin and entries below it. Another form (a flow, several
//! documents) is refused, and the caller shows what to add by hand.

use super::EditError;
use serde_json::Value;
use std::ops::Range;

/// How the entries below a key are distinguished.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlCollection {
    /// `name:` and lines below it.
    Map,
    /// `- name: …` and lines below it.
    List,
}

/// Puts an entry below a key of the file.
pub(super) fn put_entry(
    text: &str,
    key: &str,
    name: &str,
    kind: YamlCollection,
    value: &Value,
) -> Result<String, EditError> {
    if has_several_documents(text) {
        // A key at the margin would be ambiguous: it may stand in each of the documents.
        return Err(EditError::Malformed("several documents in one file".to_owned()));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some(block) = find_block(text, key)? else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        return Ok(format!("{text}{gap}{key}:{newline}{}", render_entry(name, kind, value, "  ", newline)));
    };
    let indent = block.indent.clone().unwrap_or_else(|| "  ".to_owned());
    let new = render_entry(name, kind, value, &indent, newline);
    // An entry of an earlier run is replaced in its place, a new one goes to the end of its block.
    let place = find_range(text, &block, name, kind).unwrap_or(block.lines.end..block.lines.end);
    let gap = if text[..place.start].ends_with('\n') { "" } else { newline };
    Ok(format!("{}{gap}{new}{}", &text[..place.start], &text[place.end..]))
}

/// The lines of an entry.
pub(super) fn find_entry<'t>(
    text: &'t str,
    key: &str,
    name: &str,
    kind: YamlCollection,
) -> Result<Option<&'t str>, EditError> {
    Ok(find_block(text, key)?.and_then(|block| find_range(text, &block, name, kind)).map(|range| &text[range]))
}

/// Whether the file has the key.
pub(super) fn has_key(text: &str, key: &str) -> Result<bool, EditError> {
    Ok(find_block(text, key)?.is_some())
}

/// Puts lines in the place of an entry; none take it away.
pub(super) fn replace_entry(
    text: &str,
    key: &str,
    name: &str,
    kind: YamlCollection,
    with: &str,
) -> Result<String, EditError> {
    let place = find_block(text, key)?.and_then(|block| find_range(text, &block, name, kind));
    Ok(place.map_or_else(|| text.to_owned(), |place| format!("{}{with}{}", &text[..place.start], &text[place.end..])))
}

/// Takes a key away that has nothing below it any more.
pub(super) fn prune_key(text: &str, key: &str) -> Result<String, EditError> {
    Ok(match find_block(text, key)? {
        Some(block) if block.lines.is_empty() => format!("{}{}", &text[..block.start], &text[block.lines.end..]),
        _ => text.to_owned(),
    })
}

struct YamlBlock {
    /// Where the line of the key starts.
    start: usize,
    /// The lines below it that say something.
    lines: Range<usize>,
    /// The indentation of its entries.
    indent: Option<String>,
}

fn find_block(text: &str, key: &str) -> Result<Option<YamlBlock>, EditError> {
    let mut lines =
        // The key at the margin only: the same word deeper inside belongs to another setting.
        line_offsets(text).skip_while(|(_, line)| !line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    let Some((start, head)) = lines.next() else { return Ok(None) };
    let value = head[key.len() + 1..].split(" #").next().unwrap_or_default().trim();
    // `extensions: {}` and other flow forms cannot be extended line by line.
    if !value.is_empty() {
        return Err(EditError::OtherShape { path: key.to_owned(), expected: "written line by line" });
    }
    let mut block = YamlBlock { start, lines: start + head.len()..start + head.len(), indent: None };
    for (at, line) in lines {
        let said = line.trim();
        // Blank lines and comments between entries belong to the block only if another entry follows.
        if said.is_empty() || said.starts_with('#') {
            continue;
        }
        let indent = indent_of(line);
        // The dashes of a list may stand at the margin, below the first letter of the key.
        if indent.is_empty() && !said.starts_with("- ") {
            break;
        }
        block.indent.get_or_insert_with(|| indent.to_owned());
        block.lines.end = at + line.len();
    }
    Ok(Some(block))
}

/// The lines of an entry, without comments that follow it.
fn find_range(text: &str, block: &YamlBlock, name: &str, kind: YamlCollection) -> Option<Range<usize>> {
    let indent = block.indent.as_deref()?;
    let inside = &text[block.lines.clone()];
    let starts = |line: &str| indent_of(line) == indent && !line.trim().is_empty() && !line.trim().starts_with('#');
    let heads: Vec<usize> = line_offsets(inside).filter(|(_, line)| starts(line)).map(|(at, _)| at).collect();
    let ends = heads.iter().skip(1).copied().chain([inside.len()]);
    let is = |entry: &str| match kind {
        YamlCollection::Map => entry.trim_start().strip_prefix(name).is_some_and(|rest| rest.starts_with(':')),
        YamlCollection::List => entry.lines().any(|line| {
            // The name may stand in the line of the dash or in a later line of the element.
            let said = line.trim().trim_start_matches("- ").trim();
            said.strip_prefix("name:").is_some_and(|value| value.trim().trim_matches(['"', '\'']) == name)
        }),
    };
    let (start, end) = heads.iter().copied().zip(ends).find(|(start, end)| is(&inside[*start..*end]))?;
    // Comments behind the last line of an entry may belong to the next one, so they stay when the entry goes.
    let said =
        line_offsets(&inside[start..end]).filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
    let length = said.last().map_or(0, |(at, line)| at + line.len());
    Some(block.lines.start + start..block.lines.start + start + length)
}

/// Lines with where they start, each with its end.
fn line_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn has_several_documents(text: &str) -> bool {
    let said = |line: &str| !line.trim().is_empty() && !line.starts_with(['#', '%']);
    // The first line may be `---` itself, which begins the only document.
    let mut lines = text.lines().skip_while(|line| !said(line));
    lines.next();
    lines.any(|line| line == "---" || line == "...")
}

fn render_entry(name: &str, kind: YamlCollection, value: &Value, indent: &str, newline: &str) -> String {
    let fields = value.as_object().into_iter().flatten();
    // JSON is YAML: quoted texts and lists in brackets are valid without rules of their own.
    let fields = fields.map(|(key, value)| format!("{key}: {value}"));
    let lines: Vec<String> = match kind {
        YamlCollection::Map => std::iter::once(format!("{indent}{name}:"))
            .chain(fields.map(|field| format!("{indent}  {field}")))
            .collect(),
        YamlCollection::List => fields
            .enumerate()
            .map(|(number, field)| format!("{indent}{}{field}", if number == 0 { "- " } else { "  " }))
            .collect(),
    };
    lines.iter().map(|line| format!("{line}{newline}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
    fn check(text: &str, kind: YamlCollection, expected: Expect) {
        let value = json!({ "name": "ours", "args": ["mcp"], "enabled": true });
        let put = put_entry(text, "extensions", "ours", kind, &value).expect("it can be put in");
        expected.assert_eq(&put);
        assert_eq!(put, super::put_entry(&put, "extensions", "ours", kind, &value).expect("it can be put in again"));
        let mut gone = replace_entry(&put, "extensions", "ours", kind, "").expect("it can be taken out");
        if !has_key(text, "extensions").expect("it is YAML") {
            gone = prune_key(&gone, "extensions").expect("it can be pruned");
        }
        assert_eq!(gone, text);
    }

    #[test]
    fn an_entry_of_a_map_stands_behind_the_others() {
        check(
            "# mine\nGOOSE_MODEL: gpt\nextensions:\n    developer: # built in\n        enabled: true\n\n# end\nother: 1\n",
            YamlCollection::Map,
            expect![[r#"
                # mine
                GOOSE_MODEL: gpt
                extensions:
                    developer: # built in
                        enabled: true
                    ours:
                      name: "ours"
                      args: ["mcp"]
                      enabled: true

                # end
                other: 1
            "#]],
        );
        check(
            "a: 1\n",
            YamlCollection::Map,
            expect![[r#"
                a: 1
                extensions:
                  ours:
                    name: "ours"
                    args: ["mcp"]
                    enabled: true
            "#]],
        );
    }

    #[test]
    fn an_entry_of_a_list_keeps_the_form_of_the_list() {
        check(
            "extensions:\n- name: other\n  command: x\nrules: []\n",
            YamlCollection::List,
            expect![[r#"
                extensions:
                - name: other
                  command: x
                - name: "ours"
                  args: ["mcp"]
                  enabled: true
                rules: []
            "#]],
        );
    }

    #[test]
    fn what_is_not_written_line_by_line_is_refused() {
        let refused = |text: &str| {
            put_entry(text, "extensions", "ours", YamlCollection::Map, &json!({}))
                .expect_err("it is refused")
                .to_string()
        };
        assert_eq!(refused("extensions: {}\n"), "`extensions` is not written line by line");
        assert_eq!(refused("a: 1\n---\nb: 2\n"), "cannot be read: several documents in one file");
    }
}
