//! Conformance tests that every store backend must pass, for `RecordStore`: records of sessions, and what happened to them.

use super::sample::{ODD_TEXTS, project_id};
use super::{StoreCase, StorePair, cases};
use crate::{Error, RecordBatch, RecordFilter};
use model::{NewRecord, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord, Timestamp};

cases![
    records_come_back_with_all_that_is_noted_about_them,
    the_same_record_is_there_once,
    records_are_chosen_by_kind_project_session_and_age,
    a_note_about_an_unknown_record_is_refused_with_all_that_came_with_it,
    any_words_of_records_come_back_as_they_were,
    two_writers_of_one_record_lose_nothing,
];

pub(super) fn new_record(kind: RecordKind, session: &str, content: &str, at: i64) -> NewRecord {
    let content = content.to_owned();
    let (project, session) = (project_id("p"), session.to_owned());
    NewRecord { kind, project, session, step: 2, about: None, content, created: Timestamp(at) }
}

fn note(at: i64, event: RecordEvent) -> RecordNote {
    RecordNote { at: Timestamp(at), event }
}

async fn write(stores: &StorePair, records: Vec<NewRecord>, notes: Vec<(RecordId, RecordNote)>) {
    stores.first.write_records(RecordBatch { records, notes }).await.expect("writes");
}

async fn load(stores: &StorePair, filter: RecordFilter) -> Vec<SessionRecord> {
    stores.second.load_session_records(filter).await.expect("reads")
}

async fn records_come_back_with_all_that_is_noted_about_them(stores: &StorePair) {
    let subscription = new_record(RecordKind::Subscription, "s", "{\"value\":\"src/**\"}", 5);
    let about = Some(subscription.id());
    let suggestion = NewRecord { about, ..new_record(RecordKind::Suggestion, "s", "{}", i64::MIN) };
    let events = RecordEvent::ALL.iter().map(|(event, _)| *event);
    let notes: Vec<_> = events.map(|event| (suggestion.id(), note(9, event))).collect();
    write(stores, vec![subscription.clone(), suggestion.clone()], notes.clone()).await;
    let found = stores.second.load_session_record(&suggestion.id()).await.expect("reads").expect("it is there");
    assert_eq!((&found.body, found.is_intact()), (&suggestion, true));
    assert_eq!(found.notes, notes.into_iter().map(|(_, note)| note).collect::<Vec<_>>());
    let other = stores.second.load_session_record(&subscription.id()).await.expect("reads").expect("it is there");
    assert!(other.notes.is_empty() && other.number < found.number);
    let unknown = new_record(RecordKind::Checkpoint, "s", "nothing of the kind", 1).id();
    assert_eq!(stores.second.load_session_record(&unknown).await.expect("reads"), None);
}

async fn the_same_record_is_there_once(stores: &StorePair) {
    let record = new_record(RecordKind::Checkpoint, "s", "{}", 5);
    write(stores, vec![record.clone(), record.clone()], Vec::new()).await;
    write(stores, vec![record.clone()], vec![(record.id(), note(6, RecordEvent::Dropped))]).await;
    let found = load(stores, RecordFilter::default()).await;
    assert_eq!(found.iter().map(|it| it.notes.len()).collect::<Vec<_>>(), [1]);
}

async fn records_are_chosen_by_kind_project_session_and_age(stores: &StorePair) {
    let records = [
        new_record(RecordKind::Checkpoint, "s", "one", 1),
        new_record(RecordKind::Checkpoint, "s", "two", 1),
        new_record(RecordKind::Checkpoint, "t", "three", 1),
        new_record(RecordKind::Suggestion, "s", "four", 1),
        NewRecord { project: project_id("q"), ..new_record(RecordKind::Checkpoint, "s", "five", 1) },
    ];
    write(stores, records.to_vec(), Vec::new()).await;
    let told = async |filter| {
        let found = load(stores, filter).await;
        found.into_iter().map(|record| record.body.content).collect::<Vec<_>>().join(" ")
    };
    let of = RecordFilter::default;
    assert_eq!(told(of()).await, "one two three four five");
    assert_eq!(told(RecordFilter { kind: Some(RecordKind::Suggestion), ..of() }).await, "four");
    assert_eq!(told(RecordFilter { project: Some(project_id("p")), ..of() }).await, "one two three four");
    assert_eq!(told(RecordFilter { session: Some("s".to_owned()), ..of() }).await, "one two four five");
    assert_eq!(told(RecordFilter { newest: Some(2), ..of() }).await, "four five");
    let kind = Some(RecordKind::Checkpoint);
    let (project, session) = (Some(project_id("p")), Some("s".to_owned()));
    assert_eq!(told(RecordFilter { kind, project, session, newest: Some(1) }).await, "two");
    assert_eq!(told(RecordFilter { session: Some("nobody".to_owned()), ..of() }).await, "");
}

async fn a_note_about_an_unknown_record_is_refused_with_all_that_came_with_it(stores: &StorePair) {
    let record = new_record(RecordKind::Checkpoint, "s", "known", 1);
    let unknown = new_record(RecordKind::Checkpoint, "s", "unknown", 1).id();
    let notes = vec![(unknown.clone(), note(2, RecordEvent::Dropped))];
    let refused = stores.first.write_records(RecordBatch { records: vec![record], notes }).await;
    let Err(Error::NotFound { what: "record", id }) = refused else { panic!("{refused:?}") };
    assert_eq!(id, unknown.as_str());
    assert_eq!(load(stores, RecordFilter::default()).await, []);
}

async fn any_words_of_records_come_back_as_they_were(stores: &StorePair) {
    let records: Vec<NewRecord> =
        ODD_TEXTS.iter().map(|text| new_record(RecordKind::Checkpoint, text, text, i64::MAX)).collect();
    write(stores, records.clone(), Vec::new()).await;
    let found = load(stores, RecordFilter::default()).await;
    assert_eq!(found.iter().map(|record| &record.body).collect::<Vec<_>>(), records.iter().collect::<Vec<_>>());
    assert!(found.iter().all(SessionRecord::is_intact));
    for record in records {
        let of_session = load(stores, RecordFilter { session: Some(record.session), ..RecordFilter::default() }).await;
        assert_eq!(of_session.len(), 1);
    }
}

async fn two_writers_of_one_record_lose_nothing(stores: &StorePair) {
    let record = new_record(RecordKind::Suggestion, "s", "{}", 1);
    let batch = |at: i64| RecordBatch {
        records: vec![record.clone(), new_record(RecordKind::Suggestion, "s", &at.to_string(), 1)],
        notes: vec![(record.id(), note(at, RecordEvent::Delivered))],
    };
    let writes = (1..=20).map(|at| {
        let store = if at % 2 == 0 { &stores.first } else { &stores.second };
        store.write_records(batch(at))
    });
    for written in futures::future::join_all(writes).await {
        written.expect("writes");
    }
    let found = load(stores, RecordFilter::default()).await;
    assert_eq!((found.len(), found[0].notes.len()), (21, 20));
}
