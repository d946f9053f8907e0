//! The walks of ARCHITECTURE.md, end to end on the embedded store: a project into the index and back out as answers,
//! messages in and back out, and the proof that none is missing.

use super::house::{House, Noon, engine_in, house, store_in, write};
use engine::{
    AnswerFormat, AnswerQuery, Engine, EngineSettings, ErrorKind, GrepFound, GrepMatch, GrepMode, GrepRequest,
    GrepScope, HistoryRequest, IndexDepth, IndexOverrides, IndexRequest, IndexSettings, IngestOutcome, IngestRequest,
    ModeChoice, NullObserver, Project, ReadRequest, SearchRequest, SymbolRequest, ViewMode,
};
use expect_test::{Expect, expect};
use model::{EventTime, Message, MessagePart, MessageRole, NewMessage, TokenCount, count_tokens};
use std::sync::Arc;

const SOURCES: &[(&str, &str)] = &[
    (
        "src/session.rs",
        "//! Sessions.\n\n/// Checks a password against its stored hash.\npub fn check_password(given: &str, stored: &str) -> bool {\n    hash(given) == stored\n}\n\nfn hash(text: &str) -> String {\n    text.chars().rev().collect()\n}\n",
    ),
    (
        "src/server.py",
        "class Server:\n    \"\"\"Answers requests.\"\"\"\n\n    def start(self, port):\n        return port\n",
    ),
    ("README.md", "# Demo\n\nA server with sessions.\n"),
    ("ignored/secret.txt", "password password password\n"),
    (".gitignore", "ignored/\n"),
];

fn grep(pattern: &str, mode: GrepMode) -> GrepRequest {
    let conversation = None;
    let since = None;
    let until = None;
    let cursor = None;
    let pattern = pattern.to_owned();
    let scope = GrepScope::Both;
    GrepRequest { pattern, mode, scope, conversation, project: None, since, until, cursor, limit: 5 }
}

fn message(found: &GrepMatch) -> &Message {
    match &found.found {
        GrepFound::Message(message) => message,
        other @ (GrepFound::Summary(_) | GrepFound::Artifact { .. }) => {
            panic!("nothing was folded or large, and yet there is {other:?}")
        }
    }
}

impl House {
    async fn search(&self, query: &str) -> String {
        let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
        let reply = self.engine.search(&self.project, request).await.expect("an answer");
        let line = |hit: &engine::SearchHit| {
            let symbol = hit.symbol.as_ref().map_or("-", |(id, _)| id.qualified_name());
            format!("{}:{}-{} {symbol} [{}]\n", hit.path, hit.lines.start, hit.lines.end, hit.why)
        };
        reply.hits.iter().map(line).collect()
    }

    async fn check(&self, query: &str, expected: Expect) {
        expected.assert_eq(&self.search(query).await);
    }

    async fn index(&self) -> (u64, u64, u64, u64) {
        let report =
            self.engine.index_project(&self.project, IndexRequest::default(), &NullObserver).await.expect("a report");
        (report.totals.files, report.indexed, report.unchanged, report.removed)
    }
}

#[tokio::test]
async fn a_question_finds_its_place_without_an_index_being_asked_for() {
    let house = house(SOURCES);
    house
        .check(
            "check password",
            expect![[r#"
                src/session.rs:1-10 - [matches: check, password · name]
            "#]],
        )
        .await;
    house
        .check(
            "Server.start",
            expect![[r#"
                src/server.py:1-5 Server [matches: server, start · defines the type · defines the function · name · file name]
                README.md:1-3 Demo [matches: server]
            "#]],
        )
        .await;
    house.check("nowhere_to_be_found", expect![""]).await;
}

#[tokio::test]
async fn only_what_changed_is_parsed_again_and_answers_follow_the_disk() {
    let house = house(SOURCES);
    assert_eq!(house.index().await, (4, 4, 0, 0));
    assert_eq!(house.index().await, (4, 0, 4, 0));
    write(&house.project.root, "src/server.py", "def listen():\n    return 1\n");
    fs_err::remove_file(house.project.root.join("README.md")).expect("removed");
    assert_eq!(house.index().await, (3, 1, 2, 1));
    house
        .check(
            "server listen",
            expect![[r#"
                src/server.py:1-2 listen [matches: listen · name · file name]
            "#]],
        )
        .await;
}

#[tokio::test]
async fn a_second_worktree_shares_what_is_the_same() {
    let house = house(SOURCES);
    house.index().await;
    let side = house.directory.path().join("side");
    for (path, text) in SOURCES {
        write(&side, path, text);
    }
    write(&side, "src/extra.rs", "fn only_here() {}\n");
    let main = Project { root: side, ..house.project.clone() };
    let report = house.engine.index_project(&main, IndexRequest::default(), &NullObserver).await.expect("a report");
    assert_eq!((report.totals.files, report.indexed), (5, 1));
    house.check("only_here", expect![""]).await;
}

#[tokio::test]
async fn context_never_costs_more_than_its_budget() {
    let long: String = (0..200).map(|n| format!("def handler_{n}(request):\n    return request.session\n\n")).collect();
    let house = house(&[("handlers.py", long.as_str()), ("session.py", "class Session:\n    token = 1\n")]);
    let questions = ["session handler", "what is handler_7? and where is a Sesion made?", "thanks", "zzqqxx"];
    let formats = [AnswerFormat::Markdown, AnswerFormat::Xml, AnswerFormat::Plain];
    for (query, format) in questions.iter().flat_map(|query| formats.map(|format| (*query, format))) {
        for budget in [64, 80, 100, 200, 500, 1_000, 2_000, 100_000] {
            let query = query.to_owned();
            let budget = TokenCount(budget);
            let request = AnswerQuery { query: query.clone(), budget, format, ..AnswerQuery::default() };
            let context = house.engine.build_answer(&house.project, request).await.expect("an answer");
            assert_eq!(count_tokens(&context.text), context.tokens, "{query} {budget}");
            assert!(context.tokens <= budget, "{query}: {} > {budget}\n{}", context.tokens, context.text);
            if !context.items.is_empty() {
                assert!(context.text.contains(&format!("\n{} tokens\n", context.tokens)), "{}", context.text);
            }
            let is_named = context.text.contains("\nleft out for the budget: ") || context.text.starts_with("left out");
            assert_eq!(is_named, !context.omitted.is_empty(), "{}", context.text);
        }
    }
    let request = AnswerQuery { query: "session".to_owned(), budget: TokenCount(63), ..AnswerQuery::default() };
    let error = house.engine.build_answer(&house.project, request).await.expect_err("nothing could be named");
    expect!["`budget` is 63: must be at least 64 tokens, so that what is left out can be named"]
        .assert_eq(&error.to_string());
}

#[tokio::test]
async fn reading_gives_the_exact_bytes_and_stays_inside() {
    let house = house(SOURCES);
    let read = async |target: &str, mode| {
        let mode = Some(ModeChoice::Fixed(mode));
        let request = ReadRequest { targets: vec![target.to_owned()], mode, ..ReadRequest::default() };
        house.engine.read(&house.project, request).await.map(|mut reply| reply.items.remove(0))
    };
    let whole = read("src/session.rs", ViewMode::Raw).await.expect("a file");
    assert_eq!(whole.text, SOURCES[0].1);
    let lines = read("src/session.rs:8-9", ViewMode::Raw).await.expect("lines");
    assert_eq!(lines.text, "fn hash(text: &str) -> String {\n    text.chars().rev().collect()\n");
    let symbol = read("src/session.rs#hash", ViewMode::Raw).await.expect("a symbol");
    assert_eq!(symbol.text, "fn hash(text: &str) -> String {\n    text.chars().rev().collect()\n}\n");
    let map = read("src/server.py", ViewMode::Map).await.expect("a map");
    expect![[r#"
        src/server.py (5 lines; ids like …#Server.start)
        1-5 class Server
          4-5 def start(self, port)
    "#]]
    .assert_eq(&map.text);

    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/hostname", house.project.root.join("link")).expect("a link");
    for outside in ["../data/epitome.db", "/etc/hostname", "src/../../data/epitome.db", "link"] {
        let error = read(outside, ViewMode::Raw).await.expect_err("outside");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{outside}: {error}");
    }
    let error = read("src/session.rs#hsah", ViewMode::Raw).await.expect_err("no such symbol");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = read("src/session.rs:99-100", ViewMode::Raw).await.expect_err("no such line");
    assert_eq!(error.to_string(), "`targets` asks for line 99 of src/session.rs, which has 10");
}

fn said(id: Option<&str>, text: &str) -> NewMessage {
    NewMessage {
        external_id: id.map(str::to_owned),
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts: vec![MessagePart::Text { text: text.to_owned() }],
        part_marks: model::PartMarks::default(),
    }
}

#[tokio::test]
async fn secrets_are_gone_before_a_message_is_stored() {
    let house = house(&[]);
    let token = concat!("gh", "p_1x3Vq9ZtK7mB2cD8eF4gH6jL0nP5rS1uW3yA");
    let with_secrets = || {
        let mut message = said(Some("a"), &format!("use {token}"));
        message.at = Some(EventTime { text: format!("when {token} was made"), instant: None });
        let tool = |output: &str| MessagePart::Tool {
            call_id: None,
            name: Some("bash".to_owned()),
            status: None,
            input: Some(format!(r#"{{"command":"GH={token} make"}}"#)),
            output: Some(output.to_owned()),
            error: None,
            title: None,
        };
        message.parts.push(tool("done"));
        message
    };
    let ingest = async |messages| {
        let conversation = "demo".to_owned();
        house
            .engine
            .ingest_messages(IngestRequest { conversation, project: None, messages })
            .await
            .expect("acknowledged")
    };
    let IngestOutcome::Stored { ack, secrets } = &ingest(vec![with_secrets()]).await[0] else { panic!("it is new") };
    assert_eq!(secrets.iter().map(ToString::to_string).collect::<Vec<_>>(), ["github-pat"; 3]);
    // The same again is known: the same secret gives the same placeholder.
    let again = ingest(vec![with_secrets()]).await;
    assert!(matches!(&again[0], IngestOutcome::Stored { ack: known, .. } if known == ack));

    let request = HistoryRequest { conversation: "demo".to_owned(), limit: 10 };
    let history = house.engine.load_history(request).await.expect("messages").messages;
    let [message] = &history[..] else { panic!("one message is stored") };
    assert!(!format!("{message:?}").contains(token));
    let MessagePart::Tool { input: Some(input), .. } = &message.body.parts[1] else { panic!("the call is stored") };
    assert!(input.starts_with(r#"{"command":"GH=[secret:github-pat:"#) && input.ends_with(r#"] make"}"#), "{input}");
    assert_eq!(
        house.engine.verify(&engine::ConversationSelection::All, &NullObserver).await.expect("verifies").problems,
        []
    );
}

#[tokio::test]
async fn messages_come_back_verbatim_and_are_proved() {
    let house = house(&[]);
    let ingest = async |messages| {
        let request = IngestRequest { conversation: "demo".to_owned(), project: None, messages };
        house.engine.ingest_messages(request).await.expect("acknowledged")
    };
    ingest(vec![said(Some("a"), "the database\u{0} is on port 5432"), said(None, "thanks")]).await;
    let again = ingest(vec![said(Some("a"), "the database\u{0} is on port 5432"), said(Some("a"), "other")]).await;
    assert!(matches!(&again[0], IngestOutcome::Stored { ack, .. } if ack.seq == 1));
    assert!(matches!(&again[1], IngestOutcome::Conflict { id } if id == "a"));

    let request = HistoryRequest { conversation: "demo".to_owned(), limit: 10 };
    let history = house.engine.load_history(request).await.expect("messages").messages;
    let texts: Vec<String> = history.iter().map(|message| message.body.content()).collect();
    assert_eq!(texts, ["the database\u{0} is on port 5432", "thanks"]);

    for (mode, pattern, total) in
        [(GrepMode::Regex, r"port \d+", 1), (GrepMode::FullText, "Database port", 1), (GrepMode::FullText, "absent", 0)]
    {
        let request = grep(pattern, mode);
        assert_eq!(house.engine.grep_messages(request).await.expect("matches").total, total, "{pattern}");
    }

    let report = house.engine.verify(&engine::ConversationSelection::All, &NullObserver).await.expect("a certificate");
    assert_eq!((report.conversations, report.messages, report.gaps, report.problems.len()), (1, 2, 0, 0));
}

#[tokio::test]
async fn bad_requests_are_refused_with_what_to_do() {
    let house = house(SOURCES);
    let search = |query: &str, limit| {
        house
            .engine
            .search(&house.project, SearchRequest { query: query.to_owned(), limit, ..SearchRequest::default() })
    };
    let error = search("?!", 5).await.expect_err("no word");
    assert_eq!(error.to_string(), "`query` has no word to look for: write at least one letter or digit");
    let error = search("x", 0).await.expect_err("no result wanted");
    assert_eq!(error.to_string(), "`limit` must be at least 1");
    let request = grep("(", GrepMode::Regex);
    let error = house.engine.grep_messages(request).await.expect_err("no pattern");
    assert_eq!(error.to_string(), "`pattern` `(` is not a regular expression: unclosed group");
    let request = HistoryRequest { conversation: "nobody".to_owned(), limit: 1 };
    let error = house.engine.load_history(request).await.expect_err("no conversation");
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::NotFound, "conversation `nobody` does not exist".to_owned())
    );
}

#[tokio::test]
async fn a_damaged_index_is_built_anew() {
    let house = house(SOURCES);
    house.index().await;
    let House { directory, engine, project } = house;
    drop(engine);
    let index = directory.path().join("cache/index").join(format!("{}.db", project.id));
    for suffix in ["-wal", "-shm"] {
        let _ = fs_err::remove_file(format!("{}{suffix}", index.display()));
    }
    fs_err::write(&index, "not a database at all, but long enough to look like one to a reader").expect("a file");
    let house = House { engine: engine_in(directory.path()), directory, project };
    assert_eq!(house.index().await, (4, 4, 0, 0));
}

#[tokio::test]
async fn what_is_understood_in_part_is_told_in_every_run() {
    let house = house(SOURCES);
    let root = &house.project.root;
    fs_err::write(root.join("src/broken.py"), "def one():\n    pass\nx = = 1\n").expect("a file");
    let wide: Vec<u8> = "def hello16():\n    pass\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs_err::write(root.join("src/wide.py"), [&[0xff, 0xfe], &wide[..]].concat()).expect("a file");
    for _ in 0..2 {
        let request = IndexRequest::default();
        let report = house.engine.index_project(&house.project, request, &NullObserver).await.expect("a report");
        let told: Vec<String> = report.skipped.iter().map(|skip| format!("{}: {}", skip.path, skip.reason)).collect();
        assert_eq!(told, ["src/broken.py: line 3: 1 syntax error"]);
    }
    let request = SymbolRequest { name: "hello16".to_owned(), kinds: Vec::new(), path: None, limit: 10 };
    let found = house.engine.find_symbols(&house.project, request).await.expect("an answer");
    assert_eq!(found.hits.iter().map(|hit| hit.named.id.as_str()).collect::<Vec<_>>(), ["src/wide.py#hello16"]);
}

#[tokio::test]
async fn what_cannot_be_read_any_more_leaves_the_index_with_a_word() {
    let house = house(SOURCES);
    house.index().await;
    // One line, too large to be read at all; sparse, so it costs no disk.
    let file = fs_err::OpenOptions::new().write(true).open(house.project.root.join("src/server.py")).expect("a file");
    file.set_len(500 << 20).expect("a large file");
    let report =
        house.engine.index_project(&house.project, IndexRequest::default(), &NullObserver).await.expect("a report");
    assert_eq!(report.totals.files, 3);
    let reasons: Vec<&str> = report.skipped.iter().map(|skip| skip.reason.as_str()).collect();
    assert_eq!(reasons, ["524288000 bytes, over the limit of 67108864 for reading"]);
    house
        .check(
            "Server start",
            expect![[r#"
                README.md:1-3 Demo [matches: server]
            "#]],
        )
        .await;
}

#[tokio::test]
async fn bytes_that_cannot_be_shown_are_marked() {
    let house = house(&[]);
    fs_err::write(house.project.root.join("latin.txt"), b"caf\xe9 au lait\n").expect("a file");
    let request = ReadRequest { targets: vec!["latin.txt".to_owned()], ..ReadRequest::default() };
    let item = house.engine.read(&house.project, request).await.expect("a file").items.remove(0);
    assert!(item.lossy && item.original_bytes == 13);
    let request = AnswerQuery { query: "lait".to_owned(), budget: TokenCount(100), ..AnswerQuery::default() };
    let context = house.engine.build_answer(&house.project, request).await.expect("an answer");
    assert_eq!(context.items[0].text, "caf\u{FFFD} au lait\n[… some bytes are not UTF-8 and stand as \u{FFFD}]\n");
}

#[tokio::test]
async fn a_run_can_be_narrowed_and_the_next_one_is_as_configured() {
    let house = house(SOURCES);
    let run = async |narrowed: IndexOverrides| {
        let request = IndexRequest { narrowed, ..IndexRequest::default() };
        let report = house.engine.index_project(&house.project, request, &NullObserver).await.expect("a report");
        (report.totals.files, report.totals.symbols)
    };
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    assert_eq!(run(IndexOverrides { languages: words(&["python"]), ..IndexOverrides::default() }).await.0, 4);
    assert_eq!(run(IndexOverrides { include: words(&["src/**"]), ..IndexOverrides::default() }).await.0, 2);
    assert_eq!(run(IndexOverrides { exclude: words(&["*.md"]), ..IndexOverrides::default() }).await.0, 3);
    let full = run(IndexOverrides::default()).await;
    let signatures = IndexOverrides { depth: Some(IndexDepth::Signatures), ..IndexOverrides::default() };
    assert_eq!(run(signatures).await, full);
    let long: String = (0..40).map(|number| format!("    total += values[{number}]\n")).collect();
    write(&house.project.root, "src/long.py", format!("def long(values):\n    total = 0\n{long}    return total\n"));
    let report = house.engine.index_project(
        &house.project,
        IndexRequest { report: true, ..IndexRequest::default() },
        &NullObserver,
    );
    let efficiency = report.await.expect("a report").efficiency.expect("it was asked for");
    assert!(efficiency.total.skeleton < efficiency.total.raw, "{efficiency:?}");
    let parts: u64 = efficiency.languages.iter().map(|(_, saving)| saving.raw).sum();
    assert_eq!(parts, efficiency.total.raw);
}

#[tokio::test]
async fn an_index_of_signatures_finds_definitions_and_no_bodies() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), "project/a.py", "def alpha():\n    gamma = 1\n    return gamma\n");
    let store = store_in(directory.path());
    let settings = EngineSettings {
        index: IndexSettings { depth: IndexDepth::Signatures, ..IndexSettings::default() },
        ..EngineSettings::default()
    };
    let engine = Engine::new(Arc::new(store), Arc::new(Noon), settings);
    let project = Project::from_directory(&directory.path().join("project")).expect("a project");
    for (query, found) in [("alpha", 1), ("gamma", 0)] {
        let request = SearchRequest { query: query.to_owned(), limit: 5, ..SearchRequest::default() };
        assert_eq!(engine.search(&project, request).await.expect("an answer").hits.len(), found, "{query}");
    }
}

#[tokio::test]
async fn matches_come_in_pages_that_leave_none_out() {
    let house = house(&[]);
    let messages = (0..57).map(|n| said(None, &format!("line {n} of the {}", if n % 2 == 0 { "log" } else { "book" })));
    let request = IngestRequest { conversation: "long".to_owned(), project: None, messages: messages.collect() };
    house.engine.ingest_messages(request).await.expect("stores");
    for (mode, pattern, wanted) in [(GrepMode::Regex, "line .* log", 29), (GrepMode::FullText, "the line", 57)] {
        let mut request = grep(pattern, mode);
        let mut seqs: Vec<u64> = Vec::new();
        loop {
            let reply = house.engine.grep_messages(request.clone()).await.expect("an answer");
            assert_eq!((reply.total + seqs.len() as u64, reply.is_complete), (wanted, true), "{pattern}");
            assert!(reply.matches.len() <= 5);
            seqs.extend(reply.matches.iter().map(|found| message(found).seq));
            let Some(cursor) = reply.cursor else { break };
            request.cursor = Some(cursor);
        }
        assert_eq!(seqs.len() as u64, wanted);
        assert!(seqs.is_sorted_by(|a, b| a > b), "newest first, each once");
    }
    let wrong = GrepRequest { cursor: Some("x".to_owned()), ..grep("line", GrepMode::Regex) };
    let error = house.engine.grep_messages(wrong).await.expect_err("no cursor");
    assert_eq!(error.to_string(), "`cursor` `x` is not one: take it from an earlier reply");
}

#[tokio::test]
async fn an_answer_after_changes_is_that_of_an_engine_that_starts_anew() {
    let texts = |number: usize| {
        format!(
            "/// Keeps lane {number} of the road.\npub fn keep_lane_{number}(speed: u32) -> u32 {{\n    speed\n}}\n"
        )
    };
    let files: Vec<(String, String)> = (0..60).map(|number| (format!("src/lane_{number}.rs"), texts(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut house = house(&files);
    let root = house.project.root.clone();
    let ask = async |engine: &Engine, project: &Project, query: &str| {
        let request = SearchRequest { query: query.to_owned(), limit: 70, ..SearchRequest::default() };
        let hits = engine.search(project, request).await.expect("an answer").hits;
        let line =
            |hit: engine::SearchHit| format!("{}:{}-{} {:?}", hit.path, hit.lines.start, hit.lines.end, hit.parts);
        hits.into_iter().map(line).collect::<Vec<_>>()
    };
    let before = ask(&house.engine, &house.project, "keep lane 7 speed").await;
    write(&root, "src/lane_7.rs", "/// Bends the road.\nfn bend(road: u32) -> u32 {\n    road\n}\n");
    write(&root, "src/new/ferry.rs", "/// A ferry keeps the speed of the lane.\nfn ferry() {}\n");
    fs_err::remove_file(root.join("src/lane_9.rs")).expect("a file less");
    for query in ["keep lane 7 speed", "ferry", "bend the road"] {
        let kept = ask(&house.engine, &house.project, query).await;
        assert_ne!(kept, before, "{query}");
        house.engine = engine_in(house.directory.path());
        assert_eq!(kept, ask(&house.engine, &house.project, query).await, "{query}");
        write(&root, "src/lane_3.rs", format!("/// Asked: {query}.\nfn keep_asking() {{}}\n"));
        let kept = ask(&house.engine, &house.project, query).await;
        let anew = ask(&engine_in(house.directory.path()), &house.project, query).await;
        assert_eq!(kept, anew, "{query}");
    }
}

#[tokio::test]
async fn what_was_said_is_in_an_answer_where_it_is_about_the_question_and_a_cut_is_told() {
    let house = house(SOURCES);
    let filler = "Nothing of note happened on that afternoon in the office. ".repeat(60);
    let long = format!("{filler}We keep the zebra ledger in cents. {filler}");
    let messages = vec![said(None, &long), said(None, "the weather was fine")];
    let request = IngestRequest { conversation: "work".to_owned(), project: Some(house.project.clone()), messages };
    house.engine.ingest_messages(request).await.expect("stores");
    let query = "why is the zebra ledger in cents".to_owned();
    let request = AnswerQuery { query, budget: TokenCount(2_000), ..AnswerQuery::default() };
    let context = house.engine.build_answer(&house.project, request).await.expect("an answer");
    let items: Vec<&engine::AnswerItem> =
        context.items.iter().filter(|item| item.origin == engine::ItemOrigin::Conversation).collect();
    let [item] = items[..] else { panic!("{:?}", context.items) };
    assert!(item.text.contains("zebra ledger") && item.text.len() < long.len() / 2, "{}", item.text);
    let (_, span) = item.source.rsplit_once(':').expect("where it was cut");
    assert!(span.ends_with(&format!("/{}", long.len())), "{}", item.source);
}
