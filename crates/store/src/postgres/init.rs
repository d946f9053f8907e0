//! `PostgresStore::init`, which makes a database ready: migrates the schema, creates the application's role and its
//! grants. The owner of the database runs it; everything else runs as the role made here.
//!
//! The role owns nothing, so it can neither switch row-level security off nor change what it may do.

use super::PostgresStore;
use super::address::ServerAddress;
use super::database::PostgresDatabase;
use super::failure::PostgresFailure;
use super::rewrite::rewriting_role;
use super::schema::{
    APPEND_ONLY_TABLES, COUNTER_TABLE_GRANTS, DERIVED_TABLES, FOLD_TABLE_GRANTS, SCHEMA_VERSION, check_server,
    migrate_schema,
};
use super::tenant_access::{TenantAccess, write_digits};
use super::text::encode_text;
use crate::{Error, Result};
use deadpool_postgres::Client;
use postgres_protocol::escape::{escape_identifier, escape_literal};
use postgres_protocol::password::scram_sha_256;
use tokio_postgres::types::Type;

/// The role that Epitome's processes connect as.
#[derive(Clone)]
pub struct AppRole {
    /// Its name.
    pub name: String,
    /// Its password; `None` leaves the one it has, or none where the server trusts it by other means.
    pub password: Option<String>,
}

impl Default for AppRole {
    fn default() -> Self {
        Self { name: "epitome_app".to_owned(), password: None }
    }
}

/// A database that is ready.
pub struct InitReport {
    /// The URL to connect with, as the role; holds its password where one was given, and what opens every tenant.
    pub url: String,
    /// The schema version found; 0 when there was none.
    pub found: u32,
    /// The schema version now.
    pub version: u32,
}

/// The advisory lock that lets one owner at a time migrate a database ("epitome" as bytes).
const MIGRATION_LOCK_ID: i64 = 0x0065_7069_746f_6d65;

impl PostgresStore {
    /// Makes the database at `admin_url` ready, or brings it up to date. Safe to repeat.
    pub async fn init(admin_url: &str, role: &AppRole) -> Result<InitReport> {
        // `app_url` below puts another user into this text; a list of `key=value` pairs would not be understood there.
        if !admin_url.contains("://") {
            let reason = "the owner's address has to be a URL: postgres://owner@host/database".to_owned();
            return Err(Error::Unavailable { database: "PostgreSQL".to_owned(), reason });
        }
        let database = PostgresDatabase::new(admin_url, 1)?;
        let named = |failure: PostgresFailure| failure.into_error(database.name());
        let mut client = database.acquire_connection().await.map_err(named)?;
        check_server(&client, database.name()).await?;
        let mut races = 0;
        let prepared = loop {
            match prepare_database(&mut client, role).await {
                Ok(ready) => break ready,
                // Roles belong to the whole server: another process may be creating them at this moment for another
                // database of it.
                Err(InitFailure::Failed(PostgresFailure::Driver(error)))
                    if races < 5
                        && error.code().is_some_and(|code| ["23505", "42710", "XX000"].contains(&code.code())) =>
                {
                    races += 1;
                }
                Err(InitFailure::Failed(failure)) => return Err(named(failure)),
                Err(InitFailure::Said(reason)) => {
                    return Err(Error::Unavailable { database: database.name().to_owned(), reason });
                }
                Err(InitFailure::Newer(found)) => {
                    return Err(Error::Newer { database: database.name().to_owned(), found, known: SCHEMA_VERSION });
                }
            }
        };
        let url = app_url(admin_url, role, &prepared.name, &("tenant_secret", prepared.secret));
        Ok(InitReport { url, found: prepared.found, version: SCHEMA_VERSION })
    }

    /// The URL for one tenant, which opens no other. Makes the database ready where it is not.
    pub async fn tenant_url(admin_url: &str, role: &AppRole, tenant: &str) -> Result<String> {
        if tenant.is_empty() {
            let reason = "a tenant needs a name".to_owned();
            return Err(Error::Unavailable { database: "PostgreSQL".to_owned(), reason });
        }
        let ready = Self::init(admin_url, role).await?;
        let access = ServerAddress::parse(&ready.url)?.access;
        let key = access.map(|access: TenantAccess| access.key_of(&encode_text(tenant))).unwrap_or_default();
        let (place, query) = ready.url.split_once('?').unwrap_or((&ready.url, ""));
        let options = query.split('&').map(|option| match option.split_once('=') {
            Some(("tenant_secret", _)) => format!("tenant_key={key}"),
            _ => option.to_owned(),
        });
        Ok(format!("{place}?{}", options.collect::<Vec<_>>().join("&")))
    }
}

enum InitFailure {
    Failed(PostgresFailure),
    Said(String),
    Newer(u32),
}

impl From<tokio_postgres::Error> for InitFailure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// A database that was made ready.
struct PreparedDatabase {
    /// The schema version found.
    found: u32,
    name: String,
    /// What opens every tenant, as digits.
    secret: String,
}

/// Does all of it in one transaction.
async fn prepare_database(client: &mut Client, role: &AppRole) -> Result<PreparedDatabase, InitFailure> {
    let transaction = client.transaction().await?;
    // Two owners at once would both find the old schema and apply the same migration.
    transaction.execute_typed("SELECT pg_advisory_xact_lock($1)", &[(&MIGRATION_LOCK_ID, Type::INT8)]).await?;
    let row = transaction.query_typed_one("SELECT current_user::text, current_database()::text", &[]).await?;
    let owner: String = row.get(0);
    let name: String = row.get(1);
    // An owner is not bound by row-level security, so the application must not connect as one.
    if owner == role.name {
        let hint = "hint: give the URL of the owner of the database, not of the role that Epitome connects as";
        return Err(InitFailure::Said(format!("role `{owner}` would own the tables it must not own\n{hint}")));
    }
    // The grants below name the role, so it has to exist before them.
    make_role(&transaction, role).await?;
    let rewriting = make_rewriting_role(&transaction, role, &owner).await?;
    let found = migrate_schema(&transaction).await.map_err(InitFailure::Failed)?;
    // Checked after migrating, which does nothing for a newer schema; returning here rolls the role back as well.
    if found > SCHEMA_VERSION {
        return Err(InitFailure::Newer(found));
    }
    transaction.batch_execute(&grant_statements(&role.name)).await?;
    if let Some(rewriting) = rewriting {
        transaction.batch_execute(&rewriting_grants(&rewriting)).await?;
    }
    let row = transaction.query_typed_one("SELECT secret FROM epitome.tenant_secret", &[]).await?;
    let secret = write_digits(row.get(0));
    transaction.commit().await?;
    Ok(PreparedDatabase { found, name, secret })
}

async fn make_role(transaction: &tokio_postgres::Transaction<'_>, role: &AppRole) -> Result<(), InitFailure> {
    let sql = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = $1";
    let exists = transaction.query_typed_opt(sql, &[(&role.name, Type::TEXT)]).await?;
    // An existing role with these rights would see the rows of every tenant, whatever the policies say.
    if exists.as_ref().is_some_and(|row| row.get(0)) {
        return Err(InitFailure::Said(format!("role `{}` bypasses row-level security", role.name)));
    }
    let name = escape_identifier(&role.name);
    // The server receives the hash that it will store, so that the password itself is in none of its logs.
    let password = role.password.as_ref().map_or_else(String::new, |password| {
        format!(" PASSWORD {}", escape_literal(&scram_sha_256(password.as_bytes())))
    });
    let statement = match exists {
        None => format!("CREATE ROLE {name} LOGIN{password}"),
        // Without a password the administrator manages it elsewhere (`pg_hba.conf`, a secret store): nothing to change.
        Some(_) if password.is_empty() => return Ok(()),
        Some(_) => format!("ALTER ROLE {name}{password}"),
    };
    Ok(transaction.batch_execute(&statement).await?)
}

/// Makes the role in which the owner changes canonical rows (`rewrite/mod.rs`), and lets the owner take it. None where the
/// owner may not make roles, and nobody else made it: then nothing can be purged, which is said when it is tried.
async fn make_rewriting_role(
    transaction: &tokio_postgres::Transaction<'_>,
    role: &AppRole,
    owner: &str,
) -> Result<Option<String>, InitFailure> {
    let name = rewriting_role(&role.name);
    let sql = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = $1";
    let exists = transaction.query_typed_opt(sql, &[(&name, Type::TEXT)]).await?;
    if exists.as_ref().is_some_and(|row| row.get(0)) {
        return Err(InitFailure::Said(format!("role `{name}` bypasses row-level security")));
    }
    let sql = "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = $1";
    let may_make: bool = transaction.query_typed_one(sql, &[(&owner, Type::TEXT)]).await?.get(0);
    let quoted = escape_identifier(&name);
    match exists {
        None if !may_make => return Ok(None),
        None => transaction.batch_execute(&format!("CREATE ROLE {quoted} NOLOGIN")).await?,
        Some(_) => {}
    }
    let sql = "SELECT pg_has_role($1::text, $2::text, 'MEMBER')";
    let is_member: bool = transaction.query_typed_one(sql, &[(&owner, Type::TEXT), (&name, Type::TEXT)]).await?.get(0);
    if !is_member && may_make {
        transaction.batch_execute(&format!("GRANT {quoted} TO {}", escape_identifier(owner))).await?;
    }
    Ok(Some(name))
}

/// What the role that changes canonical rows may do: everything but to change the records of it.
fn rewriting_grants(role: &str) -> String {
    let role = escape_identifier(role);
    format!(
        "GRANT USAGE ON SCHEMA epitome TO {role};
         REVOKE ALL ON ALL TABLES IN SCHEMA epitome FROM {role};
         GRANT EXECUTE ON FUNCTION epitome.current_tenant() TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA epitome TO {role};
         REVOKE ALL ON epitome.tenant_secret, epitome.migrations FROM {role};
         REVOKE UPDATE, DELETE ON epitome.rewrites, epitome.removals FROM {role};
         REVOKE INSERT, UPDATE, DELETE ON epitome.table_sums FROM {role};
         GRANT USAGE ON ALL SEQUENCES IN SCHEMA epitome TO {role};"
    )
}

/// What the role may do, and nothing that an earlier version allowed.
fn grant_statements(role: &str) -> String {
    let role = escape_identifier(role);
    let rights = COUNTER_TABLE_GRANTS.iter().chain(FOLD_TABLE_GRANTS);
    let rights: String =
        rights.map(|(table, rights)| format!("GRANT {rights} ON epitome.{table} TO {role};\n")).collect();
    // Rights of an earlier version are taken back first: a table may have become append-only since.
    // Only the counters, the title and the state of a conversation may change, and its project where it had none; its
    // name is fixed by the first append.
    let list = |tables: &[&str]| tables.iter().map(|table| format!("epitome.{table}")).collect::<Vec<_>>().join(", ");
    format!(
        "GRANT USAGE ON SCHEMA epitome TO {role};
         REVOKE ALL ON ALL TABLES IN SCHEMA epitome FROM {role};
         GRANT SELECT ON epitome.migrations TO {role};
         GRANT EXECUTE ON FUNCTION epitome.current_tenant(), epitome.messages_with(BIGINT[]),
           epitome.count_rows(TEXT), epitome.recount_rows(TEXT[]) TO {role};
         GRANT SELECT, INSERT ON {} TO {role};
         GRANT UPDATE (message_count, token_count, head_hash, project_id, title, created_at, updated_at, state, state_at)
           ON epitome.conversations TO {role};
         GRANT USAGE ON SEQUENCE epitome.message_numbers, epitome.reservation_numbers, epitome.ledger_numbers,
           epitome.summary_numbers, epitome.job_numbers, epitome.symbol_summary_revisions, epitome.memory_numbers,
           epitome.memory_note_numbers, epitome.tool_call_numbers, epitome.entity_numbers,
           epitome.entity_link_numbers, epitome.session_record_numbers, epitome.session_record_note_numbers TO {role};
         GRANT UPDATE (frame_count, line_count, message_count, byte_count, mark_hash, own_id, title, project_dir,
           descent, descent_of) ON epitome.generations TO {role};
         {rights}
         GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {role};",
        list(APPEND_ONLY_TABLES),
        list(DERIVED_TABLES)
    )
}

/// Options that say who connects. The owner's certificate, where it has one, is not the role's.
const NOT_OF_THE_OWNER: [&str; 7] = ["user", "password", "dbname", "sslcert", "sslkey", "tenant_secret", "tenant_key"];

/// The owner's URL with the role in place of the owner.
fn app_url(admin_url: &str, role: &AppRole, database: &str, access: &(&str, String)) -> String {
    let rest = admin_url.split_once("://").map_or(admin_url, |(_, rest)| rest);
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    // The options behind the question mark win over the part before it, so a `user=` there would still connect as the
    // owner.
    let says_who = |option: &&str| NOT_OF_THE_OWNER.iter().any(|key| option.split('=').next() == Some(key));
    let options = query.split('&').filter(|option| !option.is_empty() && !says_who(option)).map(str::to_owned);
    let own = format!("{}={}", access.0, access.1);
    let query = options.chain([own]).collect::<Vec<_>>().join("&");
    let authority = rest.split_once('/').map_or(rest, |(authority, _)| authority);
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let password = role.password.as_ref().map_or_else(String::new, |password| format!(":{}", percent_encode(password)));
    format!("postgres://{}{password}@{hosts}/{}?{query}", percent_encode(&role.name), percent_encode(database))
}

fn percent_encode(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(admin: &str, password: Option<&str>, wanted: &str) {
        let role = AppRole { password: password.map(str::to_owned), ..AppRole::default() };
        let digits = "5e".repeat(32);
        let wanted = format!("{wanted}tenant_secret={digits}");
        assert_eq!(app_url(admin, &role, "team", &("tenant_secret", digits)), wanted);
        ServerAddress::parse(&wanted).expect("the URL can be used");
    }

    #[test]
    fn the_url_is_the_owners_with_the_role_in_it() {
        check("postgres://boss:pw@db:6000/team", None, "postgres://epitome_app@db:6000/team?");
        check("postgresql://boss@db/team?connect_timeout=3", None, "postgres://epitome_app@db/team?connect_timeout=3&");
        check("postgres://db", Some("p@ss/w:rd"), "postgres://epitome_app:p%40ss%2Fw%3Ard@db/team?");
        check(
            "postgres://db?user=boss&connect_timeout=3&password=pw",
            None,
            "postgres://epitome_app@db/team?connect_timeout=3&",
        );
        check("postgres://db/x?user=boss&dbname=team", None, "postgres://epitome_app@db/team?");
        check("postgres://b:a@c@h1:1,h2:2/x", None, "postgres://epitome_app@h1:1,h2:2/team?");
        let secured = "sslmode=verify-full&sslrootcert=/etc/ca.pem";
        check(
            &format!("postgres://boss@db/x?{secured}&sslcert=/boss.pem&sslkey=/boss.key"),
            None,
            &format!("postgres://epitome_app@db/team?{secured}&"),
        );
    }
}
