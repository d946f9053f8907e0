//! Finds definitions by the fields of a node, without a tree-sitter query (`[definitions]` of a `language.toml`): where
//! a node kind has many forms, a query for two of its children takes seconds to compile.

use crate::expression::ChildSelector;
use crate::query::CaptureRole;
use model::SymbolKind;
use serde::Deserialize;
use tree_sitter::{Language, Node};

/// An entry of `[definitions]` of a `language.toml`, whose key is a kind of node.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DefinitionSpec {
    /// The word of a symbol kind.
    is: String,
    /// Where its name is.
    name: String,
    /// Where its body is.
    body: String,
    /// Where its return type is.
    returns: Option<String>,
}

/// The description, by places.
#[derive(Clone, Copy)]
pub(crate) struct DefinitionRule {
    is: SymbolKind,
    name: ChildSelector,
    body: ChildSelector,
    returns: Option<ChildSelector>,
}

impl DefinitionRule {
    /// Looks up fields and the kind of symbol; names one that is not known.
    pub(crate) fn compile(grammar: &Language, description: &DefinitionSpec) -> Result<Self, String> {
        let place = |name: &String| ChildSelector::parse(grammar, name).ok_or_else(|| format!("field `{name}`"));
        Ok(Self {
            is: SymbolKind::parse(&description.is).ok_or_else(|| format!("symbol kind `{}`", description.is))?,
            name: place(&description.name)?,
            body: place(&description.body)?,
            returns: description.returns.as_ref().map(place).transpose()?,
        })
    }

    /// What a query would capture at a node: the definition and its parts.
    pub(crate) fn captures_at<'t>(self, node: &Node<'t>) -> impl Iterator<Item = (CaptureRole, Node<'t>)> + use<'t> {
        let at = |capture, place: ChildSelector| Some((capture, place.select_child(node)?));
        let parts = [
            Some((CaptureRole::Symbol(self.is), *node)),
            at(CaptureRole::Name, self.name),
            at(CaptureRole::Body, self.body),
            self.returns.and_then(|returns| at(CaptureRole::Returns, returns)),
        ];
        parts.into_iter().flatten()
    }
}
