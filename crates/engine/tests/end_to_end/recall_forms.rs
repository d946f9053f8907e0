//! What recall does beside ranking messages: exchanges, openers, dates that are told, several questions at once, decisions,
//! standing rules, threads, and answers that no word leads to.

use super::house::{House, engine_in, house};
use engine::RecallReport;
use model::FactKind;
use providers::vendors::builtin::BuiltinEmbedder;
use std::sync::Arc;

impl House {
    async fn recall_best(&self, query: &str, limit: u32) -> RecallReport {
        let change = |request: &mut engine::RecallRequest| {
            query.clone_into(&mut request.query);
            request.limit = limit;
        };
        self.asked(change).await
    }
}

fn places(reply: &RecallReport) -> Vec<String> {
    reply.results.iter().map(|result| format!("{}#{}", result.conversation, result.message.seq)).collect()
}

const NOISE: &[&str] = &[
    "user |  | Please fix the CSV export.",
    "assistant |  | The CSV export used the wrong column, it is fixed.",
    "user |  | Can you look at the CSV export?",
    "assistant |  | I changed the CSV export and the tests pass.",
];

#[tokio::test]
async fn a_question_for_a_decision_finds_the_statement_and_says_whether_it_holds() {
    let house = house(&[]);
    house.say("noise", NOISE).await;
    house
        .say(
            "export",
            &[
                "user |  | What about the CSV export? We decided to use semicolons. Keep that in mind.",
                "assistant |  | Understood.",
            ],
        )
        .await;
    let reply = house.recall_best("what did we decide about the CSV export?", 3).await;
    let first = &reply.results[0];
    assert!(first.text.contains("semicolons"), "{:?}", places(&reply));
    let fact = first.fact.as_ref().expect("it states a decision");
    assert_eq!((fact.kind, fact.holds()), (FactKind::Decision, true));
    assert!(first.why.ends_with(&format!("a decision ({}), which still holds", fact.id)), "{}", first.why);
    assert!(first.parts.decision > 0.0);
    // A question that asks for something else reads no facts.
    let reply = house.recall_best("which separator has the CSV export?", 3).await;
    assert!(reply.results.iter().all(|result| result.fact.is_none() && result.parts.decision == 0.0));
}

#[tokio::test]
async fn a_reply_lifts_the_turn_it_answers_and_is_shown_with_it() {
    let house = house(&[]);
    house
        .say("work", &[
            "user |  | The nightly build is red again.",
            "assistant |  | The certificate of the mirror expired, so the nightly build could not fetch crates. I renewed the certificate.",
            "user |  | Thanks, and the lamp on my desk flickers.",
            "assistant |  | That is beyond me.",
        ])
        .await;
    let reply = house.recall_best("certificate of the nightly build", 4).await;
    let turn = reply.results.iter().find(|result| result.message.seq == 1).expect("the turn");
    assert!(turn.parts.reply > 0.0, "{:?}", turn.parts);
    // The reply is a result itself here; as a neighbour it would be told twice.
    assert!(places(&reply).contains(&"work#2".to_owned()));
    let alone = house.recall_best("certificate of the nightly build", 1).await;
    let shown = &alone.results[0];
    let beside: Vec<u64> = shown.neighbours.iter().map(|beside| beside.message.seq).collect();
    assert!(shown.message.seq == 2 || beside.contains(&2), "{beside:?}");
}

#[tokio::test]
async fn the_first_message_of_a_session_gains_from_the_best_of_it() {
    let house = house(&[]);
    house
        .say(
            "talk",
            &[
                "Ann | 3 March 2025 | Let us plan the garden party.",
                "Bob | 3 March 2025 | The marquee for the garden costs ninety euros.",
                "Ann | 9 March 2025 | My garden is a mess.",
            ],
        )
        .await;
    let reply = house.recall_best("marquee garden", 3).await;
    let opener = reply.results.iter().find(|result| result.message.seq == 1).expect("the opener");
    assert!(opener.parts.opener > 0.0);
    // The only message of its session opens nothing.
    let single = reply.results.iter().find(|result| result.message.seq == 3).expect("the other session");
    assert!(single.parts.opener <= 0.0);
}

#[tokio::test]
async fn a_day_is_found_by_what_a_message_tells_of_it() {
    let house = house(&[]);
    house
        .say(
            "talk",
            &[
                "Ann | 12 March 2025 | Yesterday I repaired the bicycle.",
                "Ann | 11 March 2025 | I looked at the bicycle and left it.",
                "Ann | 12 March 2025 | The bicycle needs oil.",
            ],
        )
        .await;
    let reply = house.recall_best("What did she do with the bicycle on 11 March 2025?", 3).await;
    let told = |seq: u64| reply.results.iter().find(|result| result.message.seq == seq).map(|result| result.parts.time);
    assert!(told(1) > told(3), "{:?} {:?}", told(1), told(3));
    let reply = house.recall_best("When was the bicycle repaired?", 3).await;
    let moments: Vec<(u64, bool)> =
        reply.results.iter().map(|result| (result.message.seq, result.parts.moment > 0.0)).collect();
    assert!(moments.contains(&(1, true)) && moments.contains(&(3, false)), "{moments:?}");
}

#[tokio::test]
async fn several_questions_are_looked_for_one_by_one() {
    let house = house(&[]);
    house
        .say(
            "work",
            &[
                "user |  | The retry limit of the uploader is five.",
                "user |  | The retry limit of the mailer is nine, the retry limit is high.",
                "user |  | The retry limit of the crawler is two, says the retry limit test.",
                "user |  | Backups belong to Maria.",
            ],
        )
        .await;
    let reply = house.recall_best("what is the retry limit of the uploader and who keeps backups for Maria", 2).await;
    let mut found = places(&reply);
    found.sort();
    assert_eq!(found, ["work#1", "work#4"]);
}

#[tokio::test]
async fn rules_that_concern_a_question_stand_apart() {
    let mut house = house(&[]);
    house.engine = engine_in(house.directory.path()).with_embedder(Arc::new(BuiltinEmbedder));
    let mut said = vec!["user |  | Always format dates as day, month, year when I ask for a deadline."];
    said.extend([
        "user |  | The deadline of the report is in May.",
        "user |  | The report goes to the board, and the report has ten pages.",
        "assistant |  | I wrote the first page of the report.",
        "user |  | The report needs a cover, the cover of the report is blue.",
        "assistant |  | The tests of the parser pass.",
        "user |  | The kitchen is closed today.",
    ]);
    house.say("work", &said).await;
    let reply = house.recall_best("when is the deadline of the report", 1).await;
    assert_eq!(places(&reply), ["work#2"]);
    assert_eq!(reply.rules.iter().map(|rule| rule.message.seq).collect::<Vec<_>>(), [1]);
    // Where it is a result itself, it is not told twice.
    let reply = house.recall_best("when is the deadline of the report", 7).await;
    assert!(places(&reply).contains(&"work#1".to_owned()) && reply.rules.is_empty());
    // A question that has nothing to do with it does not bring it.
    let reply = house.recall_best("is the kitchen closed", 1).await;
    assert!(reply.rules.is_empty(), "{:?}", reply.rules);
}

#[tokio::test]
async fn an_order_is_answered_with_a_thread() {
    let house = house(&[]);
    house.say("noise", NOISE).await;
    house
        .say(
            "release",
            &[
                "user |  | First the release gets a changelog.",
                "assistant |  | Done, the release has one.",
                "user |  | The weather is bad.",
                "user |  | Then the release is signed.",
                "user |  | Last the release is announced.",
            ],
        )
        .await;
    let reply = house.recall_best("In what order did the release happen?", 1).await;
    let thread = reply.thread.expect("a thread");
    assert_eq!(thread.conversation, "release");
    let steps: Vec<u64> = thread.steps.iter().map(|step| step.message.seq).collect();
    assert!(steps.is_sorted() && steps.starts_with(&[1]) && steps.ends_with(&[5]), "{steps:?}");
    assert!(house.recall_best("who signs the release", 1).await.thread.is_none());
    // Within a budget the thread shrinks, and never exceeds it.
    let reply = house
        .asked(|request| {
            "In what order did the release happen?".clone_into(&mut request.query);
            request.limit = 1;
            request.budget = Some(model::TokenCount(130));
        })
        .await;
    let thread = reply.thread.map_or_else(String::new, |thread| thread.render_text());
    assert!((model::count_tokens(&thread) + reply.tokens).0 <= 130, "{thread}");
}

#[tokio::test]
async fn the_newest_state_is_told_as_a_thread() {
    let house = house(&[]);
    house.say("work", NOISE).await;
    let reply = house.recall_best("I'm back, what is next?", 1).await;
    // No word of it was said, and the thread is the answer: nothing that is only near stands beside it.
    assert!(reply.results.is_empty() && reply.degraded.is_empty() && !reply.is_only_near);
    let steps: Vec<u64> = reply.thread.expect("the newest state").steps.iter().map(|step| step.message.seq).collect();
    assert_eq!(steps, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_message_that_only_asks_is_no_answer() {
    let house = house(&[]);
    house
        .say(
            "work",
            &[
                "user |  | Which port does the proxy use?",
                "assistant |  | It is 8443 for the proxy.",
                "user |  | Why does the proxy listen on that port?",
                "user |  | Can you let the proxy write a log?",
            ],
        )
        .await;
    let reply = house.recall_best("the port of the proxy", 5).await;
    assert_eq!((places(&reply), reply.unanswering), (vec!["work#2".to_owned(), "work#4".to_owned()], 2));
    let reply = house.recall_best("what did I ask about the port of the proxy?", 5).await;
    assert!(places(&reply).contains(&"work#3".to_owned()), "{:?}", places(&reply));
}

#[tokio::test]
async fn an_answer_that_is_only_near_in_meaning_says_so() {
    let mut house = house(&[]);
    house.engine = engine_in(house.directory.path()).with_embedder(Arc::new(BuiltinEmbedder));
    house
        .say(
            "talk",
            &["Ann |  | I twisted my ankle, no hiking for me.", "Ann |  | I twisted my ankle: no hiking for me!"],
        )
        .await;
    let reply = house.recall_best("injured leg", 5).await;
    assert!(reply.is_only_near);
    assert_eq!(reply.degraded, ["no word of the question was said; these are only near in meaning"]);
    // The same words are told once, whatever led to them.
    assert_eq!((reply.results.len(), reply.repeated), (1, 1));
    let reply = house.recall_best("the ankle", 5).await;
    assert!(!reply.is_only_near && reply.degraded.is_empty());
}

#[tokio::test]
async fn many_messages_are_indexed_behind_their_ingest() {
    let house = house(&[]);
    let lines: Vec<String> = (0..300).map(|number| format!("user |  | Line {number} of the log.")).collect();
    house.say("log", &lines.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert!(house.engine.prepare_recall().await.expect("indexes"));
    // Nothing is left to do.
    assert!(!house.engine.prepare_recall().await.expect("looks"));
    assert_eq!(house.recall_best("line 217", 1).await.results[0].message.seq, 218);
}
