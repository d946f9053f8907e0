//! Finds the declared name inside of a declarator: the name in `*name[3]`, the owner in `a::b::name`, a function in
//! `name(int)`. Some grammars nest declarators around the name, as deep as the author likes. A query would have to
//! spell out every depth; here the node kinds that `[expressions]` reads through lead to the name.

use super::child_selector::ChildSelector;
use super::reader::{ExpressionReader, MAX_CHAIN_DEPTH, NodeRole};
use model::ByteSpan;
use tree_sitter::Node;

/// The name in a captured declaration.
#[derive(Clone, Copy)]
pub(crate) struct DeclaredName<'t> {
    pub(crate) name: Node<'t>,
    /// The type that the name says it is a member of.
    pub(crate) owner: Option<ByteSpan>,
    pub(crate) shape: DeclarationKind,
}

/// Whether a function is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclarationKind {
    Function,
    Value,
    /// The language's declarations do not show it.
    Unsaid,
}

impl ExpressionReader {
    /// Goes from a captured node to the name that it declares.
    pub(crate) fn find_declared_name<'t>(&self, node: Node<'t>) -> DeclaredName<'t> {
        let mut name = node;
        let mut owner: Option<ByteSpan> = None;
        let mut is_function = false;
        for _ in 0..MAX_CHAIN_DEPTH {
            let kind = name.kind_id();
            let inner = if let NodeRole::Member(object, inner) = *self.node_role(kind) {
                let inner = inner.select_child(&name);
                if let Some(object) = object.select_child(&name).filter(|object| Some(*object) != inner) {
                    let object = self.type_head(object);
                    // `a::b::name` nests: the owner begins with its outermost part.
                    let start = owner.map_or(object.start_byte() as u32, |owner| owner.start);
                    owner = Some(ByteSpan { start, end: object.end_byte() as u32 });
                }
                inner
            } else if let Some(place) = self.stands_for(kind) {
                // The part nearest to the name decides: `(*name)(int)` is a pointer. Brackets decide nothing.
                if !matches!(place, ChildSelector::Nth(_)) {
                    is_function = self.function_kinds().contains(&kind);
                }
                place.select_child(&name)
            } else {
                None
            };
            let Some(inner) = inner else { break };
            name = inner;
        }
        let shape = match self.function_kinds() {
            [] => DeclarationKind::Unsaid,
            functions if is_function || functions.contains(&name.kind_id()) => DeclarationKind::Function,
            _ => DeclarationKind::Value,
        };
        DeclaredName { name, owner, shape }
    }

    /// A type without its arguments.
    fn type_head<'t>(&self, mut node: Node<'t>) -> Node<'t> {
        for _ in 0..MAX_CHAIN_DEPTH {
            let Some(inner) = self.stands_for(node.kind_id()).and_then(|place| place.select_child(&node)) else {
                break;
            };
            node = inner;
        }
        node
    }

    fn stands_for(&self, kind: u16) -> Option<ChildSelector> {
        let (NodeRole::Through(place) | NodeRole::Generic(place, _)) = *self.node_role(kind) else { return None };
        Some(place)
    }
}
