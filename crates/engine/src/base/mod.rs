//! The lowest layer of the engine: types and functions that all other layers use (errors, the project, token budgets,
//! clock, progress observer, compression, an LRU cache) and that depend on none of those layers.

mod author;
mod blocking;
pub(crate) mod budget;
mod clock;
mod compression;
pub(crate) mod confined_file;
mod error;
pub(crate) mod image;
pub(crate) mod int8_vectors;
mod long_work;
mod observer;
pub(crate) mod path_pattern;
mod project;
pub(crate) mod question_split;
mod seen_text;
pub(crate) mod spelling;
mod store_scrubber;
mod text_fence;
mod versioned_lru;

pub use author::Author;
pub(crate) use blocking::run_blocking;
pub use budget::BudgetWriter;
pub(crate) use budget::beginning_within;
pub use clock::Clock;
pub(crate) use compression::{compress_bytes, decompress_bytes};
pub use error::{Error, ErrorKind, Result};
pub(crate) use long_work::run_long;
pub use observer::{NullObserver, Observer};
pub use project::Project;
pub(crate) use project::{IGNORE_FILES, is_commit, is_git_directory, is_rule_file};
pub use seen_text::{SeenFinder, SeenRegion, SeenReport, SeenTexts, WithheldText};
pub(crate) use store_scrubber::StoreScrubber;
pub(crate) use text_fence::text_fence;
pub(crate) use versioned_lru::VersionedLru;
