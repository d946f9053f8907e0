//! Conformance tests that every store backend must pass, for `RewriteStore`: what a person asked to be purged or
//! forgotten is gone, everything else is as it was, the chains fit, and the record says what happened.

use super::archive::{archive_frames, begin_target};
use super::code::{file_paths, open_worktree, write_files};
use super::durable::{new_memory, stated};
use super::entities::{entity, link};
use super::feedback::build_answer;
use super::folds::{apply_fold, fill_conversation, take_lease};
use super::records::new_record;
use super::sample::{
    build_append, build_batch, build_summary, build_version, conversation_id, project_id, text_row, text_row_as,
};
use super::tool_calls::call;
use super::{StoreCase, StorePair, cases};
use crate::{
    AnchorPoint, AnswerRecord, AppendBatch, ArtifactRewrite, CallQuestion, EntityRewrite, EntityStatements, Error,
    FrameRewrite, MemoryBatch, MemoryScope, MessageQuery, MessageRewrite, MessageWindow, NewArtifact, NewFrame, NewRow,
    NewToolCall, ReadCheckpoint, RecordBatch, RecordFilter, RewriteReason, SideText, SideTextRewrite, Store,
    StoreRewrite,
};
use model::{ChainHash, ContentHash, Message, NewRecord, RecordEvent, RecordKind, RecordNote, Timestamp, TokenCount};
use std::collections::{BTreeMap, BTreeSet};

cases! {
    words_are_replaced_and_the_chain_fits,
    a_message_that_is_not_as_the_caller_saw_it_changes_nothing,
    an_artifact_takes_the_place_of_another,
    a_frame_is_replaced_in_every_generation,
    a_memory_keeps_what_was_noted_about_it,
    a_record_keeps_what_was_noted_about_it,
    what_was_made_from_messages_is_dropped,
    a_forgotten_project_is_gone_and_the_others_stay,
    what_goes_of_entities_is_no_loss,
    texts_that_stand_for_themselves_are_replaced,
    a_conversation_goes_on_after_a_rewrite,
}

const NOW: Timestamp = Timestamp(9_000);

async fn load_all(store: &dyn Store, name: &str) -> Vec<Message> {
    let window = MessageWindow::After { seq: 0, limit: u32::MAX };
    store.load_messages(&conversation_id(name), window).await.expect("reads")
}

/// Compares every link of a conversation with what it has to be.
async fn check_chain(store: &dyn Store, name: &str) {
    let id = conversation_id(name);
    let mut link = ChainHash::for_conversation(&id);
    for message in load_all(store, name).await {
        link = link.next_link(message.seq, message.body.content_hash());
        assert_eq!(message.hash, link, "message {} of {name}", message.seq);
    }
    let known = store.load_conversation(&id).await.expect("reads").expect("it is there");
    assert_eq!(known.head, link, "{name}");
}

/// The rewrite of one message.
async fn rewrite_of(store: &dyn Store, name: &str, seq: u64, text: &str) -> MessageRewrite {
    let message = load_all(store, name).await.into_iter().find(|message| message.seq == seq).expect("it is there");
    let before = message.body.content_hash();
    let mut body = message.body;
    body.parts = text_row(text).body.parts;
    MessageRewrite { conversation: conversation_id(name), seq, before, body, tokens: TokenCount(40) }
}

async fn find_term(store: &dyn Store, term: &str) -> usize {
    let query = MessageQuery { terms: vec![term.to_owned()], ..MessageQuery::default() };
    store.find_messages(query, None).await.expect("searches").matches.len()
}

/// The store proves itself, to itself and to its anchor.
async fn check_proof(stores: &StorePair) {
    assert_eq!(stores.second.check_canonical().await.expect("checks"), []);
    let mut log = stores.second.read_anchor().await.expect("reads");
    for removal in stores.second.list_removals().await.expect("lists") {
        log.apply_removal(&removal);
    }
    assert_eq!(log.faults, [""; 0]);
    let conversations = stores.second.list_conversations().await.expect("lists");
    for conversation in conversations {
        let known = log.conversations.remove(conversation.id.as_str());
        // A conversation without a message has nothing that was acknowledged.
        if conversation.messages == 0 {
            continue;
        }
        let known = known.expect("it is anchored");
        let newest = known.last_key_value().expect("it has a point");
        assert_eq!(*newest.0, conversation.messages, "{}", conversation.name);
        assert_eq!(newest.1.iter().collect::<Vec<_>>(), [&conversation.head.0.to_string()], "{}", conversation.name);
    }
    assert_eq!(log.conversations.keys().collect::<Vec<_>>(), [""; 0], "anchored, and not there");
    let mut stated: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for point in stores.second.all_entities().await.expect("reads").anchor_points() {
        let AnchorPoint::Row { table, id } = point else { panic!("{point:?}") };
        stated.entry(table).or_default().insert(id);
    }
    for table in ["entities", "entity_links"] {
        let (anchored, found) = (log.rows.remove(table), stated.remove(table));
        assert_eq!(anchored.unwrap_or_default(), found.unwrap_or_default(), "{table}");
    }
}

async fn words_are_replaced_and_the_chain_fits(stores: &StorePair) {
    let rows = ["the quince opens it", "nothing\0 odd", "quince again"].map(|text| text_row_as(text, text));
    stores.first.append_messages(build_append("c", rows.to_vec())).await.expect("appends");
    stores.first.append_messages(build_append("d", vec![text_row("quince of another")])).await.expect("appends");
    let untouched = load_all(&*stores.first, "d").await;
    let before = stores.first.load_conversation(&conversation_id("c")).await.expect("reads").expect("is there");
    let messages = vec![
        rewrite_of(&*stores.first, "c", 3, "[secret] again").await,
        rewrite_of(&*stores.first, "c", 1, "the [secret]\0 opens it").await,
    ];
    let records = stores.first.rewrite_texts(StoreRewrite { messages, ..StoreRewrite::default() }, NOW).await;
    let records = records.expect("rewrites");
    let texts: Vec<String> = load_all(&*stores.second, "c").await.iter().map(|it| it.body.content()).collect();
    assert_eq!(texts, ["the [secret]\0 opens it", "nothing\0 odd", "[secret] again"]);
    check_chain(&*stores.second, "c").await;
    let after = stores.second.load_conversation(&conversation_id("c")).await.expect("reads").expect("is there");
    assert_eq!((after.messages, after.tokens), (3, TokenCount(40 + 2 + 40)));
    let [record] = &records[..] else { panic!("{records:?}") };
    assert_eq!((record.at, record.reason, record.items), (NOW, RewriteReason::Purged, 2));
    assert_eq!(record.subject, conversation_id("c").as_str());
    assert_eq!((record.before, record.after), (before.head.0, Some(after.head.0)));
    assert_eq!(stores.second.list_rewrites().await.expect("lists"), records);
    assert_eq!(load_all(&*stores.second, "d").await, untouched);
    assert_eq!((find_term(&*stores.second, "quince").await, find_term(&*stores.second, "secret").await), (1, 2));
    check_proof(stores).await;
}

async fn a_message_that_is_not_as_the_caller_saw_it_changes_nothing(stores: &StorePair) {
    stores.first.append_messages(build_append("c", vec![text_row("one"), text_row("two")])).await.expect("appends");
    let before = load_all(&*stores.first, "c").await;
    let mut stale = rewrite_of(&*stores.first, "c", 2, "other").await;
    stale.before = ContentHash::hash_bytes(b"what it never said");
    let messages = vec![rewrite_of(&*stores.first, "c", 1, "changed").await, stale];
    let refused = stores.first.rewrite_texts(StoreRewrite { messages, ..StoreRewrite::default() }, NOW).await;
    assert!(matches!(refused, Err(Error::Conflict { what: "message", .. })), "{refused:?}");
    let beyond = MessageRewrite { seq: 7, ..rewrite_of(&*stores.first, "c", 1, "changed").await };
    let rewrite = StoreRewrite { messages: vec![beyond], ..StoreRewrite::default() };
    let refused = stores.first.rewrite_texts(rewrite, NOW).await;
    assert!(matches!(refused, Err(Error::NotFound { what: "message", .. })), "{refused:?}");
    assert_eq!(load_all(&*stores.second, "c").await, before);
    assert_eq!(stores.second.list_rewrites().await.expect("lists"), []);
}

fn build_artifact(content: &[u8]) -> NewArtifact {
    let (media_type, summary) = ("text/plain".to_owned(), "words".to_owned());
    NewArtifact { content: content.to_vec(), media_type, name: None, tokens: None, summary }
}

async fn an_artifact_takes_the_place_of_another(stores: &StorePair) {
    let (old, new) = (build_artifact(b"the key is quince"), build_artifact(b"the key is ******"));
    let kept = build_artifact(b"nothing to hide");
    let row = |text: &str, of: &[&NewArtifact]| NewRow {
        artifacts: of.iter().map(|artifact| artifact.artifact_id()).collect(),
        ..text_row(text)
    };
    let rows = vec![row("one", &[&old]), row("two", &[&old, &new]), row("three", &[&kept])];
    let artifacts = vec![old.clone(), new.clone(), kept.clone()];
    stores.first.append_messages(AppendBatch { artifacts, ..build_append("c", rows) }).await.expect("appends");
    let rewrite = ArtifactRewrite { before: old.artifact_id(), artifact: new.clone() };
    let rewrite = StoreRewrite { artifacts: vec![rewrite], ..StoreRewrite::default() };
    let records = stores.first.rewrite_texts(rewrite, NOW).await.expect("rewrites");
    assert_eq!(records[0].subject, old.artifact_id().as_str());
    assert_eq!(stores.second.load_artifact(&old.artifact_id()).await.expect("reads"), None);
    assert_eq!(stores.second.artifact_content(&new.artifact_id()).await.expect("reads"), Some(new.content.clone()));
    assert_eq!(stores.second.artifact_messages(&new.artifact_id()).await.expect("reads").len(), 2);
    assert_eq!(stores.second.artifact_content(&kept.artifact_id()).await.expect("reads"), Some(kept.content.clone()));
    check_proof(stores).await;
}

async fn a_frame_is_replaced_in_every_generation(stores: &StorePair) {
    let store = &*stores.first;
    let one = archive_frames(store, begin_target("/one", 0), &[b"hello\n", b"key quince\n", b"bye\n"]).await;
    let two = archive_frames(store, begin_target("/two", 0), &[b"key quince\n"]).await;
    let other = archive_frames(store, begin_target("/other", 0), &[b"hello\n"]).await;
    let content = b"key [secret]\n".to_vec();
    let frame = NewFrame {
        original_bytes: 11,
        original_hash: ContentHash::hash_bytes(b"key quince\n"),
        lines: 1,
        content: content.clone(),
        scrubbed: Vec::new(),
        paused: false,
    };
    let rewrite = FrameRewrite { before: ContentHash::hash_bytes(b"key quince\n"), frame };
    let rewrite = StoreRewrite { frames: vec![rewrite], ..StoreRewrite::default() };
    let records = store.rewrite_texts(rewrite.clone(), NOW).await.expect("rewrites");
    assert_eq!(records.iter().map(|record| record.items).collect::<Vec<_>>(), [1, 1], "{records:?}");
    for (generation, wanted) in
        [(&one, [&b"hello\n"[..], &content, b"bye\n"].concat()), (&two, content.clone()), (&other, b"hello\n".to_vec())]
    {
        let frames = stores.second.load_frames(generation.id, 0, u32::MAX).await.expect("reads");
        assert_eq!(frames.into_iter().flat_map(|frame| frame.content).collect::<Vec<u8>>(), wanted);
        let headers = stores.second.frame_headers(generation.id).await.expect("reads");
        let end = headers.iter().fold(ReadCheckpoint::at_start(), ReadCheckpoint::after_frame);
        let all = stores.second.list_generations().await.expect("lists");
        let known = all.iter().find(|it| it.id == generation.id).expect("it is there");
        assert_eq!(known.checkpoint.hash, end.hash);
    }
    // The frame is not there any more, so the same rewrite is out of date.
    let again = store.rewrite_texts(rewrite, NOW).await;
    assert!(matches!(again, Err(Error::Conflict { what: "frame", .. })), "{again:?}");
    check_proof(stores).await;
}

async fn a_memory_keeps_what_was_noted_about_it(stores: &StorePair) {
    let (old, new) = (new_memory(None, "the key is quince"), new_memory(None, "the key is [secret]"));
    let notes = vec![(old.id(), stated(1, &[])), (old.id(), stated(2, &[]))];
    stores.first.write_memories(MemoryBatch { memories: vec![old.clone()], notes }).await.expect("writes");
    let rewrite = StoreRewrite { memories: vec![(old.id(), new.clone())], ..StoreRewrite::default() };
    stores.first.rewrite_texts(rewrite, NOW).await.expect("rewrites");
    let all = stores.second.load_memories(MemoryScope::All).await.expect("reads");
    assert_eq!(all.iter().map(|memory| memory.body.content.as_str()).collect::<Vec<_>>(), [new.content.as_str()]);
    assert_eq!((all[0].id == new.id(), all[0].is_intact()), (true, true));
    check_proof(stores).await;
}

async fn a_record_keeps_what_was_noted_about_it(stores: &StorePair) {
    let old = new_record(RecordKind::Checkpoint, "s", "{\"query\":\"the key is quince\"}", 1);
    let new = NewRecord { content: "{\"query\":\"the key is [secret]\"}".to_owned(), ..old.clone() };
    let notes = vec![(old.id(), RecordNote { at: NOW, event: RecordEvent::Dropped })];
    stores.first.write_records(RecordBatch { records: vec![old.clone()], notes }).await.expect("writes");
    let rewrite = StoreRewrite { records: vec![(old.id(), new.clone())], ..StoreRewrite::default() };
    let told = stores.first.rewrite_texts(rewrite.clone(), NOW).await.expect("rewrites");
    assert_eq!(told.iter().map(|it| it.subject.as_str()).collect::<Vec<_>>(), [old.id().as_str()]);
    let all = stores.second.load_session_records(RecordFilter::default()).await.expect("reads");
    assert_eq!(all.iter().map(|record| (&record.body, record.notes.len())).collect::<Vec<_>>(), [(&new, 1)]);
    assert!(all[0].is_intact());
    // It is not there any more, so the same rewrite is out of date.
    let again = stores.first.rewrite_texts(rewrite, NOW).await;
    assert!(matches!(again, Err(Error::NotFound { what: "record", .. })), "{again:?}");
    check_proof(stores).await;
}

async fn what_was_made_from_messages_is_dropped(stores: &StorePair) {
    let store = &*stores.first;
    for name in ["c", "d"] {
        fill_conversation(store, name, 4).await;
        let fence = take_lease(store, name).await;
        apply_fold(store, &build_summary(name, 1, 2, &[], "they said quince"), fence).await.expect("folds");
    }
    let rewrite = StoreRewrite { derived: vec![conversation_id("c")], ..StoreRewrite::default() };
    store.rewrite_texts(rewrite, NOW).await.expect("rewrites");
    let left = stores.second.scan_summaries(None, None, 10).await.expect("reads");
    let left: Vec<_> = left.into_iter().map(|(_, summary)| summary.conversation).collect();
    assert_eq!(left, [conversation_id("d")]);
    check_proof(stores).await;
}

async fn a_forgotten_project_is_gone_and_the_others_stay(stores: &StorePair) {
    let store = &*stores.first;
    let (gone, stays) = (project_id("gone"), project_id("stays"));
    let shared = build_artifact(b"both have it");
    let own = build_artifact(b"one has it");
    for (project, name) in [(&gone, "c"), (&stays, "d")] {
        let row = |text: &str, of: &NewArtifact| NewRow { artifacts: vec![of.artifact_id()], ..text_row(text) };
        let mut rows = vec![row("quince and shared", &shared)];
        if name == "c" {
            rows.push(row("own", &own));
        }
        let artifacts = vec![shared.clone(), own.clone()];
        let append = AppendBatch { project: Some(project.clone()), artifacts, ..build_append(name, rows) };
        store.append_messages(append).await.expect("appends");
        let memory = new_memory(Some(project.clone()), &format!("of {name}"));
        let notes = vec![(memory.id(), stated(1, &[]))];
        store.write_memories(MemoryBatch { memories: vec![memory], notes }).await.expect("writes");
        let record = NewRecord { project: project.clone(), ..new_record(RecordKind::Checkpoint, name, "{}", 1) };
        let notes = vec![(record.id(), RecordNote { at: NOW, event: RecordEvent::Dropped })];
        store.write_records(RecordBatch { records: vec![record], notes }).await.expect("writes");
    }
    // The archive belongs to the conversation `c`.
    archive_frames(store, begin_target("/t", 0), &[b"quince\n"]).await;
    let fence = take_lease(store, "c").await;
    apply_fold(store, &build_summary("c", 1, 1, &[], "they said quince"), fence).await.expect("folds");
    for name in ["gone", "stays"] {
        let worktree = open_worktree(store, name, "/w").await;
        write_files(store, &worktree, build_batch(vec![build_version("a.rs", "fn a", 1)], &["term"])).await;
    }
    let records = store.forget_project(&gone, NOW).await.expect("forgets");
    let told: Vec<_> = records.iter().map(|it| (it.reason, it.subject.as_str(), it.items, it.after)).collect();
    assert_eq!(told, [(RewriteReason::Forgotten, conversation_id("c").as_str(), 2, None)]);
    assert_eq!(stores.second.list_rewrites().await.expect("lists"), records);
    let names: Vec<String> =
        stores.second.list_conversations().await.expect("lists").into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["d"]);
    assert_eq!(find_term(&*stores.second, "quince").await, 1);
    assert_eq!(stores.second.list_generations().await.expect("lists"), []);
    let artifacts = stores.second.list_artifacts().await.expect("lists");
    assert_eq!(artifacts.iter().map(|it| it.id.clone()).collect::<Vec<_>>(), [shared.artifact_id()]);
    let memories = stores.second.load_memories(MemoryScope::All).await.expect("reads");
    assert_eq!(memories.iter().map(|it| it.body.content.as_str()).collect::<Vec<_>>(), ["of d"]);
    let records = stores.second.load_session_records(RecordFilter::default()).await.expect("reads");
    assert_eq!(records.iter().map(|it| it.body.session.as_str()).collect::<Vec<_>>(), ["d"]);
    assert_eq!(stores.second.scan_summaries(None, None, 10).await.expect("reads").len(), 0);
    for (name, wanted) in [("gone", 0), ("stays", 1)] {
        let worktree = open_worktree(store, name, "/w").await;
        assert_eq!(file_paths(store, &worktree).await.len(), wanted, "{name}");
    }
    check_chain(&*stores.second, "d").await;
    check_proof(stores).await;
}

/// The projects have no conversation, so no record names them; the anchor is told all the same.
async fn what_goes_of_entities_is_no_loss(stores: &StorePair) {
    for of in ["gone", "stays"] {
        let statements =
            EntityStatements { entities: vec![entity(of, "a", Some("secret"))], links: vec![link(of, "a", "b")] };
        stores.first.write_entities(statements).await.expect("writes");
    }
    check_proof(stores).await;
    stores.first.forget_project(&project_id("gone"), NOW).await.expect("forgets");
    check_proof(stores).await;
    let removals = stores.second.list_removals().await.expect("lists");
    assert_eq!(removals.len(), 2, "an entity and a link: {removals:?}");
    let (number, old) = stores.first.all_entities().await.expect("reads").entities.remove(0);
    // The id of the entity stays: its name is another matter than what is said of it.
    let statement = entity("stays", "a", Some("[gone]"));
    let rewrite = EntityRewrite { number, before: old.id(), statement };
    let rewrite = StoreRewrite { entities: vec![rewrite], ..StoreRewrite::default() };
    stores.first.rewrite_texts(rewrite, NOW).await.expect("rewrites");
    check_proof(stores).await;
    assert_eq!(stores.second.list_removals().await.expect("lists").len(), 3);
}

/// One text of each kind, with a word that has to go and what no database takes as it is.
async fn texts_that_stand_for_themselves_are_replaced(stores: &StorePair) {
    let store = &*stores.first;
    let secret = "the quince\0 opens";
    let named = NewArtifact { name: Some(secret.to_owned()), ..build_artifact(b"nothing to hide") };
    let row = NewRow { artifacts: vec![named.artifact_id()], ..text_row("one") };
    let append = AppendBatch {
        title: Some(secret.to_owned()),
        artifacts: vec![named],
        ..build_append("named quince", vec![row])
    };
    store.append_messages(append).await.expect("appends");
    let memory = new_memory(None, "six figs");
    let mut note = stated(1, &[secret]);
    if let model::MemoryEvent::Stated(statement) = &mut note.event {
        statement.tags = vec!["fig".to_owned(), "quince".to_owned()];
        statement.metadata = Some(format!("{{\"context\":\"{secret}\"}}"));
    }
    let notes = vec![(memory.id(), note)];
    store.write_memories(MemoryBatch { memories: vec![memory.clone()], notes }).await.expect("writes");
    let answer = AnswerRecord { question: secret.to_owned(), ..build_answer("p", "s", 1, &["a"]) };
    store.write_answers(vec![answer], 100).await.expect("writes");
    let question = CallQuestion { query: secret.to_owned(), intent: None, strategy: None, gate: None, results: 1 };
    let dispatch = NewToolCall { place: Some(secret.to_owned()), question: Some(question), ..call(1, "s", 1) };
    store.record_tool_calls(vec![dispatch]).await.expect("records");
    let of_session = new_record(RecordKind::Checkpoint, "session quince", "{}", 1);
    store.write_records(RecordBatch { records: vec![of_session], notes: Vec::new() }).await.expect("writes");

    let found: Vec<SideText> =
        stores.second.side_texts().await.expect("reads").into_iter().filter(|it| it.text.contains("quince")).collect();
    let columns: Vec<String> = found.iter().map(|it| format!("{}.{}", it.place.table, it.place.column)).collect();
    let wanted = [
        "answers.question",
        "artifacts.name",
        "conversations.name",
        "conversations.title",
        "memory_notes.metadata",
        "memory_notes.sources",
        "memory_notes.tags",
        "session_records.session",
        "tool_calls.place",
        "tool_calls.query",
    ];
    assert_eq!(columns, wanted);
    let (of_names, texts): (Vec<SideText>, Vec<SideText>) = found.into_iter().partition(|it| it.is_name);
    let gone = |it: &SideText| SideTextRewrite {
        place: it.place.clone(),
        before: it.text.clone(),
        text: it.text.replace("quince", "[gone]"),
    };
    let rewrite = |side_texts: Vec<SideTextRewrite>| StoreRewrite { side_texts, ..StoreRewrite::default() };
    let of_name = store.rewrite_texts(rewrite(of_names.iter().map(gone).collect()), NOW).await;
    assert!(matches!(of_name, Err(Error::Conflict { .. })), "a name stays: {of_name:?}");
    let all: Vec<SideTextRewrite> = texts.iter().map(gone).collect();
    let stale = SideTextRewrite { before: "what it never said".to_owned(), ..all[0].clone() };
    let refused = store.rewrite_texts(rewrite([all.clone(), vec![stale]].concat()), NOW).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    let records = store.rewrite_texts(rewrite(all.clone()), NOW).await.expect("rewrites");
    assert_eq!(records.len(), all.len());
    let left = stores.second.side_texts().await.expect("reads");
    let left: Vec<&SideText> = left.iter().filter(|it| it.text.contains("quince")).collect();
    assert_eq!(left, of_names.iter().collect::<Vec<_>>());
    let kept = stores.second.load_memory(&memory.id()).await.expect("reads").expect("is there");
    assert_eq!(kept.tags, ["fig", "[gone]"]);
    assert_eq!(kept.metadata, [format!("{{\"context\":\"{}\"}}", secret.replace("quince", "[gone]"))]);
    check_proof(stores).await;
}

async fn a_conversation_goes_on_after_a_rewrite(stores: &StorePair) {
    stores.first.append_messages(build_append("c", vec![text_row_as("1", "quince")])).await.expect("appends");
    for text in ["[secret]", "[other]"] {
        let messages = vec![rewrite_of(&*stores.first, "c", 1, text).await];
        stores.first.rewrite_texts(StoreRewrite { messages, ..StoreRewrite::default() }, NOW).await.expect("rewrites");
        stores.second.append_messages(build_append("c", vec![text_row("goes on")])).await.expect("appends");
        check_chain(&*stores.first, "c").await;
        check_proof(stores).await;
    }
    assert_eq!(load_all(&*stores.first, "c").await.len(), 3);
    assert_eq!(stores.first.list_rewrites().await.expect("lists").len(), 2);
}
