//! Tests of artifacts: what large content leaves in its message, and that reading the artifact page by page gives the
//! same bytes back.

use super::*;
use crate::memory::tests::house;
use crate::memory::{DescribedItem, IngestRequest, MemorySettings};
use model::scrub::ScrubKey;
use model::{ContentHash, MessageRole};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn said(part: MessagePart) -> NewMessage {
    NewMessage {
        external_id: None,
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts: vec![part],
        part_marks: model::PartMarks::default(),
    }
}

fn made(part: MessagePart, threshold: u32) -> ExtractedMessage {
    let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[]);
    ArtifactExtractor { scrubber: &scrubber, threshold: TokenCount(threshold) }.extract_row(said(part))
}

fn text_of(row: &NewRow) -> &str {
    let [MessagePart::Text { text }] = &row.body.parts[..] else { panic!("{:?}", row.body.parts) };
    text
}

fn file(mime: Option<&str>, url: &str) -> MessagePart {
    MessagePart::File { mime: mime.map(str::to_owned), name: Some("dot".to_owned()), url: Some(url.to_owned()) }
}

#[test]
fn a_text_is_taken_out_only_when_it_has_too_many_tokens() {
    let words = "word ".repeat(1_000);
    let kept = made(MessagePart::Text { text: words.clone() }, 1_001);
    assert_eq!((text_of(&kept.row), kept.artifacts.len()), (words.as_str(), 0));
    assert_eq!(kept.row.artifacts, []);
    let cut = made(MessagePart::Text { text: words.clone() }, 999);
    let id = ArtifactId::from_hash(ContentHash::hash_bytes(words.as_bytes()));
    assert_eq!((cut.artifacts[0].content.as_slice(), &cut.row.artifacts), (words.as_bytes(), &vec![id.clone()]));
    let wanted = format!("{}\n…{id}:1000-4500 of 5000 bytes\n{}", &words[..1_000], &words[4_500..]);
    assert_eq!(text_of(&cut.row), wanted);
    assert!(cut.row.tokens < TokenCount(400), "{}", cut.row.tokens);
}

#[test]
fn of_a_message_only_a_quoted_file_that_is_too_large_leaves() {
    let log: String =
        (0..400).map(|n| format!("2026-01-01T00:00:{:02}Z INFO request {n} took 12 ms\n", n % 60)).collect();
    let short = "<file name=\"b.txt\">short</file>";
    let text =
        format!("Look at\n<file name=\"access.log\" path=\"/srv/access.log\">{log}</file>\nand {short}, please.");
    let kept = made(MessagePart::Text { text: text.clone() }, 1_000);
    let [artifact] = &kept.artifacts[..] else { panic!("{}", kept.artifacts.len()) };
    assert_eq!((artifact.content.as_slice(), artifact.name.as_deref()), (log.as_bytes(), Some("access.log")));
    let id = artifact.artifact_id();
    let shown = text_of(&kept.row);
    let begins = format!(
        "Look at\n<file name=\"access.log\" path=\"/srv/access.log\">[{id} access.log {} ",
        artifact.media_type
    );
    assert!(shown.starts_with(&begins), "{shown}");
    assert!(shown.ends_with(&format!("]</file>\nand {short}, please.")), "{shown}");
    let bytes = format!("{} bytes, ", group_digits(log.len() as u64));
    assert!(shown.contains(&bytes) && shown.contains(" tokens: "), "{shown}");
    assert!(kept.row.tokens < TokenCount(400), "{}", kept.row.tokens);
    // Below the threshold nothing leaves.
    assert_eq!(text_of(&made(MessagePart::Text { text: text.clone() }, 100_000).row), text);
}

#[test]
fn code_is_known_by_its_name_and_shown_as_a_skeleton() {
    let source: String = (0..120).map(|n| format!("def step_{n}(value):\n    return value + {n}\n\n\n")).collect();
    let block = format!("<file path=\"app/source.py\">{source}</file>");
    let quoted = made(MessagePart::Text { text: block }, 500).artifacts.remove(0);
    assert!(quoted.summary.contains("def step_0(value)"), "{}", quoted.summary);
    let parts = vec![
        MessagePart::File {
            mime: None,
            name: Some("source.py".to_owned()),
            url: Some("file:///app/source.py".to_owned()),
        },
        MessagePart::Text { text: source },
    ];
    let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[]);
    let message = NewMessage { parts, ..said(MessagePart::StepStart) };
    let mut attached = ArtifactExtractor { scrubber: &scrubber, threshold: TokenCount(500) }.extract_row(message);
    let attached = attached.artifacts.remove(0);
    assert_eq!((attached.name.as_deref(), attached.summary), (Some("source.py"), quoted.summary));
    assert_eq!(attached.media_type, "text/x-python");
}

#[test]
fn the_text_behind_a_file_part_is_what_the_part_says() {
    let check = |mime: Option<&str>, name: Option<&str>, text: &str, expected: &str| {
        let file = MessagePart::File {
            mime: mime.map(str::to_owned),
            name: name.map(str::to_owned),
            url: Some("file:///app/x".to_owned()),
        };
        let parts = vec![file, MessagePart::Text { text: text.to_owned() }];
        let scrubber = Scrubber::new(ScrubKey::new([7; 32]), &[]);
        let message = NewMessage { parts, ..said(MessagePart::StepStart) };
        let taken = ArtifactExtractor { scrubber: &scrubber, threshold: TokenCount(500) }.extract_row(message);
        assert_eq!(taken.artifacts[0].media_type, expected, "{mime:?} {name:?}");
        assert_eq!(taken.artifacts[0].name.as_deref(), name);
    };
    let prose = "The limiter lets ten requests a minute through and no more.\n".repeat(200);
    check(Some("text/x-changelog"), Some("NEWS"), &prose, "text/x-changelog");
    check(Some("application/json"), None, &prose, "application/json");
    check(Some("text/plain"), Some("limiter.rs"), &"fn limit() {}\n".repeat(500), "text/x-rust");
    check(Some("text/plain"), None, &prose, "text/plain");
    // A picture is not in the text behind it.
    check(Some("image/png"), Some("shot.png"), &prose, "text/plain");
}

#[test]
fn numbers_are_grouped_by_thousands() {
    let shown = [0, 999, 1_000, 565_039, 1_234_567].map(group_digits);
    assert_eq!(shown, ["0", "999", "1,000", "565,039", "1,234,567"]);
}

#[test]
fn what_is_taken_out_is_described_by_its_shape() {
    let rows: String = (1..=500).map(|n| format!("{n},name {n}\n")).collect();
    let table = made(MessagePart::Text { text: format!("id,name\n{rows}") }, 100).artifacts.remove(0);
    assert_eq!(table.media_type, "text/csv");
    assert!(table.summary.contains("500 rows") && table.summary.contains("name"), "{}", table.summary);
}

#[test]
fn a_page_ends_with_a_character() {
    let text = "aé€😀".as_bytes();
    let check =
        |start, end, wanted: Range<u64>| assert_eq!(whole_characters(text, start..end), wanted, "{start}-{end}");
    check(0, 10, 0..10);
    check(0, 9, 0..6);
    check(0, 2, 0..1);
    // A range that starts inside of a character, or is shorter than one, gives its bytes as they are.
    check(2, 3, 2..3);
    check(6, 8, 6..8);
}

#[test]
fn arguments_stay_json() {
    let input = format!("{{\"file_path\":\"a.rs\",\"content\":\"{}\"}}", "line\\n".repeat(2_000));
    let part = |input: &str| MessagePart::Tool {
        call_id: None,
        name: None,
        status: None,
        input: Some(input.to_owned()),
        output: None,
        error: None,
        title: None,
    };
    let cut = made(part(&input), 100);
    let kept = serde_json::json!({ "file_path": "a.rs", "artifact": cut.artifacts[0].artifact_id().as_str(), "bytes": input.len() });
    assert_eq!(cut.row.body.parts, [part(&kept.to_string())]);
    assert_eq!(cut.artifacts[0].content, input.as_bytes());
    let odd = made(part(&"[1, 2, 3] ".repeat(1_000)), 100);
    let kept = serde_json::json!({ "artifact": odd.artifacts[0].artifact_id().as_str(), "bytes": 10_000 });
    assert_eq!(odd.row.body.parts, [part(&kept.to_string())]);
    assert_eq!(cut.artifacts[0].media_type, "application/json");
}

#[test]
fn a_file_that_is_its_own_address_is_kept_as_what_it_is() {
    let url = "data:image/png;base64,iVBORw0KGgo=";
    for (mime, rest) in [(None, ""), (Some("image/png"), ""), (Some("image/webp"), ";image/png")] {
        let kept = made(file(mime, url), 25_000);
        let artifact = &kept.artifacts[0];
        assert_eq!(artifact.content, b"\x89PNG\r\n\x1a\n");
        assert_eq!((artifact.media_type.as_str(), artifact.name.as_deref()), ("image/png", Some("dot")));
        let wanted = format!("artifact:{}{rest}", artifact.artifact_id());
        assert_eq!(kept.row.body.parts, [file(mime.or(Some("image/png")), &wanted)]);
    }
    // What is not what it says, or is spelled in a way that would be lost, stays as it is.
    for url in [
        "data:image/png;base64,not base64!",
        "data:image/png;base64,iVBORw0KGgp=",
        "data:text/plain,hello",
        "https://x",
    ] {
        let kept = made(file(None, url), 25_000);
        assert_eq!((kept.row.body.parts, kept.artifacts.len()), (vec![file(None, url)], 0));
    }
}

#[test]
fn a_secret_in_a_wrapped_file_is_replaced() {
    let secret = ["ghp", "_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"].concat();
    let url = format!("data:text/plain;base64,{}", BASE64_STANDARD.encode(format!("token = {secret}\n")));
    let kept = made(file(None, &url), 25_000);
    let text = String::from_utf8_lossy(&kept.artifacts[0].content).into_owned();
    assert!(text.starts_with("token = [secret:") && !text.contains(&secret), "{text}");
    assert!(!kept.artifacts[0].summary.contains(&secret));
    assert_eq!(kept.secrets.len(), 1);
}

proptest! {
    #[test]
    fn what_stays_and_what_was_taken_out_are_the_text(text in "[a-zé€😀 \n]{0,6000}", threshold in 0_u32..3_000) {
        let made = made(MessagePart::Text { text: text.clone() }, threshold);
        let kept = text_of(&made.row);
        let Some(artifact) = made.artifacts.first() else {
            prop_assert_eq!(kept, text);
            return Ok(());
        };
        prop_assert_eq!(&artifact.content, text.as_bytes());
        let mark = format!("\n…{}:", artifact.artifact_id());
        let (head, rest) = kept.split_once(&mark).expect("a mark");
        let (range, rest) = rest.split_once(' ').expect("a range");
        let (from, to) = range.split_once('-').expect("two ends");
        let from: usize = from.parse().expect("a number");
        let to: usize = to.parse().expect("a number");
        let (_, tail) = rest.split_once(" bytes\n").expect("the end of the mark");
        prop_assert_eq!([head, &text[from..to], tail].concat(), text);
    }
}

/// A file of these bytes, stored, and read back page by page.
async fn paged(content: Vec<u8>, page: u64) -> Vec<u8> {
    let house = house(MemorySettings::default());
    let url = format!("data:application/x-any;base64,{}", BASE64_STANDARD.encode(&content));
    let messages = vec![said(file(None, &url))];
    let request = IngestRequest { conversation: "c".to_owned(), project: None, messages };
    house.engine.ingest_messages(request).await.expect("stores");
    let id = ArtifactId::from_hash(ContentHash::hash_bytes(&content));
    let mut next = Some(format!("{id}:0-{page}"));
    let mut read = Vec::new();
    while let Some(target) = next {
        let DescribedItem::Artifact(page) = house.engine.describe_item(&target).await.expect("reads") else {
            panic!("{target} is an artifact")
        };
        assert_eq!(page.range.start, read.len() as u64, "no byte is skipped or told twice");
        read.extend_from_slice(&page.bytes);
        next = page.continue_with;
    }
    read
}

#[test]
fn pages_are_the_exact_bytes() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let text = "[aé€😀\n]{0,60}".prop_map(String::into_bytes);
    let bytes = proptest::collection::vec(any::<u8>(), 0..120);
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    let ran = runner.run(&(prop_oneof![text, bytes], 1_u64..40), |(content, page)| {
        prop_assert_eq!(runtime.block_on(paged(content.clone(), page)), content);
        Ok(())
    });
    ran.expect("every page is exact");
}

#[tokio::test]
async fn a_range_that_is_none_is_told() {
    let house = house(MemorySettings::default());
    let id = ArtifactId::from_hash(ContentHash::hash_bytes(b""));
    for (target, wanted) in [(format!("{id}"), "does not exist"), ("art_x".to_owned(), "is wrong")] {
        let error = house.engine.describe_item(&target).await.expect_err("there is none");
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
