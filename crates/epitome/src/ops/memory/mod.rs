//! Operations on conversations, one file each: `ingest`, `import`, `recall`, `grep`, `history`, `describe`, `expand`,
//! `decisions`, `session`, `compact`, `assemble`, `grant`, `remember`, `memories`, `promote`, `reflection`, `tier`,
//! `checkpoint`, `subscription`, `suggestion`, `team`, `knowledge`, `entity`.

pub(crate) mod assemble;
pub(crate) mod checkpoint;
pub(crate) mod compact;
pub(crate) mod conversation_line;
pub(crate) mod decisions;
pub(crate) mod describe;
pub(crate) mod entity;
pub(crate) mod entity_wire;
pub(crate) mod expand;
pub(crate) mod grant;
pub(crate) mod grep;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod knowledge;
pub(crate) mod memories;
mod memory_line;
pub(crate) mod promote;
pub(crate) mod recall;
pub(crate) mod reflection;
pub(crate) mod remember;
pub(crate) mod session;
pub(crate) mod subscription;
pub(crate) mod suggestion;
pub(crate) mod team;
pub(crate) mod tier;
