//! Extracts the symbols, references and chunks of source files with tree-sitter: bytes in, [`FileExtract`] out. Pure
//! and total: no file, clock or environment is read, and any bytes give a result, perhaps with [`FileProblem`]s. A file
//! is looked at alone, so all files of a project can be extracted at once.
//!
//! A language is data: a folder under `languages/` with `language.toml` (how its files are known), `symbols.scm` (a
//! query that says which nodes are symbols) and a fixture that states what must be found. A document that needs no
//! grammar is described by its headings instead. [`registry`] lists the folders; no other Rust file names a language.

mod content_checks;
mod document;
mod expression;
mod extract;
mod file_extract;
mod harvest;
mod language;
mod line_table;
mod node_lines;
mod parse;
mod query;
mod registry;
mod symbols;
mod units;
mod view;
mod walk;

pub use content_checks::{decode_text, not_text};
pub use document::{
    DocumentFacts, DocumentMention, DocumentMentionKind, OpenQuestion, Requirement, UserStory, read_document,
};
pub use expression::Expression;
pub use extract::{extract, extract_until};
pub use file_extract::{
    ExtractLimits, FileExtract, FileProblem, ImportDeclaration, ImportManner, ImportedItem, ProblemKind, Reference,
    ReferenceKind, SearchUnit, TypeBinding, TypeExtension, TypeSource,
};
pub use language::{
    ContentKind, Language, ModuleRules, ModuleStyle, NameVisibility, Parameter, SignatureParts, all_languages,
    content_kind_of, is_central, language_called, language_of,
};
pub use node_lines::lines_at;
pub use symbols::symbol_map::{map_of, render_map};
pub use view::{FileView, FileViews, HiddenRange, ViewMode, ViewPiece, render_window, restore_view, split_view};
