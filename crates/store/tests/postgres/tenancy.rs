//! Integration tests of tenant isolation in `PostgresStore`: the database itself enforces it with row-level security,
//! privileges and append-only tables.

use crate::server::{Server, connect};
use model::{MemoryEvent, MemoryKind, MemoryNote, MemoryVisibility, Money, NewMemory, SymbolId, Timestamp, UtcDay};
use store::conformance::sample::{
    SAMPLE_FINGERPRINT, build_append, build_batch, build_version, conversation_id, project_id, text_row, text_row_as,
};
use store::{
    AppendOutcome, CodeStore as _, CodeTotals, DurableStore as _, EdgeBatch, EncodedEdges, Error, FileBatch,
    FileRecordKind, FileStamp, IndexState, LedgerAccount, LedgerFigures, LedgerStore as _, MemoryBatch, MemoryScope,
    MemoryStore as _, MemoryTotals, MessageQuery, MessageWindow, NewPassages, NewReservation, PassagePostings,
    PassageSegments, PassageStore as _, Redirect, ReservationOutcome, SegmentMerge, Settlement, SpendAmount,
    SpendLimits, SpendingState, TermPostings, TotalsBy, TotalsFilter, VectorSpace, VectorStore as _,
};
use tokio_postgres::Client;

#[tokio::test]
async fn tenants_never_meet_through_any_method() {
    let server = Server::start().await;
    let store = server.store().await;
    let ours = store.for_tenant("a").expect("it has a name");
    let theirs = store.for_tenant("b").expect("it has a name");
    ours.append_messages(build_append("c", vec![text_row_as("x", "secret")])).await.expect("appends");
    let tree = ours.open_worktree(&project_id("p"), "/one").await.expect("opens").id;
    ours.write_files(&tree, build_batch(vec![build_version("a.rs", "a", 2)], &["t"])).await.expect("writes");
    let resolution = EdgeBatch {
        version: ours.open_worktree(&project_id("p"), "/one").await.expect("opens").version,
        made: SAMPLE_FINGERPRINT,
        edges: vec![EncodedEdges { path: "a.rs".to_owned(), count: 1, bytes: vec![1] }],
        redirects: vec![Redirect { from: SymbolId::new("a.rs", "f"), to: SymbolId::new("a.rs", "g") }],
    };
    ours.write_edges(&tree, resolution.clone()).await.expect("writes");
    ours.finish_index(&tree, Timestamp(1)).await.expect("finishes");
    ours.write_files(&tree, build_batch(vec![build_version("b.rs", "b", 1)], &[])).await.expect("writes");

    assert_eq!(theirs.load_conversation(&conversation_id("c")).await.expect("reads"), None);
    assert_eq!(theirs.list_conversations().await.expect("reads"), []);
    assert_eq!(theirs.load_messages(&conversation_id("c"), MessageWindow::Last(9)).await.expect("reads"), []);
    for terms in [vec![], vec!["secret".to_owned()]] {
        let find = MessageQuery { terms, ..MessageQuery::default() };
        assert_eq!(theirs.find_messages(find.clone(), None).await.expect("looks").cursors(), []);
        let found = ours.find_messages(find, None).await.expect("looks").cursors();
        assert_eq!(found.len(), 1);
        assert_eq!(theirs.messages_numbered(&found).await.expect("reads"), [None]);
    }
    assert_eq!(theirs.messages_at(&[(conversation_id("c"), 1)]).await.expect("reads"), [None]);
    assert_eq!(theirs.memory_totals().await.expect("reads"), MemoryTotals::default());

    let hash = build_version("a.rs", "a", 0).hash;
    let wanted = [("a.rs".to_owned(), hash, SAMPLE_FINGERPRINT)];
    let file = ours.known_versions(&tree, &wanted).await.expect("reads")[0].expect("it was written");
    assert_eq!(theirs.worktree_files(&tree).await.expect("reads"), []);
    assert_eq!(theirs.known_versions(&tree, &wanted).await.expect("reads"), [None]);
    assert_eq!(theirs.load_segments(&tree).await.expect("reads"), []);
    assert_eq!(theirs.load_postings(&tree, &["t".to_owned()]).await.expect("reads"), []);
    assert_eq!(theirs.files_at(&tree, &["a.rs".to_owned()]).await.expect("reads"), [None]);
    let segment = ours.load_segments(&tree).await.expect("reads")[0].number;
    assert_eq!(theirs.segment_postings(&tree, &[segment]).await.expect("reads"), []);
    assert_eq!(theirs.segment_files(&tree, &[segment]).await.expect("reads"), []);
    assert_eq!(theirs.load_records(&tree, FileRecordKind::Uses, &[file]).await.expect("reads"), [None]);
    assert_eq!(theirs.worktree_records(&tree, FileRecordKind::Uses).await.expect("reads").files, []);
    assert_eq!(theirs.load_edges(&tree).await.expect("reads"), []);
    assert_eq!(theirs.load_changes(&tree).await.expect("reads"), []);
    assert_eq!(theirs.load_redirects(&project_id("p")).await.expect("reads"), []);
    assert_eq!(theirs.code_totals(&tree).await.expect("reads"), CodeTotals::default());

    let is_missing = |outcome: store::Result<()>| matches!(outcome, Err(Error::NotFound { .. }));
    assert!(is_missing(theirs.write_files(&tree, build_batch(vec![build_version("b.rs", "b", 1)], &[])).await));
    assert!(is_missing(theirs.finish_index(&tree, Timestamp(2)).await));
    assert!(is_missing(theirs.write_edges(&tree, resolution).await));
    let stolen = SegmentMerge { segments: vec![segment], files: vec![file], lengths: Vec::new(), postings: Vec::new() };
    assert!(is_missing(theirs.merge_segments(&tree, stolen).await));
    let theirs_now = theirs.open_worktree(&project_id("p"), "/one").await.expect("opens");
    assert_eq!((theirs_now.state, theirs_now.resolved), (IndexState::NotReady, None));
    let their_tree = theirs_now.id;
    assert_ne!(their_tree, tree);
    let stamp = FileStamp { bytes: 0, modified: 0 };
    let stolen = FileBatch { known: vec![("a.rs".to_owned(), file, stamp)], ..FileBatch::default() };
    assert!(is_missing(theirs.write_files(&their_tree, stolen).await));
    theirs.drop_index(&project_id("p")).await.expect("drops their own");

    let answer =
        theirs.append_messages(build_append("c", vec![text_row_as("x", "other words")])).await.expect("appends");
    assert!(matches!(answer[..], [AppendOutcome::New(_)]));
    let still = ours.load_messages(&conversation_id("c"), MessageWindow::Last(9)).await.expect("reads");
    assert_eq!(still.iter().map(|message| message.body.content()).collect::<Vec<_>>(), ["secret"]);
    assert_eq!(ours.worktree_files(&tree).await.expect("reads").len(), 2);
    assert_eq!(ours.load_edges(&tree).await.expect("reads").len(), 1);
    assert_eq!(ours.load_changes(&tree).await.expect("reads").len(), 1);
    assert_eq!(ours.load_redirects(&project_id("p")).await.expect("reads").len(), 1);
    assert_eq!(store.memory_totals().await.expect("reads"), MemoryTotals::default(), "the default tenant is one more");
}

#[tokio::test]
async fn tenants_have_passages_of_their_own() {
    let server = Server::start().await;
    let store = server.store().await;
    let ours = store.for_tenant("a").expect("it has a name");
    let theirs = store.for_tenant("b").expect("it has a name");
    let passages = NewPassages {
        seen: 0,
        replaces: Vec::new(),
        passages: 1,
        heads: vec![1],
        postings: vec![TermPostings { term: "secret".to_owned(), bytes: vec![2] }],
    };
    let segment = ours.write_passages(passages).await.expect("writes");
    theirs.drop_passages().await.expect("drops its own");
    assert_eq!(theirs.passage_segments(&[]).await.expect("reads"), PassageSegments::default());
    let asked = ["secret".to_owned()];
    assert_eq!(theirs.passage_postings(&asked).await.expect("reads"), PassagePostings::default());
    assert_eq!(theirs.passages_of(&[segment]).await.expect("reads"), []);
    assert_eq!(ours.passage_postings(&asked).await.expect("reads").postings.len(), 1);
}

#[tokio::test]
async fn what_one_team_shares_no_other_sees_or_takes_back() {
    let server = Server::start().await;
    let store = server.store().await;
    let ours = store.for_tenant("a").expect("it has a name");
    let theirs = store.for_tenant("b").expect("it has a name");
    let memory = NewMemory {
        content: "prices are whole cents".to_owned(),
        kind: MemoryKind::Decision,
        project: Some(project_id("p")),
        // The same name in both: a name is no key.
        author: Some("ana".to_owned()),
        conversation: None,
        depth: 0,
        created: Timestamp(1),
    };
    let id = memory.id();
    let note = |event| vec![(id.clone(), MemoryNote { at: Timestamp(2), event })];
    let shown = |visibility| note(MemoryEvent::Shown(visibility));
    let shared = MemoryBatch { memories: vec![memory.clone()], notes: shown(MemoryVisibility::Team) };
    ours.write_memories(shared).await.expect("writes");
    assert_eq!(theirs.load_memories(MemoryScope::All).await.expect("reads"), []);
    assert_eq!(theirs.load_memory(&id).await.expect("reads"), None);
    let stolen = MemoryBatch { memories: Vec::new(), notes: shown(MemoryVisibility::Private) };
    assert!(matches!(theirs.write_memories(stolen).await, Err(Error::NotFound { .. })));
    // The same words in the other team are a memory of its own, which is private there.
    theirs.write_memories(MemoryBatch { memories: vec![memory], notes: Vec::new() }).await.expect("writes");
    assert!(!theirs.load_memory(&id).await.expect("reads").expect("it is theirs").is_shared());
    assert!(ours.load_memory(&id).await.expect("reads").expect("it is ours").is_shared());

    // Past the store: the database itself shows each team its own rows.
    let sql = "SELECT m.tenant_id || ' ' || m.author || ' ' || count(n.number) FROM epitome.memories m
               LEFT JOIN epitome.memory_notes n ON n.memory = m.number GROUP BY m.tenant_id, m.author";
    assert_eq!(texts(&server.tenant_client("a").await, sql).await, ["a ana 1"]);
    assert_eq!(texts(&server.tenant_client("b").await, sql).await, ["b ana 0"]);
    assert_eq!(texts(&server.tenant_client("nobody").await, sql).await, [""; 0]);
    let forged = "INSERT INTO epitome.memory_notes (tenant_id, memory, at, event) SELECT 'a', 1, 3, 'private'";
    let said = refusal(&server.tenant_client("b").await, forged).await;
    assert_eq!(said, "new row violates row-level security policy for table \"memory_notes\"");
}

#[tokio::test]
async fn tenants_have_ledgers_of_their_own() {
    let server = Server::start().await;
    let store = server.store().await;
    let ours = store.for_tenant("a").expect("it has a name");
    let theirs = store.for_tenant("b").expect("it has a name");
    let day = UtcDay(1);
    let now = Timestamp(1);
    let limit = SpendAmount { tokens: 10, money: Money(10) };
    let call = |tokens_in| NewReservation {
        account: LedgerAccount {
            session: Some("s".to_owned()),
            model: Some("a/b".to_owned()),
            ..LedgerAccount::default()
        },
        worst: LedgerFigures { tokens_in, ..LedgerFigures::default() },
        limits: SpendLimits { call: limit, session: limit, day: limit, concurrent: 1 },
        day,
        now,
        expires: Timestamp(100),
    };
    let ReservationOutcome::Reserved(id) = ours.reserve_call(call(9)).await.expect("reserves") else {
        panic!("it is the first")
    };
    let before = theirs.ledger_status(day, Some("s"), now).await.expect("reads");
    assert_eq!((before.reserved_day, before.reserved_session, before.in_flight), Default::default());
    let stolen = theirs.settle_reservation(id, Settlement::Unknown, now).await;
    assert!(matches!(stolen, Err(Error::NotFound { .. })), "{stolen:?}");
    theirs.settle_reservation(id, Settlement::Released, now).await.expect("releases nothing");
    assert_eq!(ours.ledger_status(day, None, now).await.expect("reads").in_flight, 1);
    ours.set_spending(SpendingState::Stopped(now)).await.expect("stops");
    assert!(matches!(theirs.reserve_call(call(9)).await, Ok(ReservationOutcome::Reserved(_))));

    ours.settle_reservation(id, Settlement::Unknown, now).await.expect("settles");
    assert_eq!(theirs.ledger_entries(9).await.expect("reads"), []);
    assert_eq!(theirs.ledger_totals(TotalsBy::Day, TotalsFilter::default()).await.expect("reads"), []);
    assert_eq!(theirs.prune_ledger(Timestamp(i64::MAX)).await.expect("prunes"), 0);
    assert_eq!(ours.ledger_entries(9).await.expect("reads").len(), 1);
    let keys = (ours.scrub_key().await.expect("a key"), theirs.scrub_key().await.expect("a key"));
    assert_ne!(keys.0, keys.1, "equal secrets of two tenants do not look equal");
    let key = build_version("a.rs", "a", 0).hash;
    let said = "what it does".to_owned();
    ours.write_symbol_summaries(&project_id("p"), vec![(key, said)]).await.expect("writes");
    assert_eq!(theirs.symbol_summaries(&project_id("p"), &[key]).await.expect("reads"), [None]);
    let space = VectorSpace { model: "m".to_owned(), version: "1".to_owned(), dimensions: 1 };
    ours.write_vectors(&project_id("p"), &space, vec![(key, vec![1.0])], Timestamp(1)).await.expect("writes");
    assert_eq!(theirs.load_vectors(&project_id("p"), &space, &[key]).await.expect("reads"), [None]);
    assert_eq!(theirs.vector_spaces(&project_id("p")).await.expect("reads"), []);
    assert_eq!(theirs.keep_vectors(&project_id("p"), &space, &[]).await.expect("drops"), 0);
    assert_eq!(ours.load_vectors(&project_id("p"), &space, &[key]).await.expect("reads"), [Some(vec![1.0])]);
}

#[tokio::test]
async fn a_tenant_may_have_any_name_but_none() {
    let server = Server::start().await;
    let store = server.store().await;
    let names = store::conformance::sample::ODD_TEXTS.iter().copied().filter(|name| !name.is_empty());
    let names: Vec<&str> = names.chain(["' OR true --", "default"]).collect();
    for name in &names {
        let tenant = store.for_tenant(name).expect("it has a name");
        tenant.append_messages(build_append("c", vec![text_row(name)])).await.expect("appends");
    }
    for name in names {
        let found = store
            .for_tenant(name)
            .expect("it has a name")
            .load_messages(&conversation_id("c"), MessageWindow::Last(9))
            .await;
        let texts: Vec<_> = found.expect("reads").iter().map(|message| message.body.content()).collect();
        assert_eq!(texts, [name]);
    }
    let refused = store.for_tenant("").err().expect("it has no name").to_string();
    assert!(refused.ends_with("a tenant needs a name"), "{refused}");
}

async fn texts(client: &Client, sql: &str) -> Vec<String> {
    client.query(sql, &[]).await.expect("asks").iter().map(|row| row.get(0)).collect()
}

/// Whoever adds a table without a guard, or a key that two tenants would share, hears of it here.
#[tokio::test]
async fn every_table_is_guarded() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let tables = "SELECT c.oid, c.relname::text AS name, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
                    AND a.attname = 'tenant_id') AS has_tenant, c.relrowsecurity AS guarded, c.relforcerowsecurity AS forced
                  FROM pg_class c WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind IN ('r', 'p', 'm', 'v', 'f')";
    // What belongs to no tenant: the list of migrations, and the secret that tenants' keys follow from.
    let open = texts(&admin, &format!("SELECT name FROM ({tables}) t WHERE NOT has_tenant ORDER BY name")).await;
    assert_eq!(open, ["migrations", "tenant_secret"]);
    let bare = texts(&admin, &format!("SELECT name FROM ({tables}) t WHERE NOT guarded ORDER BY name")).await;
    assert_eq!(bare, ["migrations"]);
    // The owner passes by the policy of terms and of sums, in functions of ours that know the tenant by themselves.
    let unforced = texts(&admin, &format!("SELECT name FROM ({tables}) t WHERE NOT forced ORDER BY name")).await;
    assert_eq!(unforced, ["message_terms", "migrations", "table_sums", "tenant_secret"]);
    let expression = "(tenant_id = ( SELECT epitome.current_tenant() AS current_tenant))";
    let policies = format!(
        "SELECT name FROM ({tables}) t JOIN pg_policy p ON p.polrelid = t.oid
         WHERE p.polcmd = '*' AND p.polpermissive AND p.polroles = '{{0}}'
           AND pg_get_expr(p.polqual, t.oid) = $e${expression}$e$ AND pg_get_expr(p.polwithcheck, t.oid) = $e${expression}$e$"
    );
    let tenanted = texts(&admin, &format!("SELECT name FROM ({tables}) t WHERE has_tenant")).await;
    assert!(tenanted.len() >= 42, "{tenanted:?}");
    assert_eq!(texts(&admin, &policies).await.len(), tenanted.len());
    let all = texts(&admin, "SELECT polname::text FROM pg_policy").await;
    assert_eq!(all.len(), tenanted.len(), "no second policy opens a door");
}

/// A table can be spread over machines by a column that is part of every key, and only then: the catalog says whether
/// the tenant is.
#[tokio::test]
async fn the_tenant_is_part_of_every_key() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let tenanted = "SELECT a.attrelid, a.attnum FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                    WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id'";
    let keyless = format!(
        "SELECT t.attrelid::regclass::text FROM ({tenanted}) t WHERE NOT EXISTS (SELECT FROM pg_constraint k
           WHERE k.conrelid = t.attrelid AND k.contype = 'p')"
    );
    assert_eq!(texts(&admin, &keyless).await, [""; 0], "every table has a primary key");
    let shared = format!(
        "SELECT i.indexrelid::regclass::text FROM ({tenanted}) t JOIN pg_index i ON i.indrelid = t.attrelid
         WHERE (i.indisunique OR i.indisexclusion) AND NOT t.attnum = ANY(i.indkey)"
    );
    assert_eq!(texts(&admin, &shared).await, [""; 0], "primary and unique keys");
    // A foreign key leads from a tenant to the same tenant: the column stands at the same place on both sides.
    let foreign = format!(
        "SELECT k.conrelid::regclass::text || '.' || k.conname FROM pg_constraint k
         JOIN ({tenanted}) child ON child.attrelid = k.conrelid
         LEFT JOIN ({tenanted}) parent ON parent.attrelid = k.confrelid
         WHERE k.contype = 'f' AND (array_position(k.conkey, child.attnum) IS NULL
           OR array_position(k.conkey, child.attnum) IS DISTINCT FROM array_position(k.confkey, parent.attnum))"
    );
    assert_eq!(texts(&admin, &foreign).await, [""; 0], "foreign keys");
    let counted = format!(
        "SELECT count(*)::text FROM pg_constraint k JOIN ({tenanted}) t ON t.attrelid = k.conrelid
                           WHERE k.contype = 'f'"
    );
    assert!(
        texts(&admin, &counted).await[0].parse::<u32>().expect("a number") > 20,
        "there are foreign keys to look at"
    );
}

#[tokio::test]
async fn the_application_owns_nothing_and_may_do_little() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let special = "SELECT rolname::text FROM pg_roles WHERE rolname = 'epitome_app' AND (rolsuper OR rolbypassrls
                     OR rolcreaterole OR rolcreatedb OR rolreplication)";
    assert_eq!(texts(&admin, special).await, [""; 0]);
    let owned = "SELECT relname::text FROM pg_class WHERE relowner = 'epitome_app'::regrole
                 UNION SELECT nspname::text FROM pg_namespace WHERE nspowner = 'epitome_app'::regrole
                 UNION SELECT proname::text FROM pg_proc WHERE proowner = 'epitome_app'::regrole
                 UNION SELECT datname::text FROM pg_database WHERE datdba = 'epitome_app'::regrole";
    assert_eq!(texts(&admin, owned).await, [""; 0]);
    let grants = "SELECT privilege_type || ' ' || string_agg(table_name, ' ' ORDER BY table_name)
                  FROM information_schema.table_privileges WHERE grantee = 'epitome_app'
                  GROUP BY privilege_type ORDER BY privilege_type";
    assert_eq!(
        texts(&admin, grants).await,
        [
            "DELETE answer_places answers changes context_items conversation_facts edges facts files jobs ledger_entries \
             mode_arms postings redirects reservations segments spending_stopped symbol_summaries tails tool_calls \
             vector_spaces vectors worktree_files worktrees",
            "INSERT answer_places answers artifacts changes context_items contexts conversation_facts conversations edges entities entity_links facts files \
             frames generation_frames generations grants jobs ledger_entries ledger_totals line_kinds memories \
             memory_notes message_artifacts message_origins message_parts message_terms messages mode_arms postings quarantine redirects \
             removals reservations scrub_keys segments session_record_notes session_records session_summaries spending_stopped \
             summaries summary_covers symbol_summaries tails tool_call_totals tool_calls vector_spaces vectors worktree_files worktrees",
            "SELECT answer_places answers artifacts changes context_items contexts conversation_facts conversations edges entities entity_links facts files \
             frames generation_frames generations grants jobs ledger_entries ledger_totals line_kinds memories \
             memory_notes message_artifacts message_origins message_parts message_terms messages migrations mode_arms postings quarantine \
             redirects removals reservations rewrites scrub_keys segments session_record_notes session_records session_summaries spending_stopped summaries summary_covers \
             symbol_summaries table_sums tails tool_call_totals tool_calls vector_spaces vectors worktree_files worktrees",
            "UPDATE answer_places changes contexts conversation_facts edges facts files grants jobs ledger_totals \
             line_kinds message_origins mode_arms postings redirects segments symbol_summaries tool_call_totals vector_spaces vectors \
             worktree_files worktrees",
        ]
    );
    let columns = "SELECT column_name::text FROM information_schema.column_privileges WHERE grantee = 'epitome_app'
                     AND privilege_type = 'UPDATE' AND table_name IN ('conversations', 'messages', 'message_parts')
                   ORDER BY 1";
    assert_eq!(
        texts(&admin, columns).await,
        [
            "created_at",
            "head_hash",
            "message_count",
            "project_id",
            "state",
            "state_at",
            "title",
            "token_count",
            "updated_at"
        ]
    );
}

/// What the server answers to a statement it must refuse.
async fn refusal(client: &Client, sql: &str) -> String {
    let error = client.batch_execute(sql).await.expect_err(sql);
    error.as_db_error().expect("the server said it").message().to_owned()
}

#[tokio::test]
async fn messages_can_only_be_added_whoever_asks() {
    let server = Server::start().await;
    server.store().await.append_messages(build_append("c", vec![text_row("hi"), text_row("")])).await.expect("appends");
    let app = server.tenant_client("default").await;
    let admin = server.admin().await;
    for (table, words) in [("messages", "messages"), ("message_parts", "message parts")] {
        let update = format!("UPDATE epitome.{table} SET tenant_id = tenant_id");
        for change in [update, format!("DELETE FROM epitome.{table}"), format!("TRUNCATE epitome.{table} CASCADE")] {
            assert_eq!(refusal(&app, &change).await, format!("permission denied for table {table}"), "{change}");
            let said = refusal(&admin, &change).await;
            assert!(said == format!("{words} are append-only") || said == "message parts are append-only", "{said}");
        }
    }
    let rename = "UPDATE epitome.conversations SET name = 'other'";
    assert_eq!(refusal(&app, rename).await, "permission denied for table conversations");
    for act in ["DELETE FROM epitome.conversations", "ALTER TABLE epitome.messages DISABLE ROW LEVEL SECURITY"] {
        refusal(&app, act).await;
    }
    assert_eq!(server.store().await.memory_totals().await.expect("reads").messages, 2);
}

#[tokio::test]
async fn a_connection_without_a_tenant_sees_and_writes_nothing() {
    let server = Server::start().await;
    server.store().await.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let app = connect(&server.url).await;
    let insert = |tenant: &str| {
        format!(
            "INSERT INTO epitome.worktrees (tenant_id, project_id, root, root_key) VALUES ({tenant}, 'p', '/', 'k')"
        )
    };
    let nobody = server.tenant_client("nobody").await;
    for client in [&app, &nobody] {
        for table in ["conversations", "messages", "message_parts", "message_terms"] {
            assert_eq!(texts(client, &format!("SELECT tenant_id FROM epitome.{table}")).await, [""; 0]);
        }
        let said = refusal(client, &insert("'default'")).await;
        assert_eq!(said, "new row violates row-level security policy for table \"worktrees\"");
    }
    nobody.batch_execute(&insert("'nobody'")).await.expect("a tenant writes its own rows");
}

/// Row-level security keeps the planner from most indexes; the function reads past it so that this one can be used.
#[tokio::test]
async fn a_search_for_terms_uses_its_index() {
    let server = Server::start().await;
    let mut rows: Vec<_> = (0..100).map(|number| text_row(&format!("word{number} and more"))).collect();
    rows.push(text_row("needle"));
    server.store().await.append_messages(build_append("c", rows)).await.expect("appends");
    let admin = server.admin().await;
    admin.batch_execute("ANALYZE").await.expect("analyzes");
    let needle = texts(&admin, "SELECT keys::text FROM epitome.message_terms ORDER BY message DESC LIMIT 1").await;
    let app = server.tenant_client("default").await;
    let counted = "SELECT idx_scan::text FROM pg_stat_user_indexes WHERE indexrelname = 'message_terms_keys'";
    let before = texts(&admin, counted).await;
    // The table is small enough to be read whole in any order; this asks whether it has to be.
    app.batch_execute("SET enable_seqscan = off; SET enable_indexscan = off").await.expect("sets");
    let found = app.query(&format!("SELECT epitome.messages_with('{}')", needle[0]), &[]).await.expect("asks");
    assert_eq!(found.len(), 1);
    // The server counts what a connection did when it ends, at the latest.
    drop(app);
    for _ in 0..100 {
        admin.batch_execute("SELECT pg_stat_clear_snapshot()").await.expect("asks");
        if texts(&admin, counted).await != before {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the index was not used");
}
