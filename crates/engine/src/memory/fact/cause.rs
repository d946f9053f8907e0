//! Names what ended a failure: the change between the failed run and the good one that has to do with it. A change that
//! only came in between is no cause, so it is named where it shares a name with the error, or where nothing else was
//! changed.

use super::telling::is_scratch_file;
use model::{Fact, FactKind};

/// More names than this are no hint.
const MOST_NAMES: usize = 3;
/// Shorter words are in every line.
const SHORTEST_NAME: usize = 4;

/// What ended a failure or made a test pass, out of the files and commands that came in between, the last one first.
pub(super) fn name_cause(ended: &Fact, changes: &[&Fact]) -> Option<String> {
    let is_file = |change: &&&Fact| change.kind == FactKind::File && !is_scratch_file(&change.subject);
    let files: Vec<&Fact> = changes.iter().filter(is_file).copied().collect();
    let linked: Vec<&Fact> = changes.iter().filter(|change| shares_name(ended, change)).copied().collect();
    // A test depends on the code, so what was changed made it pass, unless so much was changed that anything could have.
    let most_files = if ended.kind == FactKind::Test { MOST_NAMES } else { 1 };
    let causes = if !linked.is_empty() {
        linked
    } else if files.len() <= most_files {
        files
    } else {
        Vec::new()
    };
    let name = |fact: &&Fact| {
        if fact.kind == FactKind::Command { format!("`{}`", fact.subject) } else { fact.subject.clone() }
    };
    let names: Vec<String> = causes.iter().take(MOST_NAMES).map(name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Whether the error names the changed file or its folder, or what a command was given.
fn shares_name(ended: &Fact, change: &Fact) -> bool {
    let error = ended.subject.as_str();
    if change.kind != FactKind::File {
        // The words of the failed command itself are in many of its errors.
        let own = ended.seen_with.as_deref().unwrap_or_default();
        let arguments = split_names(&change.subject).skip(1);
        return arguments.filter(|word| !has_name(own, word)).any(|word| has_name(error, word));
    }
    if is_scratch_file(&change.subject) {
        return false;
    }
    let mut parts = change.subject.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let folder = parts.next().zip(parts.next()).map(|(folder, above)| format!("{above}/{folder}"));
    has_name(error, file) || has_name(error, stem) || folder.is_some_and(|folder| error.contains(&folder))
}

/// Whether a text has a name as a whole word.
fn has_name(text: &str, name: &str) -> bool {
    name.len() >= SHORTEST_NAME && split_names(text).any(|word| word == name || word.rsplit('/').next() == Some(name))
}

fn split_names(text: &str) -> impl Iterator<Item = &str> {
    let is_border = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'));
    text.split(is_border).map(|word| word.trim_matches(['.', '-', '/'])).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ContentHash, ConversationId, FactState};

    fn fact(kind: FactKind, subject: &str, seen_with: &str) -> Fact {
        let conversation = ConversationId::from_hash(ContentHash::hash_bytes(b"c"));
        Fact {
            id: Fact::id_of(&conversation, kind, subject),
            conversation,
            kind,
            subject: subject.to_owned(),
            state: FactState::Ended,
            exit_code: None,
            seen_with: Some(seen_with.to_owned()),
            ended_by: None,
            times: 1,
            first_seq: 1,
            last_seq: 1,
            sources: Vec::new(),
        }
    }

    fn cause(kind: FactKind, error: &str, changes: &[(FactKind, &str)]) -> Option<String> {
        let changes: Vec<Fact> = changes.iter().map(|(kind, subject)| fact(*kind, subject, "")).collect();
        name_cause(&fact(kind, error, "pnpm run lint"), &changes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_change_that_the_error_names_is_its_cause() {
        use FactKind::{Command, Failure, File, Test};
        let many = [(File, "src/a.ts"), (File, "src/order.ts"), (File, "docs/b.md"), (File, "/tmp/out.json")];
        assert_eq!(cause(Failure, "src/order.ts:7:1: error no-undef", &many), Some("src/order.ts".to_owned()));
        assert_eq!(cause(Failure, "error: failed to download serde", &many), None);
        assert_eq!(cause(Failure, "error: it broke", &[(File, "/tmp/out.json")]), None);
        assert_eq!(cause(Failure, "error: it broke", &many[..1]), Some("src/a.ts".to_owned()));
        assert_eq!(cause(Test, "cart adds", &many[..2]), Some("src/a.ts, src/order.ts".to_owned()));
        let commands = [(Command, "git stash && pnpm run lint"), (Command, "pnpm add left-pad")];
        assert_eq!(cause(Failure, "error: cannot find left-pad", &commands), Some("`pnpm add left-pad`".to_owned()));
        assert_eq!(cause(Failure, "error: lint failed", &commands), None);
        let package = [(File, "/app/cli/checkpoint/store.go"), (File, "/app/x.go")];
        assert_eq!(
            cause(Failure, "# app.io/cli/checkpoint", &package),
            Some("/app/cli/checkpoint/store.go".to_owned())
        );
    }
}
