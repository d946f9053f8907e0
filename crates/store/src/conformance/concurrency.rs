//! Conformance tests that every store backend must pass, for concurrent callers, some of them on another handle of the
//! same database.

use super::code::open_worktree;
use super::sample::{
    build_append, build_batch, build_version, conversation_id, expect_ack, project_id, text_row, text_row_as,
};
use super::{StoreCase, StorePair, cases};
use crate::{AppendOutcome, Error, FileId, FileStamp, MessageWindow, Store, UnitId};
use futures::future::{join_all, try_join_all};
use model::ChainHash;
use std::collections::BTreeSet;

cases! {
    appends_to_one_conversation_stay_gapless,
    an_id_appended_by_many_is_stored_once,
    conversations_do_not_disturb_each_other,
    a_reader_sees_whole_appends_only,
    a_change_that_fails_takes_no_other_with_it,
    batches_of_one_project_never_share_a_unit,
    a_worktree_opened_by_many_is_one,
}

fn store_for(stores: &StorePair, caller: usize) -> &dyn Store {
    if caller.is_multiple_of(2) { &*stores.first } else { &*stores.second }
}

async fn appends_to_one_conversation_stay_gapless(stores: &StorePair) {
    let callers = 24;
    let answers = try_join_all((0..callers).map(|caller| {
        let rows = (0..3).map(|number| text_row(&format!("{caller}/{number}"))).collect();
        store_for(stores, caller).append_messages(build_append("c", rows))
    }));
    let answers = answers.await.expect("appends");
    let mut seqs: Vec<u64> = Vec::new();
    for answer in &answers {
        let own: Vec<u64> = answer.iter().map(|appended| expect_ack(appended).seq).collect();
        assert_eq!(own, [own[0], own[0] + 1, own[0] + 2], "one append stays together");
        seqs.extend(own);
    }
    seqs.sort_unstable();
    assert_eq!(seqs, (1..=3 * callers as u64).collect::<Vec<_>>());

    let messages = stores.first.load_messages(&conversation_id("c"), MessageWindow::Last(1_000)).await.expect("reads");
    let mut hash = ChainHash::for_conversation(&conversation_id("c"));
    for message in &messages {
        hash = hash.next_link(message.seq, message.body.content_hash());
        assert_eq!(message.hash, hash);
    }
    let texts: BTreeSet<_> = messages.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts.len(), 3 * callers);
    let found = stores.second.load_conversation(&conversation_id("c")).await.expect("reads").expect("it was made");
    assert_eq!((found.messages, found.head), (3 * callers as u64, hash));
}

async fn an_id_appended_by_many_is_stored_once(stores: &StorePair) {
    let answers = try_join_all((0..16).map(|caller| {
        store_for(stores, caller)
            .append_messages(build_append("c", vec![text_row_as("x", "hi"), text_row_as("y", "ho")]))
    }));
    let answers = answers.await.expect("appends").concat();
    let new = answers.iter().filter(|appended| matches!(appended, AppendOutcome::New(_))).count();
    let acks: BTreeSet<u64> = answers.iter().map(|appended| expect_ack(appended).seq).collect();
    assert_eq!((new, acks), (2, BTreeSet::from([1, 2])));
    assert_eq!(stores.first.memory_totals().await.expect("reads").messages, 2);
}

async fn conversations_do_not_disturb_each_other(stores: &StorePair) {
    let done = try_join_all((0..24).map(|caller| {
        let name = format!("c{}", caller % 6);
        store_for(stores, caller).append_messages(build_append(&name, vec![text_row("hi"), text_row("ho")]))
    }));
    done.await.expect("appends");
    let found = stores.first.list_conversations().await.expect("reads");
    assert_eq!(found.iter().map(|conversation| conversation.messages).collect::<Vec<_>>(), [8; 6]);
}

async fn a_reader_sees_whole_appends_only(stores: &StorePair) {
    let write = async {
        for _ in 0..30 {
            let rows = (0..5).map(|_| text_row("hi")).collect();
            stores.first.append_messages(build_append("c", rows)).await.expect("appends");
        }
    };
    let read = async {
        let mut seen = 0;
        while seen < 150 {
            let found = stores
                .second
                .load_messages(&conversation_id("c"), MessageWindow::Last(1_000))
                .await
                .expect("reads")
                .len();
            assert!(found.is_multiple_of(5) && found >= seen, "{found} after {seen}");
            seen = found;
        }
    };
    futures::join!(write, read);
}

/// Half of the batches link a version that does not exist. They fail, and no other batch fails with them.
async fn a_change_that_fails_takes_no_other_with_it(stores: &StorePair) {
    let worktree = open_worktree(&*stores.first, "p", "/one").await;
    let outcomes = join_all((0..20).map(|caller| {
        let mut batch = build_batch(vec![build_version(&format!("{caller}.rs"), "x", 1)], &["t"]);
        if caller % 2 == 1 {
            batch.known = vec![("gone.rs".to_owned(), FileId(i64::MAX), FileStamp { bytes: 0, modified: 0 })];
        }
        store_for(stores, caller / 2).write_files(&worktree, batch)
    }));
    for (caller, outcome) in outcomes.await.into_iter().enumerate() {
        let refused = matches!(outcome, Err(Error::NotFound { what: "file version", .. }));
        assert_eq!((outcome.is_err(), refused), (caller % 2 == 1, caller % 2 == 1), "{outcome:?}");
    }
    assert_eq!(stores.first.worktree_files(&worktree).await.expect("reads").len(), 10);
    assert_eq!(stores.first.load_segments(&worktree).await.expect("reads").len(), 10);
}

async fn batches_of_one_project_never_share_a_unit(stores: &StorePair) {
    let one = open_worktree(&*stores.first, "p", "/one").await;
    let two = open_worktree(&*stores.first, "p", "/two").await;
    let done = try_join_all((0..16).map(|caller| {
        let versions = vec![build_version(&format!("{caller}.rs"), "x", 3), build_version("same.rs", "x", 2)];
        store_for(stores, caller).write_files(if caller % 4 < 2 { &one } else { &two }, build_batch(versions, &["t"]))
    }));
    done.await.expect("writes");
    let segments = stores.second.load_segments(&one).await.expect("reads");
    let mut next = 0;
    for segment in &segments {
        assert_eq!((segment.first_unit, segment.units), (UnitId(next), 5));
        next += 5;
    }
    assert_eq!(segments.len(), 16);
    let numbers: Vec<i64> = segments.iter().map(|segment| segment.number).collect();
    assert_eq!(stores.first.segment_files(&one, &numbers).await.expect("reads").len(), 16 + 1);
}

async fn a_worktree_opened_by_many_is_one(stores: &StorePair) {
    let project = project_id("p");
    let opened = try_join_all((0..16).map(|caller| store_for(stores, caller).open_worktree(&project, "/one")));
    let numbers: BTreeSet<i64> = opened.await.expect("opens").iter().map(|worktree| worktree.id.number).collect();
    assert_eq!(numbers.len(), 1);
}
