//! Profiles: the router that reaches everything, and other systems' names for our operations.

use crate::process::{Ended, Era, Place, json_text, quiet};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

#[track_caller]
fn check(result: &Value, expected: &Expect) {
    let prefix = if result["isError"] == true { "problem: " } else { "" };
    expected.assert_eq(&format!("{prefix}{}", result["content"][0]["text"].as_str().expect("text")));
}

#[test]
fn the_router_lists_describes_and_runs_every_operation() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    let list = session.call("epitome", json!({}));
    check(
        &list,
        &expect![[r#"
            index         Index the project, or bring its index up to date
            search        Find the places of the project that a question is about
            context       Answer a question about the project with cited source text that fits a token budget
            read          Read files, line ranges or symbols: exactly, shortened, as skeleton or as map
            symbol        Find where a name is defined
            relations     Show callers, callees, types, imports and hierarchy of a symbol, or the way to another
            impact        Show what a change touches, tests included
            critique      Check what a text claims about the code
            tree          Show the directories and files of the project, in at most 4 KB
            briefing      Introduce the project on one page
            document      List documents, or show what one says: sections, requirements, stories, questions, links
            coverage      Say which requirements have code and tests, and which tests have no requirement
            import        Import transcripts of agents, every line kept
            ingest        Store messages of a conversation, acknowledged only when durable
            history       Show the newest messages of a conversation, verbatim, or which conversations there are
            recall        Answer a question with what was said, verbatim and with message ids
            grep          Find messages, summaries and artifacts by regular expression or by words
            decisions     List what was decided in conversations, why, and whether it still holds
            session       Make, list, sum up, archive and resume conversations
            compact       Fold older messages into summaries that expand back to them
            assemble      Give the context of a conversation within a budget: summaries, facts, newest messages
            describe      Describe a summary, message, fact, memory, artifact or conversation with where it comes from
            expand        Expand a summary to the summaries and messages it covers
            grant         Let a delegate expand some summaries, within tokens and time
            remember      Keep a text that later sessions are told
            memories      List what is remembered for later sessions, or forget one of it
            promote       Remember the rules, decisions and fixes of conversations
            reflection    Keep lessons of what worked and what failed, and find them
            tier          Keep what sessions work with hot, warm or cold
            checkpoint    Keep the state of the work, and go on from it
            subscription  Ask to be told of changes, mentions and what a cursor is near
            suggestion    List what subscriptions led to, and say what was of use
            team          Share memories and decisions with colleagues, and list what they share
            knowledge     Carry shared memories in the repository, and show those of colleagues
            entity        Keep, link, list, show or remove entities that are in no file: concepts, people, technologies
            window        Show which lines of files an agent has in its context now
            value         Show the ledger: tokens spared and added, what models cost and may cost
            modes         Show what was learned of how files are best shown, and forget it
            stats         Count what memory holds, and how much shorter folding made it
            status        Show what is indexed, stored and running
            project       List, show, name or link the projects that are indexed or spoken about
            verify        Prove that nothing stored is missing or changed
            repair        Mend summaries, contexts and facts that do not fit together; messages stay as they are
        "#]],
    );
    assert_eq!(session.call("epitome", json!({ "operation": "help" })), list);
    let one = json!({ "operation": "help", "arguments": { "operation": "grep" } });
    check(
        &session.call("epitome", one),
        &expect![[r#"
            grep: Find messages, summaries and artifacts by regular expression or by words
            parameters: {"type":"object","additionalProperties":false,"properties":{"pattern":{"type":"string","description":"The pattern"},"mode":{"description":"How to read the pattern; `regex`: A regular expression, matched in linear time; `full_text`: Words that must all occur","type":"string","enum":["regex","full_text"]},"scope":{"description":"What to look through; `messages`: What was said, and what was too large for its message; `summaries`: What it was folded into; `both`: Messages, then summaries, then what was too large for its message","type":"string","enum":["messages","summaries","both"]},"conversation":{"type":"string","description":"Only this conversation, by name or id, or `latest`"},"within":{"description":"Which conversations to look through; `project`: Those of the project; `all`: All of them","type":"string","enum":["project","all"]},"since":{"type":"string","description":"Only what happened from this time on: a day, or RFC 3339"},"until":{"type":"string","description":"Only what happened up to this time"},"cursor":{"type":"string","description":"Continue where an earlier reply ended: its `cursor`"},"limit":{"type":"integer","description":"Most matches to return","default":20}},"required":["pattern"]}
        "#]],
    );
    let search = json!({ "operation": "search", "arguments": { "query": "check_password", "limit": 1 } });
    check(
        &session.call("epitome", search.clone()),
        &expect![[r#"
            src/session.rs:1-4  function check_password
                matches: check, password · defines the function · name · similar meaning
        "#]],
    );
    assert_eq!(session.call("epitome", search)["structuredContent"], Value::Null);
    assert_eq!(session.end(), quiet());
}

#[test]
fn the_router_says_what_it_does_not_know() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    check(
        &session.call("epitome", json!({ "operation": "serch" })),
        &expect![[r#"
            problem: unknown operation `serch`
            hint: did you mean `search`? there are index, search, context, read, symbol, relations, impact, critique, tree, briefing, document, coverage, import, ingest, history, recall, grep, decisions, session, compact, assemble, describe, expand, grant, remember, memories, promote, reflection, tier, checkpoint, subscription, suggestion, team, knowledge, entity, window, value, modes, stats, status, project, verify, repair"#]],
    );
    let help = json!({ "operation": "help", "arguments": { "operation": "everything" } });
    check(
        &session.call("epitome", help),
        &expect![[r#"
            problem: unknown operation `everything`
            hint: there are index, search, context, read, symbol, relations, impact, critique, tree, briefing, document, coverage, import, ingest, history, recall, grep, decisions, session, compact, assemble, describe, expand, grant, remember, memories, promote, reflection, tier, checkpoint, subscription, suggestion, team, knowledge, entity, window, value, modes, stats, status, project, verify, repair"#]],
    );
    check(
        &session.call("epitome", json!({ "arguments": { "query": "x" } })),
        &expect![[r#"
        problem: missing field `operation`
        hint: it names the operation that takes these arguments"#]],
    );
    check(
        &session.call("epitome", json!({ "operation": "search", "arguments": "retry" })),
        &expect![[r#"problem: `arguments` is "retry": write an object, for example {"query": "retry policy"}"#]],
    );
    check(
        &session.call("epitome", json!({ "operation": "search", "query": "x", "arguments": { "query": "y" } })),
        &expect!["problem: `query` stands in `arguments` and beside them"],
    );
    check(
        &session.call("epitome", json!({ "operation": "search", "arguments": {} })),
        &expect!["problem: `query` has no word to look for: write at least one letter or digit"],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn another_system_s_tools_run_our_operations() {
    let place = Place::new();
    let mut session = place.open("ctx-sys", Era::Stateless);
    let message = json!({ "session": "s", "role": "user", "content": "remember the port" });
    assert_eq!(json_text(&session.call("store_message", message))["acknowledged"][0]["seq"], 1);
    let history = json_text(&session.call("get_history", json!({ "session": "s" })));
    let message = &history["messages"][0];
    assert_eq!(
        (&message["message_id"], &message["content"]),
        (&json!("msg_101e2ba566de85e9"), &json!("remember the port"))
    );
    // Nobody said when, so it is when it was received.
    assert!(message["received"] == true && message["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{message}");
    check(
        &session.call("get_history", json!({ "session": "s", "befor": "x" })),
        &expect![[r#"
        problem: unknown parameter `befor`
        hint: it takes limit, session"#]],
    );
    assert_eq!(session.end(), quiet());

    let mut session = place.open("lcm", Era::Handshake("2025-06-18"));
    let found = session.call("lcm_grep", json!({ "pattern": "port", "mode": "full_text", "conversationId": "s" }));
    assert_eq!(json_text(&found)["matches"][0]["snippet"], "remember the port");
    assert_eq!(session.end(), quiet());

    let mut session = place.open("lvm", Era::Handshake("2025-06-18"));
    check(
        &session.call("get_skeleton", json!({ "filePath": "src/session.rs" })),
        &expect![[
            r#"{"items":[{"id":"src/session.rs","path":"src/session.rs","start_line":1,"end_line":4,"text":"/// Checks a password against its stored hash.\npub fn check_password(given: &str) -> bool {\n    !given.is_empty()\n}\n","mode":"aggressive","freshness":"unindexed","lossy":false,"original_bytes":116,"compressed_bytes":116,"ratio":1.0,"tokens":29}],"omitted":[],"tokens":29}"#
        ]],
    );
    let body = session.call("hydrate_context", json!({ "symbolIds": ["src/session.rs#check_password"] }));
    check(
        &body,
        &expect![[
            r#"{"items":[{"id":"src/session.rs#check_password","path":"src/session.rs","start_line":2,"end_line":4,"text":"pub fn check_password(given: &str) -> bool {\n    !given.is_empty()\n}\n","mode":"raw","freshness":"unindexed","lossy":false,"original_bytes":69,"compressed_bytes":69,"ratio":1.0,"tokens":20}],"omitted":[],"tokens":20}"#
        ]],
    );
    assert_eq!(session.end(), quiet());

    let mut session = place.open("memtrace", Era::Handshake("2025-06-18"));
    let found = session.call("find_code", json!({ "query": "check_password" }));
    let id = json_text(&found)["results"][0]["symbol"].clone();
    let window = session.call("get_source_window", json!({ "symbol_id": id }));
    let raw = json_text(&window);
    for counter in ["mode", "original_bytes", "compressed_bytes", "ratio"] {
        assert_eq!(raw.get(counter), None, "a raw reply has no counters: {raw}");
    }
    assert_eq!(window["_meta"]["context_avoided_bytes"], Value::Null, "nothing was left out");
    let window = session.call("get_source_window", json!({ "symbol_id": "src/session.rs", "mode": "map" }));
    let item = json_text(&window);
    let bytes = |name: &str| item[name].as_u64().expect("a number");
    assert_eq!(window["_meta"]["context_avoided_bytes"], bytes("original_bytes") - bytes("compressed_bytes"));
    assert_eq!(session.end(), quiet());
}

#[test]
fn entities_and_documents_have_the_other_system_s_tools() {
    let place = Place::with_project(&[
        ("src/session.rs", "pub fn check_password(given: &str) -> bool {\n    !given.is_empty()\n}\n"),
        ("docs/requirements.md", "# Login\n\n- REQ-1: A password must be checked by `check_password`.\n"),
    ]);
    let mut session = place.open("ctx-sys", Era::Stateless);
    let indexed =
        json_text(&session.call("index_document", json!({ "path": "docs/requirements.md", "type": "requirements" })));
    assert_eq!(indexed["document"]["requirements"], 1, "{indexed}");
    assert_eq!(indexed["requirements"][0]["startLine"], 3, "{indexed}");
    assert_eq!(indexed["links"][0]["id"], "src/session.rs#check_password", "{indexed}");
    for list in ["sections", "stories"] {
        assert!(indexed[list].is_array(), "{list}: {indexed}");
    }
    let concept =
        json!({ "type": "concept", "name": "Login", "content": "who you are", "metadata": { "own_name": 1 } });
    let added = json_text(&session.call("add_entity", concept));
    assert_eq!(added["entity"]["metadata"]["own_name"], 1, "{added}");
    assert!(added["entity"]["createdAt"].is_string(), "{added}");
    let link = json!({ "source": "Login", "target": "check_password", "relationship": "implements", "weight": 0.5 });
    let linked = json_text(&session.call("link_entities", link));
    assert_eq!(
        (&linked["link"]["targetId"], &linked["link"]["weight"]),
        (&json!("src/session.rs#check_password"), &json!(0.5))
    );
    let walked =
        json_text(&session.call("query_graph", json!({ "entity": "Login", "depth": 2, "types": ["requirement"] })));
    let relations = walked["relations"].as_array().expect("relations");
    let ends: Vec<&Value> = relations.iter().map(|relation| &relation["entity"]["id"]).collect();
    assert_eq!(ends, ["docs/requirements.md#REQ-1"], "{walked}");
    assert_eq!(session.end(), quiet());
}

#[test]
fn the_router_understands_arguments_however_they_are_put() {
    let place = Place::new();
    let mut session = place.open("core", Era::Stateless);
    let plain = json!({ "operation": "symbol", "arguments": { "name": "check_password" } });
    let told = session.call("epitome", plain);
    for other in [
        json!({ "operation": "symbol", "name": "check_password" }),
        json!({ "operation": " Symbol", "arguments": "{\"name\": \"check_password\"}" }),
        json!({ "operation": "epitome symbol", "arguments": { "query": "check_password()", "limit": "10" } }),
    ] {
        assert_eq!(session.call("epitome", other.clone()), told, "{other}");
    }
    let help = session.call("epitome", json!({ "operation": "help", "arguments": { "operation": "grep" } }));
    for other in [json!({ "operation": "help grep" }), json!({ "operation": "help", "name": "grep" })] {
        assert_eq!(session.call("epitome", other.clone()), help, "{other}");
    }
    let whole = session.call("read", json!({ "targets": ["src/session.rs:1-2"] }));
    for path in ["src/session.rs:1-2", "src/session.rs:L1-L2", "./src/session.rs:1-2", "`src/session.rs:1,2`"] {
        let read = session.call("read", json!({ "path": path, "budget": null }));
        assert_eq!(read["content"], whole["content"], "{path}");
    }
    let body = session.call("read", json!({ "targets": ["src/session.rs#check_password"] }));
    for name in ["check_password", "check_password()", "session::check_password", "src/session.rs::check_password"] {
        assert_eq!(session.call("read", json!({ "symbol": name }))["content"], body["content"], "{name}");
    }
    check(
        &session.call("read", json!({ "file": "sesion.rs" })),
        &expect![[r#"
        problem: file `sesion.rs` does not exist
        hint: did you mean `src/session.rs`?"#]],
    );
    check(
        &session.call("read", json!({ "id": "msg_0123456789abcdef" })),
        &expect![[r#"
            problem: file `msg_0123456789abcdef` does not exist
            hint: of conversations, epitome expand msg_0123456789abcdef or epitome describe msg_0123456789abcdef gives it"#]],
    );
    check(
        &session.call("read", json!({ "targets": ["src/session.rs"], "budget": -1 })),
        &expect!["problem: `budget`: invalid value: integer `-1`, expected a whole number"],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn checkpoints_and_tiers_have_the_names_and_shapes_of_the_other_system() {
    let place = Place::new();
    let mut session = place.open("ctx-sys", Era::Stateless);
    let names = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>().join(" ");
    let state = json!({
        "query": "port the parser", "plan": [{ "content": "read it", "status": "completed" }, { "content": "write it" }],
        "currentStepIndex": 1, "results": [], "context": { "snake_case": 1 },
    });
    let call = json!({ "session": "s", "state": state, "description": "half way" });
    let saved = json_text(&session.call("checkpoint_save", call)).clone();
    let shape = "id sessionId projectId stepNumber createdAt state metadata";
    let sorted = |names: &str| {
        let mut names: Vec<String> = names.split(' ').map(str::to_owned).collect();
        names.sort();
        names
    };
    assert_eq!(sorted(&names(&saved)), sorted(shape), "{saved}");
    assert_eq!((&saved["sessionId"], &saved["stepNumber"]), (&json!("s"), &json!(1)));
    assert_eq!(saved["metadata"], json!({ "description": "half way", "triggerType": "manual", "durationMs": 0 }));
    for call in [json!({ "session": "s" }), json!({ "session": "s", "id": saved["id"] })] {
        let loaded = json_text(&session.call("checkpoint_load", call)).clone();
        assert_eq!((&loaded["id"], &loaded["state"]), (&saved["id"], &state));
    }
    let nobody = session.call("checkpoint_load", json!({ "session": "nobody" }));
    assert_eq!(nobody["isError"], true, "{nobody}");
    // What is put into a tier here is put there by our own operation; the other system spills and recalls it.
    let mut own = place.open("full", Era::Stateless);
    for (words, relevance) in [("the heron listens on port 8080", 0.1), ("the okapi is written in C", 0.9)] {
        own.call("tier", json!({ "action": "add", "text": words, "session": "s", "relevance": relevance }));
    }
    own.end();
    let spilled = json_text(&session.call("memory_spill", json!({ "session": "s", "count": 1 }))).clone();
    assert_eq!(sorted(&names(&spilled)), ["spilledCount", "spilledIds", "targetTier"]);
    assert_eq!((&spilled["spilledCount"], &spilled["targetTier"]), (&json!(1), &json!("warm")));
    let call = json!({ "session": "s", "query": "which port does the heron listen on", "auto_promote": false });
    let recalled = json_text(&session.call("memory_recall", call)).clone();
    assert_eq!(sorted(&names(&recalled)), ["items", "promoted"]);
    let item = &recalled["items"][0];
    assert_eq!((&item["id"], &item["tier"]), (&spilled["spilledIds"][0], &json!("warm")), "{recalled}");
    let shape = "id sessionId content type tier relevanceScore accessCount lastAccessedAt tokenCount";
    for name in sorted(shape).iter().filter(|name| *name != "lastAccessedAt") {
        assert!(item.get(name).is_some(), "{name}: {item}");
    }
    assert_eq!(session.end(), quiet());
}

#[test]
fn conversations_are_searched_with_the_parameters_of_the_other_system() {
    let place = Place::new();
    let mut session = place.open("ctx-sys", Era::Stateless);
    for (name, content) in [("old", "the heron listens on port 8080"), ("new", "the heron moved to port 9090")] {
        let message = json!({ "session": format!("agent:{name}"), "role": "user", "content": content });
        session.call("store_message", message);
    }
    session.end();

    let mut session = place.open("lcm", Era::Stateless);
    let snippets_of = |found: &Value| {
        let matches = json_text(found)["matches"].as_array().expect("matches").clone();
        matches.iter().map(|found| found["snippet"].as_str().expect("a snippet").to_owned()).collect::<Vec<_>>()
    };
    let mut snippets = |arguments: Value| snippets_of(&session.call("lcm_grep", arguments));
    let old = "the heron listens on port 8080";
    let new = "the heron moved to port 9090";
    assert_eq!(snippets(json!({ "pattern": "port" })), [new, old]);
    assert_eq!(snippets(json!({ "pattern": "port", "allConversations": true })), [new, old]);
    assert_eq!(snippets(json!({ "pattern": "port", "allConversations": false })), [new]);
    assert_eq!(snippets(json!({ "pattern": "port", "allConversations": false, "conversationId": "old" })), [old]);
    let answer = session.call("lcm_expand_query", json!({ "prompt": "where is it?", "query": "heron" }));
    let answer = &json_text(&answer);
    assert_eq!(
        (answer["citedIds"].as_array().map(Vec::len), &answer["truncated"], &answer["expandedSummaryCount"]),
        (Some(2), &json!(false), &json!(0)),
        "{answer}"
    );
    assert!(
        answer["answer"].as_str().is_some_and(|said| said.contains(old)),
        "without a model word for word: {answer}"
    );
    check(
        &session.call("lcm_expand_query", json!({ "prompt": "x", "query": "y", "maxTokens": 0 })),
        &expect!["problem: `maxTokens` is 0: must be at least 64 tokens, so that what is left out can be named"],
    );
    check(
        &session.call("lcm_expand_query", json!({ "prompt": "x" })),
        &expect!["problem: missing parameter `query` or `summaryIds`"],
    );
    check(
        &session.call("lcm_expand_query", json!({ "prompt": "x", "summaryIds": [], "query": " " })),
        &expect!["problem: missing parameter `query` or `summaryIds`"],
    );
    // The first that was stored has the number 1.
    for number in [json!(1), json!("#1")] {
        let found = session.call("lcm_grep", json!({ "pattern": "port", "conversationId": number }));
        assert_eq!(snippets_of(&found), [old], "{number}");
    }
    check(
        &session.call("lcm_grep", json!({ "pattern": "port", "conversationId": 99 })),
        &expect![[r##"
            problem: conversation `#99` does not exist
            hint: epitome history lists them; epitome import and epitome ingest add to them"##]],
    );
    check(
        &session.call("lcm_expand", json!({ "summaryId": "conv_1" })),
        &expect![
            "problem: `summaryId` is `conv_1`, a conversation: expand takes summaries and messages, describe takes it"
        ],
    );
    check(
        &session.call("lcm_describe", json!({ "id": "sum_12" })),
        &expect![
            "problem: `id` is `sum_12`, which is no id of a summary, nor the beginning of one: `sum_` and 16 hexadecimal digits"
        ],
    );
    assert_eq!(json_text(&session.call("lcm_describe", json!({ "id": "agent:old#1" })))["content"], old);
    assert_eq!(snippets_of(&session.call("lcm_grep", json!({ "query": "port", "sessionId": "old" }))), [old]);
    let stored = session.call("lcm_store", json!({ "text": "herons nest in March" }));
    assert_eq!(json_text(&stored)["stored"], true);
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_text_that_is_stored_is_found_in_its_layer_and_by_its_tags() {
    let place = Place::new();
    let mut session = place.open("lcm", Era::Stateless);
    let metadata = json!({ "sessionId": "s1" });
    let text = json!({ "text": "herons nest in March", "tags": ["birds", "type:note"], "metadata": metadata });
    let stored = json_text(&session.call("lcm_store", text.clone()));
    let id = stored["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("mem_") && stored == json!({ "stored": true, "id": id }), "{stored}");
    assert_eq!(json_text(&session.call("lcm_store", text))["id"], id.as_str(), "the same is stored once");
    check(
        &session.call("lcm_store", json!({ "text": " " })),
        &expect!["problem: `text` is empty: say what to remember"],
    );
    let search = |more: Value| {
        let mut arguments = json!({ "query": "when do herons nest" });
        more.as_object().into_iter().flatten().for_each(|(name, value)| arguments[name] = value.clone());
        arguments
    };
    for (more, found) in [
        (json!({}), 1),
        (json!({ "layers": ["promoted"] }), 1),
        (json!({ "layers": ["episodic", "promoted"], "tags": ["birds"] }), 1),
        (json!({ "layers": ["episodic"] }), 0),
        (json!({ "tags": ["fish"] }), 0),
    ] {
        let reply = json_text(&session.call("lcm_search", search(more.clone())));
        assert_eq!(reply["promoted"].as_array().map(Vec::len), Some(found), "{more}: {reply}");
        assert_eq!(reply["episodic"], json!([]), "{more}: {reply}");
        if found == 1 {
            let memory = &reply["promoted"][0];
            assert_eq!((&memory["memoryId"], &memory["tags"][0]), (&json!(id), &json!("birds")), "{memory}");
            assert_eq!(memory["metadata"][0], metadata, "{memory}");
        }
    }
    check(
        &session.call("lcm_search", search(json!({ "layers": ["semantic"] }))),
        &expect!["problem: `layers` has `semantic`: there are `messages` and `memories`"],
    );
    assert_eq!(session.end(), quiet());
}

#[test]
fn an_unknown_profile_is_refused_before_anything_is_served() {
    let ended = Place::new().start("lcn").end();
    let talk = "error: unknown profile `lcn`\nhint: did you mean `lcm`?\n".to_owned();
    assert_eq!(ended, Ended { status: Some(2), unheard: Vec::new(), talk });
}

/// Messages enough to be folded, in a conversation of the place.
fn folded(place: &Place) -> Value {
    let mut session = place.open("full", Era::Stateless);
    let messages: Vec<Value> = (0..80)
        .map(|number| {
            let role = if number % 2 == 0 { "user" } else { "assistant" };
            let content = format!("Step {number}: the heron of pond {number} moved. {}", "It flew far. ".repeat(120));
            json!({ "role": role, "content": content })
        })
        .collect();
    session.call("ingest", json!({ "conversation": "ponds", "messages": messages }));
    session.call("compact", json!({ "conversation": "ponds" }));
    let described = session.call("describe", json!({ "id": "ponds" }))["structuredContent"].clone();
    assert_eq!(session.end(), quiet());
    described
}

#[test]
fn summaries_that_lead_to_an_answer_are_counted() {
    let place = Place::new();
    let ponds = folded(&place);
    let summary = ponds["summaries"][0].as_str().expect("it was folded").to_owned();
    let mut session = place.open("lcm", Era::Stateless);
    let query = json!({ "prompt": "what of pond 3?", "query": "heron of pond 3" });
    let found = json_text(&session.call("lcm_expand_query", query));
    assert!(found["expandedSummaryCount"].as_u64().is_some_and(|count| count > 0), "{found}");
    assert!(found["totalSourceTokens"].as_u64().is_some_and(|tokens| tokens > 0), "{found}");
    // The beginning of an id is enough.
    for id in [&summary, &summary[..12]] {
        let within = json!({ "prompt": "what of pond 3?", "summaryIds": [id] });
        let found = json_text(&session.call("lcm_expand_query", within));
        assert_eq!(found["expandedSummaryCount"], 1, "{found}");
    }
    assert_eq!(session.end(), quiet());
}

#[test]
fn expansion_can_be_left_to_subagents_with_a_grant() {
    let place = Place::new();
    let ponds = folded(&place);
    let summary = &ponds["summaries"][0];
    let mut session = place.open("full", Era::Stateless);
    let grant = session.call("grant", json!({ "conversations": ["ponds"], "tokens": 4000 }));
    let grant = grant["structuredContent"]["grant"].as_str().expect("a grant").to_owned();
    assert_eq!(session.end(), quiet());

    let mut command = place.command("lcm");
    command.arg("--subagents-only");
    let mut session = place.spawn(command);
    check(
        &session.call("lcm_expand", json!({ "summaryId": summary })),
        &expect![[r#"
            problem: summaries are expanded only under a grant
            hint: ask with recall, or hand the expansion to a subagent with a grant (operation `grant`)"#]],
    );
    for wrong in ["", "grant_0000000000000000"] {
        let refused = session.call("lcm_expand", json!({ "summaryId": summary, "grant": wrong }));
        assert_eq!(refused["isError"], true, "{refused}");
    }
    let allowed = session.call("lcm_expand", json!({ "summaryId": summary, "grant": grant }));
    assert_ne!(allowed["isError"], true, "{allowed}");
    assert!(json_text(&allowed)["items"].as_array().is_some_and(|items| !items.is_empty()), "{allowed}");
    assert_eq!(session.end(), quiet());
}

#[test]
fn the_doctor_of_lcm_is_ours() {
    let place = Place::new();
    let mut session = place.open("lcm", Era::Stateless);
    let told = json_text(&session.call("lcm_doctor", json!({})));
    assert_eq!(session.end(), quiet());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.env_clear().env("EPITOME_HOME", place.home.path()).arg("--project").arg(place.project.path());
    let doctor = command.args(["doctor", "--json"]).output().expect("it runs");
    let doctor: Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let names = |report: &Value| {
        let checks = report["checks"].as_array().unwrap_or_else(|| panic!("a table: {report}")).clone();
        checks.iter().map(|check| check["name"].clone()).collect::<Vec<Value>>()
    };
    assert!(names(&told).len() > 3, "{told}");
    assert_eq!(names(&told), names(&doctor));
}

#[test]
fn replies_of_lcm_have_names_in_camel_case() {
    let place = Place::new();
    let ponds = folded(&place);
    let mut session = place.open("lcm", Era::Stateless);
    session.call("lcm_store", json!({ "text": "herons nest in March", "metadata": { "of_source": 1 } }));
    let summary = &ponds["summaries"][0];
    let message = json_text(&session.call("lcm_grep", json!({ "pattern": "heron" })))["matches"][0]["id"].clone();
    for (tool, arguments) in [
        ("lcm_grep", json!({ "pattern": "heron" })),
        ("lcm_describe", json!({ "id": summary })),
        ("lcm_describe", json!({ "id": message })),
        ("lcm_describe", json!({ "id": "ponds" })),
        ("lcm_expand_query", json!({ "prompt": "what of pond 3?", "query": "heron" })),
        ("lcm_expand", json!({ "summaryId": summary, "includeMessages": true })),
        ("lcm_search", json!({ "query": "herons nest in March" })),
    ] {
        let reply = json_text(&session.call(tool, arguments));
        let mut wrong = Vec::new();
        find_snake_case(&reply, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new(), "{tool}: {reply}");
    }
    // Statistics are for people, in tables of Markdown.
    let stats = session.call("lcm_stats", json!({ "verbose": true }));
    let stats = stats["content"][0]["text"].as_str().expect("a text");
    let heading = "| # | title | msgs | sums | depth | tokens | ratio | last |\n";
    assert!(stats.starts_with("Memory\n") && stats.contains(heading) && stats.contains(" | ponds | "), "{stats}");
    assert_eq!(session.end(), quiet());
}

/// Names of fields with an underscore, but for what an author named.
fn find_snake_case(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| *name != "metadata") {
                found.extend(Some(name.clone()).filter(|name| name.contains('_')));
                find_snake_case(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| find_snake_case(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
