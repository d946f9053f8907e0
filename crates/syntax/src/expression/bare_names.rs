//! Decides whether a bare identifier is a call: in some languages `total` alone calls a method, unless a variable of
//! that name is in scope. A name that is bound anywhere in a symbol is a variable everywhere in it: languages with such
//! calls bind before they use, so this is what they mean, up to order. `[expressions.bare]` of a `language.toml`
//! configures it.

use super::Expression;
use foldhash::{HashMap, HashSet};
use serde::Deserialize;
use tree_sitter::Language;

/// `[expressions.bare]` of a `language.toml`. A place is a kind of node, or one of its fields: `assignment.left`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BareNameSpec {
    /// The kind that is a name.
    kind: String,
    /// Places where a name is bound.
    binds: Vec<String>,
    /// Places where a name is neither bound nor used by itself, such as that of the member in `object.member`.
    parts: Vec<String>,
}

/// The role of a name in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRole {
    Bind,
    Use,
    Nothing,
}

/// The description, by kind.
pub(crate) struct BareNameRules {
    kind: u16,
    places: HashMap<(u16, Option<u16>), NameRole>,
}

/// The names that a walk saw, each with the byte it starts at, in order of place.
#[derive(Default)]
pub(crate) struct NameOccurrences {
    pub(crate) bound: Vec<(u32, Expression)>,
    pub(crate) used: Vec<(u32, Expression)>,
}

impl BareNameRules {
    /// Looks up kinds and fields; names one that the grammar does not have.
    pub(crate) fn compile(grammar: &Language, description: &BareNameSpec) -> Result<Self, String> {
        let kind = |name: &str| match grammar.id_for_node_kind(name, true) {
            0 => Err(format!("kind `{name}`")),
            id => Ok(id),
        };
        let mut places = HashMap::default();
        for (listed, does) in [(&description.binds, NameRole::Bind), (&description.parts, NameRole::Nothing)] {
            for place in listed {
                let (parent, field) = match place.split_once('.') {
                    Some((parent, field)) => (parent, Some(field)),
                    None => (place.as_str(), None),
                };
                let id = |name| grammar.field_id_for_name(name).ok_or_else(|| format!("field `{name}`"));
                places.insert((kind(parent)?, field.map(id).transpose()?.map(u16::from)), does);
            }
        }
        Ok(Self { kind: kind(&description.kind)?, places })
    }

    pub(crate) fn is_name(&self, kind: u16) -> bool {
        kind == self.kind
    }

    /// The role of a name in a field of a parent.
    pub(crate) fn name_role(&self, parent: u16, field: Option<u16>) -> NameRole {
        let said = self.places.get(&(parent, field)).or_else(|| self.places.get(&(parent, None)));
        said.copied().unwrap_or(NameRole::Use)
    }
}

impl NameOccurrences {
    /// The uses that are calls. `within` gives the symbol around a byte, for bytes in rising order.
    pub(crate) fn into_calls(self, mut within: impl FnMut(u32) -> Option<usize>) -> Vec<(u32, Expression)> {
        let mut all: Vec<_> = self.bound.into_iter().map(|(at, name)| (at, name, true)).collect();
        all.extend(self.used.into_iter().map(|(at, name)| (at, name, false)));
        // `within` needs rising places, and bindings and uses were collected apart.
        all.sort_by_key(|(at, ..)| *at);
        let mut variables = HashSet::default();
        let mut used = Vec::new();
        for (at, name, is_bound) in all {
            let key = (within(at), name);
            if is_bound {
                variables.insert(key);
            } else {
                used.push((at, key));
            }
        }
        used.retain(|(_, key)| !variables.contains(key));
        used.into_iter().map(|(at, (_, name))| (at, name)).collect()
    }
}
