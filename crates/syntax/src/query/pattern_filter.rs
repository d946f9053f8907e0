//! A quick pre-check whether any query pattern can match a node, before patterns are tried on it. Most nodes that start
//! a pattern do not match it: a variable is rarely a function. Where every pattern of a kind requires certain kinds in
//! a field, one look at that field saves trying them. The same goes for the words that a pattern requires there: where
//! everything is a call, few calls define something.

use tree_sitter::{Language, Node};

/// The requirements on a node's fields without which no pattern of its kind can match.
#[derive(Clone, Default)]
pub(crate) struct PatternFilter {
    fields: Vec<FieldFilter>,
}

#[derive(Clone)]
struct FieldFilter {
    id: u16,
    allowed: Vec<AllowedKind>,
}

/// A kind that is allowed in a field.
#[derive(Clone)]
struct AllowedKind {
    kind: u16,
    /// The allowed words; empty for any.
    words: Vec<String>,
}

impl PatternFilter {
    /// The requirements of one pattern, from its text.
    pub(crate) fn of_pattern(grammar: &Language, pattern: &str) -> Self {
        let field = |wanted: FieldRequirement| {
            if wanted.kinds.is_empty() || wanted.kinds.contains(&"_") {
                return None;
            }
            let words = wanted.capture.map(|capture| allowed_words(pattern, capture)).unwrap_or_default();
            let allowed =
                |kind: &&str| AllowedKind { kind: grammar.id_for_node_kind(kind, true), words: words.clone() };
            let allowed = wanted.kinds.iter().map(allowed).collect();
            Some(FieldFilter { id: grammar.field_id_for_name(wanted.field)?.get(), allowed })
        };
        Self { fields: field_requirements(pattern).into_iter().filter_map(field).collect() }
    }

    /// Lets through what either filter lets through.
    pub(crate) fn union_with(&mut self, other: &Self) {
        self.fields.retain_mut(|field| {
            // A field that only one of the two requires is no requirement of both.
            let Some(same) = other.fields.iter().find(|same| same.id == field.id) else { return false };
            for other in &same.allowed {
                match field.allowed.iter_mut().find(|allowed| allowed.kind == other.kind) {
                    Some(allowed) if allowed.words.is_empty() || other.words.is_empty() => allowed.words.clear(),
                    Some(allowed) => allowed.words.extend_from_slice(&other.words),
                    None => field.allowed.push(other.clone()),
                }
            }
            true
        });
    }

    /// Whether some pattern may match.
    pub(crate) fn lets_through(&self, node: &Node, bytes: &[u8]) -> bool {
        self.fields.iter().all(|field| {
            let Some(child) = node.child_by_field_id(field.id) else { return false };
            let Some(allowed) = field.allowed.iter().find(|allowed| allowed.kind == child.kind_id()) else {
                return false;
            };
            let is_word = || allowed.words.iter().any(|word| word.as_bytes() == &bytes[child.byte_range()]);
            allowed.words.is_empty() || is_word()
        })
    }
}

/// The requirement of a pattern on a field of its outermost node.
struct FieldRequirement<'a> {
    field: &'a str,
    /// The kinds it allows there; `_` for any.
    kinds: Vec<&'a str>,
    /// The name under which it captures the node there.
    capture: Option<&'a str>,
}

fn field_requirements(pattern: &str) -> Vec<FieldRequirement<'_>> {
    // A pattern with predicates has another pair of parentheses around it.
    let outermost = if pattern.trim_start().starts_with("((") { 2 } else { 1 };
    let mut fields: Vec<FieldRequirement> = Vec::new();
    let mut depth = 0;
    let mut brackets = 0;
    let mut field: Option<usize> = None;
    let mut closed: Option<usize> = None;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let (token, after) = rest.split_at(word.max(c.len_utf8()));
        rest = after;
        match token {
            "(" => {
                depth += 1;
                closed = None;
            }
            ")" => depth -= 1,
            "[" => brackets += 1,
            "]" => brackets -= 1,
            // Predicates and comments name no fields.
            "#" | ";" => rest = rest.split_once('\n').map_or("", |(_, rest)| rest),
            _ if word == 0 => {}
            _ if captures_group(&pattern[..pattern.len() - rest.len() - word]) => {
                if let Some(at) = closed.take() {
                    fields[at].capture = Some(token);
                }
            }
            _ if depth == outermost && brackets == 0 && rest.starts_with(':') => {
                fields.push(FieldRequirement { field: token, kinds: Vec::new(), capture: None });
                field = Some(fields.len() - 1);
            }
            // The kind of a node directly in the field, perhaps one of several.
            _ if depth == outermost + 1 => {
                if let Some(at) = field
                    && pattern[..pattern.len() - rest.len() - token.len()].ends_with('(')
                {
                    fields[at].kinds.push(token);
                }
            }
            _ => {}
        }
        if depth == outermost && brackets == 0 && matches!(token, ")" | "]") {
            closed = field.take();
        }
    }
    fields
}

/// Whether the text ends where the capture of a node is named.
fn captures_group(before: &str) -> bool {
    before.strip_suffix('@').is_some_and(|before| before.trim_end().ends_with([')', ']']))
}

/// The words that a pattern's predicates allow for a capture; empty where they allow any, or in a form that is not read
/// here.
fn allowed_words(pattern: &str, capture: &str) -> Vec<String> {
    let said = ["#eq? @", "#any-of? @"].iter().find_map(|predicate| {
        let said = pattern.split_once(&format!("{predicate}{capture} "))?.1;
        let said = said.split(')').next()?;
        (!said.contains(['@', '\\']) && said.matches('"').count() % 2 == 0).then_some(said)
    });
    said.into_iter().flat_map(|said| said.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn a_pattern_tells_what_its_fields_must_hold() {
        check("(comment) @comment", &expect![""]);
        check("(f name: (_) @name body: (block (x y: (z))) @body) @function", &expect!["name: _, body: block"]);
        check(
            "((a left: (m object: (_) @o) right: [(f body: (_)) (g)]) @f (#any-of? @o \"(b\" \"c:\"))",
            &expect!["left: m, right: f | g"],
        );
        check("(p (q name: (r)) key: \"k\" !value)", &expect!["key: "]);
        check(
            "((call target: (name) @_def . (_ (name) @name)) @function\n (#any-of? @_def \"def\"\n \"fn\"))",
            &expect![[r#"target: name ["def", "fn"]"#]],
        );
        check("((a b: (c) (d) @e) (#eq? @e \"x\"))", &expect!["b: c"]);
        check("((a b: (c) @e d: (f) @e2) (#eq? @e2 \"x\"))", &expect![[r#"b: c, d: f ["x"]"#]]);
    }

    fn check(pattern: &str, expected: &Expect) {
        let told = field_requirements(pattern).into_iter().map(|FieldRequirement { field, kinds, capture }| {
            let words = capture.map(|capture| allowed_words(pattern, capture)).filter(|words| !words.is_empty());
            format!("{field}: {}{}", kinds.join(" | "), words.map(|words| format!(" {words:?}")).unwrap_or_default())
        });
        expected.assert_eq(&told.collect::<Vec<_>>().join(", "));
    }
}
