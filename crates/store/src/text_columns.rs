//! Which columns of both stores hold texts that people, agents or models wrote, and how a search for secrets comes to
//! each. A test compares the table with the catalogs of both databases: whoever adds a column that can hold a text has to
//! say here what becomes of secrets in it.

use crate::TextPlace;
use ColumnCover::{Free, Name, Side, Walked};

/// How a search for secrets comes to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnCover {
    /// It is read and replaced with what it belongs to: a message, a frame, an artifact, a memory, a record, a statement; or
    /// it was made from messages, and is dropped and made anew with them.
    Walked,
    /// A text that stands for itself, which is read and replaced alone ([`SideText`](crate::SideText)).
    Side,
    /// A name that somebody gave. It is scrubbed before it is written and looked through, and stays: other rows, hashes and
    /// people know the thing by it.
    Name,
    /// It holds no words of others, for this reason.
    Free(&'static str),
}

const DIGEST: ColumnCover = Free("a digest");
const ID: ColumnCover = Free("an id that is made of a digest");
const WORD: ColumnCover = Free("one of our own words");
const SOURCE_ID: ColumnCover = Free("an id or path of its source, which it is found by when it comes again");
const SESSION: ColumnCover = Free("the name of a conversation or session, which is looked at where that is");
const OWN: ColumnCover = Free("counted or written by this program");
const CODE: ColumnCover = Free("made of files of the project, which have it as well; made anew when they change");
const AUTHOR: ColumnCover = Free("the name of a person, from the settings or from who made a token");
const MODEL: ColumnCover = Free("the name of a model, from the settings");

/// Every table with its columns that can hold a text, but for `project_id` and `tenant_id`, which are the same everywhere.
pub(crate) const TEXT_COLUMNS: &[(&str, &[(&str, ColumnCover)])] = &[
    ("answer_places", &[("answer_key", DIGEST), ("source", Free("a place that an answer listed")), ("used_by", WORD)]),
    ("answers", &[("answer_key", DIGEST), ("operation", WORD), ("question", Side), ("session", SESSION)]),
    (
        "artifacts",
        &[
            ("artifact_id", ID),
            ("compressed", Walked),
            ("content_hash", DIGEST),
            ("media_type", Side),
            ("name", Side),
            ("summary", Side),
        ],
    ),
    ("changes", &[("path", CODE), ("path_key", DIGEST)]),
    (
        "conversation_facts",
        &[
            ("ended_by", Walked),
            ("fact_id", ID),
            ("kind", WORD),
            ("seen_with", Walked),
            ("sources", OWN),
            ("state", WORD),
            ("subject", Walked),
        ],
    ),
    (
        "conversations",
        &[
            ("author", AUTHOR),
            ("conversation_id", ID),
            ("head_hash", DIGEST),
            ("name", Name),
            ("state", WORD),
            ("title", Side),
        ],
    ),
    ("edges", &[("bytes", CODE), ("path", CODE), ("path_key", DIGEST)]),
    (
        "entities",
        &[
            ("content", Walked),
            ("entity_id", ID),
            ("file_path", Walked),
            ("kind", WORD),
            ("metadata", Walked),
            ("name", Walked),
            ("state", WORD),
            ("summary", Walked),
        ],
    ),
    (
        "entity_links",
        &[
            ("link_id", ID),
            ("metadata", Walked),
            ("relationship", WORD),
            ("source", Walked),
            ("state", WORD),
            ("target", Walked),
        ],
    ),
    ("facts", &[("document", CODE), ("symbols", CODE), ("texts", CODE), ("uses", CODE), ("vectors", CODE)]),
    ("files", &[("hash", DIGEST), ("language", WORD), ("path", CODE), ("problems", CODE), ("version_key", DIGEST)]),
    ("frames", &[("compressed", Walked), ("content_hash", DIGEST), ("original_hash", DIGEST), ("scrubbed", OWN)]),
    (
        "generations",
        &[
            ("agent", WORD),
            ("container", WORD),
            ("descent", WORD),
            ("descent_of", SOURCE_ID),
            ("mark_hash", DIGEST),
            ("origin", WORD),
            ("own_id", SOURCE_ID),
            ("path", SOURCE_ID),
            ("project_dir", SOURCE_ID),
            ("source_key", DIGEST),
            ("title", Side),
        ],
    ),
    ("grants", &[("conversations", OWN), ("grant_id", ID), ("issuer", Side), ("summaries", OWN)]),
    ("jobs", &[("failure", Side), ("how", WORD), ("work", WORD)]),
    (
        "ledger_entries",
        &[("basis", WORD), ("formula", WORD), ("model", MODEL), ("operation", WORD), ("session", SESSION)],
    ),
    (
        "ledger_totals",
        &[
            ("formula", WORD),
            ("model", MODEL),
            ("operation", WORD),
            ("session", SESSION),
            ("session_key", DIGEST),
            ("total_key", DIGEST),
        ],
    ),
    (
        "line_kinds",
        &[("class", WORD), ("kind_key", DIGEST), ("name", Free("the kind of a line, from the scrubbed line"))],
    ),
    (
        "memories",
        &[("author", AUTHOR), ("content", Walked), ("conversation_id", ID), ("kind", WORD), ("memory_id", ID)],
    ),
    ("memory_notes", &[("event", WORD), ("metadata", Side), ("sources", Side), ("superseded_by", ID), ("tags", Side)]),
    ("message_origins", &[("continues", SOURCE_ID), ("lines", OWN), ("parent", SOURCE_ID), ("thread", SOURCE_ID)]),
    (
        "message_parts",
        &[
            ("file_mime", Walked),
            ("file_name", Walked),
            ("file_url", Walked),
            ("metadata", Walked),
            ("part_type", WORD),
            ("patch_files", Walked),
            ("patch_hash", Walked),
            ("snapshot_hash", Walked),
            ("step_reason", Walked),
            ("subtask_agent", Walked),
            ("subtask_description", Walked),
            ("subtask_prompt", Walked),
            ("text_content", Walked),
            ("tool_call_id", Walked),
            ("tool_error", Walked),
            ("tool_input", Walked),
            ("tool_name", Walked),
            ("tool_output", Walked),
            ("tool_status", Walked),
            ("tool_title", Walked),
        ],
    ),
    (
        "messages",
        &[
            ("at_text", Walked),
            ("chain_hash", DIGEST),
            ("content", Walked),
            ("content_hash", DIGEST),
            ("external_id", SOURCE_ID),
            ("external_key", DIGEST),
            ("message_id", ID),
            ("metadata", Walked),
            ("role", WORD),
            ("session", SOURCE_ID),
            ("shape", Walked),
            ("speaker", Walked),
        ],
    ),
    ("mode_arms", &[("language", WORD), ("mode", WORD), ("pattern", WORD), ("size_bucket", WORD)]),
    (
        "postings",
        &[
            ("bytes", Free("places of words; those of messages are dropped by a purge and made anew")),
            ("first_term", Free("a stem; those of messages are dropped by a purge and made anew")),
            ("term", Free("a stem; those of messages are dropped by a purge and made anew")),
        ],
    ),
    ("quarantine", &[("reason", Free("what our reader of JSON says of a line, with its place and without its words"))]),
    ("redirects", &[("from_id", CODE), ("from_key", DIGEST), ("to_id", CODE)]),
    ("removals", &[("new_hash", DIGEST), ("old_hash", DIGEST), ("reason", WORD), ("subject", SOURCE_ID)]),
    ("reservations", &[("model", MODEL), ("operation", WORD), ("session", SESSION)]),
    ("rewrites", &[("hash_after", DIGEST), ("hash_before", DIGEST), ("reason", WORD), ("subject", SOURCE_ID)]),
    ("scrub_keys", &[("key", Free("random"))]),
    ("segments", &[("lengths", CODE)]),
    ("session_record_notes", &[("event", WORD)]),
    (
        "session_records",
        &[
            ("about", ID),
            ("content", Walked),
            ("kind", WORD),
            ("record_id", ID),
            ("session", Name),
            ("session_key", DIGEST),
        ],
    ),
    ("session_summaries", &[("content", Walked), ("method", WORD), ("model", MODEL), ("prompt", WORD)]),
    ("store_state", &[("database_id", Free("random")), ("key_fingerprint", DIGEST), ("sums", OWN)]),
    (
        "summaries",
        &[
            ("content", Walked),
            ("from_text", Walked),
            ("method", WORD),
            ("model", MODEL),
            ("prompt", WORD),
            ("reason", WORD),
            ("redoes", ID),
            ("summary_id", ID),
            ("until_text", Walked),
        ],
    ),
    (
        "symbol_summaries",
        &[("summary", Free("what a model says of code, scrubbed before it is written")), ("summary_key", DIGEST)],
    ),
    ("table_sums", &[("table_name", OWN)]),
    ("tails", &[("compressed", Walked), ("original_hash", DIGEST)]),
    ("tenant_secret", &[("secret", Free("random"))]),
    (
        "tool_call_totals",
        &[
            ("agent", Free("the name of an agent, scrubbed before it is counted by it")),
            ("certainty", WORD),
            ("door", WORD),
            ("formula", WORD),
            ("operation", WORD),
            ("session", SESSION),
            ("session_key", DIGEST),
            ("total_key", DIGEST),
        ],
    ),
    (
        "tool_calls",
        &[
            ("agent", Side),
            ("certainty", WORD),
            ("door", WORD),
            ("formula", WORD),
            ("gate", WORD),
            ("intent", WORD),
            ("language", WORD),
            ("mode", WORD),
            ("operation", WORD),
            ("place", Side),
            ("query", Side),
            ("session", SESSION),
            ("session_key", DIGEST),
            ("size_bucket", WORD),
            ("strategy", WORD),
            ("tool", WORD),
        ],
    ),
    ("vector_spaces", &[("model", MODEL), ("space_key", DIGEST), ("version", MODEL)]),
    ("vectors", &[("numbers", OWN), ("space_key", DIGEST), ("text_key", DIGEST)]),
    ("worktree_files", &[("path", CODE), ("path_key", DIGEST)]),
    (
        "worktrees",
        &[("commit_id", Free("a commit of git")), ("root", Free("the folder of a project")), ("root_key", DIGEST)],
    ),
];

/// A column whose texts are read one by one.
#[derive(Clone, Copy)]
pub(crate) struct SideColumn {
    pub(crate) table: &'static str,
    pub(crate) column: &'static str,
    pub(crate) is_name: bool,
}

/// What a row of a table is known by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKey {
    /// The column `number`.
    Number,
    /// A digest.
    Digest(&'static str),
    /// An id.
    Text(&'static str),
}

impl SideColumn {
    pub(crate) fn row_key(self) -> RowKey {
        match self.table {
            "answers" => RowKey::Digest("answer_key"),
            "grants" => RowKey::Text("grant_id"),
            _ => RowKey::Number,
        }
    }

    /// The place of a text in it.
    pub(crate) fn place(self, row: String) -> TextPlace {
        TextPlace { table: self.table, column: self.column, row }
    }
}

/// The columns whose texts are read one by one, in the order of the table.
pub(crate) fn side_columns() -> impl Iterator<Item = SideColumn> {
    let columns = TEXT_COLUMNS.iter().flat_map(|(table, columns)| columns.iter().map(move |column| (*table, *column)));
    columns.filter_map(|(table, (column, cover))| match cover {
        Side => Some(SideColumn { table, column, is_name: false }),
        Name => Some(SideColumn { table, column, is_name: true }),
        Walked | Free(_) => None,
    })
}

/// The column of a text that may be replaced; none where that is a name, or no such column.
pub(crate) fn find_side_column(place: &TextPlace) -> Option<SideColumn> {
    side_columns().find(|it| it.table == place.table && it.column == place.column && !it.is_name)
}

#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
mod tests {
    use super::*;
    use crate::postgres::{AppRole, PostgresStore};
    use crate::sqlite::text_columns_of_schema;
    use std::collections::BTreeSet;
    use testkit::postgres::PostgresCluster;

    /// Columns that mean the same in every table.
    const COMMON_COLUMNS: [&str; 2] = ["project_id", "tenant_id"];

    type Columns = BTreeSet<(String, String)>;

    async fn postgres_columns() -> Columns {
        let cluster = PostgresCluster::start();
        PostgresStore::init(cluster.url(), &AppRole::default()).await.expect("makes it ready");
        let (admin, connection) =
            tokio_postgres::connect(cluster.url(), tokio_postgres::NoTls).await.expect("connects");
        tokio::spawn(connection);
        // All but what cannot hold a text.
        let sql = "SELECT c.relname::text, a.attname::text
                   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                   WHERE c.relnamespace = 'epitome'::regnamespace AND c.relkind IN ('r', 'p')
                     AND format_type(a.atttypid, NULL) NOT IN
                       ('bigint', 'integer', 'smallint', 'boolean', 'numeric', 'bigint[]', 'timestamp with time zone')";
        admin.query(sql, &[]).await.expect("asks").iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    /// Whoever adds a column that can hold a text hears of it here: `sensitive scan` and `sensitive purge` have to come to
    /// it, or the table above has to say why no secret can be in it.
    #[tokio::test]
    async fn every_column_that_can_hold_a_text_is_covered_or_free_for_a_reason() {
        let found: Columns = postgres_columns().await.into_iter().chain(text_columns_of_schema()).collect();
        assert!(found.len() > 150, "{} columns", found.len());
        let said: Columns = TEXT_COLUMNS
            .iter()
            .flat_map(|(table, columns)| columns.iter().map(|column| ((*table).to_owned(), column.0.to_owned())))
            .collect();
        let found: Columns =
            found.into_iter().filter(|(_, column)| !COMMON_COLUMNS.contains(&column.as_str())).collect();
        assert_eq!(
            found.difference(&said).collect::<Vec<_>>(),
            Vec::<&(String, String)>::new(),
            "nothing is said of these"
        );
        assert_eq!(
            said.difference(&found).collect::<Vec<_>>(),
            Vec::<&(String, String)>::new(),
            "no database has these"
        );
        let is_said = |cover: &ColumnCover| !matches!(cover, Free(reason) if reason.is_empty());
        assert!(TEXT_COLUMNS.iter().all(|(_, columns)| columns.iter().all(|(_, cover)| is_said(cover))));
    }
}
