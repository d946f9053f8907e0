//! Suggests existing files for a path that does not exist ("did you mean"): cut short, mistyped, or moved to another
//! directory.

use super::{OmissionReason, ReadReply};
use crate::base::{Error, Project, Result};
use crate::code::CodeContext;
use model::{ArtifactId, ConversationId, FactId, MessageId, SummaryId};

/// How many paths are shown.
const MAX_SUGGESTIONS: usize = 3;

/// How many letters may differ in the name of a file.
const MAX_EDIT_DISTANCE: usize = 2;

/// Prefixes of ids of conversations, which are not in files.
const IDS: [&str; 5] =
    [MessageId::PREFIX, SummaryId::PREFIX, ArtifactId::PREFIX, ConversationId::PREFIX, FactId::PREFIX];

/// Replaces the usual hint by suggestions. If the index fails, the hint stays.
pub(super) async fn suggest_paths(code: &CodeContext, project: &Project, reply: &mut ReadReply) {
    let is_missing =
        |omission: &OmissionReason| matches!(omission, OmissionReason::Failed(Error::NotFound { what: "file", .. }));
    if !reply.omitted.iter().any(|omitted| is_missing(&omitted.why)) {
        return;
    }
    let Ok(paths) = indexed_paths(code, project).await else { return };
    for omitted in &mut reply.omitted {
        let OmissionReason::Failed(Error::NotFound { what: "file", id, hint }) = &mut omitted.why else { continue };
        // An id of a conversation reads like the name of a file.
        if IDS.iter().any(|prefix| id.starts_with(prefix)) {
            *hint = Some(format!("of conversations, epitome expand {id} or epitome describe {id} gives it"));
            continue;
        }
        // A shell would have expanded the pattern; a target is one file.
        if id.contains('*') {
            *hint = Some("patterns are not read: epitome tree DIRECTORY lists files to name".to_owned());
            continue;
        }
        let near = nearest_paths(id, &paths);
        if !near.is_empty() {
            *hint = Some(format!("did you mean {}?", near.join(" or ")));
        }
    }
}

async fn indexed_paths(code: &CodeContext, project: &Project) -> Result<Vec<String>> {
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?.id;
    Ok(code.store.worktree_files(&worktree).await?.into_iter().map(|file| file.path).collect())
}

/// The nearest paths, quoted: those with the same end before those with a similar name.
fn nearest_paths(path: &str, paths: &[String]) -> Vec<String> {
    let path = path.trim_start_matches(['.', '/']).replace('\\', "/");
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let shared = |other: &str| {
        let mut pairs = path.rsplit('/').zip(other.rsplit('/'));
        let mut count = 0;
        while pairs.next().is_some_and(|(one, other)| one == other) {
            count += 1;
        }
        count
    };
    let wanted = name(&path);
    let mut found: Vec<(usize, usize, &String)> = Vec::new();
    for other in paths {
        let distance = strsim::osa_distance(&name(other), &wanted);
        // In a short name two edits make another name, so less than a third of it may differ.
        if distance <= MAX_EDIT_DISTANCE && distance * 3 < wanted.chars().count() {
            found.push((distance, usize::MAX - shared(other), other));
        }
    }
    found.sort_unstable();
    let closest = found.first().map(|(distance, shared, _)| (*distance, *shared));
    let as_close = found.iter().filter(|(distance, shared, _)| Some((*distance, *shared)) == closest);
    as_close.take(MAX_SUGGESTIONS).map(|(.., path)| format!("`{path}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_paths_are_those_that_end_alike() {
        let paths = ["src/session.rs", "src/a/mod.rs", "src/b/mod.rs", "tests/session.rs"].map(str::to_owned);
        let check = |path: &str, expected: &[&str]| assert_eq!(nearest_paths(path, &paths), expected, "{path}");
        check("session.rs", &["`src/session.rs`", "`tests/session.rs`"]);
        check("crates/src/session.rs", &["`src/session.rs`"]);
        check("C:\\x\\tests\\session.rs", &["`tests/session.rs`"]);
        check("src/sesion.rs", &["`src/session.rs`", "`tests/session.rs`"]);
        check("b/mod.rs", &["`src/b/mod.rs`"]);
        check("nothing.rs", &[]);
    }
}
