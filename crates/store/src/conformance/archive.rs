//! Conformance tests that every store backend must pass, for `ArchiveStore`: raw transcript bytes and the messages
//! made from them.

use super::sample::{ODD_TEXTS, build_append, conversation_id, long_text, text_row_as};
use super::{StoreCase, StorePair, cases};
use crate::{
    AppendOutcome, ArchiveBatch, ArchiveFrame, ArchiveOutcome, ArchiveTotals, BatchTarget, ConflictPolicy, Error,
    FileIdentity, Generation, GenerationId, GenerationOrigin, KindCount, LineClass, MessageOrigin, MessageWindow,
    NewFrame, NewGeneration, NewRow, NewTail, QuarantinedLine, ReadCheckpoint, ScrubbedLine, Store, TranscriptSource,
};
use futures::future::join_all;
use model::{AgentName, ContentHash, TranscriptContainer, TranscriptDescent, TranscriptHead};
use std::borrow::Cow;

cases! {
    bytes_and_messages_come_back_together,
    a_generation_goes_on_where_it_was,
    every_field_of_a_generation_comes_back,
    a_batch_stored_twice_is_stored_once,
    of_two_writers_one_looks_again,
    a_step_that_fails_leaves_no_trace,
    another_beginning_leaves_the_old_one_whole,
    equal_frames_are_kept_once,
    a_tail_is_kept_until_the_file_goes_on,
    other_words_under_a_known_id_are_a_revision,
    kinds_add_up_and_bad_lines_are_listed,
    an_unknown_generation_is_missing,
}

fn build_source(path: &str) -> TranscriptSource {
    TranscriptSource { agent: AgentName(Cow::Borrowed("plain")), path: path.to_owned() }
}

fn build_head() -> TranscriptHead {
    TranscriptHead {
        agent: AgentName(Cow::Borrowed("plain")),
        conversation: "c".to_owned(),
        title: None,
        project_dir: None,
        descent: None,
    }
}

pub(super) fn begin_target(path: &str, after: u32) -> BatchTarget {
    let origin = if after == 0 { GenerationOrigin::First } else { GenerationOrigin::Rewritten };
    let container = TranscriptContainer::Lines;
    BatchTarget::Begin(NewGeneration { source: build_source(path), after, origin, container, identity: None })
}

fn go_on(generation: &Generation) -> BatchTarget {
    BatchTarget::Continue { generation: generation.id, checkpoint: generation.checkpoint }
}

fn build_frame(content: &[u8]) -> NewFrame {
    NewFrame {
        original_bytes: content.len() as u64,
        original_hash: ContentHash::hash_bytes(content),
        lines: content.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).count() as u64,
        content: content.to_vec(),
        scrubbed: Vec::new(),
        paused: false,
    }
}

fn build_origin(lines: &[u64]) -> MessageOrigin {
    MessageOrigin { lines: lines.to_vec(), parent: None, thread: None, continues: None }
}

fn build_batch(target: BatchTarget, frames: &[&[u8]], rows: Vec<NewRow>) -> ArchiveBatch {
    let origins = (0..rows.len() as u64).map(|line| build_origin(&[line])).collect();
    ArchiveBatch {
        target,
        head: build_head(),
        frames: frames.iter().map(|content| build_frame(content)).collect(),
        tail: None,
        kinds: Vec::new(),
        quarantined: Vec::new(),
        messages: crate::AppendBatch { taken: ConflictPolicy::Revise, ..build_append("c", rows) },
        origins,
    }
}

async fn put_batch(store: &dyn Store, batch: ArchiveBatch) -> ArchiveOutcome {
    store.archive_batch(batch).await.expect("archives")
}

/// A generation of some frames, from which no message was made.
pub(super) async fn archive_frames(store: &dyn Store, target: BatchTarget, frames: &[&[u8]]) -> Generation {
    put_batch(store, build_batch(target, frames, Vec::new())).await.generation
}

async fn load_bytes(store: &dyn Store, generation: GenerationId) -> Vec<u8> {
    let frames = store.load_frames(generation, 0, u32::MAX).await.expect("reads");
    frames.into_iter().flat_map(|frame| frame.content).collect()
}

async fn message_texts(store: &dyn Store) -> Vec<String> {
    let window = MessageWindow::After { seq: 0, limit: u32::MAX };
    let messages = store.load_messages(&conversation_id("c"), window).await.expect("reads");
    messages.iter().map(|message| message.body.content()).collect()
}

async fn bytes_and_messages_come_back_together(stores: &StorePair) {
    // Every byte, also bytes that are not UTF-8: the archive keeps files as they are on disk.
    let any: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let long = long_text("frame");
    let contents: [&[u8]; 4] = [b"one\r\ntwo\n", &any, b"", long.as_bytes()];
    let archived =
        put_batch(&*stores.first, build_batch(begin_target("/t", 0), &contents, vec![text_row_as("x", "one")])).await;
    assert!(matches!(archived.messages[..], [AppendOutcome::New(_)]), "{:?}", archived.messages);
    let found = stores.second.newest_generation(&build_source("/t")).await.expect("reads").expect("it was begun");
    assert_eq!(found, archived.generation);
    assert_eq!(found.checkpoint.bytes, contents.concat().len() as u64);
    let frames = stores.second.load_frames(found.id, 0, u32::MAX).await.expect("reads");
    assert_eq!(frames.iter().map(|frame| frame.content.as_slice()).collect::<Vec<_>>(), contents);
    let headers = stores.second.frame_headers(found.id).await.expect("reads");
    assert_eq!(headers, frames.iter().map(|frame| frame.header.clone()).collect::<Vec<_>>());
    assert_eq!(headers.iter().fold(ReadCheckpoint::at_start(), ReadCheckpoint::after_frame), found.checkpoint);
    let page = stores.second.load_frames(found.id, 1, 2).await.expect("reads");
    assert_eq!(page, frames[1..3]);
    assert_eq!(message_texts(&*stores.second).await, ["one"]);
}

async fn a_generation_goes_on_where_it_was(stores: &StorePair) {
    let first = put_batch(&*stores.first, build_batch(begin_target("/t", 0), &[b"a\n"], vec![text_row_as("a", "a")]))
        .await
        .generation;
    let second = build_batch(go_on(&first), &[b"b\n", b"c\nd\n"], vec![text_row_as("b", "b"), text_row_as("c", "c")]);
    let second = put_batch(&*stores.second, second).await.generation;
    assert_eq!((second.id, second.number, second.frames, second.lines, second.messages), (first.id, 1, 3, 4, 3));
    assert_eq!(load_bytes(&*stores.first, first.id).await, b"a\nb\nc\nd\n");
    assert_eq!(message_texts(&*stores.first).await, ["a", "b", "c"]);
    assert_eq!(stores.first.list_generations().await.expect("reads"), [second]);
}

async fn every_field_of_a_generation_comes_back(stores: &StorePair) {
    let descents = [
        None,
        Some(TranscriptDescent::Subagent { of: "s".to_owned() }),
        Some(TranscriptDescent::Fork { of: "f".to_owned() }),
    ];
    let mut wanted = Vec::new();
    for (number, text) in ODD_TEXTS.iter().enumerate() {
        let some = Some((*text).to_owned());
        // An inode and a device are unsigned 64-bit numbers, which neither database has.
        let identity = (number % 2 == 0).then_some(FileIdentity { device: u64::MAX, inode: number as u64 });
        let source = TranscriptSource { agent: AgentName(Cow::Owned(format!("a{text}"))), path: (*text).to_owned() };
        let head = TranscriptHead {
            agent: source.agent.clone(),
            conversation: (*text).to_owned(),
            title: some.clone(),
            project_dir: some.clone(),
            descent: descents[number % 3].clone(),
        };
        let origin = GenerationOrigin::ALL[number % 5].0;
        let container = TranscriptContainer::ALL[number % 4].0;
        let target =
            BatchTarget::Begin(NewGeneration { source: source.clone(), after: 0, origin, container, identity });
        let mut new = build_batch(target, &[b"x\n"], vec![text_row_as("x", "x")]);
        new.head = head.clone();
        new.origins =
            vec![MessageOrigin { lines: vec![0, 1, 7], parent: some.clone(), thread: some.clone(), continues: some }];
        let origins = new.origins.clone();
        let generation = put_batch(&*stores.first, new).await.generation;
        assert_eq!((&generation.source, &generation.head, generation.identity), (&source, &head, identity));
        assert_eq!((generation.origin, generation.container), (origin, container));
        let found = stores.second.message_origins(generation.id).await.expect("reads");
        assert_eq!(found.into_iter().map(|(_, origin)| origin).collect::<Vec<_>>(), origins);
        wanted.push(generation);
    }
    assert_eq!(stores.second.generations_of(&conversation_id("c")).await.expect("reads"), wanted);
    wanted.sort_unstable_by(|a, b| a.source.cmp(&b.source));
    assert_eq!(stores.second.list_generations().await.expect("reads"), wanted);
}

async fn a_batch_stored_twice_is_stored_once(stores: &StorePair) {
    let first = || build_batch(begin_target("/t", 0), &[b"a\n"], vec![text_row_as("a", "a")]);
    let generation = put_batch(&*stores.first, first()).await.generation;
    // A process that was killed after the commit and before its answer sends the same batch again.
    let again = put_batch(&*stores.second, first()).await;
    assert_eq!(again.generation, generation);
    assert!(matches!(again.messages[..], [AppendOutcome::Known(_)]), "{:?}", again.messages);
    let second = || build_batch(go_on(&generation), &[b"b\n"], vec![text_row_as("b", "b")]);
    let one = put_batch(&*stores.first, second()).await;
    let two = put_batch(&*stores.second, second()).await;
    assert_eq!(one.generation, two.generation);
    assert_eq!(load_bytes(&*stores.first, generation.id).await, b"a\nb\n");
    assert_eq!(message_texts(&*stores.first).await, ["a", "b"]);
}

/// Many write different bytes behind the same checkpoint: one of them is stored, the others get a conflict and have to read
/// again.
async fn of_two_writers_one_looks_again(stores: &StorePair) {
    let generation =
        put_batch(&*stores.first, build_batch(begin_target("/t", 0), &[b"a\n"], Vec::new())).await.generation;
    let outcomes = join_all((0..8).map(|writer| {
        let store = if writer % 2 == 0 { &stores.first } else { &stores.second };
        let line = format!("{writer}\n");
        let id = writer.to_string();
        let new = build_batch(go_on(&generation), &[line.as_bytes()], vec![text_row_as(&id, &id)]);
        async move { store.archive_batch(new).await }
    }));
    let outcomes = outcomes.await;
    let (written, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!((written.len(), refused.len()), (1, 7));
    assert!(refused.iter().all(|outcome| matches!(outcome, Err(Error::Conflict { .. }))), "{refused:?}");
    let kept = load_bytes(&*stores.first, generation.id).await;
    let said = message_texts(&*stores.first).await;
    // Bytes and messages are of the same writer: mixed, the archive would not prove the messages.
    assert_eq!(kept, format!("a\n{}\n", said[0]).into_bytes());
    let begins = join_all([&stores.first, &stores.second].map(|store| {
        let new = build_batch(
            begin_target("/t", 1),
            &[if std::ptr::eq(store, &raw const stores.first) { b"x\n" } else { b"y\n" }],
            Vec::new(),
        );
        store.archive_batch(new)
    }));
    assert_eq!(begins.await.iter().filter(|outcome| outcome.is_ok()).count(), 1);
}

async fn a_step_that_fails_leaves_no_trace(stores: &StorePair) {
    let generation =
        put_batch(&*stores.first, build_batch(begin_target("/t", 0), &[b"a\n"], vec![text_row_as("a", "a")]))
            .await
            .generation;
    // The mark of an older state: the file was read on by another process meanwhile.
    let stale = BatchTarget::Continue { generation: generation.id, checkpoint: ReadCheckpoint::at_start() };
    let mut late = build_batch(stale, &[b"b\n"], vec![text_row_as("b", "b")]);
    late.kinds = vec![KindCount { class: LineClass::Event, name: "e".to_owned(), lines: 1 }];
    assert!(matches!(stores.first.archive_batch(late).await, Err(Error::Conflict { .. })));
    assert_eq!(stores.first.newest_generation(&build_source("/t")).await.expect("reads"), Some(generation.clone()));
    assert_eq!(stores.first.line_kinds(generation.id).await.expect("reads"), []);
    assert_eq!(message_texts(&*stores.first).await, ["a"]);
}

async fn another_beginning_leaves_the_old_one_whole(stores: &StorePair) {
    let store = &*stores.first;
    let old = put_batch(store, build_batch(begin_target("/t", 0), &[b"a\n", b"b\n"], vec![text_row_as("a", "a")]))
        .await
        .generation;
    let new =
        // A host that rewrites its file (after a compaction, say) must not take lines away that were stored.
        put_batch(store, build_batch(begin_target("/t", 1), &[b"a\n"], vec![text_row_as("a", "a")])).await.generation;
    assert_eq!((new.number, new.origin), (2, GenerationOrigin::Rewritten));
    assert_ne!(new.id, old.id);
    assert_eq!(load_bytes(store, old.id).await, b"a\nb\n");
    assert_eq!(load_bytes(store, new.id).await, b"a\n");
    assert_eq!(store.newest_generation(&build_source("/t")).await.expect("reads"), Some(new.clone()));
    assert_eq!(store.generations_of(&conversation_id("c")).await.expect("reads"), [old, new]);
    assert_eq!(message_texts(store).await, ["a"]);
}

async fn equal_frames_are_kept_once(stores: &StorePair) {
    let store = &*stores.first;
    let text = long_text("x") + "\n";
    put_batch(store, build_batch(begin_target("/t", 0), &[text.as_bytes()], Vec::new())).await;
    let before = store.archive_totals().await.expect("reads");
    put_batch(store, build_batch(begin_target("/copy", 0), &[text.as_bytes(), text.as_bytes()], Vec::new())).await;
    let after = store.archive_totals().await.expect("reads");
    assert_eq!(after.stored_bytes, before.stored_bytes);
    let bytes = 3 * text.len() as u64;
    // Only `stored_bytes` stays: forks and resumed sessions repeat whole files.
    assert_eq!(after, ArchiveTotals { sources: 2, generations: 2, lines: 3, bytes, ..before });
    // The same words, of which other secrets were taken, are something else.
    let mut scrubbed = build_batch(begin_target("/secret", 0), &[text.as_bytes()], Vec::new());
    let line = ScrubbedLine { line: 0, original_bytes: 3, original_hash: ContentHash::hash_bytes(b"old") };
    scrubbed.frames[0].original_hash = ContentHash::hash_bytes(b"old\n");
    scrubbed.frames[0].original_bytes = 4;
    scrubbed.frames[0].scrubbed = vec![line.clone(), ScrubbedLine { line: u64::MAX, ..line }];
    scrubbed.frames[0].paused = true;
    let wanted = ArchiveFrame { header: scrubbed.frames[0].frame_header(), content: text.into_bytes() };
    let generation = put_batch(store, scrubbed).await.generation;
    assert_eq!(generation.checkpoint.bytes, 4);
    assert_eq!(store.load_frames(generation.id, 0, 9).await.expect("reads"), [wanted]);
}

async fn a_tail_is_kept_until_the_file_goes_on(stores: &StorePair) {
    let store = &*stores.first;
    let tail = |content: &[u8]| NewTail {
        content: content.to_vec(),
        original_bytes: content.len() as u64,
        original_hash: ContentHash::hash_bytes(content),
    };
    let mut new = build_batch(begin_target("/t", 0), &[b"a\n"], Vec::new());
    // Half of a line: the host was writing when the file was read.
    new.tail = Some(tail(b"{\"half"));
    let generation = put_batch(store, new).await.generation;
    assert_eq!(generation.tail, Some((6, ContentHash::hash_bytes(b"{\"half"))));
    assert_eq!((generation.checkpoint.bytes, generation.lines), (2, 1));
    assert_eq!(store.load_tail(generation.id).await.expect("reads"), Some(b"{\"half".to_vec()));
    let mut more = build_batch(go_on(&generation), &[], Vec::new());
    more.tail = Some(tail(b"{\"half\0more"));
    let generation = put_batch(store, more).await.generation;
    assert_eq!(store.load_tail(generation.id).await.expect("reads"), Some(b"{\"half\0more".to_vec()));
    let generation =
        put_batch(store, build_batch(go_on(&generation), &[b"{\"half\0more\"}\n"], Vec::new())).await.generation;
    assert_eq!((generation.tail, store.load_tail(generation.id).await.expect("reads")), (None, None));
}

async fn other_words_under_a_known_id_are_a_revision(stores: &StorePair) {
    let store = &*stores.first;
    put_batch(store, build_batch(begin_target("/t", 0), &[b"a\n"], vec![text_row_as("x", "old")])).await;
    let other = || {
        vec![
            text_row_as("x", "new"),
            text_row_as("x", "old"),
            text_row_as("x", "new"),
            text_row_as("y", "1"),
            text_row_as("y", "2"),
        ]
    };
    // Hosts that edit a message keep its id. Both texts are kept, and a text that comes back is not a third.
    let archived = put_batch(store, build_batch(begin_target("/t", 1), &[b"b\n"], other())).await;
    let [
        AppendOutcome::Revised(new),
        AppendOutcome::Known(_),
        AppendOutcome::Known(again),
        AppendOutcome::New(_),
        AppendOutcome::Revised(_),
    ] = &archived.messages[..]
    else {
        panic!("{:?}", archived.messages)
    };
    assert_eq!(new, again);
    assert_eq!(message_texts(store).await, ["old", "new", "1", "2"]);
    let archived = put_batch(store, build_batch(begin_target("/t", 2), &[b"c\n"], other())).await;
    assert!(matches!(&archived.messages[0], AppendOutcome::Known(ack) if ack == new), "{:?}", archived.messages);
    assert!(matches!(&archived.messages[4], AppendOutcome::Known(_)), "{:?}", archived.messages);
    assert_eq!(message_texts(store).await.len(), 4);
    let window = MessageWindow::After { seq: 1, limit: 1 };
    let revision = store.load_messages(&conversation_id("c"), window).await.expect("reads").remove(0);
    let id = revision.body.external_id.clone().expect("it has one");
    assert!(id.starts_with("x~") && id.len() == 10, "{id}");
    // `x` with `new` comes twice but is one message, so it has one origin.
    assert_eq!(store.message_origins(archived.generation.id).await.expect("reads").len(), 4);
}

async fn kinds_add_up_and_bad_lines_are_listed(stores: &StorePair) {
    let store = &*stores.first;
    let kind = |class, name: &str, lines| KindCount { class, name: name.to_owned(), lines };
    let bad = |line, reason: &str| QuarantinedLine { line, offset: 10 * line, bytes: 9, reason: reason.to_owned() };
    let mut one = build_batch(begin_target("/t", 0), &[b"a\n"], Vec::new());
    one.kinds = vec![kind(LineClass::Message, "", 2), kind(LineClass::Unknown, "new\0kind", 1)];
    one.quarantined = vec![bad(3, "half \0 of it")];
    let generation = put_batch(store, one).await.generation;
    let mut two = build_batch(go_on(&generation), &[b"b\n"], Vec::new());
    let long = long_text("kind");
    two.kinds = vec![
        kind(LineClass::Unknown, "new\0kind", 4),
        kind(LineClass::Unknown, &long, 1),
        kind(LineClass::Blank, "", 1),
    ];
    two.quarantined = vec![bad(8, ""), bad(u64::from(u32::MAX), "far away")];
    put_batch(store, two).await;
    let mut wanted = vec![
        kind(LineClass::Blank, "", 1),
        kind(LineClass::Message, "", 2),
        kind(LineClass::Unknown, &long, 1),
        kind(LineClass::Unknown, "new\0kind", 5),
    ];
    wanted.sort_unstable();
    assert_eq!(stores.second.line_kinds(generation.id).await.expect("reads"), wanted);
    let listed = stores.second.load_quarantine(generation.id).await.expect("reads");
    assert_eq!(listed, [bad(3, "half \0 of it"), bad(8, ""), bad(u64::from(u32::MAX), "far away")]);
    assert_eq!(store.archive_totals().await.expect("reads").quarantined, 3);
}

async fn an_unknown_generation_is_missing(stores: &StorePair) {
    let store = &*stores.first;
    let nowhere = GenerationId(77);
    let target = BatchTarget::Continue { generation: nowhere, checkpoint: ReadCheckpoint::at_start() };
    let refused = store.archive_batch(build_batch(target, &[b"a\n"], Vec::new())).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "generation", .. })), "{refused:?}");
    assert_eq!(store.newest_generation(&build_source("/t")).await.expect("reads"), None);
    assert_eq!(store.load_frames(nowhere, 0, 9).await.expect("reads"), []);
    assert_eq!(store.frame_headers(nowhere).await.expect("reads"), []);
    assert_eq!(store.load_tail(nowhere).await.expect("reads"), None);
    assert_eq!(store.load_quarantine(nowhere).await.expect("reads"), []);
    assert_eq!(store.message_origins(nowhere).await.expect("reads"), []);
    assert_eq!(store.archive_totals().await.expect("reads"), ArchiveTotals::default());
    assert_eq!(store.list_conversations().await.expect("reads"), [], "a conversation comes with its archive");
}
