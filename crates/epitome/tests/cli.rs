//! The command line with the real binary: what it prints, where, and how it ends.

#[path = "cli/asked.rs"]
mod asked;
#[path = "cli/backups.rs"]
mod backups;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/hooks/called.rs"]
mod called;
#[path = "cli/hooks/compacting.rs"]
mod compacting;
#[path = "cli/hooks/connecting.rs"]
mod connecting;
#[path = "cli/criticising.rs"]
mod criticising;
#[path = "cli/hooks/daemon.rs"]
mod daemon;
#[path = "cli/damaged.rs"]
mod damaged;
#[path = "cli/hooks/day.rs"]
mod day;
#[path = "cli/hooks/days.rs"]
mod days;
#[path = "cli/defects.rs"]
mod defects;
#[path = "cli/entities.rs"]
mod entities;
#[path = "cli/fidelity.rs"]
mod fidelity;
#[path = "cli/finding.rs"]
mod finding;
#[path = "cli/folding.rs"]
mod folding;
#[path = "cli/foreign.rs"]
mod foreign;
#[path = "cli/git_hooks.rs"]
mod git_hooks;
#[path = "cli/hooks/health.rs"]
mod health;
#[path = "cli/hooks/held.rs"]
mod held;
#[path = "cli/hooks/host.rs"]
mod host;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/house.rs"]
mod house;
#[path = "cli/importing.rs"]
mod importing;
#[path = "cli/hooks/injected.rs"]
mod injected;
#[path = "cli/hooks/killed.rs"]
mod killed;
#[path = "cli/knowledge.rs"]
mod knowledge;
#[path = "cli/odd_transcripts.rs"]
mod odd_transcripts;
#[path = "cli/patterns.rs"]
mod patterns;
#[path = "cli/projects.rs"]
mod projects;
#[path = "cli/proof.rs"]
mod proof;
#[path = "cli/proof_damages.rs"]
mod proof_damages;
#[path = "cli/proof_tamperings.rs"]
mod proof_tamperings;
#[path = "cli/purging.rs"]
mod purging;
#[path = "cli/read_only.rs"]
mod read_only;
#[path = "cli/remembering.rs"]
mod remembering;
#[path = "cli/requirements.rs"]
mod requirements;
#[path = "cli/sensitive.rs"]
mod sensitive;
#[path = "cli/sessions.rs"]
mod sessions;
#[path = "cli/shown.rs"]
mod shown;
#[path = "cli/teams.rs"]
mod teams;
#[path = "cli/upgrades.rs"]
mod upgrades;
#[path = "cli/usage.rs"]
mod usage;

use expect_test::{Expect, expect};
use house::House;
use std::process::Stdio;

const FILES: &[(&str, &str)] = &[
    (
        "src/session.rs",
        "//! Sessions.\n\n/// Checks a password against its stored hash.\npub fn check_password(given: &str) -> bool {\n    \
         !given.is_empty()\n}\n",
    ),
    (
        "src/server.py",
        "class Server:\n    \"\"\"Answers requests.\"\"\"\n\n    def start(self, port):\n        return port\n",
    ),
    ("notes.md", "# Notes\n\nThe server listens on port 8080.\n"),
];

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(house: &House, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&house.run(arguments, "").shown());
}

#[test]
fn a_question_is_answered_without_any_setup() {
    let house = House::new(FILES);
    check(
        &house,
        &["context", "how are passwords checked", "--budget", "200"],
        expect![[r#"
            ## src/session.rs:1-6 of 6
            ```
            //! Sessions.

            /// Checks a password against its stored hash.
            pub fn check_password(given: &str) -> bool {
                !given.is_empty()
            }
            ```
            51 tokens
        "#]],
    );
    check(
        &house,
        &["search", "start server", "--limit", "2"],
        expect![[r#"
            src/server.py:1-5  class Server
                 1  class Server
                 4  def start(self, port):
                    matches: start, server · name · file name · similar meaning

            notes.md:1-3  section Notes
                 1  # Notes
                 3  The server listens on port 8080.
                    matches: server
        "#]],
    );
    check(
        &house,
        &["search", "xylophone"],
        expect![[r#"
        nothing found
        (exit 3)
    "#]],
    );
}

#[test]
fn reading_shows_exactly_what_is_there() {
    let house = House::new(FILES);
    let lines = house.run(&["read", "src/server.py:4-5"], "");
    assert_eq!(lines.stdout, "    def start(self, port):\n        return port\n");
    check(
        &house,
        &["read", "src/server.py", "--mode", "map"],
        expect![[r#"
            src/server.py (5 lines; ids like …#Server.start)
            1-5 class Server
              4-5 def start(self, port)
        "#]],
    );
    check(
        &house,
        &["read", "src/server.py#Server.start", "--json"],
        expect![[r#"
            {"items":[{"id":"src/server.py#Server.start","path":"src/server.py","start_line":4,"end_line":5,"text":"    def start(self, port):\n        return port\n","mode":"raw","freshness":"unindexed","lossy":false,"original_bytes":47,"compressed_bytes":47,"ratio":1.0,"tokens":11}],"omitted":[],"tokens":11}
        "#]],
    );
    check(
        &house,
        &["read", "../outside"],
        expect![[r#"
        ! error: `../outside` is outside of the project
        ! hint: name a path inside the project, or choose another project with --project
        (exit 2)
    "#]],
    );
    check(
        &house,
        &["read", "src/server.py#Server.strat"],
        expect![[r#"
        ! error: symbol `src/server.py#Server.strat` does not exist
        ! hint: read src/server.py with mode map to see its symbols
        (exit 3)
    "#]],
    );
}

#[test]
fn an_index_run_reports_what_it_did() {
    let house = House::new(FILES);
    house.write("broken.py", b"def f(:\n  \xff\xfe\n");
    house.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\0");
    check(
        &house,
        &["index", "--json"],
        expect![[r#"
            {"files":5,"symbols":5,"edges":0,"indexed":5,"unchanged":0,"removed":0,"skipped":[{"path":"broken.py","reason":"line 2: not all of it is UTF-8"},{"path":"broken.py","reason":"line 1: 2 syntax errors"},{"path":"picture.png","reason":"not text"}],"elapsed_ms":N}
        "#]],
    );
    check(
        &house,
        &["index"],
        expect![[r#"
            5 files, 5 symbols, 0 relations (0 parsed, 5 unchanged, 0 removed)
              broken.py: line 2: not all of it is UTF-8
              broken.py: line 1: 2 syntax errors
              picture.png: not text
            took N s
        "#]],
    );
    check(
        &house,
        &["status"],
        expect![[r#"
            project        PROJECT: PROJECT (proj_…)
            index          ready: 5 files, 5 symbols, 0 relations
            last index     AGE ago
            conversations  0 with 0 messages, 0 tokens
            summaries      0, 0 tokens
            memories       0
            last ingest    never
            last compact   never
            last promote   never
            archive        0 transcripts, 0 lines, 0 bytes kept in 0
            summarizer     built in
            agents         none connected (epitome init)
            daemon         down; hooks start it where it helps
            store          SQLite N at HOME/data/epitome.db
        "#]],
    );
}

#[test]
fn messages_are_acknowledged_line_by_line_and_bad_lines_are_named() {
    let house = House::new(&[]);
    let lines = concat!(
        r#"{"role":"user","content":"the port is 5432","at":"2026-01-02T03:04:05Z","id":"m1"}"#,
        "\n\n",
        r#"{"role":"poet","content":"no such role"}"#,
        "\n",
        r#"{"role":"user","content":"typo","contnet":"x"}"#,
        "\n{not json\n",
        r#"{"role":"assistant","parts":[{"type":"tool","name":"bash","input":{"command":"ls"},"output":"a.txt"}]}"#,
        "\n",
        r#"{"role":"user","content":"something else","id":"m1"}"#,
        "\n",
        r#"{"role":"user","content":"the port is 5432","at":"2026-01-02T03:04:05Z","id":"m1"}"#,
    );
    expect![[r#"
        {"message_id":"msg_c91d11a64f151c98","seq":1,"hash":"26f15e52e0844fc353e8516e1df13d25fa15d399621baa93828e25f834c2d001"}
        {"message_id":"msg_feb4ed748376cb5b","seq":2,"hash":"2eb692820c2de098a161c7629cfbd891cfef9f76fb033a428e80208b3f07b7a0"}
        {"message_id":"msg_c91d11a64f151c98","seq":1,"hash":"26f15e52e0844fc353e8516e1df13d25fa15d399621baa93828e25f834c2d001"}
        ! error: line 3: unknown variant `poet`, expected one of `system`, `user`, `assistant`, `tool` (column 14)
        ! error: line 4: unknown field `contnet`, expected one of `role`, `speaker`, `session`, `content`, `parts`, `at`, `metadata`, `id` (column 41)
        ! error: line 5: key must be a string (column 2)
        ! error: line 7: id `m1` is taken by a message with other content
        (exit 1)
    "#]].assert_eq(&house.run(&["ingest", "--conversation", "demo"], lines).shown());
    check(
        &house,
        &["history", "--conversation", "demo"],
        expect![[r#"
            [1] user at 2026-01-02T03:04:05Z
            the port is 5432

            [2] assistant received TIME
            bash
            {"command":"ls"}
            a.txt

        "#]],
    );
    check(
        &house,
        &["grep", "port is"],
        expect![[r#"
        msg_c91d11a64f151c98 (2026-01-02T03:04:05Z)  the port is 5432
    "#]],
    );
    check(
        &house,
        &["grep", "PORT", "--mode", "full_text", "--json"],
        expect![[r#"
            {"matches":[{"id":"msg_c91d11a64f151c98","type":"message","conversation_id":"conv_2719b9bc170accfe","snippet":"the port is 5432","at":"2026-01-02T03:04:05Z"}],"total":1,"complete":true}
        "#]],
    );
    check(
        &house,
        &["verify", "--json"],
        expect![[r#"
            {"ok":true,"conversations":1,"lines":0,"messages":2,"summaries":0,"gaps":0,"sources":[],"artifacts":0,"memories":0,"records":0,"problems":[]}
        "#]],
    );
    check(
        &house,
        &["history", "--conversation", "nobody"],
        expect![[r#"
        ! error: conversation `nobody` does not exist
        ! hint: epitome history lists them; epitome import and epitome ingest add to them
        (exit 3)
    "#]],
    );
}

/// A conversation of Claude Code with one of everything: an answer in two lines, a tool call, a summary, half a line.
const TRANSCRIPT: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-02T03:04:05Z","cwd":"/nowhere","message":{"role":"user","content":"list the files"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s1","timestamp":"2026-01-02T03:04:06Z","message":{"id":"msg_1","role":"assistant","model":"m","content":[{"type":"text","text":"I look."}],"usage":{"input_tokens":5,"output_tokens":1}}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"s1","timestamp":"2026-01-02T03:04:07Z","message":{"id":"msg_1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":9}}}"#,
    "\n",
    r#"{"type":"user","uuid":"u2","parentUuid":"a2","sessionId":"s1","timestamp":"2026-01-02T03:04:08Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}"#,
    "\n",
    r#"{"type":"wormhole","uuid":"w1","sessionId":"s1"}"#,
    "\n",
    "{\"type\":\"user\",\n",
    r#"{"type":"ai-title","aiTitle":"Listing files","sessionId":"s1"}"#,
    "\n",
);

#[test]
fn a_transcript_goes_in_and_comes_out_the_same() {
    let house = House::new(&[]);
    house.write("s1.jsonl", TRANSCRIPT.as_bytes());
    check(
        &house,
        &["import", "s1.jsonl"],
        expect![[r#"
            1f1bd351  Listing files
                      claude-code: 7 lines, 3 messages, all new
                      PROJECT/s1.jsonl (first)
                      1 line of unknown kind `wormhole`, kept
                      line 6 (byte 972) in quarantine: not JSON: EOF while parsing a value at line 1 column 15
            1 transcript, 7 lines and 3 messages new
            took N s
        "#]],
    );
    check(
        &house,
        &["import", "s1.jsonl", "--json"],
        expect![[r#"
            {"conversations":[{"id":"conv_1f1bd351fb2cc98c","name":"claude-code:s1","title":"Listing files","agent":"claude-code","source":"PROJECT/s1.jsonl","standing":"same","lines":7,"messages":3,"new_lines":0,"new_messages":0,"revised":0,"scrubbed":0,"quarantined":1,"quarantine":[{"line":6,"offset":972,"bytes":15,"reason":"not JSON: EOF while parsing a value at line 1 column 15"}],"unknown":[{"kind":"wormhole","lines":1}],"unfinished":0,"directory":"/nowhere"}],"skipped":[],"others":{"files":0,"first":[]},"elapsed_ms":N}
        "#]],
    );
    check(
        &house,
        &["history", "--conversation", "claude-code:s1"],
        expect![[r#"
            [1] user at 2026-01-02T03:04:05Z
            list the files

            [2] assistant at 2026-01-02T03:04:06Z
            I look.
            Bash
            {"command":"ls"}

            [3] tool at 2026-01-02T03:04:08Z
            a.txt

        "#]],
    );
    assert_eq!(house.run(&["export", "claude-code:s1"], "").stdout, TRANSCRIPT);
    check(
        &house,
        &["verify"],
        expect![[r#"
        ok: 3 messages in 1 conversation and 7 lines of 1 transcript checked against their hashes, 0 gaps
          PROJECT/s1.jsonl: 7 lines, 3 messages, 0 scrubbed, 1 in quarantine; on disk: same
    "#]],
    );
}

#[test]
fn what_cannot_be_imported_is_named() {
    let house = House::new(&[("talks/notes.md", "no transcript")]);
    house.write("s1.jsonl", TRANSCRIPT.as_bytes());
    check(
        &house,
        &["import", "talks"],
        expect![[r#"
        1 file beside the transcripts left alone: PROJECT/talks/notes.md
        0 transcripts, 0 lines and 0 messages new
        took N s
        (exit 3)
    "#]],
    );
    check(
        &house,
        &["import", "gone.jsonl", "notes.md"],
        expect![[r#"
        skipped gone.jsonl: does not exist
        skipped notes.md: does not exist
        0 transcripts, 0 lines and 0 messages new
        took N s
        (exit 1)
    "#]],
    );
    check(
        &house,
        &["import", "s1.jsonl", "--agent", "claude"],
        expect![[r#"
            ! error: agent `claude` does not exist
            ! hint: did you mean `claude-code`?
            (exit 3)
        "#]],
    );
    check(
        &house,
        &["export", "nobody"],
        expect![[r#"
        ! error: conversation `nobody` does not exist
        ! hint: epitome history lists them; epitome import and epitome ingest add to them
        (exit 3)
    "#]],
    );
}

#[test]
fn a_database_that_cannot_be_used_is_named_with_what_to_do() {
    let house = House::new(FILES);
    house.run(&["status"], "");
    let database = house.home().join("data/epitome.db");

    let newer = rusqlite::Connection::open(&database).expect("a database");
    newer.pragma_update(None, "user_version", 99).expect("a newer version");
    drop(newer);
    check(
        &house,
        &["status"],
        expect![[r#"
            ! error: cannot open HOME/data/epitome.db: written by a newer version (schema 99, this one knows N)
            ! hint: upgrade epitome
            (exit 1)
        "#]],
    );

    fs_err::remove_file(&database).expect("removed");
    for leftover in ["epitome.db-wal", "epitome.db-shm"] {
        let _ = fs_err::remove_file(house.home().join("data").join(leftover));
    }
    fs_err::write(&database, "this is not a database, just some text that is long enough to be looked at")
        .expect("a file");
    check(
        &house,
        &["status"],
        expect![[r#"
            ! error: HOME/data/epitome.db is damaged: file is not a database
            ! hint: an index is made anew by epitome index --rebuild; for conversations epitome verify says what is damaged: restore a backup and keep the damaged file; epitome salvage gets out what can be read
            (exit 5)
        "#]],
    );

    let house = House::new(FILES);
    fs_err::write(house.home().join("data"), "a file where a directory should be").expect("a file");
    check(
        &house,
        &["status"],
        expect![[r#"
        ! error: cannot write HOME/data/epitome.db: File exists (os error 17)
        ! hint: make the directory writable and see that its disk has room, or set EPITOME_HOME to another one
        (exit 1)
    "#]],
    );
    check(
        &house,
        &["--set", "database.url=postgres://nobody:secret@127.0.0.1:1/none", "status"],
        expect![[r#"
            ! error: cannot use postgres://127.0.0.1:1/none: error connecting to server: Connection refused (os error 111)
            ! hint: epitome doctor checks the store; database.url says which one is used
            (exit 1)
        "#]],
    );
}

#[test]
fn completions_and_the_manual_are_made_from_the_commands() {
    let house = House::new(&[]);
    for (arguments, needle) in [
        (&["completions", "bash"][..], "_epitome()"),
        (&["completions", "fish"], "complete -c epitome"),
        (&["man"], ".TH epitome"),
    ] {
        let ended = house.run(arguments, "");
        assert!(ended.status == 0 && ended.stdout.contains(needle), "{arguments:?}: {}", ended.shown());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let house = House::new(FILES);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = house.command(&["search", "server"]).stdin(Stdio::null()).stdout(writer).output();
    let output = output.expect("the binary ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn doctor_says_what_is_well_and_how_to_mend_what_is_not() {
    let house = House::new(FILES);
    check(
        &house,
        &["doctor"],
        expect![[r#"
            ok       version           0.2.0
            ok       configuration     read from HOME/config/config.toml
            ok       embeddings        builtin bbe972f9b6167270, 256 dimensions
            ok       MCP (2025-11-25)  3 tools offered
            ok       MCP (2026-07-28)  3 tools offered
            ok       daemon            does not run; hooks start it where it helps
            ok       agents            none found
            ok       hooks             none failed
            ok       spool             0 bytes wait
            ok       store             SQLite N at HOME/data/epitome.db, 0 messages
            ok       providers         none configured: no model is ever called (providers.chain)
            ok       permissions       HOME/data is private
        "#]],
    );
    let data = house.home().join("data");
    fs_err::set_permissions(&data, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a directory");
    let ended = house.run(&["doctor", "--json"], "");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).expect("one JSON object");
    let found = report["checks"].as_array().expect("checks").iter().find(|check| check["ok"] == false);
    expect![[r#"6 {"check":"permissions","ok":false,"what":"HOME/data may be read by others (mode 755)","fix":"chmod 700 HOME/data"}"#]].assert_eq(&format!("{} {}", ended.status, found.expect("a finding")));
}

#[test]
fn a_team_keeps_its_data_on_postgresql_through_the_same_commands() {
    let house = House::new(FILES);
    let cluster = testkit::postgres::PostgresCluster::start();
    let made = house.run(&["database", "init", cluster.url(), "--json"], "");
    let made: serde_json::Value = serde_json::from_str(&made.stdout).expect("one JSON object");
    assert_eq!(made["schema_found"], 0);
    assert!(made["schema"].as_u64() > Some(0), "{made}");
    let database = format!("database.url={}", made["url"].as_str().expect("a URL"));
    let run = |arguments: &[&str], input: &str| house.run(&[&["--set", &database], arguments].concat(), input).shown();

    expect![[r#"
        src/server.py:1-5  class Server
             1  class Server
             4  def start(self, port):
                matches: start, server · name · file name · similar meaning
    "#]]
    .assert_eq(&run(&["search", "start server", "--limit", "1"], ""));
    let message = r#"{"role":"user","content":"the port is 5432","id":"m1"}"#;
    expect![[r#"
        {"message_id":"msg_c91d11a64f151c98","seq":1,"hash":"e96e0696a0d0a15eccfa2467d2965de56bdf67095d83f9d64c0de8c8b4461f73"}
    "#]].assert_eq(&run(&["ingest", "--conversation", "demo"], message));
    expect![[r#"
        msg_c91d11a64f151c98  the port is 5432
    "#]]
    .assert_eq(&run(&["grep", "port", "--mode", "full_text"], ""));
    expect![[r#"
        ok: 1 message in 1 conversation and 0 lines of 0 transcripts checked against their hashes, 0 gaps
    "#]]
    .assert_eq(&run(&["verify"], ""));

    // Doctor starts our own MCP door, which must find the same database.
    let doctor = run(&["doctor"], "");
    assert!(doctor.contains("ok       MCP (2026-07-28)") && doctor.contains("PostgreSQL"), "{doctor}");
    assert!(!house.home().join("data/epitome.db").exists(), "something was kept beside the server");
}
#[path = "cli/windows.rs"]
mod windows;
