//! Definitions that the fields of a node tell without a query: where a kind of node has many forms, a query that asks
//! for two of its children takes seconds to compile.

use crate::matches::Match;
use crate::place::Place;
use crate::rules::{Capture, Rules};
use crate::walk::Harvest;
use model::SymbolKind;
use serde::Deserialize;
use tree_sitter::{Language, Node};

/// An entry of `[definitions]` of a `language.toml`, whose key is a kind of node.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    /// The word of a symbol kind.
    is: String,
    /// Where its name is.
    name: String,
    /// Where its body is.
    body: String,
    /// Where the type it gives back is.
    returns: Option<String>,
}

/// The description, by places.
#[derive(Clone, Copy)]
pub(crate) struct Definition {
    is: SymbolKind,
    name: Place,
    body: Place,
    returns: Option<Place>,
}

impl Definition {
    /// Looks up fields and the kind of symbol; names one that is not known.
    pub(crate) fn compile(grammar: &Language, description: &Description) -> Result<Self, String> {
        let place = |name: &String| Place::parse(grammar, name).ok_or_else(|| format!("field `{name}`"));
        Ok(Self {
            is: SymbolKind::parse(&description.is).ok_or_else(|| format!("symbol kind `{}`", description.is))?,
            name: place(&description.name)?,
            body: place(&description.body)?,
            returns: description.returns.as_ref().map(place).transpose()?,
        })
    }

    /// Puts what a node defines into the harvest.
    pub(crate) fn take(self, node: &Node, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        let at = |capture, place: Place| Some((capture, place.of(node)?));
        let parts = [
            Some((Capture::Symbol(self.is), *node)),
            at(Capture::Name, self.name),
            at(Capture::Body, self.body),
            self.returns.and_then(|returns| at(Capture::Returns, returns)),
        ];
        Match::of(parts.into_iter().flatten(), rules.expressions()).take(
            rules.behind_patterns(),
            rules,
            bytes,
            harvest,
        );
    }
}
