//! Documents as questions see them: their sections, requirements, user stories and open questions, and the links between
//! them, code and tests. Facts are read of each file alone and stored with it; links are made from all of them at once,
//! for one graph, and kept in memory (`table`). Asked for by `relations`, `document` and `coverage`.

mod coverage;
mod link_end;
mod link_search;
mod name_match;
mod report;
mod table;

pub(crate) use coverage::check_coverage;
pub use coverage::{CoverageReport, CoverageRequest, CoveredRequirement, UnboundTest};
pub(super) use link_end::QUESTION;
pub(crate) use link_end::{LinkEnd, REQUIREMENT};
pub(super) use name_match::is_code;
pub(crate) use report::place_of;
pub use report::{DocumentLine, DocumentList, DocumentReport, LinkedPlace, LinkedRequirement};
pub(crate) use report::{describe_document, list_documents};
pub(crate) use table::{DocumentTable, load_documents};
