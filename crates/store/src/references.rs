//! The references between rows that both stores check themselves, with the words for a row whose reference leads
//! nowhere. A database checks a reference when it is written; what is damaged later, only a look finds, and the same
//! damage has to read the same on both stores.

/// A reference of one table to another.
pub(crate) struct TableReference {
    /// The table that refers, in the query as `r`.
    pub(crate) table: &'static str,
    /// Its column.
    pub(crate) column: &'static str,
    /// The table that is referred to.
    parent: &'static str,
    /// Its column.
    key: &'static str,
    /// How a row of the table is named, as SQL that both databases understand; `@` stands before the name of a table.
    row: &'static str,
    /// What is referred to, in words.
    missing: &'static str,
}

const CONTEXT_ITEM_NAME: &str = "'item ' || r.ordinal || ' of the context of ' || coalesce((SELECT conversation_id
  FROM @conversations c WHERE c.number = r.conversation), 'conversation number ' || r.conversation)";
const COVER_NAME: &str = "'what ' || coalesce((SELECT s.summary_id FROM @summaries s WHERE s.number = r.summary),
  'a summary') || ' covers at place ' || r.ordinal";
const MENTION_NAME: &str = "'the mention of ' || coalesce((SELECT a.artifact_id FROM @artifacts a
  WHERE a.number = r.artifact), 'an artifact') || ' in ' || coalesce((SELECT m.message_id FROM @messages m
  WHERE m.number = r.message), 'a message')";
const ORIGIN_NAME: &str =
    "'the origin of ' || coalesce((SELECT m.message_id FROM @messages m WHERE m.number = r.message),
  'a message')";
const FRAME_NAME: &str = "'frame ' || r.ordinal || ' of ' || coalesce((SELECT g.path FROM @generations g
  WHERE g.number = r.generation), 'a transcript')";

/// Every reference between the tables of conversations, but for parts of messages, which one store alone has as rows.
pub(crate) const TABLE_REFERENCES: &[TableReference] = &[
    refers("messages", "conversation", "conversations", "number", "r.message_id", "a conversation"),
    refers("message_artifacts", "artifact", "artifacts", "number", MENTION_NAME, "an artifact"),
    refers("message_artifacts", "message", "messages", "number", MENTION_NAME, "a message"),
    refers("message_origins", "generation", "generations", "number", ORIGIN_NAME, "a transcript"),
    refers("message_origins", "message", "messages", "number", ORIGIN_NAME, "a message"),
    refers("generations", "conversation", "conversations", "number", "r.path", "a conversation"),
    refers("generation_frames", "generation", "generations", "number", FRAME_NAME, "a transcript"),
    refers("generation_frames", "frame", "frames", "number", FRAME_NAME, "the bytes of a frame"),
    refers("tails", "generation", "generations", "number", "'the tail of a transcript'", "a transcript"),
    refers(
        "quarantine",
        "generation",
        "generations",
        "number",
        "'line ' || r.line || ' in quarantine'",
        "a transcript",
    ),
    refers(
        "line_kinds",
        "generation",
        "generations",
        "number",
        "'a count of lines (' || r.name || ')'",
        "a transcript",
    ),
    refers("summaries", "conversation", "conversations", "number", "r.summary_id", "a conversation"),
    refers("summary_covers", "summary", "summaries", "number", COVER_NAME, "a summary"),
    refers("summary_covers", "covered", "summaries", "number", COVER_NAME, "a summary"),
    refers(
        "contexts",
        "conversation",
        "conversations",
        "number",
        "'the context of conversation number ' || r.conversation",
        "a conversation",
    ),
    refers("context_items", "conversation", "contexts", "conversation", CONTEXT_ITEM_NAME, "a context"),
    refers("context_items", "summary", "summaries", "number", CONTEXT_ITEM_NAME, "a summary"),
    refers("conversation_facts", "conversation", "conversations", "number", "r.fact_id", "a conversation"),
    refers(
        "session_summaries",
        "conversation",
        "conversations",
        "number",
        "'a summary of the session with conversation number ' || r.conversation",
        "a conversation",
    ),
    refers("memory_notes", "memory", "memories", "number", "'note ' || r.number || ' of a memory'", "a memory"),
    refers(
        "session_record_notes",
        "record",
        "session_records",
        "number",
        "'note ' || r.number || ' of a record'",
        "a record",
    ),
    refers("jobs", "conversation", "conversations", "number", "'job ' || r.number", "a conversation"),
];

/// Parts of messages are rows of their own in PostgreSQL only.
#[cfg(feature = "postgres")]
pub(crate) const PART_REFERENCE: TableReference =
    refers("message_parts", "message", "messages", "number", "'part ' || r.ordinal || ' of a message'", "a message");

const fn refers(
    table: &'static str,
    column: &'static str,
    parent: &'static str,
    key: &'static str,
    row: &'static str,
    missing: &'static str,
) -> TableReference {
    TableReference { table, column, parent, key, row, missing }
}

impl TableReference {
    /// The query for rows whose reference leads nowhere: one text for each. The left join finds them by themselves; it
    /// does not trust the foreign key, which is what failed.
    pub(crate) fn to_sql(&self, schema: &str) -> String {
        let Self { table, column, parent, key, row, missing } = self;
        format!(
            "SELECT {row} || ' refers to {missing} that is not there' FROM @{table} r
               LEFT JOIN @{parent} p ON p.{key} = r.{column}
             WHERE r.{column} IS NOT NULL AND p.{key} IS NULL"
        )
        .replace('@', schema)
    }

    /// What a row that is found here is.
    pub(crate) fn fault_kind(&self) -> crate::FaultKind {
        match self.table {
            "context_items" => crate::FaultKind::DanglingItem,
            _ => crate::FaultKind::MissingRow,
        }
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::TABLE_REFERENCES;

    #[test]
    fn every_foreign_key_of_conversations_is_looked_at() {
        let home = tempfile::tempdir().expect("a temporary directory");
        drop(crate::sqlite::SqliteStore::open(home.path(), home.path()).expect("opens"));
        let database = rusqlite::Connection::open(home.path().join("epitome.db")).expect("opens");
        let sql =
            "SELECT t.name, k.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'";
        let mut statement = database.prepare(sql).expect("asks");
        let keys = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)));
        let mut missing = Vec::new();
        for key in keys.expect("asks") {
            let (table, column) = key.expect("reads");
            if !TABLE_REFERENCES.iter().any(|it| (it.table, it.column) == (table.as_str(), column.as_str())) {
                missing.push(format!("{table}.{column}"));
            }
        }
        assert_eq!(missing, [""; 0], "add them to TABLE_REFERENCES: PostgreSQL has no look of its own for them");
    }
}
