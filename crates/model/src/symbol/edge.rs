//! `Edge`, a directed relation between two symbols in the symbol graph (calls, imports, extends, …), with its kind and
//! confidence.

use crate::SymbolId;

/// How two symbols are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// A symbol holds another.
    Contains,
    /// A file or module defines a symbol.
    Defines,
    /// A file imports another or a symbol of it.
    Imports,
    /// A type extends another.
    Extends,
    /// A type implements an interface or trait.
    Implements,
    /// A function calls another.
    Calls,
    /// A symbol mentions another, most often a type.
    References,
    /// A looser need than a call: build order, configuration.
    DependsOn,
    /// Set by a person or inferred from meaning.
    RelatesTo,
}

crate::enum_words! {
    pub EdgeKind {
        Contains = "contains",
        Defines = "defines",
        Imports = "imports",
        Extends = "extends",
        Implements = "implements",
        Calls = "calls",
        References = "references",
        DependsOn = "depends_on",
        RelatesTo = "relates_to",
    }
}

/// How sure an edge is: 1.0 certain, 0.5 to 0.9 inferred, lower from meaning only.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f32);

impl Confidence {
    /// The text itself leaves no doubt.
    pub const CERTAIN: Self = Self(1.0);

    /// Clamps into 0.0 to 1.0; not-a-number counts as no confidence.
    pub fn new(value: f32) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) })
    }

    /// The value.
    pub fn get(self) -> f32 {
        self.0
    }
}

/// One directed relation.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts.
    pub from: SymbolId,
    /// Where it leads.
    pub to: SymbolId,
    /// Its kind.
    pub kind: EdgeKind,
    /// How sure it is.
    pub confidence: Confidence,
}
