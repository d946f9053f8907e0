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
mod found;
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
pub(crate) mod status;
pub(crate) mod style;
pub(crate) mod symbol;
pub(crate) mod tree;
pub(crate) mod value;
pub(crate) mod verify;
mod when;
mod wire;

pub(crate) use operation::{
    Answer, AnyOperation, Call, CommandGroup, DataSource, Exit, Failure, Kind, MeasureKind, Op, Operation,
    PROJECT_PATH, Reply,
};
pub(crate) use wire::hundredths;

/// Every operation, in the order in which people and agents see them.
pub(crate) const ALL: &[&dyn AnyOperation] = &[
    &Op::<index::Index>::NEW,
    &Op::<search::Search>::NEW,
    &Op::<context::Context>::NEW,
    &Op::<read::Read>::NEW,
    &Op::<symbol::Symbol>::NEW,
    &Op::<relations::Relations>::NEW,
    &Op::<impact::Impact>::NEW,
    &Op::<tree::Tree>::NEW,
    &Op::<briefing::Briefing>::NEW,
    &Op::<import::Import>::NEW,
    &Op::<ingest::Ingest>::NEW,
    &Op::<history::History>::NEW,
    &Op::<recall::Recall>::NEW,
    &Op::<grep::Grep>::NEW,
    &Op::<compact::Compact>::NEW,
    &Op::<assemble::Assemble>::NEW,
    &Op::<describe::Describe>::NEW,
    &Op::<expand::Expand>::NEW,
    &Op::<grant::Grant>::NEW,
    &Op::<value::Value>::NEW,
    &Op::<status::Status>::NEW,
    &Op::<verify::Verify>::NEW,
    &Op::<repair::Repair>::NEW,
];

/// The operation of that name.
pub(crate) fn find(name: &str) -> Option<&'static dyn AnyOperation> {
    ALL.iter().copied().find(|operation| operation.name() == name)
}

/// A number of things in words: `1 file`, `2 files`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The names of all operations.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|operation| operation.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_of_every_operation_has_an_example_of_it() {
        for operation in ALL {
            let help = operation.command().render_long_help().to_string();
            let example = format!("epitome {}", operation.name());
            let shown = help.split("Example").nth(1).unwrap_or_default();
            assert!(shown.contains(&example), "{}: {help}", operation.name());
        }
    }
}
