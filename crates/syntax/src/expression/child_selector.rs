//! Selects a child of a tree-sitter node as a `language.toml` names it: by field name, by number, or behind a sign.

use tree_sitter::{Language, Node};

/// A field, a number among the named children, or the child behind a sign.
#[derive(Clone, Copy)]
pub(crate) enum ChildSelector {
    Field(u16),
    Nth(usize),
    NthLast(usize),
    Behind(u16),
}

impl ChildSelector {
    pub(crate) fn parse(grammar: &Language, name: &str) -> Option<Self> {
        if let Some(field) = grammar.field_id_for_name(name) {
            return Some(Self::Field(field.get()));
        }
        if name.is_empty() {
            return Some(Self::Nth(0));
        }
        let from_end = name.strip_prefix('-').and_then(|number| number.parse().ok()).map(Self::NthLast);
        let number = from_end.or_else(|| name.parse().ok().map(Self::Nth));
        number.or_else(|| Some(grammar.id_for_node_kind(name, false)).filter(|sign| *sign != 0).map(Self::Behind))
    }

    pub(crate) fn select_child<'t>(self, node: &Node<'t>) -> Option<Node<'t>> {
        match self {
            Self::Field(id) => node.child_by_field_id(id),
            Self::Nth(at) => node.named_child(at as u32),
            Self::NthLast(at) => node.named_child(node.named_child_count().checked_sub(at)? as u32),
            Self::Behind(sign) => {
                let mut cursor = node.walk();
                let mut children = node.children(&mut cursor);
                children.find(|child| child.kind_id() == sign)?;
                children.find(Node::is_named)
            }
        }
    }
}
