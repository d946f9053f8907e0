//! A cheap look at a node before the query is asked about it.
//!
//! Most nodes that start a pattern do not match it: a variable is rarely a function. Where every pattern of a kind
//! wants certain kinds in a field, one look at that field saves the query, which costs about five times as much.

use tree_sitter::{Language, Node};

/// What the fields of a node must hold for any pattern of its kind to match.
#[derive(Clone, Default)]
pub(crate) struct Gate {
    fields: Vec<Field>,
}

#[derive(Clone)]
struct Field {
    id: u16,
    kinds: Vec<u16>,
}

impl Gate {
    /// What one pattern wants, from its text.
    pub(crate) fn of_pattern(grammar: &Language, pattern: &str) -> Self {
        let wanted = wanted(pattern).into_iter().filter(|(_, kinds)| !kinds.is_empty() && !kinds.contains(&"_"));
        let field = |(name, kinds): (&str, Vec<&str>)| {
            let kinds = kinds.iter().map(|kind| grammar.id_for_node_kind(kind, true)).collect();
            Some(Field { id: grammar.field_id_for_name(name)?.get(), kinds })
        };
        Self { fields: wanted.filter_map(field).collect() }
    }

    /// Lets through what either lets through.
    pub(crate) fn widen(&mut self, other: &Self) {
        self.fields.retain_mut(|field| {
            let Some(same) = other.fields.iter().find(|same| same.id == field.id) else { return false };
            field.kinds.extend(&same.kinds);
            true
        });
    }

    /// Whether some pattern may match.
    pub(crate) fn lets_through(&self, node: &Node) -> bool {
        self.fields
            .iter()
            .all(|field| node.child_by_field_id(field.id).is_some_and(|child| field.kinds.contains(&child.kind_id())))
    }
}

/// The fields of a pattern's outermost node with the kinds it allows there; `_` for any.
fn wanted(pattern: &str) -> Vec<(&str, Vec<&str>)> {
    // A pattern with predicates stands in parentheses of its own.
    let outermost = if pattern.trim_start().starts_with("((") { 2 } else { 1 };
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    let (mut depth, mut brackets, mut field) = (0, 0, None);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let (token, after) = rest.split_at(word.max(c.len_utf8()));
        rest = after;
        match token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "[" => brackets += 1,
            "]" => brackets -= 1,
            // Predicates and comments name no fields.
            "#" | ";" => rest = rest.split_once('\n').map_or("", |(_, rest)| rest),
            _ if word == 0 => {}
            _ if depth == outermost && brackets == 0 && rest.starts_with(':') => {
                fields.push((token, Vec::new()));
                field = Some(fields.len() - 1);
            }
            // The kind of a node that stands directly in the field, perhaps as one of several.
            _ if depth == outermost + 1 => {
                if let Some(at) = field
                    && pattern[..pattern.len() - rest.len() - token.len()].ends_with('(')
                {
                    fields[at].1.push(token);
                }
            }
            _ => {}
        }
        if depth == outermost && brackets == 0 && matches!(token, ")" | "]") {
            field = None;
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn a_pattern_tells_what_its_fields_must_hold() {
        check("(comment) @comment", &expect!["[]"]);
        check(
            "(f name: (_) @name body: (block (x y: (z))) @body) @function",
            &expect![[r#"[("name", ["_"]), ("body", ["block"])]"#]],
        );
        check(
            "((a left: (m object: (_) @o) right: [(f body: (_)) (g)]) @f (#any-of? @o \"(b\" \"c:\"))",
            &expect![[r#"[("left", ["m"]), ("right", ["f", "g"])]"#]],
        );
        check("(p (q name: (r)) key: \"k\" !value)", &expect![[r#"[("key", [])]"#]]);
    }

    fn check(pattern: &str, expected: &Expect) {
        expected.assert_eq(&format!("{:?}", wanted(pattern)));
    }
}
