//! Reads tool outputs that an agent saved to a file of its own because they are long: hook and model get a part, and
//! the path. The whole output is kept here in place of the shortened one.

use super::HookEvent;
use crate::hook_traits::{OutputPlace, ShownPart, TruncationNotice};
use crate::unlinked_file::open_unlinked;
use fs_err as fs;
use model::EventKind;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How much of a file may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLimit {
    /// While an agent waits.
    AtOnce,
    /// When no agent waits.
    Later,
}

impl OutputLimit {
    fn as_bytes(self) -> u64 {
        match self {
            Self::AtOnce => 4 << 20,
            Self::Later => 256 << 20,
        }
    }
}

/// Fields of an output by which Claude Code says so. It gives the beginning.
pub(super) const FIELDS: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];
/// The folder beside a transcript in which its outputs lie.
const FOLDER: &str = "tool-results";

/// As many letters of a beginning are compared; what is behind the last of them is the agent's.
const COMPARED_PREFIX_CHARS: usize = 200;

impl HookEvent {
    /// Whether the agent kept the output in a file, and shows its model only a part.
    pub fn has_output_file(&self) -> bool {
        is_in_fields(self) || in_words(self).is_some()
    }

    /// Puts the whole output in the place of its beginning while the agent waits, where that is all there is, or the file
    /// goes with the agent.
    pub fn take_output_at_once(&mut self) {
        let goes_away = || in_words(self).is_some_and(|(note, ..)| matches!(note.lies, OutputPlace::Among(_)));
        // A file that is deleted after the hook has to be read now; any other can wait for the drain.
        if is_in_fields(self) || goes_away() {
            self.take_output(OutputLimit::AtOnce);
        }
    }

    /// Puts the whole output in the place of its part. Where the file cannot be read, is too long, or is not what the event
    /// has a part of, the event stays as it is.
    pub fn take_output(&mut self, limit: OutputLimit) {
        if !is_cut(self) {
            return;
        }
        let file = match in_words(self) {
            Some((note, path, _)) => file_of(note, path),
            None => file_beside(self),
        };
        let read = file.and_then(|file| read_output(&file, limit.as_bytes()).map(|whole| (file, whole)));
        let Some((file, whole)) = read else { return };
        // The file may belong to another call with a similar name, so its text has to fit the part at hand.
        let is_it = match in_words(self) {
            Some((note, _, rest)) => note.fits(rest, &whole),
            None => self.output_text().is_some_and(|beginning| whole.starts_with(beginning)),
        };
        if is_it {
            // The words that pointed to the file are gone with the part; the fields tell a later drain that this output was
            // long.
            let beside = [(FIELDS[0], file.display().to_string().into()), (FIELDS[1], whole.len().into())];
            self.replace_output(&whole, beside);
        }
    }
}

/// Whether an event has less of its output than the agent kept.
pub(super) fn is_cut(event: &HookEvent) -> bool {
    let kept = event.tool_output().and_then(|output| output[FIELDS[1]].as_u64());
    let has = event.output_text().map_or(0, str::len) as u64;
    (is_in_fields(event) && kept.is_none_or(|kept| has < kept)) || in_words(event).is_some()
}

impl TruncationNotice {
    /// Whether what stands behind the note is a part of this whole.
    fn fits(&self, rest: &str, whole: &str) -> bool {
        match self.shows {
            ShownPart::End => whole.trim_end().ends_with(rest.trim()),
            // Behind the beginning stand words of the agent, so only the first letters are compared.
            ShownPart::Beginning(behind) => rest.split_once(behind).is_some_and(|(_, beginning)| {
                let end = beginning.char_indices().nth(COMPARED_PREFIX_CHARS).map(|(end, _)| end);
                end.is_some_and(|end| whole.starts_with(&beginning[..end]))
            }),
            ShownPart::Other => true,
        }
    }
}

fn is_in_fields(event: &HookEvent) -> bool {
    event.event_kind() == EventKind::Result && event.tool_output().is_some_and(|output| output[FIELDS[0]].is_string())
}

/// Where an output says so itself: how, the path of the file, and what stands behind it.
fn in_words(event: &HookEvent) -> Option<(&'static TruncationNotice, &str, &str)> {
    let note = event.hook_traits().truncation.as_ref().filter(|_| event.event_kind() == EventKind::Result)?;
    let text = event.output_text()?.strip_prefix(note.beginning)?;
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
        OutputPlace::In(folder) => folders.any(|above| above.ends_with(folder)),
        OutputPlace::Among(name) => file.file_name().is_some_and(|file| file.to_string_lossy().contains(name)),
    };
    lies_there.then_some(file)
}

fn read_output(file: &Path, most: u64) -> Option<String> {
    // The path was resolved: a link in it was put there since, and leads elsewhere.
    let file = open_unlinked(file).ok()?;
    // A longer file is left to the drain.
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
    use super::super::sample;
    use super::*;
    use crate::Agent;
    use serde_json::json;

    fn event(folder: &Path, path: &Path, stdout: &str, size: usize) -> HookEvent {
        let output = json!({ "stdout": stdout, "persistedOutputPath": path, "persistedOutputSize": size });
        let body = json!({
            "session_id": "s", "transcript_path": folder.join("s.jsonl"), "tool_name": "Bash", "tool_use_id": "toolu_1",
            "tool_response": output,
        });
        sample("claude-code", "PostToolUse", &body)
    }

    fn notice(agent: &str) -> &'static TruncationNotice {
        Agent::from_name(agent).and_then(|agent| agent.hooks.truncation.as_ref()).expect("a notice")
    }

    fn words(event: &HookEvent) -> &str {
        event.output_text().expect("a text")
    }

    #[test]
    fn the_whole_takes_the_place_of_its_beginning() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let file = folder.path().join("s").join(FOLDER).join("b.txt");
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is made");
        fs::write(&file, "one\ntwo\nthree\n").expect("it is written");
        let mut cut = event(folder.path(), &file, "one\nt", 14);
        assert!(cut.has_output_file() && is_cut(&cut));
        assert_eq!(read_output(&file, 13), None, "it is longer than what may be read");
        cut.take_output(OutputLimit::AtOnce);
        assert_eq!(words(&cut), "one\ntwo\nthree\n");
        assert!(cut.has_output_file() && !is_cut(&cut));
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
            event.take_output(OutputLimit::AtOnce);
            assert_eq!(words(&event), stdout, "{}", file.display());
        };
        check(folder.path().join("elsewhere.txt"), "one");
        check(inside.join("..").join("beside.txt"), "one");
        check(inside.join("other.txt"), "two");
        let mut gone = event(folder.path(), &inside.join("gone.txt"), "one", 7);
        gone.take_output(OutputLimit::AtOnce);
        assert_eq!(words(&gone), "one");
    }

    #[test]
    fn an_output_may_say_itself_where_all_of_it_is() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let inside = folder.path().join("opencode").join("tool-output");
        fs::create_dir_all(&inside).expect("it is made");
        let check = |file: PathBuf, end: &str, expected: Option<&str>| {
            fs::write(&file, "one\ntwo\nthree\n").expect("it is written");
            let note = notice("opencode");
            let said = format!("{}\n\n{}{}\n\n{end}", note.beginning, note.label, file.display());
            let body = json!({ "session_id": "s", "tool_name": "bash", "tool_use_id": "c", "tool_response": said });
            let mut event = sample("opencode", "PostToolUse", &body);
            assert!(event.has_output_file() && is_cut(&event));
            event.take_output_at_once();
            assert_eq!(words(&event), said, "an agent does not wait for it");
            event.take_output(OutputLimit::Later);
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
        let note = notice("qwen-code");
        let said = format!("{}\n{}{}\nTo read it, use …", note.beginning, note.label, file.display());
        let body = json!({ "session_id": "s", "tool_response": { "llmContent": said, "returnDisplay": "one" } });
        let mut event = sample("qwen-code", "PostToolUse", &body);
        event.take_output(OutputLimit::Later);
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
            assert!(event.has_output_file() && is_cut(&event), "{name}");
            event.take_output_at_once();
            assert_eq!(words(&event), if is_taken { &whole } else { &said }, "{name}");
            let again = HookEvent::new(event.envelope.clone(), event.bytes.clone());
            assert!(again.has_output_file(), "it is known for more than its transcript has");
            assert_eq!(is_cut(&again), !is_taken, "{name}");
        };
        check("17-copilot-tool-output-24-6ece.txt", &whole[..500], true);
        check("18-copilot-tool-output-24-6ece.txt", "row 2 of another table", false);
        check("notes.txt", &whole[..500], false);
    }
}
