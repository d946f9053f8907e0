//! The result types of extracting one file: `FileExtract` with its symbols, references, imports, type bindings, units
//! and problems.

use crate::expression::Expression;
use crate::language::Language;
use model::{ByteSpan, LineRange, Symbol};
use std::fmt;

/// The facts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileExtract {
    /// The language's name, when the file is in one we know.
    pub language: Option<&'static str>,
    /// Number of lines; 0 for what is not read as text.
    pub lines: u32,
    /// The definitions of the file, in order of place.
    pub symbols: Vec<Symbol>,
    /// Functions that it only declares, by index into its symbols: their definitions are elsewhere.
    pub prototypes: Vec<usize>,
    /// Where it uses something, in order of place.
    pub references: Vec<Reference>,
    /// The package, namespace or module it declares all of itself to be in, as it is written.
    pub package: Option<String>,
    /// Its imports and re-exports.
    pub imports: Vec<ImportDeclaration>,
    /// The types or values of its variables and fields.
    pub bindings: Vec<TypeBinding>,
    /// The declared return types of its functions, by index into its symbols.
    pub returns: Vec<(usize, Expression)>,
    /// The return expressions of its functions, by index into its symbols.
    pub results: Vec<(usize, Expression)>,
    /// Where it adds members to a type outside of that type's text.
    pub extensions: Vec<TypeExtension>,
    /// The file in pieces; together they are exactly its lines, unless a problem says why there are none.
    pub units: Vec<SearchUnit>,
    /// Longer stretches that could not be parsed, in order of place: definitions in them may be missing.
    pub unparsed: Vec<LineRange>,
    /// Reasons why facts may be missing.
    pub problems: Vec<FileProblem>,
}

/// A place where a file uses something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// How it is used.
    pub kind: ReferenceKind,
    /// The expression that is used, as written.
    pub target: Expression,
    /// What is passed to a call, in order, in languages whose functions may differ by that alone.
    pub passed: Option<Vec<Expression>>,
    /// Its line.
    pub line: u32,
    /// The innermost symbol around it, as an index into the file's symbols; none at the top of the file.
    pub within: Option<usize>,
}

/// How something is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// It is called, or an instance of it is made.
    Call,
    /// It is a base of the type around the reference.
    Extends,
    /// It is an interface that the type around the reference implements.
    Implements,
    /// It is named as a type.
    Type,
}

/// A name that a file imports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportDeclaration {
    /// Where from, as it is written; empty for this file itself.
    pub module: String,
    /// The imported item.
    pub what: ImportedItem,
    /// Its local name, where that differs.
    pub alias: Option<String>,
    /// Whether other files can import it from here.
    pub exported: bool,
    /// In which manner.
    pub manner: ImportManner,
    /// Its line.
    pub line: u32,
}

/// In which manner an import takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ImportManner {
    /// Before the file runs.
    #[default]
    Static,
    /// Only for its types.
    Type,
    /// While the file runs, from a place that its text shows.
    Dynamic,
}

/// The item that an import takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImportedItem {
    /// The module itself.
    Module,
    /// One name of it.
    Name(String),
    /// Every name of it.
    All,
}

/// What a file states about the type of a variable or field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeBinding {
    /// The variable or field.
    pub name: String,
    /// Whether it is a field of the type around it.
    pub is_field: bool,
    /// Its type, or the value whose type it has.
    pub says: TypeSource,
    /// The innermost symbol around it, other than itself.
    pub within: Option<usize>,
    /// Its line.
    pub line: u32,
    /// The lines in which it holds, where that is not all of its scope.
    pub reach: Option<LineRange>,
}

/// A place where members are added to a type from outside of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeExtension {
    /// The type.
    pub owner: Expression,
    /// The interface or trait that the members implement.
    pub seen_as: Option<Expression>,
    /// The members, as indexes into the file's symbols.
    pub members: Vec<usize>,
    /// Its lines.
    pub lines: LineRange,
}

/// How a file states a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeSource {
    /// It names the type.
    Type(Expression),
    /// It gives a value.
    Value(Expression),
}

/// A stretch of a file that search finds and shows as one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchUnit {
    /// Its lines.
    pub lines: LineRange,
    /// The bytes of those lines, line ends included.
    pub span: ByteSpan,
    /// The innermost symbol that makes up most of it, as an index into the file's symbols.
    pub symbol: Option<usize>,
    /// The symbols whose declaration starts in it.
    pub defines: Vec<usize>,
}

/// How far extraction goes. Each limit is on size or work, not on time, so that the same bytes give the same extract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractLimits {
    /// Larger files are not parsed; files of data have a lower limit besides.
    pub max_bytes: usize,
    /// Roughly how long one parse may take, counted in steps of the parser on an ordinary machine.
    pub parse_millis: u32,
    /// Nodes nested deeper are not looked at.
    pub max_depth: u32,
}

/// Larger files are parsed only where they are code: of data and documents of this size, most is records.
const MOST_OTHER_BYTES: usize = 1 << 20;

impl ExtractLimits {
    /// The most bytes of a file in a language that are parsed.
    pub(crate) fn most_bytes(&self, language: Option<&Language>) -> usize {
        let is_other = language.is_some_and(|language| !language.is_large_code());
        if is_other { self.max_bytes.min(MOST_OTHER_BYTES) } else { self.max_bytes }
    }
}

impl Default for ExtractLimits {
    fn default() -> Self {
        Self { max_bytes: 16 << 20, parse_millis: 2_000, max_depth: 1_000 }
    }
}

/// A reason why facts of a file may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The first line it concerns, where it concerns one.
    pub line: Option<u32>,
    /// The kind of problem.
    pub kind: ProblemKind,
}

/// The kinds of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Not text: no lines, no units.
    Binary,
    /// Text in UTF-16 that is damaged or was not converted: no lines, no units.
    Utf16,
    /// Some bytes are not UTF-8; they show as replacement characters.
    NotUtf8,
    /// Over `max_bytes`: not parsed, so no symbols.
    TooLarge {
        /// The file's size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A pointer of Git LFS: the file itself is elsewhere.
    Pointer,
    /// The first lines say that a tool wrote the file; its definitions are found all the same.
    Generated,
    /// Lines so long that no person wrote them: not parsed, so no symbols.
    Minified,
    /// Punctuation without words, which no grammar can follow: not parsed, so no symbols.
    Wordless,
    /// The parser used up its work budget, or was stopped: no symbols.
    TimedOut,
    /// Nested deeper than `max_depth`; what lies below is not looked at.
    TooDeep {
        /// The limit.
        limit: u32,
    },
    /// The grammar failed in some places; symbols around them are found all the same.
    SyntaxErrors {
        /// How many places.
        count: u32,
    },
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => f.write_str("not text"),
            Self::Utf16 => f.write_str("damaged text in UTF-16, which is not read"),
            Self::NotUtf8 => f.write_str("not all of it is UTF-8"),
            Self::TooLarge { bytes, limit } => write!(f, "too large to parse: {bytes} bytes, the limit is {limit}"),
            Self::Pointer => f.write_str("a pointer of Git LFS: the file itself is not here"),
            Self::Generated => f.write_str("generated by a tool"),
            Self::Minified => f.write_str("minified"),
            Self::Wordless => f.write_str("punctuation without words"),
            Self::TimedOut => f.write_str("parsing took too long"),
            Self::TooDeep { limit } => write!(f, "nested deeper than {limit} levels"),
            Self::SyntaxErrors { count: 1 } => f.write_str("1 syntax error"),
            Self::SyntaxErrors { count } => write!(f, "{count} syntax errors"),
        }
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}
