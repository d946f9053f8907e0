//! The list of operations, what Epitome can be asked to do: one file each, in the folder of its subject; each is a
//! command, an MCP tool, an HTTP route, a schema and a reference entry at once. Adding one is a file, a line in its
//! group and a line in [`ALL_OPERATIONS`]. An operation decodes its parameters, calls exactly one method of the engine, and shapes
//! the reply; it holds no rule about meaning.

pub(crate) mod code;
mod filters;
mod json_text;
pub(crate) mod memory;
mod operation;
pub(crate) mod search_scope;
pub(crate) mod state;
pub(crate) mod style;
mod text_layout;
mod time_bounds;
mod wire;

pub(crate) use json_text::{has_too_many_values, render_json};
pub(crate) use operation::{
    AnyOperation, CommandExit, CommandGroup, DataSource, ErasedOperation, MeasureKind, Operation, OperationAnswer,
    OperationCall, OperationFailure, OperationKind, OperationReply, PROJECT_PATH,
};
pub(crate) use text_layout::wrap_report;
pub(crate) use wire::round_hundredths;

/// Every operation, in the order in which people and agents see them.
pub(crate) const ALL_OPERATIONS: &[&dyn AnyOperation] = &[
    &ErasedOperation::<code::index::IndexOperation>::NEW,
    &ErasedOperation::<code::search::SearchOperation>::NEW,
    &ErasedOperation::<code::context::ContextOperation>::NEW,
    &ErasedOperation::<code::read::ReadOperation>::NEW,
    &ErasedOperation::<code::symbol::SymbolOperation>::NEW,
    &ErasedOperation::<code::relations::RelationsOperation>::NEW,
    &ErasedOperation::<code::impact::ImpactOperation>::NEW,
    &ErasedOperation::<code::critique::CritiqueOperation>::NEW,
    &ErasedOperation::<code::tree::TreeOperation>::NEW,
    &ErasedOperation::<code::briefing::BriefingOperation>::NEW,
    &ErasedOperation::<code::document::DocumentOperation>::NEW,
    &ErasedOperation::<code::coverage::CoverageOperation>::NEW,
    &ErasedOperation::<memory::import::ImportOperation>::NEW,
    &ErasedOperation::<memory::ingest::IngestOperation>::NEW,
    &ErasedOperation::<memory::history::HistoryOperation>::NEW,
    &ErasedOperation::<memory::recall::RecallOperation>::NEW,
    &ErasedOperation::<memory::grep::GrepOperation>::NEW,
    &ErasedOperation::<memory::decisions::DecisionsOperation>::NEW,
    &ErasedOperation::<memory::session::SessionOperation>::NEW,
    &ErasedOperation::<memory::compact::CompactOperation>::NEW,
    &ErasedOperation::<memory::assemble::AssembleOperation>::NEW,
    &ErasedOperation::<memory::describe::DescribeOperation>::NEW,
    &ErasedOperation::<memory::expand::ExpandOperation>::NEW,
    &ErasedOperation::<memory::grant::GrantOperation>::NEW,
    &ErasedOperation::<memory::remember::RememberOperation>::NEW,
    &ErasedOperation::<memory::memories::MemoriesOperation>::NEW,
    &ErasedOperation::<memory::promote::PromoteOperation>::NEW,
    &ErasedOperation::<memory::reflection::ReflectionOperation>::NEW,
    &ErasedOperation::<memory::tier::TierOperation>::NEW,
    &ErasedOperation::<memory::checkpoint::CheckpointOperation>::NEW,
    &ErasedOperation::<memory::subscription::SubscriptionOperation>::NEW,
    &ErasedOperation::<memory::suggestion::SuggestionOperation>::NEW,
    &ErasedOperation::<memory::team::TeamOperation>::NEW,
    &ErasedOperation::<memory::knowledge::KnowledgeOperation>::NEW,
    &ErasedOperation::<memory::entity::EntityOperation>::NEW,
    &ErasedOperation::<state::window::WindowOperation>::NEW,
    &ErasedOperation::<state::value::ValueOperation>::NEW,
    &ErasedOperation::<state::modes::ModesOperation>::NEW,
    &ErasedOperation::<state::stats::StatsOperation>::NEW,
    &ErasedOperation::<state::status::StatusOperation>::NEW,
    &ErasedOperation::<state::project::ProjectOperation>::NEW,
    &ErasedOperation::<state::verify::VerifyOperation>::NEW,
    &ErasedOperation::<state::repair::RepairOperation>::NEW,
];

/// The operation of that name.
pub(crate) fn find_operation(name: &str) -> Option<&'static dyn AnyOperation> {
    ALL_OPERATIONS.iter().copied().find(|operation| operation.name() == name)
}

/// A number of things in words: `1 file`, `2 files`, `12,840 files`.
pub(crate) fn render_count(number: u64, thing: &str) -> String {
    let thing = match thing.strip_suffix('y') {
        _ if number == 1 => thing.to_owned(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{thing}s"),
    };
    format!("{} {thing}", group_digits(number))
}

/// A number for people, with a comma between thousands.
pub(crate) fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A stretch of time in words, in its two largest units: `2 days 3 hours`.
pub(crate) fn render_duration(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let mut left = seconds;
    let mut words = Vec::new();
    for (size, name) in units {
        let number = left / size;
        left %= size;
        if number > 0 && words.len() < 2 {
            words.push(render_count(number, name));
        } else if !words.is_empty() {
            break;
        }
    }
    if words.is_empty() { "0 seconds".to_owned() } else { words.join(" ") }
}

/// The names of all operations.
pub(crate) fn operation_names() -> impl Iterator<Item = &'static str> {
    ALL_OPERATIONS.iter().map(|operation| operation.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_the_plural_of_its_word() {
        let counted = [(1, "entity"), (3, "entity"), (2, "memory"), (2, "day"), (1_200, "file")];
        let told: Vec<String> = counted.iter().map(|(number, thing)| render_count(*number, thing)).collect();
        assert_eq!(told, ["1 entity", "3 entities", "2 memories", "2 days", "1,200 files"]);
    }

    #[test]
    fn numbers_and_times_are_written_for_people() {
        let shown = [0, 7, 999, 1_000, 353_347, 12_000_007].map(group_digits);
        assert_eq!(shown, ["0", "7", "999", "1,000", "353,347", "12,000,007"]);
        let shown = [0, 59, 60, 3_601, 7_260, 90_000, 86_400].map(render_duration);
        let words = ["0 seconds", "59 seconds", "1 minute", "1 hour", "2 hours 1 minute", "1 day 1 hour", "1 day"];
        assert_eq!(shown, words);
    }

    #[test]
    fn the_help_of_every_operation_has_an_example_of_it() {
        for operation in ALL_OPERATIONS {
            let help = operation.build_command().render_long_help().to_string();
            let example = format!("epitome {}", operation.name());
            let shown = help.split("Example").nth(1).unwrap_or_default();
            assert!(shown.contains(&example), "{}: {help}", operation.name());
        }
    }
}
