//! `Symbol` and `SymbolKind`, the data types for the named things that a source file defines: functions, types,
//! constants, and so on.

mod edge;
mod handle;

pub use edge::{Confidence, Edge, EdgeKind};
pub use handle::SymbolHandle;

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

crate::enum_words! {
    pub SymbolKind {
        Module = "module",
        Class = "class",
        Struct = "struct",
        Enum = "enum",
        Interface = "interface",
        Trait = "trait",
        Function = "function",
        Method = "method",
        Type = "type",
        Constant = "constant",
        Field = "field",
        Macro = "macro",
        Section = "section",
    }
}

impl SymbolKind {
    /// Whether it is a type: members can belong to it.
    pub fn is_type(self) -> bool {
        matches!(self, Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Trait | Self::Type)
    }

    /// Whether it can be called.
    pub fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Macro)
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
