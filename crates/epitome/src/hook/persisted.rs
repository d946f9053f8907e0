//! Outputs that an agent keeps in a file of its own: it gives hooks and its model the beginning, and says where all of
//! it is. What is kept here is the whole, in the place of the beginning.

use super::event::{Event, Moment};
use fs_err as fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What a hook reads while its agent waits.
pub(super) const AT_ONCE: u64 = 4 << 20;
/// What is read when nobody waits.
pub(super) const LATER: u64 = 256 << 20;

/// Fields of an output that say so.
pub(super) const FIELDS: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];
/// The folder beside a transcript in which outputs lie.
const FOLDER: &str = "tool-results";

/// Whether the agent kept the output of an event in a file, and shows its model only the beginning.
pub(super) fn is_persisted(event: &Event) -> bool {
    event.moment() == Moment::Result && event.output().is_some_and(|output| output[FIELDS[0]].is_string())
}

/// Whether an event has less of its output than the agent kept.
pub(super) fn is_cut(event: &Event) -> bool {
    let kept = event.output().and_then(|output| output[FIELDS[1]].as_u64());
    let has = event.output().and_then(super::brief::text_of).map_or(0, str::len) as u64;
    is_persisted(event) && kept.is_none_or(|kept| has < kept)
}

/// Puts the whole output in the place of its beginning, if it has at most so many bytes. Where it cannot be read, or is
/// not what the event has the beginning of, the event stays as it is.
pub(super) fn take_whole(event: &mut Event, most: u64) {
    if !is_cut(event) {
        return;
    }
    let whole = file_of(event).and_then(|file| read(&file, most));
    let beginning = event.output().and_then(super::brief::text_of);
    if let Some(whole) = whole
        && beginning.is_some_and(|beginning| whole.starts_with(beginning) && whole.len() > beginning.len())
    {
        event.replace_output(&whole);
    }
}

/// The file, where it lies with the transcript of the session: what a tool says about itself is not a reason to read
/// other files.
fn file_of(event: &Event) -> Option<PathBuf> {
    let folder = Path::new(event.transcript()?).with_extension("").join(FOLDER);
    let file = fs::canonicalize(event.output()?[FIELDS[0]].as_str()?).ok()?;
    file.starts_with(fs::canonicalize(folder).ok()?).then_some(file)
}

fn read(file: &Path, most: u64) -> Option<String> {
    let file = fs::File::open(file).ok()?;
    if !file.metadata().is_ok_and(|file| file.is_file() && file.len() <= most) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    // As the agent reads it.
    Some(String::from_utf8(bytes).unwrap_or_else(|bytes| String::from_utf8_lossy(bytes.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::event::sample;
    use super::*;
    use serde_json::json;

    fn event(folder: &Path, path: &Path, stdout: &str, size: usize) -> Event {
        let output = json!({ "stdout": stdout, "persistedOutputPath": path, "persistedOutputSize": size });
        let body = json!({
            "session_id": "s", "transcript_path": folder.join("s.jsonl"), "tool_name": "Bash", "tool_use_id": "toolu_1",
            "tool_response": output,
        });
        sample("claude-code", "PostToolUse", &body)
    }

    fn text_of(event: &Event) -> &str {
        event.output().and_then(super::super::brief::text_of).expect("a text")
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
        assert_eq!(text_of(&short), "one\nt", "it is longer than what may be read");
        take_whole(&mut cut, AT_ONCE);
        assert_eq!(text_of(&cut), "one\ntwo\nthree\n");
        assert!(is_persisted(&cut) && !is_cut(&cut));
        let again = Event::new(cut.envelope.clone(), cut.bytes.clone());
        assert_eq!(text_of(&again), "one\ntwo\nthree\n", "its bytes say the same");
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
            assert_eq!(text_of(&event), stdout, "{}", file.display());
        };
        check(folder.path().join("elsewhere.txt"), "one");
        check(inside.join("..").join("beside.txt"), "one");
        check(inside.join("other.txt"), "two");
        let mut gone = event(folder.path(), &inside.join("gone.txt"), "one", 7);
        take_whole(&mut gone, AT_ONCE);
        assert_eq!(text_of(&gone), "one");
    }
}
