//! Tests of the background job queue: compaction jobs are queued once, taken over from silent workers, retried with a
//! growing pause and given up; integrity jobs find no problem.

use super::house;
use crate::base::NullObserver;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{JobOutcome, MemorySettings};
use model::TokenCount;
use std::time::Duration;
use store::IntegrityMode;

fn pressed() -> MemorySettings {
    MemorySettings {
        context_tokens: TokenCount(20_000),
        leaf_chunk_tokens: TokenCount(4_000),
        ..MemorySettings::default()
    }
}

#[tokio::test]
async fn what_holds_too_much_is_folded_once() {
    let house = house(pressed());
    house.told("large", &generate_conversation(1, 40_000)).await;
    house.told("small", &generate_conversation(2, 5_000)).await;
    assert_eq!(house.engine.request_folding().await.expect("looks"), 1);
    assert_eq!(house.engine.request_folding().await.expect("looks"), 1, "the same job");
    let worked = house.engine.run_next_job(&NullObserver).await.expect("works");
    let Some(JobOutcome::Compacted(run)) = worked else { panic!("{worked:?}") };
    assert_eq!(run.name, "large");
    assert!(run.tokens_after < 15_000, "{}", run.tokens_after);
    assert!(house.engine.run_next_job(&NullObserver).await.expect("works").is_none());
    assert_eq!(house.engine.request_folding().await.expect("looks"), 0);
}

#[tokio::test]
async fn what_cannot_get_below_is_not_tried_again_before_something_new_is_said() {
    let house = house(MemorySettings { context_tokens: TokenCount(1_000), ..pressed() });
    house.told("c", &generate_conversation(3, 20_000)).await;
    assert_eq!(house.engine.request_folding().await.expect("looks"), 1);
    house.engine.run_next_job(&NullObserver).await.expect("works");
    assert_eq!(house.engine.request_folding().await.expect("looks"), 0);
    house.told("c", &generate_conversation(4, 1_000)).await;
    assert_eq!(house.engine.request_folding().await.expect("looks"), 1);
}

#[tokio::test]
async fn a_job_whose_worker_fell_silent_is_taken_over() {
    let house = house(pressed());
    house.told("c", &generate_conversation(5, 40_000)).await;
    house.engine.request_folding().await.expect("looks");
    let now = crate::base::Clock::now(&*house.clock);
    let lasts = Duration::from_mins(2);
    let (silent, job_lease) = house.engine.store.take_job(now, lasts).await.expect("takes").expect("it is due");
    let context_lease = house.engine.store.lease_context(&crate::memory::conversation_id("c"), lasts).await;
    let context_lease = context_lease.expect("asks").taken().expect("nobody has it");
    assert!(house.engine.run_next_job(&NullObserver).await.expect("works").is_none(), "somebody has it");
    // What a process that is killed leaves behind: rows that say it is at work, and no lock.
    drop((job_lease, context_lease));
    let worked = house.engine.run_next_job(&NullObserver).await.expect("works");
    assert!(matches!(worked, Some(JobOutcome::Compacted(_))), "{worked:?}");
    let late = house.engine.store.end_job(silent.id, silent.fence, store::JobEnd::Done).await;
    assert!(matches!(late, Err(store::Error::Conflict { .. })), "{late:?}");
    house.sound("c").await;
}

#[tokio::test]
async fn a_job_that_fails_waits_longer_each_time_and_is_given_up() {
    let house = house(pressed());
    house.told("c", &generate_conversation(6, 40_000)).await;
    house.engine.request_folding().await.expect("looks");
    let mut attempts = 0;
    // Another process holds the lease of the context all the time.
    let id = crate::memory::conversation_id("c");
    let _lease = house.engine.store.lease_context(&id, Duration::from_mins(1)).await.expect("asks").taken();
    for _ in 0..400 {
        if let Some(worked) = house.engine.run_next_job(&NullObserver).await.expect("works") {
            assert!(matches!(worked, JobOutcome::Failed { .. }), "{worked:?}");
            attempts += 1;
        }
        house.clock.forward(Duration::from_secs(10));
    }
    assert_eq!(attempts, 5);
    let jobs = house.engine.store.list_jobs().await.expect("reads");
    assert!(jobs.len() == 1 && jobs[0].given_up && jobs[0].failure.is_some(), "{jobs:?}");
}

#[tokio::test]
async fn a_look_finds_nothing_in_what_we_folded() {
    let house = house(pressed());
    for seed in 0..3 {
        house.told(&seed.to_string(), &generate_conversation(seed, 20_000)).await;
        house.sweep(&seed.to_string()).await;
    }
    house.engine.request_look(IntegrityMode::ScanAndPlan, Duration::from_mins(1)).await.expect("asks");
    assert!(house.engine.run_next_job(&NullObserver).await.expect("works").is_none(), "not due yet");
    house.clock.forward(Duration::from_mins(1));
    let worked = house.engine.run_next_job(&NullObserver).await.expect("works");
    let Some(JobOutcome::Checked(report)) = worked else { panic!("{worked:?}") };
    assert_eq!((report.conversations, report.problems, report.planned), (3, vec![], true));
    assert!(report.summaries > 10);
}
