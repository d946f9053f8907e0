//! Finds what was tried before about an error that is met again: lessons with their outcome, and commands after which the
//! same failure was gone. Nobody asked for it, so the error itself has to be the same; likeness of meaning is not enough.

use super::lesson::{Reflection, ReflectionOutcome};
use super::listing::load_intact;
use super::lookup::rank_by_nearness;
use crate::base::{Project, Result};
use crate::memory::MemoryContext;
use model::{DurableMemory, MemoryKind};
use store::MemoryScope;

/// The share of the error's words, weighed by how rare they are, that a lesson has to name.
const LEAST_WORDS: f64 = 0.6;
/// How many are told at once.
const MAX_ATTEMPTS: usize = 2;
/// Lines of an error that are compared, and the characters of each: what is longer is a listing.
const MAX_LINES: usize = 3;
const MAX_LINE_CHARS: usize = 240;
/// Words by which a line of an output says that it is the error.
const ERROR_WORDS: [&str; 6] = ["error", "failed", "fatal", "panicked", "exception", "cannot"];

/// Attempts at an error, those that failed first.
pub(crate) async fn find_attempts(
    memory: &MemoryContext,
    project: &Project,
    error: &str,
    input: Option<&str>,
) -> Result<Vec<DurableMemory>> {
    let mut known = load_intact(memory, MemoryScope::Project(project.id.clone())).await?;
    known.retain(|memory| matches!(memory.body.kind, MemoryKind::Reflection | MemoryKind::Fix));
    let asked = error_lines(error);
    if known.is_empty() || asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut met: Vec<DurableMemory> = Vec::new();
    for line in &asked {
        // Without a model: two errors of the same kind are alike in meaning, and are not the same error.
        let found = rank_by_nearness(known.clone(), line, None, |words, _meaning| words >= LEAST_WORDS);
        for found in found {
            if !met.iter().any(|met| met.id == found.memory.id) {
                met.push(found.memory);
            }
        }
    }
    // Of several attempts those at the same command come first.
    let names_input = |memory: &DurableMemory| input.is_some_and(|input| shares_command(memory, input));
    met.sort_by_key(|memory| (!has_failed(memory), !names_input(memory)));
    met.truncate(MAX_ATTEMPTS);
    Ok(met)
}

fn has_failed(memory: &DurableMemory) -> bool {
    Reflection::from_memory(memory).is_some_and(|attempt| attempt.outcome == ReflectionOutcome::Failure)
}

/// Whether a lesson is about the program that was run.
fn shares_command(memory: &DurableMemory, input: &str) -> bool {
    let program =
        input.split(|c: char| !c.is_alphanumeric() && c != '-').find(|word| word.len() > 2 && *word != "command");
    let place = Reflection::from_memory(memory).map(|attempt| attempt.context).unwrap_or_default();
    program.is_some_and(|program| memory.body.content.contains(program) || place.contains(program))
}

/// The lines that say what went wrong, or the first ones.
fn error_lines(error: &str) -> Vec<&str> {
    let short = |line: &&str| !line.is_empty() && line.chars().nth(MAX_LINE_CHARS).is_none();
    let lines: Vec<&str> = error.lines().map(str::trim).filter(short).collect();
    let says = |line: &&&str| ERROR_WORDS.iter().any(|word| line.to_lowercase().contains(word));
    let said: Vec<&str> = lines.iter().filter(says).copied().take(MAX_LINES).collect();
    if said.is_empty() { lines.into_iter().take(1).collect() } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_what_its_lines_say() {
        let output = "   Compiling shop\nerror[E0308]: mismatched types\n --> src/a.rs:1\nerror: aborting";
        assert_eq!(error_lines(output), ["error[E0308]: mismatched types", "error: aborting"]);
        assert_eq!(error_lines("make: no rule for the numbat\nmore"), ["make: no rule for the numbat"]);
        assert!(error_lines("").is_empty() && error_lines(&"x".repeat(500)).is_empty());
    }
}
