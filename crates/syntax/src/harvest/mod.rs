//! The raw findings of one walk over a file's syntax tree (`WalkHarvest`), before they are made into symbols,
//! references and units. Data alone: the walk fills it, a language's headings fill it for documents without a grammar,
//! and the modules behind the walk read it. None of them has to know another for that.

mod embedded_stretch;
mod uses;

pub(crate) use embedded_stretch::{EmbeddedLanguage, EmbeddedText};
pub(crate) use uses::{NewBinding, RawReference, RawUses};

use foldhash::HashSet;
use model::{ByteSpan, SymbolKind};
use std::collections::BTreeSet;
use tree_sitter::Node;

/// A declaration up to this many lines is never cut.
pub(crate) const LONGEST_WHOLE: u32 = 60;

/// Everything one walk finds, in order of place unless said otherwise.
#[derive(Default)]
pub(crate) struct WalkHarvest {
    /// Definitions and scopes, in the order their patterns completed.
    pub(crate) found: Vec<RawDefinition>,
    /// The bytes at which their names start, and those of the calls so far.
    pub(crate) names: HashSet<u32>,
    pub(crate) wraps: Vec<ByteSpan>,
    pub(crate) leads: Vec<LeadingTrivia>,
    /// Leads that a pattern of an outer node found before the walk reached them.
    pub(crate) leads_ahead: BTreeSet<ByteSpan>,
    pub(crate) docstrings: Vec<DocstringSpan>,
    pub(crate) pieces: Vec<CutPoint>,
    pub(crate) errors: Option<ErrorCount>,
    /// Rows with tokens that no grammar rule covers.
    pub(crate) senseless: BTreeSet<u32>,
    pub(crate) too_deep: Option<ErrorCount>,
    pub(crate) uses: RawUses,
    /// Texts that another language has to read.
    pub(crate) embedded: Vec<EmbeddedText>,
}

/// A definition, or a scope that gives its members an owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDefinition {
    pub(crate) what: DefinitionKind,
    pub(crate) span: ByteSpan,
    /// Empty for a scope.
    pub(crate) name: ByteSpan,
    /// Where the signature ends.
    pub(crate) body: u32,
    pub(crate) owner: Option<ByteSpan>,
    /// Declared as a function, without a body.
    pub(crate) is_prototype: bool,
    pub(crate) seen_as: Option<ByteSpan>,
    /// Of a clause, which goes on with the one of the same name and number of parts just before it: that number.
    pub(crate) clause: Option<usize>,
    /// For what is only the heading of its section: how high, 1 being the highest.
    pub(crate) level: Option<u8>,
    /// Its pattern's place in the query: where two define the same, the earlier counts.
    pub(crate) pattern: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionKind {
    Symbol(SymbolKind),
    Scope,
}

/// A comment, attribute or decorator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeadingTrivia {
    pub(crate) span: ByteSpan,
    pub(crate) is_comment: bool,
    /// The text with which it documents the declaration below.
    pub(crate) says: Option<ByteSpan>,
}

/// A text that documents the definition whose body it opens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocstringSpan {
    pub(crate) body: u32,
    pub(crate) text: ByteSpan,
}

/// How often something occurred, and the first row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorCount {
    pub(crate) count: u32,
    pub(crate) row: u32,
}

/// A place where a unit may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutPoint {
    pub(crate) row: u32,
    /// How deep in the tree; a cut between deeper pieces is a worse one.
    pub(crate) depth: u16,
    /// A comment, attribute or decorator, which belongs to what follows.
    pub(crate) is_lead: bool,
}

pub(crate) fn node_span(node: &Node) -> ByteSpan {
    ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// A span without the blanks at its end.
pub(crate) fn trim_span(span: ByteSpan, bytes: &[u8]) -> ByteSpan {
    let blanks = bytes[span.to_range()].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    ByteSpan { end: span.end - blanks as u32, ..span }
}
