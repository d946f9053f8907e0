//! Operations on conversations, one file each: `ingest`, `import`, `recall`, `grep`, `history`, `describe`, `expand`,
//! `compact`, `assemble`, `grant`.

pub(crate) mod assemble;
pub(crate) mod compact;
pub(crate) mod describe;
pub(crate) mod expand;
pub(crate) mod grant;
pub(crate) mod grep;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod recall;
