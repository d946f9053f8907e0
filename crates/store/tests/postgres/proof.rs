//! Integration tests of the sums over PostgreSQL's tables: every column of every table that is kept, changed past the
//! triggers, is told in the words of the embedded store; writers at once and migrations leave the sums right.

use crate::server::Server;
use store::conformance::Vandal;
use store::conformance::sample::{build_append, text_row};
use store::postgres::PostgresStore;
use store::{AnchorStore as _, CountedRows, MemoryStore as _};

use model::Timestamp;
use std::path::Path;
use testkit::postgres::PostgresCluster;
use tokio_postgres::Client;

/// Columns of the summed tables: table, column, type.
async fn list_columns(admin: &Client) -> Vec<(String, String, String)> {
    let sql = "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL)
               FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
               WHERE EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgfoid = 'epitome.sum_added'::regproc)
               ORDER BY 1, a.attnum";
    admin.query(sql, &[]).await.expect("asks").iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
}

/// A value of a type, and another one.
fn values_of(column: &str, kind: &str) -> (&'static str, &'static str) {
    match kind {
        _ if column == "tenant_id" => ("'team'", "'other'"),
        "bigint" => ("71", "72"),
        "text" => ("'a word'", "'another word'"),
        "bytea" => ("sha256('one')", "sha256('two')"),
        "boolean" => ("true", "false"),
        "bigint[]" => ("ARRAY[1]::bigint[]", "ARRAY[1, 2]::bigint[]"),
        other => panic!("a column of the type {other}"),
    }
}

/// A row in every summed table, and nothing that refuses what is done to it.
async fn fill_tables(server: &Server, store: &PostgresStore) -> Vec<(String, String, String)> {
    let admin = server.admin().await;
    let unchecked = "DO $$ DECLARE found RECORD; BEGIN
        FOR found IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
          WHERE connamespace = 'epitome'::regnamespace AND contype = 'c'
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.of, found.conname); END LOOP;
      END $$";
    admin.batch_execute(unchecked).await.expect("drops");
    admin.batch_execute("SET session_replication_role = replica").await.expect("sets");
    let columns = list_columns(&admin).await;
    for table in columns.chunk_by(|one, next| one.0 == next.0) {
        let names: Vec<&str> = table.iter().map(|column| column.1.as_str()).collect();
        let values: Vec<&str> = table.iter().map(|column| values_of(&column.1, &column.2).0).collect();
        let sql = format!(
            "INSERT INTO epitome.{} ({}) OVERRIDING SYSTEM VALUE VALUES ({}) ON CONFLICT DO NOTHING",
            table[0].0,
            names.join(", "),
            values.join(", ")
        );
        admin.batch_execute(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }
    store.accept_restored("filled by hand", Timestamp(1), Vec::new()).await.expect("accepts");
    columns
}

/// What the sums say.
async fn find_sums(store: &PostgresStore) -> Vec<String> {
    let faults = store.check_canonical().await.expect("checks").into_iter().map(|fault| fault.what);
    faults.filter(|what| what.ends_with(" were stored") || what.starts_with("a row of ")).collect()
}

#[tokio::test]
async fn a_change_of_any_column_of_any_table_is_told_as_on_the_embedded_store() {
    let server = Server::start().await;
    let store = server.store().await.for_tenant("team").expect("a name");
    let columns = fill_tables(&server, &store).await;
    assert_eq!(find_sums(&store).await, [""; 0]);
    let vandal = Vandal::on_server(&server.admin_url).await;
    let mut tamperings = 0;
    for (table, column, kind) in &columns {
        let (value, other) = values_of(column, kind);
        vandal.change(&format!("UPDATE {table} SET {column} = {other}")).await;
        let wanted = match column.as_str() {
            "tenant_id" => format!("{table} has 0 rows, 1 were stored"),
            _ => format!("a row of {table} is not as it was stored"),
        };
        assert_eq!(find_sums(&store).await, [wanted], "{table}.{column}");
        vandal.change(&format!("UPDATE {table} SET {column} = {value}")).await;
        tamperings += 1;
    }
    assert_eq!(find_sums(&store).await, [""; 0], "everything is as it was");
    for table in columns.chunk_by(|one, next| one.0 == next.0).map(|table| &table[0].0) {
        vandal.change(&format!("DELETE FROM {table}")).await;
        let told = find_sums(&store).await;
        assert!(told.contains(&format!("{table} has 0 rows, 1 were stored")), "{table}: {told:?}");
        tamperings += 1;
    }
    assert!(tamperings >= 200, "{tamperings} tamperings over {} columns", columns.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_at_once_leave_the_sums_right() {
    let server = Server::start().await;
    let store = server.store().await.for_tenant("team").expect("a name");
    let write = |writer: usize| {
        let store = store.clone();
        tokio::spawn(async move {
            for number in 0..10 {
                let rows = (0..3).map(|row| text_row(&format!("{writer} {number} {row}"))).collect();
                store.append_messages(build_append(&format!("talk {writer}"), rows)).await.expect("appends");
            }
        })
    };
    for writing in (0..6).map(write).collect::<Vec<_>>() {
        writing.await.expect("all is written");
    }
    assert_eq!(store.check_canonical().await.expect("checks"), []);
    store.check_counts(CountedRows::Messages).await.expect("all are there");
    // Sums are the tenant's own.
    let other = store.for_tenant("other").expect("a name");
    other.append_messages(build_append("talk", vec![text_row("of another")])).await.expect("appends");
    let vandal = Vandal::on_server(&server.admin_url).await;
    vandal.change("DELETE FROM messages WHERE seq = 2 AND tenant_id = 'team'").await;
    assert!(store.check_counts(CountedRows::Messages).await.is_err_and(|error| error.is_damage()));
    assert_eq!(other.check_canonical().await.expect("checks"), []);
}

#[tokio::test]
async fn nobody_but_the_triggers_writes_the_sums() {
    let server = Server::start().await;
    server.store().await.append_messages(build_append("c", vec![text_row("one")])).await.expect("appends");
    let client = server.tenant_client("default").await;
    for sql in [
        "UPDATE epitome.table_sums SET row_count = 0",
        "DELETE FROM epitome.table_sums",
        "INSERT INTO epitome.table_sums (table_name, row_count, digest) VALUES ('messages', 1, 1)",
        "SELECT epitome.add_to_sum('default', 'messages', 1, 1)",
        "ALTER TABLE epitome.messages DISABLE TRIGGER messages_added",
    ] {
        let refused = client.batch_execute(sql).await.expect_err(sql);
        let code = refused.code().map(|code| code.code().to_owned());
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused:?}");
    }
}

/// The files of the summed tables, with what is too long for their rows.
async fn list_files(admin: &Client) -> Vec<String> {
    let sql = "WITH summed AS (SELECT c.oid, c.reltoastrelid FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid
                 WHERE t.tgfoid = 'epitome.sum_added'::regproc)
               SELECT path FROM (SELECT pg_relation_filepath(oid) AS path, pg_relation_size(oid) AS size FROM summed
                 UNION ALL SELECT pg_relation_filepath(reltoastrelid), pg_relation_size(reltoastrelid) FROM summed
                   WHERE reltoastrelid <> 0) AS files WHERE size > 0 ORDER BY path";
    admin.query(sql, &[]).await.expect("asks").iter().map(|row| row.get(0)).collect()
}

/// Every row of the summed tables, or why they cannot be read.
async fn read_rows(admin: &Client) -> Result<Vec<String>, tokio_postgres::Error> {
    let mut rows = Vec::new();
    for table in list_columns(admin).await.chunk_by(|one, next| one.0 == next.0).map(|table| &table[0].0) {
        let found = admin.query(&format!("SELECT t::text FROM epitome.{table} t"), &[]).await?;
        rows.extend(found.iter().map(|row| format!("{table} {}", row.get::<_, String>(0))));
    }
    rows.sort_unstable();
    Ok(rows)
}

/// Flips a bit of a byte that is in use: half of a small table is empty space. Gives the byte's place.
fn flip_bit(file: &Path, seed: u64, known: Option<usize>) -> usize {
    let mut bytes = fs_err::read(file).expect("a file of the server");
    let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    let chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let at = known.unwrap_or(used[chance as usize % used.len()]);
    bytes[at] ^= 1 << (seed % 8);
    fs_err::write(file, bytes).expect("writes");
    at
}

#[tokio::test]
async fn bits_that_a_disk_flipped_are_told_or_change_no_row() {
    let server = Server::on(PostgresCluster::start_durable()).await;
    let store = server.store().await.for_tenant("team").expect("a name");
    for name in ["one", "two"] {
        let rows = (0..40).map(|number| text_row(&format!("{name} {number} quantum"))).collect();
        store.append_messages(build_append(name, rows)).await.expect("appends");
    }
    let admin = server.admin().await;
    admin.batch_execute("ALTER SYSTEM SET autovacuum = off; VACUUM; CHECKPOINT").await.expect("all is on the disk");
    let (files, rows) = (list_files(&admin).await, read_rows(&admin).await.expect("is whole"));
    drop((admin, store));
    let (mut told, mut wrong, mut before) = (0, Vec::new(), None);
    for seed in 0..30_u64 {
        let path = &files[seed as usize % files.len()];
        server.cluster.change_files(|data| {
            if let Some((file, seed, at)) = before.take() {
                flip_bit(&data.join::<&String>(file), seed, Some(at));
            }
            before = Some((path, seed, flip_bit(&data.join(path), seed, None)));
        });
        let admin = server.admin().await;
        let is_whole = read_rows(&admin).await.is_ok_and(|found| found == rows);
        let store = server.store().await.for_tenant("team").expect("a name");
        let is_ok = store.check_canonical().await.is_ok_and(|faults| faults.is_empty());
        told += u32::from(!is_ok);
        if !is_whole && is_ok {
            wrong.push(format!("seed {seed}, {path}: wrong and ok"));
        }
        // What was read is written back before the server is stopped; a damaged table may refuse it.
        let _ = admin.batch_execute("CHECKPOINT").await;
    }
    assert_eq!(wrong, [""; 0]);
    assert!(told > 5, "{told} told");
}
