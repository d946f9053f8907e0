//! Conformance tests that every store backend must pass, for facts of conversations, the job queue and grants to
//! expand summaries.

use super::folds::{LONG_LEASE, SHORT_LEASE, fill_conversation};
use super::sample::{ODD_TEXTS, build_append, conversation_id, project_id, text_row};
use super::{StoreCase, StorePair, cases};
use crate::{
    AppendBatch, ChargeOutcome, ConversationFacts, DatedFact, Error, ExpansionGrant, FactsBound, FactsRead, Fence,
    GrantRefusal, IntegrityMode, Job, JobEnd, JobId, JobTask, Lease, MessageWindow, NewFacts, NewJob, Store,
};
use futures::future::join_all;
use model::{
    ContentHash, Fact, FactId, FactKind, FactState, FoldTrigger, GrantId, MessageId, SummaryId, Timestamp, TokenCount,
};
use std::collections::BTreeSet;

cases! {
    facts_come_back_as_they_were_and_move_on,
    facts_read_by_other_rules_replace_those_before,
    whoever_reads_on_for_facts_is_alone,
    outdated_facts_are_those_of_other_rules_and_those_behind,
    facts_of_all_conversations_come_with_their_times,
    a_job_that_waits_is_asked_for_once,
    jobs_are_taken_in_order_and_by_one_worker,
    a_worker_that_lost_its_job_cannot_end_it,
    a_job_that_failed_is_due_again_or_given_up,
    a_grant_is_charged_up_to_its_cap_and_no_further,
    a_grant_ends_by_time_or_by_being_taken_back,
}

fn build_fact(kind: FactKind, subject: &str, state: FactState) -> Fact {
    let conversation = conversation_id("c");
    Fact {
        id: Fact::id_of(&conversation, kind, subject),
        conversation,
        kind,
        subject: subject.to_owned(),
        state,
        exit_code: None,
        seen_with: None,
        ended_by: None,
        times: 1,
        first_seq: 1,
        last_seq: 2,
        sources: vec![MessageId::from_hash(ContentHash::hash_bytes(subject.as_bytes()))],
    }
}

async fn write_facts(store: &dyn Store, before: (u64, u32), after: (u64, u32), facts: Vec<Fact>) -> Result<(), Error> {
    let read = |(to, rules)| FactsRead { to, rules };
    let new = NewFacts { conversation: conversation_id("c"), expected: read(before), read: read(after), facts };
    store.write_facts(new).await
}

async fn facts_come_back_as_they_were_and_move_on(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 5).await;
    let kinds = FactKind::ALL.iter().cycle().zip(FactState::ALL.iter().cycle());
    let mut facts: Vec<Fact> = kinds
        .zip(ODD_TEXTS)
        .zip(1..)
        .map(|(((kind, state), text), number)| Fact {
            exit_code: (number % 2 == 0).then_some(-number),
            seen_with: Some((*text).to_owned()),
            ended_by: (number % 3 == 0).then(|| (*text).to_owned()),
            times: u32::MAX,
            first_seq: number as u64,
            ..build_fact(kind.0, &format!("{text}{number}"), state.0)
        })
        .collect();
    write_facts(store, (0, 0), (4, 1), facts.clone()).await.expect("writes");
    let read = stores.second.facts_of(&conversation_id("c")).await.expect("reads");
    assert_eq!(read, facts);
    assert_eq!(store.load_fact(&facts[3].id).await.expect("reads"), Some(facts[3].clone()));
    assert_eq!(store.load_fact(&FactId::from_hash(ContentHash::hash_bytes(b"none"))).await.expect("reads"), None);
    facts[3].state = FactState::Dropped;
    facts[3].last_seq = 5;
    // Only the fact that changed is written; the others must stay.
    write_facts(store, (4, 1), (5, 1), vec![facts[3].clone()]).await.expect("writes");
    assert_eq!(stores.second.facts_of(&conversation_id("c")).await.expect("reads"), facts);
    let context = store.active_context(&conversation_id("c")).await.expect("reads");
    assert_eq!(context.facts, FactsRead { to: 5, rules: 1 });
}

async fn facts_read_by_other_rules_replace_those_before(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 5).await;
    let old = build_fact(FactKind::File, "a", FactState::Read);
    let new = build_fact(FactKind::File, "b", FactState::Edited);
    write_facts(store, (0, 0), (5, 1), vec![old]).await.expect("writes");
    // Reading starts over at 3, before the old end: facts of older rules would otherwise stay forever beside the new
    // ones.
    write_facts(store, (5, 1), (3, 2), vec![new.clone()]).await.expect("writes");
    assert_eq!(store.facts_of(&conversation_id("c")).await.expect("reads"), [new]);
}

async fn facts_of_all_conversations_come_with_their_times(stores: &StorePair) {
    let store = &*stores.first;
    for name in ["c", "never read"] {
        fill_conversation(store, name, 5).await;
    }
    let kinds = [FactKind::Decision, FactKind::Rule];
    assert_eq!(store.facts_of_kinds(&kinds).await.expect("reads"), []);
    let build = |kind, first_seq| Fact { first_seq, ..build_fact(kind, "it", FactState::Stated) };
    let [decision, rule, file] = [build(FactKind::Decision, 4), build(FactKind::Rule, 9), build(FactKind::File, 1)];
    write_facts(store, (0, 0), (5, 1), vec![decision.clone(), file, rule.clone()]).await.expect("writes");
    let window = MessageWindow::After { seq: 3, limit: 1 };
    let said = store.load_messages(&conversation_id("c"), window).await.expect("reads")[0].happened();
    let mut found = stores.second.facts_of_kinds(&kinds).await.expect("reads");
    found[0].facts.sort_by_key(|dated| dated.fact.first_seq);
    // The ninth message is not there, and what it said has no time.
    let facts = vec![DatedFact { fact: decision, at: Some(said) }, DatedFact { fact: rule, at: None }];
    let read = FactsRead { to: 5, rules: 1 };
    assert_eq!(found, [ConversationFacts { conversation: conversation_id("c"), read, facts }]);
    let none = ConversationFacts { conversation: conversation_id("c"), read, facts: Vec::new() };
    assert_eq!(store.facts_of_kinds(&[FactKind::Todo]).await.expect("reads"), [none]);
}

async fn whoever_reads_on_for_facts_is_alone(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 5).await;
    // Of two processes that read the same messages, the second would count each fact twice.
    let outcomes = join_all((0..10).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        let found = build_fact(FactKind::Todo, &number.to_string(), FactState::Open);
        write_facts(&**store, (0, 0), (5, 1), vec![found])
    }));
    let outcomes = outcomes.await;
    let refused = outcomes.iter().filter(|outcome| matches!(outcome, Err(Error::Conflict { .. }))).count();
    assert_eq!(refused, 9, "{outcomes:?}");
    assert_eq!(stores.first.facts_of(&conversation_id("c")).await.expect("reads").len(), 1);
}

async fn outdated_facts_are_those_of_other_rules_and_those_behind(stores: &StorePair) {
    let store = &*stores.first;
    // None of a project: nobody is told its facts at the beginning of a session.
    fill_conversation(store, "of none", 5).await;
    for (name, messages, now) in [("c", 5, 10), ("newer", 2, 30), ("older", 2, 20), ("empty", 0, 40)] {
        let rows = (0..messages).map(|number| text_row(&format!("{name} {number}"))).collect();
        let append = build_append(name, rows);
        store
            .append_messages(AppendBatch { project: Some(project_id("p")), now: Timestamp(now), ..append })
            .await
            .expect("appends");
    }
    let outdated = |rules, unread, limit| async move {
        stores.second.outdated_facts(FactsBound { rules, unread }, limit).await.expect("reads")
    };
    let [c, newer, older] = ["c", "newer", "older"].map(conversation_id);
    assert_eq!(outdated(1, 1_000, 9).await, [newer.clone(), older.clone(), c.clone()]);
    assert_eq!(outdated(1, 1_000, 2).await, [newer.clone(), older.clone()]);
    write_facts(store, (0, 0), (3, 1), Vec::new()).await.expect("writes");
    assert_eq!(outdated(1, 3, 9).await, [newer.clone(), older.clone()]);
    assert_eq!(outdated(1, 2, 9).await, [newer.clone(), older.clone(), c.clone()]);
    assert_eq!(outdated(2, 1_000, 9).await, [newer, older, c]);
}

fn build_job(work: JobTask, name: Option<&str>) -> NewJob {
    let at = Timestamp(10);
    NewJob { work, conversation: name.map(conversation_id), requested: at, not_before: at }
}

async fn take(store: &dyn Store, now: i64) -> Option<(Job, Lease)> {
    store.take_job(Timestamp(now), LONG_LEASE).await.expect("takes")
}

const COMPACT_TASK: JobTask = JobTask::Compact(FoldTrigger::Threshold);

async fn a_job_that_waits_is_asked_for_once(stores: &StorePair) {
    fill_conversation(&*stores.first, "c", 1).await;
    // For whatever reason it is asked: folding once serves all of them.
    let asked = join_all((0..8).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        let reason = FoldTrigger::ALL[number % 3].0;
        store.request_job(build_job(JobTask::Compact(reason), Some("c")))
    }));
    let asked: BTreeSet<JobId> = asked.await.into_iter().map(|job| job.expect("asks")).collect();
    assert_eq!(asked.len(), 1);
    let scan = build_job(JobTask::Integrity(IntegrityMode::ScanAndPlan), None);
    let other = stores.first.request_job(scan.clone()).await.expect("asks");
    assert_eq!(stores.second.request_job(scan).await.expect("asks"), other);
    // Once the job is begun, a later request is a new job.
    let (taken, _lease) = take(&*stores.first, 10).await.expect("it is due");
    assert!(asked.contains(&taken.id));
    assert_ne!(stores.first.request_job(build_job(COMPACT_TASK, Some("c"))).await.expect("asks"), taken.id);
    assert_eq!(stores.second.list_jobs().await.expect("reads").len(), 3);
    let nobody = stores.first.request_job(build_job(COMPACT_TASK, Some("nobody"))).await;
    assert!(matches!(nobody, Err(Error::NotFound { .. })));
}

async fn jobs_are_taken_in_order_and_by_one_worker(stores: &StorePair) {
    let names = ["a", "b", "c", "d", "e", "f"];
    let mut asked = Vec::new();
    for name in names {
        fill_conversation(&*stores.first, name, 1).await;
        asked.push(stores.first.request_job(build_job(COMPACT_TASK, Some(name))).await.expect("asks"));
    }
    assert!(take(&*stores.first, 9).await.is_none(), "not due yet");
    let (first, _lease) = take(&*stores.first, 10).await.expect("due");
    let work = first.work;
    let of = first.conversation.clone();
    assert_eq!((first.id, work, of, first.attempts), (asked[0], COMPACT_TASK, Some(conversation_id("a")), 1));
    let workers = (0..10).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        take(&**store, 10)
    });
    let mut held: Vec<(Job, Lease)> = join_all(workers).await.into_iter().flatten().collect();
    // Two at once may pass each other by and leave one for the next look.
    while let Some(job) = take(&*stores.first, 10).await {
        held.push(job);
    }
    let mut taken: Vec<JobId> = held.iter().map(|(job, _)| job.id).collect();
    taken.sort_unstable();
    assert_eq!(taken, asked[1..]);
}

async fn a_worker_that_lost_its_job_cannot_end_it(stores: &StorePair) {
    let store = &*stores.first;
    fill_conversation(store, "c", 1).await;
    let id = store.request_job(build_job(COMPACT_TASK, Some("c"))).await.expect("asks");
    let (slow, lease) = take(store, 10).await.expect("due");
    store.keep_job(id, slow.fence, SHORT_LEASE).await.expect("keeps");
    assert!(take(&*stores.second, 29).await.is_none(), "somebody has it");
    // Dropped and not renewed: this is what a worker that died looks like.
    drop(lease);
    tokio::time::sleep(SHORT_LEASE * 2).await;
    let (quick, _lease) = take(&*stores.second, 30).await.expect("its worker is dead");
    assert_eq!((quick.id, quick.attempts), (id, 2));
    assert!(quick.fence > slow.fence);
    let conflict = |outcome: Result<(), Error>| assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
    // The slow worker may be asleep, not dead; what it does after another took over must have no effect.
    conflict(store.keep_job(id, slow.fence, LONG_LEASE).await);
    conflict(store.end_job(id, slow.fence, JobEnd::Done).await);
    stores.second.end_job(id, quick.fence, JobEnd::Done).await.expect("ends");
    conflict(store.end_job(id, quick.fence, JobEnd::Done).await);
    assert_eq!(store.list_jobs().await.expect("reads"), []);
}

async fn a_job_that_failed_is_due_again_or_given_up(stores: &StorePair) {
    let store = &*stores.first;
    let id = store.request_job(build_job(JobTask::Integrity(IntegrityMode::Scan), None)).await.expect("asks");
    let (first, lease) = take(store, 10).await.expect("due");
    let failed = |again| JobEnd::Failed { why: "no \0 luck".to_owned(), again };
    store.end_job(id, first.fence, failed(Some(Timestamp(50)))).await.expect("ends");
    drop(lease);
    assert!(take(store, 49).await.is_none());
    let (again, lease) = take(store, 50).await.expect("due");
    assert_eq!((again.attempts, again.failure.as_deref(), again.is_taken), (2, Some("no \0 luck"), true));
    // Given up but still listed, so that the reason can be shown.
    store.end_job(id, again.fence, failed(None)).await.expect("ends");
    drop(lease);
    assert!(take(store, 9_999).await.is_none());
    let left = stores.second.list_jobs().await.expect("reads");
    assert_eq!((left.len(), left[0].given_up, left[0].fence), (1, true, Fence(2)));
}

fn build_grant(cap: u32) -> ExpansionGrant {
    ExpansionGrant {
        id: GrantId::from_hash(ContentHash::hash_bytes(&cap.to_le_bytes())),
        issuer: ODD_TEXTS.concat(),
        conversations: vec![conversation_id("c"), conversation_id("d")],
        summaries: vec![SummaryId::from_hash(ContentHash::hash_bytes(b"s"))],
        max_depth: 3,
        cap: TokenCount(cap),
        used: TokenCount(0),
        issued: Timestamp(1),
        expires: Timestamp(100),
        revoked: None,
    }
}

async fn a_grant_is_charged_up_to_its_cap_and_no_further(stores: &StorePair) {
    let grant = build_grant(100);
    stores.first.add_grant(grant.clone()).await.expect("adds");
    assert_eq!(stores.second.load_grant(&grant.id).await.expect("reads"), Some(grant.clone()));
    // 20 wishes of 9 tokens against 100: reading and then writing the sum would let more than 11 through.
    let wishes = (0..20).map(|number| {
        let store = if number % 2 == 0 { &stores.first } else { &stores.second };
        store.charge_grant(&grant.id, TokenCount(9), Timestamp(50))
    });
    let charged: Vec<ChargeOutcome> =
        join_all(wishes).await.into_iter().map(|charged| charged.expect("asks")).collect();
    let counted = charged.iter().filter(|charged| matches!(charged, ChargeOutcome::Counted { .. })).count();
    assert_eq!(counted, 11);
    assert!(charged.contains(&ChargeOutcome::Counted { left: TokenCount(1) }));
    assert!(charged.contains(&ChargeOutcome::Refused(GrantRefusal::Spent { left: TokenCount(1) })));
    assert_eq!(stores.first.load_grant(&grant.id).await.expect("reads").map(|grant| grant.used), Some(TokenCount(99)));
}

async fn a_grant_ends_by_time_or_by_being_taken_back(stores: &StorePair) {
    let one = build_grant(100);
    let two = build_grant(200);
    let store = &*stores.first;
    let none = GrantId::from_hash(ContentHash::hash_bytes(b"none"));
    for grant in [&one, &two] {
        store.add_grant(grant.clone()).await.expect("adds");
        assert_eq!(
            store.charge_grant(&grant.id, TokenCount(1), Timestamp(99)).await.expect("asks"),
            ChargeOutcome::Counted { left: TokenCount(grant.cap.0 - 1) }
        );
    }
    let ask =
        |id: GrantId, now| async move { store.charge_grant(&id, TokenCount(1), Timestamp(now)).await.expect("asks") };
    assert_eq!(ask(one.id.clone(), 100).await, ChargeOutcome::Refused(GrantRefusal::Expired));
    stores.second.revoke_grant(&two.id, Timestamp(60)).await.expect("takes it back");
    // The first time counts: it says until when the grant was usable.
    stores.second.revoke_grant(&two.id, Timestamp(70)).await.expect("again");
    assert_eq!(ask(two.id.clone(), 61).await, ChargeOutcome::Refused(GrantRefusal::Revoked));
    assert_eq!(store.load_grant(&two.id).await.expect("reads").and_then(|grant| grant.revoked), Some(Timestamp(60)));
    assert_eq!(ask(none.clone(), 1).await, ChargeOutcome::Refused(GrantRefusal::Unknown));
    assert!(matches!(store.revoke_grant(&none, Timestamp(1)).await, Err(Error::NotFound { .. })));
    assert_eq!(store.load_grant(&none).await.expect("reads"), None);
}
