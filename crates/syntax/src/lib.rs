//! Source bytes in, facts out: what a file defines, where, and how it is best cut into pieces.
//!
//! Pure and total: no file, clock or environment is read, and any bytes give [`FileFacts`], perhaps with
//! [`Problem`]s. A file is looked at alone, so all files of a project can be extracted at once.
//!
//! A language is data: a folder under `languages/` with `language.toml` (how its files are known), `symbols.scm`
//! (a query that says which nodes are symbols) and a fixture that states what must be found. A document that needs no
//! grammar is described by its headings instead. [`registry`] lists the folders; no other Rust file names a language.

mod bare;
mod beginning;
mod declared;
mod deep;
mod definition;
mod embedded;
mod expression;
mod extract;
mod facts;
mod gate;
mod headings;
mod import_tree;
mod language;
mod lines;
mod lost;
mod map;
mod matches;
mod modules;
mod nature;
mod notation;
mod parse;
mod place;
mod prose;
mod query;
mod quoted;
mod references;
mod regions;
mod registry;
mod rules;
mod sections;
mod settings;
mod signature;
mod spelling;
mod symbols;
mod tokens;
mod units;
mod unseen;
mod view;
mod walk;

pub use beginning::lines_at;
pub use expression::Expression;
pub use extract::{extract, extract_until};
pub use facts::{
    Binding, Extension, FileFacts, Import, Imported, Limits, Manner, Problem, ProblemKind, Reference, ReferenceKind,
    Says, Unit,
};
pub use language::{Holds, Language, holds, is_central, language_called, language_of, languages};
pub use map::{map, map_of};
pub use modules::{ModuleStyle, Modules, Visible};
pub use nature::not_text;
pub use signature::Signature;
pub use view::{Hidden, Mode, Piece, View, Views, expand, pieces, window};
