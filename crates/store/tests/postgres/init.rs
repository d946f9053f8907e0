//! Integration tests of `PostgresStore::init` (schema, role, grants), and of `connect` refusing a database or role
//! that is not set up safely.

use crate::server::{Server, connect, empty_database, in_database};
use store::conformance::sample::{build_append, text_row};
use store::postgres::{AppRole, PostgresStore};
use store::{DatabaseFault, Error, FaultKind, MemoryStore as _, Store as _};
use testkit::postgres::{PostgresCluster, SECURED_DATABASE};

/// The reason why a URL cannot be used, without the name of the database.
async fn refusal(url: &str) -> String {
    let error = PostgresStore::connect(url, 1).await.err().expect("it is refused");
    let words = error.to_string();
    let Error::Unavailable { reason, .. } = error else { panic!("{error:?}") };
    assert!(!words.contains("s3cret"), "{words}");
    reason
}

#[tokio::test]
async fn making_it_ready_again_changes_nothing() {
    let server = Server::start().await;
    server.store().await.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let again = PostgresStore::init(&server.admin_url, &AppRole::default()).await.expect("is ready");
    assert_eq!((again.found, again.url), (again.version, server.url.clone()));
    let store = server.store().await;
    assert_eq!(store.memory_totals().await.expect("reads").messages, 1);
    let words = store.describe();
    assert!(words.starts_with("PostgreSQL 1") && words.ends_with(", tenant default"), "{words}");
    assert!(words.contains(" at postgres://"), "{words}");
}

#[tokio::test]
async fn a_database_that_is_not_ready_says_what_to_run() {
    let cluster = PostgresCluster::start();
    let url = empty_database(&cluster).await;
    let admin = connect(&url).await;
    let make = "DROP ROLE IF EXISTS epitome_guest; CREATE ROLE epitome_guest LOGIN";
    admin.batch_execute(make).await.expect("makes a role");
    let guest = url.replacen("postgres@", "epitome_guest@", 1);
    assert_eq!(refusal(&guest).await, "it has no schema `epitome`\nhint: run `epitome database init`");

    let ready = PostgresStore::init(&url, &AppRole::default()).await.expect("makes it ready");
    let known = ready.version;
    assert_eq!((ready.found, known > 0), (0, true));
    let wanted = "role `epitome_guest` may not use the schema `epitome`\nhint: run `epitome database init`";
    assert_eq!(refusal(&guest).await, wanted);

    admin.batch_execute("DELETE FROM epitome.migrations").await.expect("deletes");
    let wanted = format!("its schema is 0, this version needs {known}\nhint: run `epitome database init` as the owner");
    assert_eq!(refusal(&ready.url).await, wanted);

    admin.batch_execute("INSERT INTO epitome.migrations (version) VALUES (99)").await.expect("inserts");
    let connected = PostgresStore::connect(&ready.url, 1).await.err().expect("it is newer");
    let initialized = PostgresStore::init(&url, &AppRole::default()).await.err().expect("it is newer");
    for error in [connected, initialized] {
        assert!(matches!(error, Error::Newer { found: 99, known: newest, .. } if newest == known), "{error:?}");
        let words = error.to_string();
        let wanted = format!(": written by a newer version (schema 99, this one knows {known})");
        assert!(words.ends_with(&wanted), "{words}");
    }
    admin.batch_execute("DROP OWNED BY epitome_guest; DROP ROLE epitome_guest").await.expect("cleans up");
}

#[tokio::test]
async fn a_newer_version_that_takes_the_database_over_is_left_alone_while_we_run() {
    let server = Server::start().await;
    let store = server.store().await;
    store.append_messages(build_append("c", vec![text_row("before")])).await.expect("appends");
    let admin = server.admin().await;
    admin.batch_execute("INSERT INTO epitome.migrations (version) VALUES (99)").await.expect("inserts");
    let outcomes = [
        store.append_messages(build_append("c", vec![text_row("after")])).await.map(drop),
        store.list_conversations().await.map(drop),
        store.check_canonical().await.map(drop),
    ];
    for outcome in outcomes {
        let error = outcome.expect_err("it is newer");
        assert!(matches!(&error, Error::Newer { found: 99, .. }), "{error:?}");
    }
    admin.batch_execute("DELETE FROM epitome.migrations WHERE version = 99").await.expect("deletes");
    assert_eq!(store.memory_totals().await.expect("reads").messages, 1, "what was refused is not there");
}

#[tokio::test]
async fn a_role_that_sees_every_tenant_is_refused() {
    let server = Server::start().await;
    let hint = "hint: connect as `epitome_app`, which `epitome database init` makes";
    let wanted = |role: &str| format!("role `{role}` bypasses row-level security\n{hint}");
    let admin = server.admin().await;
    let row = admin.query_one("SELECT current_user::text", &[]).await.expect("asks");
    assert_eq!(refusal(&server.admin_url).await, wanted(row.get(0)));
    let make = "DROP ROLE IF EXISTS epitome_seer; CREATE ROLE epitome_seer LOGIN BYPASSRLS";
    admin.batch_execute(make).await.expect("makes a role");
    assert_eq!(refusal(&server.url.replacen("epitome_app@", "epitome_seer@", 1)).await, wanted("epitome_seer"));
    let role = AppRole { name: "epitome_seer".to_owned(), password: None };
    let error = PostgresStore::init(&server.admin_url, &role).await.err().expect("it is refused").to_string();
    assert!(error.ends_with("role `epitome_seer` bypasses row-level security"), "{error}");
    admin.batch_execute("DROP ROLE epitome_seer").await.expect("cleans up");
}

/// On hosted servers the owner is no superuser. Then `FORCE` is what binds it.
#[tokio::test]
async fn an_owner_need_not_be_a_superuser_and_is_bound_too() {
    let cluster = PostgresCluster::start_durable();
    let url = empty_database(&cluster).await;
    let (_, name) = url.rsplit_once('/').expect("it names a database");
    let make = format!("CREATE ROLE boss LOGIN CREATEROLE; ALTER DATABASE {name} OWNER TO boss");
    connect(&url).await.batch_execute(&make).await.expect("makes an owner");
    let owner_url = url.replacen("postgres@", "boss@", 1);
    let ready = PostgresStore::init(&owner_url, &AppRole::default()).await.expect("makes it ready");
    let store = PostgresStore::connect(&ready.url, 1).await.expect("connects");
    store.append_messages(build_append("c", vec![text_row("hi")])).await.expect("appends");
    let owner = connect(&owner_url).await;
    assert_eq!(owner.query("SELECT 1 FROM epitome.messages", &[]).await.expect("asks").len(), 0);
    let enter = "SET epitome.tenant = 'default';
                 SELECT set_config('epitome.tenant_key', epitome.tenant_key(secret, 'default'), false)
                 FROM epitome.tenant_secret";
    owner.batch_execute(enter).await.expect("sets");
    assert_eq!(owner.query("SELECT 1 FROM epitome.messages", &[]).await.expect("asks").len(), 1);
    // Not forced for terms, so that the owner's function finds them; it asks for the tenant itself.
    assert_eq!(owner.query("SELECT 1 FROM epitome.message_terms", &[]).await.expect("asks").len(), 1);

    let error = PostgresStore::init(&ready.url, &AppRole::default()).await.err().expect("it is refused").to_string();
    assert!(error.contains("role `epitome_app` would own the tables it must not own\nhint: "), "{error}");
}

#[tokio::test]
async fn a_password_is_set_and_never_shown() {
    let cluster = PostgresCluster::start_durable();
    let admin = connect(cluster.url()).await;
    admin.batch_execute(&format!("CREATE DATABASE {SECURED_DATABASE}")).await.expect("makes a database");
    let admin_url = in_database(cluster.url(), SECURED_DATABASE);
    let role = |password: &str| AppRole { password: Some(password.to_owned()), ..AppRole::default() };
    let first = PostgresStore::init(&admin_url, &role("first")).await.expect("makes it ready");
    PostgresStore::connect(&first.url, 1).await.expect("the URL holds the password");
    let ready = PostgresStore::init(&admin_url, &role("s3cret @/:%?é")).await.expect("changes the password");
    PostgresStore::connect(&ready.url, 1).await.expect("the URL holds the password");
    assert_eq!(refusal(&first.url).await, "password authentication failed for user \"epitome_app\"");
    let again = PostgresStore::init(&admin_url, &AppRole::default()).await.expect("leaves the password");
    assert_eq!(refusal(&again.url).await, "invalid configuration: password missing");
    PostgresStore::connect(&ready.url, 1).await.expect("the password is still the same");
    let stored = admin.query_one("SELECT rolpassword FROM pg_authid WHERE rolname = 'epitome_app'", &[]).await;
    assert!(stored.expect("asks").get::<_, String>(0).starts_with("SCRAM-SHA-256$"));
}

/// Roles belong to the whole server, so databases made ready at once meet there.
#[tokio::test]
async fn many_may_make_databases_ready_at_once() {
    let cluster = PostgresCluster::start_durable();
    let one = empty_database(&cluster).await;
    let other = empty_database(&cluster).await;
    let role = AppRole { password: Some("pw".to_owned()), ..AppRole::default() };
    let urls = [&one, &other, &one, &other, &one, &other];
    for outcome in futures::future::join_all(urls.map(|url| PostgresStore::init(url, &role))).await {
        PostgresStore::connect(&outcome.expect("makes it ready").url, 1).await.expect("connects");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let error =
        PostgresStore::connect("postgres://app:s3cret@127.0.0.1:1/team", 1).await.err().expect("nobody is there");
    assert_eq!(
        error.to_string(),
        "cannot use postgres://127.0.0.1:1/team: error connecting to server: Connection refused (os error 111)"
    );
}

#[tokio::test]
async fn protections_that_were_taken_away_are_reported() {
    let server = Server::start().await;
    let store = server.store().await;
    assert_eq!(store.check_canonical().await.expect("checks"), []);
    let vandalism = "ALTER TABLE epitome.messages DISABLE TRIGGER messages_are_never_changed;
                     ALTER TABLE epitome.files NO FORCE ROW LEVEL SECURITY;
                     ALTER TABLE epitome.facts DISABLE ROW LEVEL SECURITY;
                     ALTER TABLE epitome.message_terms DISABLE ROW LEVEL SECURITY;
                     CREATE POLICY all_tenants ON epitome.jobs USING (true)";
    server.admin().await.batch_execute(vandalism).await.expect("the owner may");
    let wanted = [
        "table facts has row-level security switched off",
        "table files has row-level security switched off",
        "table jobs lets every tenant in",
        "table message_terms has row-level security switched off",
        "trigger messages_are_never_changed is switched off",
    ];
    assert_eq!(
        store.check_canonical().await.expect("checks"),
        wanted.map(|what| DatabaseFault { what: what.to_owned(), kind: FaultKind::Structure })
    );
}

#[tokio::test]
async fn the_owner_of_the_tables_is_refused() {
    let cluster = PostgresCluster::start();
    let url = empty_database(&cluster).await;
    let admin = connect(&url).await;
    let make = "DROP ROLE IF EXISTS epitome_owner; CREATE ROLE epitome_owner LOGIN CREATEROLE";
    admin.batch_execute(make).await.expect("makes a role");
    let name: String = admin.query_one("SELECT current_database()::text", &[]).await.expect("asks").get(0);
    admin.batch_execute(&format!("ALTER DATABASE \"{name}\" OWNER TO epitome_owner")).await.expect("gives it away");
    let owner = url.replacen("postgres@", "epitome_owner@", 1);
    PostgresStore::init(&owner, &AppRole::default()).await.expect("makes it ready");
    let wanted = "role `epitome_owner` owns the tables and could switch row-level security off\n\
                  hint: connect as `epitome_app`, which `epitome database init` makes";
    assert_eq!(refusal(&owner).await, wanted);
    let words =
        PostgresStore::init("host=localhost user=x", &AppRole::default()).await.err().expect("no URL").to_string();
    assert!(words.ends_with("has to be a URL: postgres://owner@host/database"), "{words}");
}
