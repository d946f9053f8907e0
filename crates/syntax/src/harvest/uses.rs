//! The uses (calls, types, imports, bindings) that the walk over a syntax tree found, before the symbol that contains
//! each is known.

use crate::expression::{Expression, NameOccurrences};
use crate::file_extract::{ImportDeclaration, ReferenceKind, TypeExtension, TypeSource};
use model::{ByteSpan, LineRange};

/// All uses that a walk saw, each with the byte it starts at.
#[derive(Default)]
pub(crate) struct RawUses {
    /// Where the target is the base alone, it is the base's member of the same name as the symbol around.
    pub(crate) references: Vec<RawReference>,
    /// Bare names that may be calls.
    pub(crate) names: NameOccurrences,
    /// Spans in which text that looks like a call is none.
    pub(crate) uncalled: Vec<ByteSpan>,
    pub(crate) imports: Vec<ImportDeclaration>,
    pub(crate) package: Option<String>,
    pub(crate) bindings: Vec<(u32, NewBinding)>,
    /// By the place of the function's name.
    pub(crate) returns: Vec<(u32, Expression)>,
    pub(crate) results: Vec<(u32, Expression)>,
    pub(crate) extensions: Vec<TypeExtension>,
}

/// A use before the symbol around it is known.
#[derive(PartialEq, Eq)]
pub(crate) struct RawReference {
    /// The byte at which it starts.
    pub(crate) at: u32,
    pub(crate) kind: ReferenceKind,
    pub(crate) target: Expression,
    /// What is passed to a call, where that was read.
    pub(crate) passed: Option<Vec<Expression>>,
}

impl RawReference {
    pub(crate) fn new(at: u32, kind: ReferenceKind, target: Expression) -> Self {
        Self { at, kind, target, passed: None }
    }
}

/// A binding before its scope is known.
pub(crate) struct NewBinding {
    pub(crate) name: String,
    pub(crate) is_field: bool,
    pub(crate) says: TypeSource,
    pub(crate) reach: Option<LineRange>,
}
