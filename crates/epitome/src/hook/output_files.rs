//! Outputs that an agent keeps in a file of its own: it gives hooks and its model a part, and says where all of it is.
//! The whole output is kept here in place of the shortened one.

use super::brief::text_of;
use super::event::{EventKind, HookEvent};
use fs_err as fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What a hook reads while its agent waits.
pub(super) const AT_ONCE: u64 = 4 << 20;
/// What a drain reads, for which no agent waits.
pub(super) const LATER: u64 = 256 << 20;

/// Fields of an output by which Claude Code says so. It gives the beginning.
pub(super) const FIELDS: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];
/// The folder beside a transcript in which its outputs lie.
const FOLDER: &str = "tool-results";

/// How an output says it itself: how it begins, what stands before the path, and where such files lie.
struct TruncationNotice {
    agent: &'static str,
    beginning: &'static str,
    label: &'static str,
    lies: Lies,
    shows: Shows,
}

/// Where such files lie.
enum Lies {
    /// In a folder, or one below it.
    In(&'static str),
    /// Among others, by what is in their names. They go with the process of their agent.
    Among(&'static str),
}

/// The part of the whole output behind the note.
enum Shows {
    /// Its end.
    End,
    /// Its beginning, behind these words.
    Beginning(&'static str),
    /// Something of both, or nothing that could be compared.
    Other,
}

/// As many letters of a beginning are compared; what is behind the last of them is the agent's.
const COMPARED: usize = 200;

const NOTES: [TruncationNotice; 3] = [
    TruncationNotice {
        agent: "opencode",
        beginning: "...output truncated...",
        label: "Full output saved to: ",
        lies: Lies::In("opencode/tool-output"),
        shows: Shows::End,
    },
    TruncationNotice {
        agent: "qwen-code",
        beginning: "Tool output was too large and has been truncated.",
        label: "The full output has been saved to: ",
        lies: Lies::In(".qwen/tmp"),
        shows: Shows::Other,
    },
    TruncationNotice {
        agent: "copilot-cli",
        beginning: "Output too large to read at once",
        label: "Saved to: ",
        lies: Lies::Among("-copilot-tool-output-"),
        shows: Shows::Beginning(" chars):\n"),
    },
];

/// Whether the agent kept the output of an event in a file, and shows its model only a part.
pub(super) fn is_persisted(event: &HookEvent) -> bool {
    is_in_fields(event) || in_words(event).is_some()
}

/// Whether an event has less of its output than the agent kept.
pub(super) fn is_cut(event: &HookEvent) -> bool {
    let kept = event.tool_output().and_then(|output| output[FIELDS[1]].as_u64());
    let has = event.tool_output().and_then(text_of).map_or(0, str::len) as u64;
    (is_in_fields(event) && kept.is_none_or(|kept| has < kept)) || in_words(event).is_some()
}

/// Puts the whole output in the place of its beginning, while the agent waits.
pub(super) fn take_whole_at_once(event: &mut HookEvent) {
    let goes_away = || in_words(event).is_some_and(|(note, ..)| matches!(note.lies, Lies::Among(_)));
    // A file that is deleted after the hook has to be read now; any other can wait for the drain.
    if is_in_fields(event) || goes_away() {
        take_whole(event, AT_ONCE);
    }
}

/// Puts the whole output in the place of its part, if it has at most so many bytes. Where it cannot be read, or is not
/// what the event has a part of, the event stays as it is.
pub(super) fn take_whole(event: &mut HookEvent, most: u64) {
    if !is_cut(event) {
        return;
    }
    let file = match in_words(event) {
        Some((note, path, _)) => file_of(note, path),
        None => file_beside(event),
    };
    let Some((file, whole)) = file.and_then(|file| read_output(&file, most).map(|whole| (file, whole))) else { return };
    // The file may belong to another call with a similar name, so its text has to fit the part at hand.
    let is_it = match in_words(event) {
        Some((note, _, rest)) => note.fits(rest, &whole),
        None => event.tool_output().and_then(text_of).is_some_and(|beginning| whole.starts_with(beginning)),
    };
    if is_it {
        // The words that pointed to the file are gone with the part; the fields tell a later drain that this output was
        // long.
        let beside = [(FIELDS[0], file.display().to_string().into()), (FIELDS[1], whole.len().into())];
        event.replace_output(&whole, beside);
    }
}

impl TruncationNotice {
    /// Whether what stands behind the note is a part of this whole.
    fn fits(&self, rest: &str, whole: &str) -> bool {
        match self.shows {
            Shows::End => whole.trim_end().ends_with(rest.trim()),
            // Behind the beginning stand words of the agent, so only the first letters are compared.
            Shows::Beginning(behind) => rest.split_once(behind).is_some_and(|(_, beginning)| {
                let end = beginning.char_indices().nth(COMPARED).map(|(end, _)| end);
                end.is_some_and(|end| whole.starts_with(&beginning[..end]))
            }),
            Shows::Other => true,
        }
    }
}

fn is_in_fields(event: &HookEvent) -> bool {
    event.event_kind() == EventKind::Result && event.tool_output().is_some_and(|output| output[FIELDS[0]].is_string())
}

/// Where an output says so itself: how, the path of the file, and what stands behind it.
fn in_words(event: &HookEvent) -> Option<(&'static TruncationNotice, &str, &str)> {
    let note =
        NOTES.iter().find(|note| note.agent == event.envelope.agent && event.event_kind() == EventKind::Result)?;
    let text = event.tool_output().and_then(text_of)?.strip_prefix(note.beginning)?;
    // The size of the output may stand between the two.
    let (between, said) = text.trim_start().split_once(note.label)?;
    let (path, rest) = said.split_once('\n').filter(|_| !between.contains('\n'))?;
    Some((note, path, rest))
}

/// The file, where it lies with the transcript of the session: what a tool says about itself is not a reason to read
/// other files.
fn file_beside(event: &HookEvent) -> Option<PathBuf> {
    let folder = Path::new(event.transcript_path()?).with_extension("").join(FOLDER);
    // Resolved first: a link inside of the folder must not lead to other files of the user.
    let file = fs::canonicalize(event.tool_output()?[FIELDS[0]].as_str()?).ok()?;
    file.starts_with(fs::canonicalize(folder).ok()?).then_some(file)
}

/// The same where the outputs of all sessions lie in one folder.
fn file_of(note: &TruncationNotice, path: &str) -> Option<PathBuf> {
    let file = fs::canonicalize(path.trim()).ok()?;
    let mut folders = file.ancestors().skip(1).take(2);
    let lies_there = match note.lies {
        Lies::In(folder) => folders.any(|above| above.ends_with(folder)),
        Lies::Among(name) => file.file_name().is_some_and(|file| file.to_string_lossy().contains(name)),
    };
    lies_there.then_some(file)
}

fn read_output(file: &Path, most: u64) -> Option<String> {
    let file = fs::File::open(file).ok()?;
    // A pipe or device would block the read, and a longer file is left to the drain.
    if !file.metadata().is_ok_and(|file| file.is_file() && file.len() <= most) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    // Decoded as the agent does it, so that the comparison with its part holds.
    Some(String::from_utf8(bytes).unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::event::sample;
    use super::*;
    use serde_json::json;

    fn event(folder: &Path, path: &Path, stdout: &str, size: usize) -> HookEvent {
        let output = json!({ "stdout": stdout, "persistedOutputPath": path, "persistedOutputSize": size });
        let body = json!({
            "session_id": "s", "transcript_path": folder.join("s.jsonl"), "tool_name": "Bash", "tool_use_id": "toolu_1",
            "tool_response": output,
        });
        sample("claude-code", "PostToolUse", &body)
    }

    fn words(event: &HookEvent) -> &str {
        event.tool_output().and_then(text_of).expect("a text")
    }

    #[test]
    fn the_whole_takes_the_place_of_its_beginning() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join("s").join(FOLDER).join("b.txt");
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is made");
        fs::write(&file, "one\ntwo\nthree\n").expect("it is written");
        let mut cut = event(folder.path(), &file, "one\nt", 14);
        assert!(is_persisted(&cut) && is_cut(&cut));
        let mut short = cut.clone();
        take_whole(&mut short, 13);
        assert_eq!(words(&short), "one\nt", "it is longer than what may be read");
        take_whole(&mut cut, AT_ONCE);
        assert_eq!(words(&cut), "one\ntwo\nthree\n");
        assert!(is_persisted(&cut) && !is_cut(&cut));
        let again = HookEvent::new(cut.envelope.clone(), cut.bytes.clone());
        assert_eq!(words(&again), "one\ntwo\nthree\n", "its bytes say the same");
    }

    #[test]
    fn other_files_and_other_words_are_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let inside = folder.path().join("s").join(FOLDER);
        fs::create_dir_all(&inside).expect("it is made");
        let check = |file: PathBuf, stdout: &str| {
            fs::write(&file, "one two").expect("it is written");
            let mut event = event(folder.path(), &file, stdout, 7);
            take_whole(&mut event, AT_ONCE);
            assert_eq!(words(&event), stdout, "{}", file.display());
        };
        check(folder.path().join("elsewhere.txt"), "one");
        check(inside.join("..").join("beside.txt"), "one");
        check(inside.join("other.txt"), "two");
        let mut gone = event(folder.path(), &inside.join("gone.txt"), "one", 7);
        take_whole(&mut gone, AT_ONCE);
        assert_eq!(words(&gone), "one");
    }

    #[test]
    fn an_output_may_say_itself_where_all_of_it_is() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let inside = folder.path().join("opencode").join("tool-output");
        fs::create_dir_all(&inside).expect("it is made");
        let check = |file: PathBuf, end: &str, expected: Option<&str>| {
            fs::write(&file, "one\ntwo\nthree\n").expect("it is written");
            let note = &NOTES[0];
            let said = format!("{}\n\n{}{}\n\n{end}", note.beginning, note.label, file.display());
            let body = json!({ "session_id": "s", "tool_name": "bash", "tool_use_id": "c", "tool_response": said });
            let mut event = sample(note.agent, "PostToolUse", &body);
            assert!(is_persisted(&event) && is_cut(&event));
            take_whole_at_once(&mut event);
            assert_eq!(words(&event), said, "an agent does not wait for it");
            take_whole(&mut event, LATER);
            assert_eq!(words(&event), expected.unwrap_or(&said));
        };
        check(inside.join("tool_1"), "two\nthree\n", Some("one\ntwo\nthree\n"));
        check(inside.join("tool_2"), "two\nfour\n", None);
        check(folder.path().join("tool_3"), "two\nthree\n", None);
    }

    #[test]
    fn qwen_code_says_it_inside_of_its_answer() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let inside = folder.path().join(".qwen").join("tmp").join("0123");
        fs::create_dir_all(&inside).expect("it is made");
        let file = inside.join("run_shell_command_1.output");
        fs::write(&file, "one\ntwo\nthree\n").expect("it is written");
        let note = &NOTES[1];
        let said = format!("{}\n{}{}\nTo read it, use …", note.beginning, note.label, file.display());
        let body = json!({ "session_id": "s", "tool_response": { "llmContent": said, "returnDisplay": "one" } });
        let mut event = sample(note.agent, "PostToolUse", &body);
        take_whole(&mut event, LATER);
        assert_eq!(words(&event), "one\ntwo\nthree\n");
    }

    #[test]
    fn what_goes_with_its_agent_is_taken_at_once() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let whole: String = (1..=400).map(|row| format!("row {row} of the middle table\n")).collect();
        let check = |name: &str, preview: &str, is_taken: bool| {
            let file = folder.path().join(name);
            fs::write(&file, &whole).expect("it is written");
            let said = format!(
                "Output too large to read at once (20.2 KB). Saved to: {}\nConsider using tools like grep.\n\nPreview (first 500 chars):\n{preview}\n<shellId: 0 completed with exit code 0>",
                file.display()
            );
            let output = json!({ "resultType": "success", "textResultForLlm": said });
            let body = json!({ "sessionId": "s", "toolName": "bash", "toolArgs": {}, "toolResult": output });
            let mut event = sample("copilot-cli", "postToolUse", &body);
            assert!(is_persisted(&event) && is_cut(&event), "{name}");
            take_whole_at_once(&mut event);
            assert_eq!(words(&event), if is_taken { &whole } else { &said }, "{name}");
            let again = HookEvent::new(event.envelope.clone(), event.bytes.clone());
            assert!(is_persisted(&again), "it is known for more than its transcript has");
            assert_eq!(is_cut(&again), !is_taken, "{name}");
        };
        check("17-copilot-tool-output-24-6ece.txt", &whole[..500], true);
        check("18-copilot-tool-output-24-6ece.txt", "row 2 of another table", false);
        check("notes.txt", &whole[..500], false);
    }
}
