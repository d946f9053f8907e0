//! Tests of transcript imports with a real store and a minimal transcript format: files that grow, shrink, move and
//! change, crashes between steps, secrets, concurrent imports, rebuilds.

use super::*;
use crate::base::{Clock, NullObserver};
use crate::{ConversationSelection, Engine, EngineSettings};
use model::{
    LineKind, MessagePart, MessageRole, NewMessage, ProjectedLine, ProjectedMessage, Projection, Timestamp,
    TranscriptContainer, TranscriptHead,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store::sqlite::SqliteStore;
use store::{FileIdentity, MessageWindow};
use tempfile::TempDir;

/// `id words` says something, and lines of one id are one message; `# x` is an event, `? x` is unknown, `! x` damaged.
struct Tiny {
    head: TranscriptHead,
    line: u64,
    held: Option<ProjectedMessage>,
    given: Vec<String>,
}

fn tiny(path: &Path) -> Box<dyn Projection> {
    let conversation = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
    let agent = AgentName("tiny".into());
    let head = TranscriptHead { agent, conversation, title: None, project_dir: None, descent: None };
    Box::new(Tiny { head, line: 0, held: None, given: Vec::new() })
}

impl Projection for Tiny {
    fn feed_line(&mut self, line: &[u8]) -> ProjectedLine {
        let number = self.line;
        let text = String::from_utf8_lossy(line).into_owned();
        self.line += 1;
        let rest = text.get(2..).unwrap_or_default().to_owned();
        let kind = match text.as_bytes() {
            [] => LineKind::Blank,
            [b'#', ..] => LineKind::Event(rest.into()),
            [b'?', ..] => LineKind::Unknown(rest),
            [b'!', ..] => LineKind::Malformed(rest),
            _ => LineKind::Message,
        };
        if kind != LineKind::Message {
            return ProjectedLine { kind, messages: Vec::new() };
        }
        let (id, words) = text.split_once(' ').unwrap_or((&text, ""));
        let part = MessagePart::Text { text: words.to_owned() };
        match &mut self.held {
            Some(held) if held.message.external_id.as_deref() == Some(id) => {
                held.message.parts.push(part);
                held.lines.push(number);
                ProjectedLine { kind, messages: Vec::new() }
            }
            _ => {
                let messages = self.pause();
                let continues = self.given.contains(&id.to_owned()).then(|| id.to_owned());
                let name = if continues.is_some() { format!("{id}+{number}") } else { id.to_owned() };
                let external_id = Some(name);
                let role = MessageRole::User;
                let parts = vec![part];
                let (speaker, session, at, metadata) = (None, None, None, None);
                let part_marks = model::PartMarks::default();
                let message = NewMessage { external_id, role, speaker, session, at, metadata, parts, part_marks };
                self.held =
                    Some(ProjectedMessage { message, lines: vec![number], parent: None, thread: None, continues });
                ProjectedLine { kind, messages }
            }
        }
    }

    fn pause(&mut self) -> Vec<ProjectedMessage> {
        let held = self.held.take();
        self.given.extend(held.iter().filter_map(|held| held.message.external_id.clone()));
        held.into_iter().collect()
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

/// A file of lines in that format.
struct File(PathBuf);

impl ReadableTranscript for File {
    fn agent_name(&self) -> AgentName {
        AgentName("tiny".into())
    }

    fn source_path(&self) -> String {
        self.0.display().to_string()
    }

    fn container(&self) -> TranscriptContainer {
        TranscriptContainer::Lines
    }

    fn byte_size(&self) -> u64 {
        fs_err::metadata(&self.0).map_or(0, |metadata| metadata.len())
    }

    fn file_identity(&self) -> std::io::Result<Option<FileIdentity>> {
        let metadata = fs_err::metadata(&self.0)?;
        Ok(Some(FileIdentity { device: metadata.dev(), inode: metadata.ino() }))
    }

    fn open_at(&self, from: u64) -> std::io::Result<Box<dyn Read + Send>> {
        let mut file = fs_err::File::open(&self.0)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Box::new(file))
    }

    fn new_projection(&self) -> Box<dyn Projection> {
        tiny(&self.0)
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp(1_000)
    }

    fn monotonic_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// Stops the work after so many steps, as a crash would: what is stored is stored, what is in memory is gone.
struct Crash(AtomicUsize);

impl Observer for Crash {
    fn report_progress(&self, _what: &'static str, _done: u64, _total: u64) {}

    fn is_cancelled(&self) -> bool {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before.saturating_sub(1), Ordering::Relaxed);
        before == 0
    }
}

struct House {
    home: TempDir,
    engine: Engine,
}

impl House {
    fn new() -> Self {
        let home = TempDir::new().expect("a temporary directory");
        let engine = Self::engine(&home);
        Self { home, engine }
    }

    fn engine(home: &TempDir) -> Engine {
        let [data, cache, state] = ["data", "cache", "state"].map(|name| home.path().join(name));
        let store = SqliteStore::open_anchored(&data, &cache, &state).expect("opens");
        Engine::new(Arc::new(store), Arc::new(Noon), EngineSettings::default())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs_err::write(self.path(name), text).expect("the home is ours");
    }

    fn request(&self, name: &str) -> ImportRequest {
        ImportRequest { transcripts: vec![Arc::new(File(self.path(name)))], mode: ImportMode::Store, project: None }
    }

    async fn import(&self, name: &str) -> ImportedTranscript {
        let mut report = self.engine.import_transcripts(self.request(name), &NullObserver).await.expect("imports");
        assert_eq!(report.skipped, []);
        report.imported.pop().expect("it was read")
    }

    /// What the conversation of a file says, message by message.
    async fn said(&self, name: &str) -> Vec<String> {
        let id = crate::memory::conversation_id(&format!("tiny:{name}"));
        let window = MessageWindow::After { seq: 0, limit: u32::MAX };
        let messages = self.engine.store.load_messages(&id, window).await.expect("reads");
        messages.iter().map(|message| message.body.content()).collect()
    }

    async fn exported(&self, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut take = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            ControlFlow::Continue(())
        };
        self.engine.export_transcript(&format!("tiny:{name}"), &mut take).await.expect("exports");
        bytes
    }

    /// Nothing is missing, and every file is as the archive has it.
    async fn is_whole(&self) {
        let report = self.engine.verify(&ConversationSelection::All, &NullObserver).await.expect("verifies");
        assert_eq!((report.gaps, report.problems), (0, Vec::new()));
    }

    /// The whole promise for one file.
    async fn holds(&self, name: &str) {
        self.is_whole().await;
        let file = fs_err::read(self.path(name)).expect("it is there");
        assert_eq!(String::from_utf8_lossy(&self.exported(name).await), String::from_utf8_lossy(&file));
    }
}

#[tokio::test]
async fn what_goes_in_comes_out_byte_for_byte() {
    let house = House::new();
    house.write("a", "1 hello\r\n1 world\n\n# tick\n? new\n! broken\n2 bye\n");
    let imported = house.import("a").await;
    assert_eq!(imported.standing, TranscriptStatus::Begun(GenerationOrigin::First));
    assert_eq!((imported.lines, imported.messages, imported.new_lines, imported.new_messages), (7, 2, 7, 2));
    let broken = QuarantinedLine { line: 5, offset: 31, bytes: 8, reason: "broken".to_owned() };
    assert_eq!(imported.quarantined, [broken]);
    assert_eq!(imported.unknown, [("new".to_owned(), 1)]);
    assert_eq!(house.said("a").await, ["hello\r\nworld", "bye"]);
    house.holds("a").await;
    let again = house.import("a").await;
    assert_eq!((again.standing, again.new_lines, again.new_messages), (TranscriptStatus::Same, 0, 0));
    assert_eq!((again.lines, again.messages, again.quarantined.len()), (7, 2, 1));
}

#[tokio::test]
async fn a_file_that_grew_is_read_from_where_it_was() {
    let house = House::new();
    house.write("a", "1 one\n");
    house.import("a").await;
    house.write("a", "1 one\n2 two\n2 more\n");
    let imported = house.import("a").await;
    assert_eq!((imported.standing, imported.new_lines, imported.new_messages), (TranscriptStatus::Grown, 2, 1));
    assert_eq!(house.said("a").await, ["one", "two\nmore"]);
    house.holds("a").await;
}

#[tokio::test]
async fn a_message_that_goes_on_after_a_pause_says_so_and_nothing_twice() {
    let house = House::new();
    house.write("a", "1 one\n");
    house.import("a").await;
    house.write("a", "1 one\n1 more\n");
    house.import("a").await;
    assert_eq!(house.said("a").await, ["one", "more"]);
    let generation = house.engine.store.list_generations().await.expect("reads").remove(0);
    let origins = house.engine.store.message_origins(generation.id).await.expect("reads");
    assert_eq!(origins[1].1.continues.as_deref(), Some("1"));
    house.holds("a").await;
}

#[tokio::test]
async fn half_a_line_is_kept_and_read_when_it_is_whole() {
    let house = House::new();
    house.write("a", "1 one\n! half of a li");
    let imported = house.import("a").await;
    assert_eq!((imported.lines, imported.unfinished), (1, 14));
    house.holds("a").await;
    house.write("a", "1 one\n! half of a line\n2 two");
    let imported = house.import("a").await;
    assert_eq!((imported.standing, imported.lines, imported.unfinished), (TranscriptStatus::Grown, 2, 5));
    assert_eq!(imported.quarantined.len(), 1);
    // A last line that can be read needs no newline to be heard, and is not heard twice when it gets one.
    assert_eq!(house.said("a").await, ["one", "two"]);
    house.holds("a").await;
    house.write("a", "1 one\n! half of a line\n2 two\n");
    house.import("a").await;
    assert_eq!(house.said("a").await, ["one", "two"]);
    house.holds("a").await;
}

#[tokio::test]
async fn a_message_heard_too_early_and_said_later_is_said_by_both_lines() {
    let house = House::new();
    // Half of `11 ten` is all of what line 2 says.
    house.write("a", "7 im\n1");
    house.import("a").await;
    house.write("a", "7 im\n11 ten\n1\n");
    house.import("a").await;
    house.holds("a").await;
}

#[tokio::test]
async fn a_file_cut_short_loses_nothing() {
    let house = House::new();
    let long: String = (0..60).map(|number| format!("{number} some words to fill a frame or two\n")).collect();
    house.write("a", &long);
    house.import("a").await;
    let half = long.match_indices('\n').nth(29).expect("there are more").0 + 1;
    house.write("a", &long[..half]);
    let imported = house.import("a").await;
    assert_eq!(imported.standing, TranscriptStatus::Begun(GenerationOrigin::Truncated));
    house.holds("a").await;
    assert_eq!(house.said("a").await.len(), 60, "what was said stays said");
    let generations = house.engine.store.list_generations().await.expect("reads");
    assert_eq!(generations.iter().map(|generation| generation.lines).collect::<Vec<_>>(), [60, 30]);
}

#[tokio::test]
async fn a_file_written_anew_is_another_generation_and_the_old_one_stays() {
    let house = House::new();
    house.write("a", "1 one\n2 two\n3 three\n");
    house.import("a").await;
    house.write("a", "1 one\n2 zwei\n3 three\n4 four\n");
    let imported = house.import("a").await;
    assert_eq!((imported.standing, imported.revised), (TranscriptStatus::Begun(GenerationOrigin::Rewritten), 1));
    assert_eq!(house.said("a").await, ["one", "two", "three", "zwei", "four"]);
    house.holds("a").await;
    let generations = house.engine.store.list_generations().await.expect("reads");
    let old = house.engine.store.load_frames(generations[0].id, 0, 99).await.expect("reads");
    assert_eq!(concat_content(&old), b"1 one\n2 two\n3 three\n");
    assert_eq!(house.import("a").await.standing, TranscriptStatus::Same);
}

#[tokio::test]
async fn another_file_in_the_same_place_is_another_generation() {
    let house = House::new();
    house.write("a", "1 one\n");
    house.import("a").await;
    fs_err::rename(house.path("a"), house.path("old")).expect("the home is ours");
    house.write("a", "9 nine\n");
    assert_eq!(house.import("a").await.standing, TranscriptStatus::Begun(GenerationOrigin::Replaced));
    assert_eq!(house.said("a").await, ["one", "nine"]);
    assert_eq!(
        house.import("old").await.standing,
        TranscriptStatus::Begun(GenerationOrigin::First),
        "its old place is taken"
    );
    house.holds("a").await;
}

#[tokio::test]
async fn lines_that_gave_no_message_are_told_until_a_reader_makes_some() {
    let house = House::new();
    house.write("a", "# one\n# two\n? three\n# unfinished");
    let kinds = vec![("one".to_owned(), 1), ("three".to_owned(), 1), ("two".to_owned(), 1)];
    assert_eq!(house.import("a").await.silent, kinds);
    assert_eq!(house.engine.find_silent_transcripts().await.expect("looks")[0].kinds, kinds);
    // A reader that has learned takes what was an event for words.
    let learned = |source: &TranscriptSource| {
        Some(Altered::of(source, |line| {
            let text = String::from_utf8_lossy(line);
            text.strip_prefix("# ").map_or_else(|| line.to_vec(), |words| format!("{words} {words}").into_bytes())
        }))
    };
    let again = house.engine.rebuild_messages(&learned, &NullObserver).await.expect("rebuilds").imported.remove(0);
    assert_eq!((again.new_messages, again.messages, again.silent), (3, 3, Vec::new()));
    assert_eq!(house.engine.find_silent_transcripts().await.expect("looks"), []);
    assert_eq!(house.said("a").await, ["one", "two", "unfinished"]);
    assert_eq!(
        house.engine.rebuild_messages(&learned, &NullObserver).await.expect("rebuilds").imported[0].new_messages,
        0
    );
    house.is_whole().await;
    house.holds("a").await;
}

#[tokio::test]
async fn a_file_that_was_moved_is_known_again() {
    let house = House::new();
    house.write("a", "1 one\n");
    house.import("a").await;
    fs_err::create_dir(house.path("below")).expect("the home is ours");
    fs_err::rename(house.path("a"), house.path("below/a")).expect("the home is ours");
    let imported = house.import("below/a").await;
    assert_eq!((imported.standing, imported.new_messages), (TranscriptStatus::Begun(GenerationOrigin::Moved), 0));
    assert_eq!(house.said("a").await, ["one"]);
    house.is_whole().await;
}

#[tokio::test]
async fn going_back_and_branching_off_is_only_more_lines() {
    let house = House::new();
    house.write("a", "1 question\n2 answer\n");
    house.import("a").await;
    house.write("a", "1 question\n2 answer\n3 the same question put better\n4 other answer\n");
    assert_eq!(house.import("a").await.standing, TranscriptStatus::Grown);
    assert_eq!(house.said("a").await, ["question", "answer", "the same question put better", "other answer"]);
}

#[tokio::test]
async fn a_fork_is_a_conversation_of_its_own_that_keeps_its_copy_once() {
    let house = House::new();
    let long: String = (0..60).map(|number| format!("{number} some words to fill a frame or two\n")).collect();
    house.write("a", &long);
    house.import("a").await;
    let before = house.engine.store.archive_totals().await.expect("reads").stored_bytes;
    house.write("b", format!("{long}x and on\n"));
    house.import("b").await;
    let after = house.engine.store.archive_totals().await.expect("reads").stored_bytes;
    assert!(after < before + before / 2, "{before} bytes became {after}");
    assert_eq!((house.said("a").await.len(), house.said("b").await.len()), (60, 61));
    house.holds("a").await;
    house.holds("b").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_import_at_once_store_it_once() {
    let house = House::new();
    let long: String = (0..200).map(|number| format!("{number} some words to fill a frame or two\n")).collect();
    house.write("a", &long);
    let others: Vec<Engine> = (0..3).map(|_| House::engine(&house.home)).collect();
    let imports = others.iter().map(|engine| engine.import_transcripts(house.request("a"), &NullObserver));
    for report in futures::future::join_all(imports).await {
        assert_eq!(report.expect("imports").imported[0].lines, 200);
    }
    assert_eq!(house.said("a").await.len(), 200);
    assert_eq!(house.engine.store.list_generations().await.expect("reads").len(), 1);
    house.holds("a").await;
}

#[tokio::test]
async fn a_secret_is_gone_before_anything_is_written_and_the_rest_is_the_same() {
    let house = House::new();
    let secret = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let text = format!("1 before\n2 my token is {secret} ok\n3 after\n");
    house.write("a", &text);
    let imported = house.import("a").await;
    assert_eq!(imported.scrubbed, 1);
    let exported = String::from_utf8(house.exported("a").await).expect("it is text");
    assert!(!exported.contains(&secret), "{exported}");
    assert_eq!((exported.lines().next(), exported.lines().last()), (Some("1 before"), Some("3 after")));
    assert!(house.said("a").await.iter().all(|said| !said.contains(&secret)));
    house.is_whole().await;
    assert_eq!(house.import("a").await.standing, TranscriptStatus::Same);
    for entry in fs_err::read_dir(house.path("data")).expect("lists") {
        let bytes = fs_err::read(entry.expect("lists").path()).expect("reads");
        assert!(memchr::memmem::find(&bytes, &secret.as_bytes()[4..]).is_none());
    }
}

#[tokio::test]
async fn a_dry_run_stores_nothing_and_says_what_it_would() {
    let house = House::new();
    house.write("a", "1 one\n! bad\n");
    let request = ImportRequest { mode: ImportMode::DryRun, ..house.request("a") };
    let report = house.engine.import_transcripts(request, &NullObserver).await.expect("reads");
    let imported = &report.imported[0];
    assert_eq!((imported.lines, imported.messages, imported.quarantined.len()), (2, 1, 1));
    assert_eq!(house.engine.store.archive_totals().await.expect("reads"), store::ArchiveTotals::default());
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let house = House::new();
    house.write("empty", "");
    house.write("a", "1 one\n");
    let mut request = house.request("gone");
    request.transcripts.extend(house.request("empty").transcripts);
    request.transcripts.extend(house.request("a").transcripts);
    let report = house.engine.import_transcripts(request, &NullObserver).await.expect("imports");
    assert_eq!(report.imported.len(), 1);
    let [(gone, why), (empty, nothing)] = &report.skipped[..] else { panic!("{:?}", report.skipped) };
    assert!(gone.ends_with("gone") && why.contains("No such file"), "{why}");
    assert!(empty.ends_with("empty") && nothing == "empty", "{nothing}");
}

/// A reader that reads lines otherwise than they are.
struct Altered(Box<dyn Projection>, fn(&[u8]) -> Vec<u8>);

impl Altered {
    fn of(source: &TranscriptSource, alter: fn(&[u8]) -> Vec<u8>) -> Box<dyn Projection> {
        Box::new(Self(tiny(Path::new(&source.path)), alter))
    }
}

impl Projection for Altered {
    fn feed_line(&mut self, line: &[u8]) -> ProjectedLine {
        self.0.feed_line(&self.1(line))
    }

    fn pause(&mut self) -> Vec<ProjectedMessage> {
        self.0.pause()
    }

    fn head(&self) -> &TranscriptHead {
        self.0.head()
    }
}

#[tokio::test]
async fn messages_made_anew_are_known_where_they_are_equal_and_kept_beside_the_old_ones_where_they_are_not() {
    let house = House::new();
    house.write("a", "1 one\n2 TWO\n! bad\n3 three\n4 half");
    house.import("a").await;
    let read = |source: &TranscriptSource| Some(tiny(Path::new(&source.path)));
    let again = house.engine.rebuild_messages(&read, &NullObserver).await.expect("rebuilds").imported.remove(0);
    assert_eq!((again.lines, again.new_messages, again.quarantined.len()), (4, 0, 1));
    // The file is not needed for it.
    fs_err::remove_file(house.path("a")).expect("the home is ours");
    let loud = |source: &TranscriptSource| Some(Altered::of(source, <[u8]>::to_ascii_uppercase));
    let again = house.engine.rebuild_messages(&loud, &NullObserver).await.expect("rebuilds").imported.remove(0);
    assert_eq!((again.new_messages, again.revised), (3, 3));
    assert_eq!(house.said("a").await, ["one", "TWO", "three", "half", "ONE", "THREE", "HALF"]);
    assert_eq!(
        house.engine.rebuild_messages(&loud, &NullObserver).await.expect("rebuilds").imported[0].new_messages,
        0
    );
    house.is_whole().await;
    let nobody = house.engine.rebuild_messages(&|_| None, &NullObserver).await.expect("rebuilds");
    assert_eq!(nobody.skipped[0].1, "this version has no reader for transcripts of tiny");
}

/// Lines that do all a line can do.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0..12_u8, "[a-z ]{0,30}").prop_map(|(id, words)| format!("{id} {words}")),
        1 => Just(String::new()),
        1 => Just("# tick".to_owned()),
        1 => Just("? odd".to_owned()),
        1 => Just("! bad".to_owned()),
        1 => "[a-z]{200,400}".prop_map(|words| format!("7 {words}")),
    ]
}

/// Every line that says something is in exactly one message, in its words, whatever happened on the way.
async fn check_lines(house: &House, lines: &[String]) {
    let generation = house.engine.store.list_generations().await.expect("reads").pop().expect("it was imported");
    let mut heard = vec![0; lines.len()];
    for (_, origin) in house.engine.store.message_origins(generation.id).await.expect("reads") {
        for line in origin.lines {
            heard[line as usize] += 1;
        }
    }
    let is_said = |line: &String| !line.is_empty() && !line.starts_with(['#', '?', '!']);
    assert_eq!(heard, lines.iter().map(|line| i32::from(is_said(line))).collect::<Vec<_>>());
    let words = |line: &String| line.split_once(' ').map_or("", |(_, words)| words).to_owned();
    let wanted: Vec<String> = lines.iter().filter(|line| is_said(line)).map(words).filter(|w| !w.is_empty()).collect();
    let said = house.said("a").await.into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(said, wanted.join("\n"));
}

fn property<S: Strategy>(cases: u32, strategy: &S, check: impl AsyncFn(S::Value)) {
    let runtime = tokio::runtime::Runtime::new().expect("makes a runtime");
    let config = Config { cases, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(strategy, |value| {
        runtime.block_on(check(value));
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn a_file_imported_while_it_grows_is_imported_whole() {
    let growth = (vec(line(), 1..60), vec(any::<prop::sample::Index>(), 0..4));
    property(24, &growth, async |(lines, cuts)| {
        let house = House::new();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len())).collect();
        cuts.sort_unstable();
        for cut in cuts.into_iter().filter(|cut| *cut > 0).chain([text.len()]) {
            house.write("a", &text[..cut]);
            house.import("a").await;
            house.holds("a").await;
        }
        // Half a line that can be read is heard as it is; when the rest comes, so is the whole.
        house.is_whole().await;
        assert_eq!(house.import("a").await.lines, lines.len() as u64);
    });
}

#[test]
fn a_crash_between_any_two_steps_changes_nothing() {
    property(16, &(vec(line(), 30..120), vec(0..4_usize, 0..6)), async |(lines, crashes)| {
        let house = House::new();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        house.write("a", &text);
        for steps in crashes {
            let crash = Crash(AtomicUsize::new(steps));
            let outcome = house.engine.import_transcripts(house.request("a"), &crash).await;
            assert!(matches!(&outcome, Ok(_) | Err(Error::Cancelled)), "{outcome:?}");
            house.is_whole().await;
        }
        house.import("a").await;
        house.holds("a").await;
        check_lines(&house, &lines).await;
        let straight = House::new();
        straight.write("a", &text);
        straight.import("a").await;
        assert_eq!(house.said("a").await, straight.said("a").await);
    });
}

fn concat_content(frames: &[store::ArchiveFrame]) -> Vec<u8> {
    frames.iter().flat_map(|frame| frame.content.clone()).collect()
}
