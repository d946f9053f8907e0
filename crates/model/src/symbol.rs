//! Symbols: the named things a file defines.

use crate::{ByteSpan, LineRange, SymbolId};
use std::fmt;

/// The kind of a symbol. One list for all languages: a language folder maps its own words to these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// A namespace, package or module inside a file.
    Module,
    /// A class.
    Class,
    /// A struct, record or union.
    Struct,
    /// An enumeration.
    Enum,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// A free function.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A type alias.
    Type,
    /// A constant or a variable of the whole file.
    Constant,
    /// A field or property.
    Field,
    /// A macro.
    Macro,
    /// A section of a document.
    Section,
}

impl SymbolKind {
    /// Every kind with its word, in the order of the enum.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Module, "module"),
        (Self::Class, "class"),
        (Self::Struct, "struct"),
        (Self::Enum, "enum"),
        (Self::Interface, "interface"),
        (Self::Trait, "trait"),
        (Self::Function, "function"),
        (Self::Method, "method"),
        (Self::Type, "type"),
        (Self::Constant, "constant"),
        (Self::Field, "field"),
        (Self::Macro, "macro"),
        (Self::Section, "section"),
    ];

    /// The kind's word, as shown and stored.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("symbol", |(_, word)| word)
    }

    /// Reads a kind's word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, w)| *w == word).map(|(kind, _)| *kind)
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One symbol of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Readable id, stable under edits elsewhere in the file.
    pub id: SymbolId,
    /// Unqualified name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The symbol it is defined in, if any.
    pub container: Option<SymbolId>,
    /// Declaration and body, without the doc comment above it.
    pub span: ByteSpan,
    /// The lines of `span`.
    pub lines: LineRange,
    /// The line of the name.
    pub name_line: u32,
    /// Text before the body, on one line.
    pub signature: String,
    /// The doc comment, without its markers.
    pub doc: Option<String>,
}
