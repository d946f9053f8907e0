//! Implements `RewriteStore` (purge of secrets, removal of a project's data) for `PostgresStore`.
//!
//! The application's role may add canonical rows and never change them, so the owner of the database has to make these
//! changes: over a connection of its own ([`PostgresStore::with_owner`]), in one transaction, and as a role that has the
//! right to change rows and nothing else. That role is bound by row-level security, which an owner may not be: the
//! changes stay within the tenant whoever the owner is. Other writers of the tenant wait meanwhile.

mod messages;
mod removals;
mod side_texts;
mod texts;

pub(super) use removals::AnchorChange;

use super::PostgresStore;
use super::database::{AccessMode, PostgresDatabase, TenantTransaction};
use super::failure::PostgresFailure;
use super::rows::read_text;
use super::schema::DERIVED_DELETION_TABLES;
use super::text::encode_text;
use crate::rewrite::{FORGET_DELETIONS, RewriteReason, RewriteRecord, RewriteStore, StoreRewrite};
use crate::rows::{DamagedRow, hash_of};
use crate::{DataRemoval, Error, Result, SideText};
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};
use postgres_protocol::escape::escape_identifier;
use removals::load_points;
use std::sync::Arc;

/// What a message has besides its row, in an order that no reference refuses. The embedded store has no such tables.
const MESSAGE_DELETIONS: [&str; 2] = [
    "DELETE FROM @message_parts WHERE message IN (SELECT m.number FROM @messages m
       JOIN @conversations c ON c.number = m.conversation WHERE c.project_id = $1)",
    "DELETE FROM @message_terms WHERE message IN (SELECT m.number FROM @messages m
       JOIN @conversations c ON c.number = m.conversation WHERE c.project_id = $1)",
];

/// The role that changes canonical rows, for an application's role of this name.
pub(super) fn rewriting_role(role: &str) -> String {
    format!("{role}_rewrite")
}

#[async_trait]
impl RewriteStore for PostgresStore {
    async fn rewrite_texts(&self, rewrite: StoreRewrite, now: Timestamp) -> Result<Vec<RewriteRecord>> {
        self.change_kept(KeptChange::Purge(&rewrite), now).await
    }

    async fn forget_project(&self, project: &ProjectId, now: Timestamp) -> Result<Vec<RewriteRecord>> {
        self.change_kept(KeptChange::Forget(project), now).await
    }

    async fn side_texts(&self) -> Result<Vec<SideText>> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                side_texts::load_side_texts(&transaction).await
            })
            .await
    }

    async fn list_rewrites(&self) -> Result<Vec<RewriteRecord>> {
        let sql =
            "SELECT at, reason, subject, item_count, hash_before, hash_after FROM epitome.rewrites ORDER BY number";
        self.query_rows(sql, &[], |row| {
            let reason: String = row.try_get(1)?;
            let unknown = || DamagedRow(format!("a rewrite has the reason `{reason}`"));
            Ok(RewriteRecord {
                at: Timestamp(row.try_get(0)?),
                reason: RewriteReason::parse(&reason).ok_or_else(unknown)?,
                subject: read_text(row, 2)?,
                items: row.try_get::<_, i64>(3)? as u64,
                before: hash_of(row.try_get(4)?)?,
                after: row.try_get::<_, Option<Vec<u8>>>(5)?.map(|hash| hash_of(&hash)).transpose()?,
            })
        })
        .await
    }

    /// A vacuum frees what is no longer visible; the pages are written over when they are used again. The files belong to
    /// the server, so it is for its administrator to write tables anew where that is needed.
    async fn erase_freed_pages(&self) -> Result<()> {
        let Some(owner) = &self.owner else { return Ok(()) };
        let client = owner.acquire_connection().await.map_err(|failure| failure.into_error(owner.name()))?;
        let tables = "epitome.messages, epitome.message_parts, epitome.message_terms, epitome.frames, epitome.tails,
                      epitome.artifacts, epitome.memories, epitome.memory_notes, epitome.conversations, epitome.generations,
                      epitome.tool_calls, epitome.answers, epitome.session_records, epitome.summaries, epitome.session_summaries,
                      epitome.conversation_facts, epitome.postings, epitome.entities, epitome.entity_links";
        let vacuumed = client.batch_execute(&format!("VACUUM {tables}")).await;
        vacuumed.map_err(|error| PostgresFailure::from(error).into_error(owner.name()))
    }
}

/// What the owner changes.
#[derive(Clone, Copy)]
enum KeptChange<'a> {
    Purge(&'a StoreRewrite),
    Forget(&'a ProjectId),
}

impl PostgresStore {
    /// The same store with the right to change what is kept: `url` is that of the database's owner.
    pub fn with_owner(self, url: &str) -> Result<Self> {
        Ok(Self { owner: Some(Arc::new(PostgresDatabase::new(url, 1)?)), ..self })
    }

    /// Runs a change of canonical rows in one transaction of the owner, writes its records down, and lets the anchor
    /// follow.
    async fn change_kept(&self, change: KeptChange<'_>, now: Timestamp) -> Result<Vec<RewriteRecord>> {
        let (owner, become_role) = self.owner_role().await?;
        // Read before the transaction: it needs a connection of its own.
        let term_key = self.own_term_key().await?;
        let attempt = || async {
            let mut client = owner.acquire_connection().await?;
            let transaction = self.begin_transaction(&mut client, AccessMode::Rewrite).await?;
            transaction.execute(&become_role, &[]).await?;
            transaction.execute("SELECT set_config('epitome.rewriting', 'on', true)", &[]).await?;
            let before = load_points(&transaction).await?;
            let (reason, records) = match change {
                KeptChange::Purge(rewrite) => {
                    (RewriteReason::Purged, self.apply_rewrite(&transaction, rewrite, now, term_key).await?)
                }
                KeptChange::Forget(project) => {
                    (RewriteReason::Forgotten, forget_rows(&transaction, project.as_str(), now).await?)
                }
            };
            put_records(&transaction, &records).await?;
            let changed = AnchorChange::between(before, load_points(&transaction).await?, reason.as_str(), now);
            for removal in &changed.removals {
                put_removal(&transaction, removal).await?;
            }
            transaction.commit().await?;
            Ok((records, changed))
        };
        let (records, changed) = owner.with_retries(attempt).await.map_err(Self::explain_role)?;
        self.anchor_change(changed)?;
        Ok(records)
    }

    /// The owner's connection, and the statement that takes the role of one who may change what is kept.
    pub(super) async fn owner_role(&self) -> Result<(&PostgresDatabase, String)> {
        let Some(owner) = &self.owner else { return Err(self.refuse_rewrite()) };
        let role = self.query_rows("SELECT current_user::text", &[], |row| Ok(row.try_get::<_, String>(0)?)).await?;
        Ok((owner, format!("SET LOCAL ROLE {}", escape_identifier(&rewriting_role(&role.concat())))))
    }

    /// The error with what to do where the owner may not take the role.
    pub(super) fn explain_role(error: Error) -> Error {
        let (Error::Unavailable { database, reason } | Error::ReadOnly { database, reason }) = &error else {
            return error;
        };
        if !reason.contains("role \"") {
            return error;
        }
        let hint = "hint: run `epitome database init` with the same URL, as a user that may make roles";
        Error::Unavailable { database: database.clone(), reason: format!("{reason}\n{hint}") }
    }

    fn refuse_rewrite(&self) -> Error {
        let reason = "the role that Epitome connects as may add conversations and never change them\n\
                      hint: purging, forgetting and loading a backup are done by the owner of the database: add \
                      `--set database.owner_url=postgres://OWNER@HOST/DATABASE`, or set EPITOME_DATABASE_OWNER_URL";
        Error::Unavailable { database: self.database.name().to_owned(), reason: reason.to_owned() }
    }
}

/// Removes everything of a project.
async fn forget_rows(
    transaction: &TenantTransaction<'_>,
    project: &str,
    now: Timestamp,
) -> Result<Vec<RewriteRecord>, PostgresFailure> {
    let sql = "SELECT conversation_id, message_count, head_hash FROM epitome.conversations WHERE project_id = $1
               ORDER BY conversation_id";
    let mut records = Vec::new();
    for row in transaction.query_all(sql, &[&project]).await? {
        records.push(RewriteRecord {
            at: now,
            reason: RewriteReason::Forgotten,
            subject: row.try_get(0)?,
            items: row.try_get::<_, i64>(1)? as u64,
            before: hash_of(row.try_get(2)?)?,
            after: None,
        });
    }
    for sql in MESSAGE_DELETIONS.iter().chain(FORGET_DELETIONS) {
        let sql = sql.replace('@', "epitome.");
        if sql.contains("$1") {
            transaction.execute(&sql, &[&project]).await?;
        } else {
            transaction.execute(&sql, &[]).await?;
        }
    }
    for table in DERIVED_DELETION_TABLES {
        transaction.execute(&format!("DELETE FROM epitome.{table} WHERE project_id = $1"), &[&project]).await?;
    }
    Ok(records)
}

async fn put_records(transaction: &TenantTransaction<'_>, records: &[RewriteRecord]) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.rewrites (at, reason, subject, item_count, hash_before, hash_after)
               VALUES ($1, $2, $3, $4, $5, $6)";
    for record in records {
        let after = record.after.as_ref().map(|hash| ContentHash::as_bytes(hash).to_vec());
        transaction
            .execute(
                sql,
                &[
                    &record.at.0,
                    &record.reason.as_str(),
                    &encode_text(&record.subject),
                    &(record.items as i64),
                    &record.before.as_bytes().as_slice(),
                    &after,
                ],
            )
            .await?;
    }
    Ok(())
}

/// Writes a removal down in the open transaction.
pub(super) async fn put_removal(
    transaction: &TenantTransaction<'_>,
    removal: &DataRemoval,
) -> Result<(), PostgresFailure> {
    let sql = "INSERT INTO epitome.removals (at, reason, subject, old_count, old_hash, new_count, new_hash)
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let (old, new) = (removal.old.as_ref(), removal.new.as_ref());
    transaction
        .execute(
            sql,
            &[
                &removal.at.0,
                &encode_text(&removal.reason),
                &encode_text(&removal.subject.to_line()),
                &old.map(|head| head.count as i64),
                &old.map(|head| head.hash.as_str()),
                &new.map(|head| head.count as i64),
                &new.map(|head| head.hash.as_str()),
            ],
        )
        .await?;
    Ok(())
}
