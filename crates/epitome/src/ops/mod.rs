//! Operations: what Epitome can be asked to do. One file each; each is a command, an MCP tool, an HTTP route, a schema
//! and a reference entry at once.
//!
//! Adding one is a file and a line in [`ALL`]. An operation decodes its parameters, calls exactly one method of the
//! engine, and shapes the reply; it holds no rule about meaning.

pub(crate) mod assemble;
pub(crate) mod briefing;
pub(crate) mod compact;
pub(crate) mod context;
pub(crate) mod describe;
pub(crate) mod expand;
mod filters;
pub(crate) mod grant;
pub(crate) mod grep;
pub(crate) mod history;
pub(crate) mod impact;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod ingest;
mod operation;
pub(crate) mod read;
pub(crate) mod recall;
pub(crate) mod relations;
pub(crate) mod repair;
pub(crate) mod search;
mod search_wire;
pub(crate) mod status;
pub(crate) mod style;
pub(crate) mod symbol;
mod time_bounds;
pub(crate) mod tree;
pub(crate) mod value;
pub(crate) mod verify;
mod wire;

pub(crate) use operation::{
    AnyOperation, CommandExit, CommandGroup, DataSource, ErasedOperation, MeasureKind, Operation, OperationAnswer,
    OperationCall, OperationFailure, OperationKind, OperationReply, PROJECT_PATH,
};
pub(crate) use wire::round_hundredths;

/// Every operation, in the order in which people and agents see them.
pub(crate) const ALL: &[&dyn AnyOperation] = &[
    &ErasedOperation::<index::IndexOperation>::NEW,
    &ErasedOperation::<search::SearchOperation>::NEW,
    &ErasedOperation::<context::ContextOperation>::NEW,
    &ErasedOperation::<read::ReadOperation>::NEW,
    &ErasedOperation::<symbol::SymbolOperation>::NEW,
    &ErasedOperation::<relations::RelationsOperation>::NEW,
    &ErasedOperation::<impact::ImpactOperation>::NEW,
    &ErasedOperation::<tree::TreeOperation>::NEW,
    &ErasedOperation::<briefing::BriefingOperation>::NEW,
    &ErasedOperation::<import::ImportOperation>::NEW,
    &ErasedOperation::<ingest::IngestOperation>::NEW,
    &ErasedOperation::<history::HistoryOperation>::NEW,
    &ErasedOperation::<recall::RecallOperation>::NEW,
    &ErasedOperation::<grep::GrepOperation>::NEW,
    &ErasedOperation::<compact::CompactOperation>::NEW,
    &ErasedOperation::<assemble::AssembleOperation>::NEW,
    &ErasedOperation::<describe::DescribeOperation>::NEW,
    &ErasedOperation::<expand::ExpandOperation>::NEW,
    &ErasedOperation::<grant::GrantOperation>::NEW,
    &ErasedOperation::<value::ValueOperation>::NEW,
    &ErasedOperation::<status::StatusOperation>::NEW,
    &ErasedOperation::<verify::VerifyOperation>::NEW,
    &ErasedOperation::<repair::RepairOperation>::NEW,
];

/// The operation of that name.
pub(crate) fn find_operation(name: &str) -> Option<&'static dyn AnyOperation> {
    ALL.iter().copied().find(|operation| operation.name() == name)
}

/// A number of things in words: `1 file`, `2 files`.
pub(crate) fn render_count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The names of all operations.
pub(crate) fn operation_names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|operation| operation.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_every_operation_has_an_example_of_it() {
        for operation in ALL {
            let help = operation.build_command().render_long_help().to_string();
            let example = format!("epitome {}", operation.name());
            let shown = help.split("Example").nth(1).unwrap_or_default();
            assert!(shown.contains(&example), "{}: {help}", operation.name());
        }
    }
}
