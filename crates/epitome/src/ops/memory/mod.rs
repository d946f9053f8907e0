//! Operations on conversations.

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
