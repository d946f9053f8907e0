//! The tables of a backup: their columns, which of them are numbers of the database, and what those refer to.

/// A table of a backup.
pub(super) struct BackupTable {
    pub(super) name: &'static str,
    /// Its columns but for the tenant, in order.
    pub(super) columns: &'static [&'static str],
    /// The column that numbers its rows, and where new numbers come from; the rows are written in this order.
    pub(super) numbered: Option<NumberedColumn>,
    /// Columns that hold numbers of another table's rows.
    pub(super) references: &'static [(&'static str, &'static str)],
}

/// A column of numbers that are drawn.
#[derive(Clone, Copy)]
pub(super) enum NumberedColumn {
    /// From a sequence of this name.
    Sequence(&'static str),
    /// From the sequence of the column itself.
    Identity,
}

impl BackupTable {
    const fn plain(name: &'static str, columns: &'static [&'static str]) -> Self {
        Self { name, columns, numbered: None, references: &[] }
    }

    const fn numbered(self, by: NumberedColumn) -> Self {
        Self { numbered: Some(by), ..self }
    }

    const fn referring(self, references: &'static [(&'static str, &'static str)]) -> Self {
        Self { references, ..self }
    }

    /// The statement that gives its rows as JSON.
    pub(super) fn select_rows(&self) -> String {
        let order = match self.numbered {
            Some(_) => "number".to_owned(),
            // The first two are enough for the same rows to come in the same order, or nearly so.
            None => self.columns.iter().take(2).copied().collect::<Vec<_>>().join(", "),
        };
        let columns = self.columns.join(", ");
        format!("SELECT to_json(t)::text FROM (SELECT {columns} FROM epitome.{} ORDER BY {order}) AS t", self.name)
    }
}

use NumberedColumn::{Identity, Sequence};

/// Everything that is kept, each table behind those that it refers to.
pub(super) const BACKUP_TABLES: &[BackupTable] = &[
    BackupTable::plain("scrub_keys", &["key"]),
    BackupTable::plain(
        "conversations",
        &[
            "number",
            "conversation_id",
            "name",
            "project_id",
            "message_count",
            "token_count",
            "head_hash",
            "stored_at",
            "title",
            "created_at",
            "updated_at",
            "state",
            "state_at",
            "author",
        ],
    )
    .numbered(Identity),
    BackupTable::plain(
        "messages",
        &[
            "number",
            "message_id",
            "conversation",
            "seq",
            "external_id",
            "external_key",
            "role",
            "speaker",
            "session",
            "at_text",
            "at_instant",
            "content",
            "token_count",
            "content_hash",
            "chain_hash",
            "stored_at",
            "metadata",
            "seal",
        ],
    )
    .numbered(Sequence("message_numbers"))
    .referring(&[("conversation", "conversations")]),
    BackupTable::plain(
        "message_parts",
        &[
            "message",
            "ordinal",
            "part_type",
            "text_content",
            "tool_call_id",
            "tool_name",
            "tool_status",
            "tool_input",
            "tool_output",
            "tool_error",
            "tool_title",
            "patch_hash",
            "patch_files",
            "file_mime",
            "file_name",
            "file_url",
            "subtask_prompt",
            "subtask_description",
            "subtask_agent",
            "step_reason",
            "step_cost_micros",
            "step_tokens_in",
            "step_tokens_out",
            "snapshot_hash",
            "compaction_auto",
            "is_ignored",
            "is_synthetic",
            "metadata",
        ],
    )
    .referring(&[("message", "messages")]),
    BackupTable::plain(
        "frames",
        &["number", "original_hash", "content_hash", "original_bytes", "content_bytes", "scrubbed", "compressed"],
    )
    .numbered(Identity),
    BackupTable::plain(
        "generations",
        &[
            "number",
            "source_key",
            "agent",
            "path",
            "ordinal",
            "origin",
            "container",
            "device",
            "inode",
            "conversation",
            "own_id",
            "title",
            "project_dir",
            "descent",
            "descent_of",
            "frame_count",
            "line_count",
            "message_count",
            "byte_count",
            "mark_hash",
            "stored_at",
        ],
    )
    .numbered(Identity)
    .referring(&[("conversation", "conversations")]),
    BackupTable::plain("generation_frames", &["generation", "ordinal", "frame", "line_count", "paused"])
        .referring(&[("generation", "generations"), ("frame", "frames")]),
    BackupTable::plain("tails", &["generation", "original_bytes", "original_hash", "compressed"])
        .referring(&[("generation", "generations")]),
    BackupTable::plain("quarantine", &["generation", "line", "byte_offset", "byte_count", "reason"])
        .referring(&[("generation", "generations")]),
    BackupTable::plain("line_kinds", &["generation", "kind_key", "class", "name", "line_count"])
        .referring(&[("generation", "generations")]),
    BackupTable::plain("message_origins", &["generation", "message", "lines", "parent", "thread", "continues"])
        .referring(&[("generation", "generations"), ("message", "messages")]),
    BackupTable::plain(
        "artifacts",
        &[
            "number",
            "artifact_id",
            "content_hash",
            "byte_count",
            "media_type",
            "name",
            "token_count",
            "summary",
            "stored_at",
            "compressed",
        ],
    )
    .numbered(Identity),
    BackupTable::plain("message_artifacts", &["artifact", "message"])
        .referring(&[("artifact", "artifacts"), ("message", "messages")]),
    BackupTable::plain(
        "summaries",
        &[
            "number",
            "summary_id",
            "conversation",
            "first_seq",
            "last_seq",
            "depth",
            "content",
            "token_count",
            "source_tokens",
            "from_text",
            "until_text",
            "method",
            "model",
            "prompt",
            "reason",
            "kept_facts",
            "all_facts",
            "redoes",
            "stored_at",
        ],
    )
    .numbered(Sequence("summary_numbers"))
    .referring(&[("conversation", "conversations")]),
    BackupTable::plain("summary_covers", &["summary", "ordinal", "covered"])
        .referring(&[("summary", "summaries"), ("covered", "summaries")]),
    // A lease belongs to a process that works in the database it was taken from.
    BackupTable::plain("contexts", &["conversation", "version", "fence", "seen_to", "facts_to", "facts_rules"])
        .referring(&[("conversation", "conversations")]),
    BackupTable::plain("context_items", &["conversation", "ordinal", "summary"])
        .referring(&[("conversation", "conversations"), ("summary", "summaries")]),
    BackupTable::plain(
        "conversation_facts",
        &[
            "fact_id",
            "conversation",
            "kind",
            "subject",
            "state",
            "exit_code",
            "seen_with",
            "ended_by",
            "times",
            "first_seq",
            "last_seq",
            "sources",
        ],
    )
    .referring(&[("conversation", "conversations")]),
    BackupTable::plain(
        "session_summaries",
        &["number", "conversation", "last_seq", "content", "method", "model", "prompt", "stored_at"],
    )
    .numbered(Identity)
    .referring(&[("conversation", "conversations")]),
    BackupTable::plain(
        "memories",
        &["number", "memory_id", "kind", "project_id", "conversation_id", "content", "depth", "created_at", "author"],
    )
    .numbered(Sequence("memory_numbers")),
    BackupTable::plain(
        "memory_notes",
        &["number", "memory", "at", "event", "certainty", "tags", "sources", "metadata", "said_at", "superseded_by"],
    )
    .numbered(Sequence("memory_note_numbers"))
    .referring(&[("memory", "memories")]),
    BackupTable::plain(
        "entities",
        &[
            "number",
            "entity_id",
            "project_id",
            "state",
            "kind",
            "name",
            "content",
            "summary",
            "metadata",
            "file_path",
            "stated_at",
        ],
    )
    .numbered(Sequence("entity_numbers")),
    BackupTable::plain(
        "entity_links",
        &[
            "number",
            "link_id",
            "project_id",
            "state",
            "source",
            "target",
            "relationship",
            "weight",
            "metadata",
            "stated_at",
        ],
    )
    .numbered(Sequence("entity_link_numbers")),
    BackupTable::plain(
        "session_records",
        &[
            "number",
            "record_id",
            "kind",
            "project_id",
            "session",
            "session_key",
            "step",
            "about",
            "content",
            "created_at",
        ],
    )
    .numbered(Sequence("session_record_numbers")),
    BackupTable::plain("session_record_notes", &["number", "record", "at", "event"])
        .numbered(Sequence("session_record_note_numbers"))
        .referring(&[("record", "session_records")]),
    // Without the number of its reservation, which may be another one's in the database that it is loaded into.
    BackupTable::plain(
        "ledger_entries",
        &[
            "number",
            "at",
            "day",
            "operation",
            "project_id",
            "session",
            "model",
            "formula",
            "basis",
            "tokens_in",
            "tokens_out",
            "cache_read",
            "cache_write",
            "tokens_avoided",
            "money_micros",
        ],
    )
    .numbered(Sequence("ledger_numbers")),
    BackupTable::plain(
        "ledger_totals",
        &[
            "total_key",
            "day",
            "operation",
            "project_id",
            "session",
            "session_key",
            "model",
            "formula",
            "entry_count",
            "tokens_in",
            "tokens_out",
            "cache_read",
            "cache_write",
            "tokens_avoided",
            "money_micros",
        ],
    ),
    BackupTable::plain(
        "tool_calls",
        &[
            "number",
            "at",
            "day",
            "door",
            "session",
            "session_key",
            "project_id",
            "agent",
            "tool",
            "operation",
            "mode",
            "place",
            "language",
            "size_bucket",
            "formula",
            "certainty",
            "bytes_raw",
            "bytes_shown",
            "bytes_avoided",
            "tokens_raw",
            "tokens_shown",
            "tokens_avoided",
            "money_avoided_micros",
            "elapsed_us",
            "turn",
            "query",
            "intent",
            "strategy",
            "gate",
            "result_count",
        ],
    )
    .numbered(Sequence("tool_call_numbers")),
    BackupTable::plain(
        "tool_call_totals",
        &[
            "total_key",
            "day",
            "session",
            "session_key",
            "operation",
            "project_id",
            "agent",
            "door",
            "formula",
            "certainty",
            "call_count",
            "first_at",
            "last_at",
            "bytes_raw",
            "bytes_shown",
            "bytes_avoided",
            "tokens_raw",
            "tokens_shown",
            "tokens_avoided",
            "money_avoided_micros",
        ],
    ),
    BackupTable::plain(
        "mode_arms",
        &[
            "language",
            "size_bucket",
            "pattern",
            "mode",
            "sample_count",
            "reread_count",
            "reward_micros",
            "square_micros",
        ],
    ),
    BackupTable::plain("spending_stopped", &["stopped_at"]),
    BackupTable::plain("answers", &["answer_key", "project_id", "session", "at", "operation", "question"]),
    BackupTable::plain("answer_places", &["answer_key", "place", "source", "used_by"]),
    BackupTable::plain(
        "grants",
        &[
            "grant_id",
            "issuer",
            "conversations",
            "summaries",
            "max_depth",
            "token_cap",
            "tokens_used",
            "issued_at",
            "expires_at",
            "revoked_at",
        ],
    ),
    BackupTable::plain(
        "removals",
        &["number", "at", "reason", "subject", "old_count", "old_hash", "new_count", "new_hash"],
    )
    .numbered(Identity),
    BackupTable::plain("rewrites", &["number", "at", "reason", "subject", "item_count", "hash_before", "hash_after"])
        .numbered(Identity),
];

/// Tables that a backup leaves out: they can be made again, or mean nothing elsewhere.
#[cfg(test)]
const LEFT_OUT: [&str; 19] = [
    "migrations",
    "tenant_secret",
    "message_terms",
    "jobs",
    "reservations",
    "worktrees",
    "segments",
    "postings",
    "files",
    "facts",
    "worktree_files",
    "changes",
    "edges",
    "redirects",
    "symbol_summaries",
    "vector_spaces",
    "vectors",
    "unkeyed_terms",
    "table_sums",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_the_schema_is_in_a_backup_or_is_left_out_on_purpose() {
        for line in crate::postgres::schema::migration_lines() {
            let Some(name) = line.trim().strip_prefix("CREATE TABLE epitome.") else { continue };
            let name = name.trim_end_matches(" (");
            let is_known = BACKUP_TABLES.iter().any(|table| table.name == name) || LEFT_OUT.contains(&name);
            assert!(is_known, "{name} is in no backup");
        }
    }

    #[test]
    fn a_table_refers_to_tables_before_it() {
        for (at, table) in BACKUP_TABLES.iter().enumerate() {
            for (column, target) in table.references {
                assert!(table.columns.contains(column), "{}.{column}", table.name);
                let before = BACKUP_TABLES.iter().take(at + 1).find(|before| before.name == *target);
                assert!(before.is_some_and(|before| before.numbered.is_some()), "{}.{column}", table.name);
            }
        }
    }
}
