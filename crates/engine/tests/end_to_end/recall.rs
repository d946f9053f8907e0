//! Recall, end to end on the embedded store: questions about conversations, and segments that keep up with them.

use super::house::{House, engine_in};
use engine::{IngestRequest, Project, RecallReport, RecallRequest, RecallScope};
use expect_test::{Expect, expect};
use model::{EventTime, MessagePart, MessageRole, NewMessage, Timestamp, TokenCount, count_tokens};
use providers::vendors::builtin::BuiltinEmbedder;
use std::sync::Arc;

fn house() -> House {
    super::house::house(&[])
}

/// `role or Speaker | day | text`
fn message(line: &str) -> NewMessage {
    let mut fields = line.splitn(3, " | ");
    let mut field = || fields.next().unwrap_or_default().trim();
    let who = field();
    let day = field();
    let text = field();
    NewMessage {
        external_id: None,
        role: MessageRole::parse(who).unwrap_or(MessageRole::User),
        speaker: MessageRole::parse(who).is_none().then(|| who.to_owned()),
        session: (!day.is_empty()).then(|| day.to_owned()),
        at: (!day.is_empty()).then(|| EventTime { text: day.to_owned(), instant: None }),
        metadata: None,
        parts: vec![MessagePart::Text { text: text.to_owned() }],
        part_marks: model::PartMarks::default(),
    }
}

/// Two friends, over a few weeks.
const CHAT: &[&str] = &[
    "Mara | 3 March 2025 | Guess what, I finally signed up for the pottery class on Elm Street!",
    "Theo | 3 March 2025 | No way! Which evenings do you go?",
    "Mara | 3 March 2025 | Tuesdays and Thursdays. My first bowl came out lopsided.",
    "Theo | 3 March 2025 | Mine would explode in the kiln. How is the new puppy?",
    "Mara | 3 March 2025 | Biscuit chewed through my headphones, so there is that.",
    "Theo | 17 March 2025 | I got the job at the observatory, starting in June.",
    "Mara | 17 March 2025 | Congratulations! Are you moving closer to work?",
    "Theo | 17 March 2025 | Yes, a flat above a bakery. It smells of cinnamon all day.",
    "Mara | 17 March 2025 | I sold two vases at the spring market.",
    "Theo | 2 April 2025 | My sister visited and we hiked to the waterfall.",
    "Mara | 2 April 2025 | Lovely. I twisted my ankle, no hiking for me until summer.",
];

/// A person and a coding agent.
const WORK: &[&str] = &[
    "user |  | The login page throws when the session cookie is missing. Can you look at parse_session_header?",
    "assistant |  | `parse_session_header` unwraps the cookie. I will return `SessionError::MissingCookie` instead.",
    "tool |  | error[E0599]: no variant named `MissingCookie` found for enum `SessionError`",
    "assistant |  | I added the variant and a test, all 41 tests pass now.",
    "user |  | Always run clippy before you say that something is done.",
    "assistant |  | Understood: clippy first. It reports nothing.",
    "user |  | 数据库连接池的大小是多少？",
    "assistant |  | The connection pool holds 16 connections, set by `database.pool_size`.",
];

impl House {
    pub(super) async fn say(&self, conversation: &str, lines: &[&str]) {
        let messages = lines.iter().map(|line| message(line)).collect();
        let request =
            IngestRequest { conversation: conversation.to_owned(), project: Some(self.project.clone()), messages };
        self.engine.ingest_messages(request).await.expect("stores");
    }

    pub(super) async fn asked(&self, change: impl FnOnce(&mut RecallRequest)) -> RecallReport {
        let mut request = RecallRequest {
            query: String::new(),
            scope: RecallScope::Everywhere,
            role: None,
            since: None,
            until: None,
            limit: 3,
            budget: None,
            initiative: engine::CallInitiative::Background,
        };
        change(&mut request);
        self.engine.recall_messages(&self.project, request).await.expect("an answer")
    }

    async fn recalls(&self, query: &str, expected: Expect) {
        let reply = self.asked(|request| query.clone_into(&mut request.query)).await;
        expected.assert_eq(&told(&reply));
    }

    /// Forgets nothing: another process on the same files.
    fn reopened(self) -> Self {
        let Self { directory, engine, project } = self;
        drop(engine);
        Self { engine: engine_in(directory.path()), directory, project }
    }
}

fn told(reply: &RecallReport) -> String {
    let mut told: String = reply.degraded.iter().map(|reason| format!("({reason})\n")).collect();
    for result in &reply.results {
        told += &format!("{}#{} [{}] {}\n", result.conversation, result.message.seq, result.why, result.text);
        for beside in &result.neighbours {
            told += &format!("  beside #{} {}\n", beside.message.seq, beside.text);
        }
    }
    told
}

#[tokio::test]
async fn questions_about_friends_find_what_they_said() {
    let house = house();
    house.say("friends", CHAT).await;
    house.recalls("Where does Mara take a pottery class?", expect![[r#"
        friends#1 [holds `pottery`, `class`; said by Mara] Guess what, I finally signed up for the pottery class on Elm Street!
        friends#3 [beside `pottery`, `class`; said by Mara] Tuesdays and Thursdays. My first bowl came out lopsided.
        friends#2 [beside `pottery`, `class`] No way! Which evenings do you go?
    "#]]).await;
    house
        .recalls(
            "On which days is the class?",
            expect![[r#"
                friends#1 [holds `class`] Guess what, I finally signed up for the pottery class on Elm Street!
                friends#8 [holds `days`] Yes, a flat above a bakery. It smells of cinnamon all day.
                friends#6 [beside `days`] I got the job at the observatory, starting in June.
            "#]],
        )
        .await;
    house
        .recalls(
            "What did the dog destroy? headphones?",
            expect![[r#"
        friends#5 [holds `headphones`] Biscuit chewed through my headphones, so there is that.
        friends#4 [beside `headphones`] Mine would explode in the kiln. How is the new puppy?
        friends#3 [beside `headphones`] Tuesdays and Thursdays. My first bowl came out lopsided.
    "#]],
        )
        .await;
    house
        .recalls(
            "What did Theo do on 2 April 2025?",
            expect![[r#"
                friends#10 [said by Theo; dated 2025-04-02] My sister visited and we hiked to the waterfall.
                friends#11 [dated 2025-04-02] Lovely. I twisted my ankle, no hiking for me until summer.
                friends#6 [said by Theo] I got the job at the observatory, starting in June.
            "#]],
        )
        .await;
    house
        .recalls(
            "What does his flat smell of?",
            expect![[r#"
                friends#8 [holds `flat`, `smell`] Yes, a flat above a bakery. It smells of cinnamon all day.
                friends#6 [beside `flat`, `smell`] I got the job at the observatory, starting in June.
                friends#9 [beside `flat`, `smell`] I sold two vases at the spring market.
            "#]],
        )
        .await;
}

#[tokio::test]
async fn forms_of_a_word_meet_and_a_day_is_found_without_its_words() {
    let house = house();
    house.say("friends", CHAT).await;
    house
        .recalls(
            "Did somebody drive, or did they hike?",
            expect![[r#"
                friends#11 [holds `hike`] Lovely. I twisted my ankle, no hiking for me until summer.
                friends#10 [holds `hike`] My sister visited and we hiked to the waterfall.
            "#]],
        )
        .await;
    house
        .recalls(
            "Which vase did she sell?",
            expect![[r#"
        friends#9 [holds `vase`, `sell`] I sold two vases at the spring market.
        friends#8 [beside `vase`, `sell`] Yes, a flat above a bakery. It smells of cinnamon all day.
        friends#7 [beside `vase`, `sell`] Congratulations! Are you moving closer to work?
    "#]],
        )
        .await;
    house
        .recalls(
            "What did they talk about on 17 March?",
            expect![[r#"
        friends#6 [dated 2025-03-17] I got the job at the observatory, starting in June.
        friends#7 [dated 2025-03-17] Congratulations! Are you moving closer to work?
        friends#8 [dated 2025-03-17] Yes, a flat above a bakery. It smells of cinnamon all day.
    "#]],
        )
        .await;
}

#[tokio::test]
async fn questions_about_work_find_identifiers_other_scripts_and_rules() {
    let house = house();
    house.say("work", WORK).await;
    house.recalls("parse_session_header", expect![[r#"
        work#1 [holds `parse_session_header`, `parse`, `session`, `header`] The login page throws when the session cookie is missing. Can you look at parse_session_header?
        work#2 [holds `parse_session_header`, `parse`, `session`, `header`] `parse_session_header` unwraps the cookie. I will return `SessionError::MissingCookie` instead.
        work#3 [holds `session`; beside `parse_session_header`, `parse`, `header`] error[E0599]: no variant named `MissingCookie` found for enum `SessionError`
    "#]]).await;
    house.recalls("MissingCookie variant error", expect![[r#"
        work#3 [holds `missingcookie`, `missing`, `cookie`, `variant`, `error`] error[E0599]: no variant named `MissingCookie` found for enum `SessionError`
        work#2 [holds `missingcookie`, `missing`, `cookie`, `error`; beside `variant`] `parse_session_header` unwraps the cookie. I will return `SessionError::MissingCookie` instead.
          beside #4 I added the variant and a test, all 41 tests pass now.
        work#1 [holds `missing`, `cookie`; beside `missingcookie`, `variant`, `error`] The login page throws when the session cookie is missing. Can you look at parse_session_header?
    "#]]).await;
    house
        .recalls(
            "连接池",
            expect![[r#"
                work#8 [beside `连接`, `接池`] The connection pool holds 16 connections, set by `database.pool_size`.
                  beside #7 数据库连接池的大小是多少？
                work#5 [beside `连接`, `接池`; a standing rule] Always run clippy before you say that something is done.
                  beside #7 数据库连接池的大小是多少？
                work#6 [beside `连接`, `接池`] Understood: clippy first. It reports nothing.
                  beside #7 数据库连接池的大小是多少？
            "#]],
        )
        .await;
    house
        .recalls(
            "how big is the connection pool?",
            expect![[r#"
        work#8 [holds `connection`, `pool`] The connection pool holds 16 connections, set by `database.pool_size`.
        work#6 [beside `connection`, `pool`] Understood: clippy first. It reports nothing.
    "#]],
        )
        .await;
    house
        .recalls(
            "what should be run before it is done",
            expect![[r#"
                work#5 [holds `run`; a standing rule] Always run clippy before you say that something is done.
                work#6 [beside `run`] Understood: clippy first. It reports nothing.
                work#4 [beside `run`] I added the variant and a test, all 41 tests pass now.
            "#]],
        )
        .await;
}

#[tokio::test]
async fn what_was_said_in_other_words_is_found_by_what_it_means() {
    let mut house = house();
    house.engine = engine_in(house.directory.path()).with_embedder(Arc::new(BuiltinEmbedder));
    house.say("friends", CHAT).await;
    let mut told = String::new();
    for query in ["injured leg", "ceramics lesson", "employment as an astronomer"] {
        let reply = house.asked(|request| query.clone_into(&mut request.query)).await;
        told += &format!("{query}: {} [{}]\n", reply.results[0].text, reply.results[0].why);
    }
    let expected = expect![[r#"
        injured leg: Lovely. I twisted my ankle, no hiking for me until summer. [similar meaning]
        ceramics lesson: Guess what, I finally signed up for the pottery class on Elm Street! [similar meaning]
        employment as an astronomer: I got the job at the observatory, starting in June. [similar meaning]
    "#]];
    expected.assert_eq(&told);
    // Without the model, words are all there is.
    let house = house.reopened();
    let reply = house.asked(|request| "injured leg".clone_into(&mut request.query)).await;
    assert_eq!(reply.degraded, ["no word matched: these are the newest messages"]);
}

#[tokio::test]
async fn words_that_say_nothing_are_looked_for_where_there_are_no_others() {
    let house = house();
    house.say("work", &["user |  | to be or not to be", "user |  | that is it"]).await;
    house
        .recalls(
            "to be or not",
            expect![[r#"
        work#1 [holds `to`, `be`, `or`, `not`] to be or not to be
        work#2 [beside `to`, `be`, `or`, `not`] that is it
    "#]],
        )
        .await;
}

#[tokio::test]
async fn where_no_word_matches_the_newest_messages_come_and_say_so() {
    let house = house();
    house.say("friends", CHAT).await;
    house
        .recalls(
            "xylophone",
            expect![[r#"
                (no word matched: these are the newest messages)
                friends#11 [newest] Lovely. I twisted my ankle, no hiking for me until summer.
                friends#10 [newest] My sister visited and we hiked to the waterfall.
                friends#9 [newest] I sold two vases at the spring market.
            "#]],
        )
        .await;
    house
        .recalls(
            "What did Mara say?",
            expect![[r#"
                friends#1 [said by Mara] Guess what, I finally signed up for the pottery class on Elm Street!
                friends#5 [said by Mara] Biscuit chewed through my headphones, so there is that.
                friends#3 [said by Mara] Tuesdays and Thursdays. My first bowl came out lopsided.
            "#]],
        )
        .await;
    let empty = self::house();
    empty.recalls("anything", expect![[r#""#]]).await;
}

#[tokio::test]
async fn a_message_is_found_at_once_and_by_others() {
    let house = house();
    house.say("friends", CHAT).await;
    let first = |reply: &RecallReport| reply.results.first().map(|result| result.text.clone());
    let ask = async |house: &House| first(&house.asked(|request| "zeppelin".clone_into(&mut request.query)).await);
    assert_ne!(ask(&house).await.as_deref(), Some("A zeppelin!"));
    house.say("friends", &["Theo | 3 April 2025 | A zeppelin!"]).await;
    assert_eq!(ask(&house).await.as_deref(), Some("A zeppelin!"));
    assert_eq!(ask(&house.reopened()).await.as_deref(), Some("A zeppelin!"));
}

#[tokio::test]
async fn bounds_keep_to_what_was_asked() {
    let house = house();
    house.say("friends", CHAT).await;
    house.say("work", WORK).await;
    let pool = |request: &mut RecallRequest| "hiking connection pool tests".clone_into(&mut request.query);
    let sources = |reply: &RecallReport| -> Vec<String> {
        reply.results.iter().map(|result| format!("{}#{}", result.conversation, result.message.seq)).collect()
    };
    let scoped = house.asked(|request| {
        pool(request);
        request.scope = RecallScope::Conversation("friends".to_owned());
    });
    assert!(sources(&scoped.await).iter().all(|source| source.starts_with("friends")));
    let spoken = house.asked(|request| {
        pool(request);
        request.role = Some(MessageRole::Assistant);
    });
    let spoken = spoken.await;
    assert!(!spoken.results.is_empty() && spoken.results.iter().all(|r| r.message.body.role == MessageRole::Assistant));
    let elsewhere = Project::discover_from(house.directory.path()).expect("another project");
    let request = RecallRequest {
        query: "pool".to_owned(),
        scope: RecallScope::Project,
        role: None,
        since: None,
        until: None,
        limit: 9,
        budget: None,
        initiative: engine::CallInitiative::Background,
    };
    assert!(house.engine.recall_messages(&elsewhere, request.clone()).await.expect("an answer").results.is_empty());
    assert!(!house.engine.recall_messages(&house.project, request).await.expect("an answer").results.is_empty());
    let late = house.asked(|request| {
        pool(request);
        request.until = Some(Timestamp(0));
    });
    assert!(late.await.results.is_empty(), "all of them were stored later");
}

#[tokio::test]
async fn a_long_message_shows_what_matched_and_a_budget_is_kept() {
    let house = house();
    let filler = "The weather was fine and nothing happened at all. ".repeat(60);
    let long = format!("user |  | {filler}The secret ingredient is cardamom. {filler}");
    house.say("cooking", &[&long, "user |  | cardamom again", "user |  | and cardamom once more"]).await;
    let reply = house.asked(|request| "secret ingredient cardamom".clone_into(&mut request.query)).await;
    let result = reply.results.iter().find(|result| result.message.seq == 1).expect("the long one");
    let content = result.message.body.content();
    assert_eq!(result.text, content[result.span.start..result.span.end], "verbatim");
    assert!(result.text.contains("The secret ingredient is cardamom.") && result.text.len() < 1_300);
    assert_eq!(reply.tokens, TokenCount(reply.results.iter().map(|result| result.tokens.0).sum()));
    for budget in [64, 80, 120, 300, 10_000] {
        let reply = house.asked(|request| {
            "secret ingredient cardamom".clone_into(&mut request.query);
            request.budget = Some(TokenCount(budget));
        });
        let reply = reply.await;
        let written: String =
            reply.results.iter().map(|result| result.render_heading() + &result.render_body()).collect();
        assert!(reply.tokens.0 <= budget && count_tokens(&written).0 <= budget, "{budget}: {written}");
        assert_eq!(reply.results.len() as u64 + reply.omitted, 3);
    }
}

#[tokio::test]
async fn what_is_said_twice_is_shown_once() {
    let house = house();
    let same =
        "user |  | The deployment of the billing service failed because the certificate of the proxy had expired.";
    house.say("a", &[same]).await;
    house.say("b", &[same, "user |  | certificate renewed"]).await;
    let reply = house.asked(|request| "expired certificate".clone_into(&mut request.query)).await;
    assert_eq!((reply.results.len(), reply.repeated), (2, 1));
}

/// However messages arrive, and whatever was stored of their words meanwhile, the answer is that of a fresh start.
#[tokio::test]
async fn answers_do_not_depend_on_how_segments_came_about() {
    let mut house = house();
    let lines: Vec<String> = (0..1_500)
        .map(|n| {
            let topic = ["kiln", "harbour", "compiler", "violin", "glacier"][n % 5];
            format!("user |  | note {n}: the {topic} of day {} was {}", n / 50, ["good", "bad", "odd"][n % 3])
        })
        .collect();
    for (round, lines) in lines.chunks(70).enumerate() {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        house.say(["a", "b", "c"][round % 3], &lines).await;
        house.asked(|request| "violin".clone_into(&mut request.query)).await;
        if round % 4 == 3 {
            house = house.reopened();
        }
    }
    let queries = ["odd violin of day 7", "note 1234", "the good compiler", "glacier harbour"];
    let ask = async |house: &House| {
        let mut told_all = String::new();
        for query in queries {
            let reply = house.asked(|request| {
                query.clone_into(&mut request.query);
                request.limit = 20;
            });
            told_all += &told(&reply.await);
        }
        told_all
    };
    let grown = ask(&house).await;
    fs_err::remove_dir_all(house.directory.path().join("cache")).expect("removes the cache");
    let house = house.reopened();
    assert_eq!(ask(&house).await, grown);
}

/// A cache that belongs to other conversations must not answer for these.
#[tokio::test]
async fn segments_of_other_messages_are_made_anew() {
    let old = house();
    let many: Vec<String> = (0..400).map(|n| format!("user |  | old news number {n}")).collect();
    old.say("news", &many.iter().map(String::as_str).collect::<Vec<_>>()).await;
    old.asked(|request| "news".clone_into(&mut request.query)).await;
    let House { directory, engine, project } = old;
    drop(engine);
    fs_err::remove_dir_all(directory.path().join("data")).expect("removes the data");
    let house = House { engine: engine_in(directory.path()), directory, project };
    let many: Vec<String> = (0..401).map(|n| format!("user |  | fresh report number {n}")).collect();
    house.say("news", &many.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let reply = house.asked(|request| "report 400".clone_into(&mut request.query)).await;
    assert_eq!(reply.results[0].text, "fresh report number 400");
}
