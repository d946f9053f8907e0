//! Test data builders for the conformance tests of stores: messages, appends, summaries, file versions, index batches,
//! and texts that break careless code (`ODD_TEXTS`).

use crate::{
    AppendBatch, AppendOutcome, ConflictPolicy, FileBatch, FileRecords, FileStamp, FileVersion, Fingerprint,
    MessageAck, NewRow, TermPostings,
};
use model::{
    ContentHash, ConversationId, FoldTrigger, KeptFacts, MessagePart, MessageRole, NewMessage, ProjectId, SeqRange,
    Summary, SummaryId, SummaryMethod, Timestamp, TokenCount,
};

/// Texts that break what is careless: empty, NUL, the escapes of the stores, quotes, other scripts, broken lines.
pub const ODD_TEXTS: &[&str] = &[
    "",
    " ",
    "\0",
    "a\0b\0\0",
    "\u{10ffff}",
    "\u{10ffff}0\0\u{10ffff}1",
    "\u{fffe}\u{feff}",
    "it's \"quoted\" \\n \\\\ %s $1 ?1 {} {\"a\"}",
    "line one\nline two\r\n\ttab\u{1b}[31m",
    "数据库 データ 한국어 ไทย",
    "e\u{301} ß İ 👩‍👩‍👧‍👦 \u{202e}rtl",
    "NULL",
];

/// A text too long for any index entry, without a pattern that compression could shrink.
pub fn long_text(seed: &str) -> String {
    (0..200).map(|number| ContentHash::hash_bytes(format!("{seed}{number}").as_bytes()).to_string()).collect()
}

/// The conversation of a name.
pub fn conversation_id(name: &str) -> ConversationId {
    ConversationId::from_hash(ContentHash::hash_bytes(name.as_bytes()))
}

/// The project of a name.
pub fn project_id(name: &str) -> ProjectId {
    ProjectId::from_hash(ContentHash::hash_bytes(name.as_bytes()))
}

/// A user's message of one text.
pub fn text_row(text: &str) -> NewRow {
    parts_row(vec![MessagePart::Text { text: text.to_owned() }])
}

/// A user's message of one text, under its source's own id.
pub fn text_row_as(id: &str, text: &str) -> NewRow {
    let mut row = text_row(text);
    row.body.external_id = Some(id.to_owned());
    row
}

/// A user's message of these parts.
pub fn parts_row(parts: Vec<MessagePart>) -> NewRow {
    let body = NewMessage {
        external_id: None,
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts,
        part_marks: model::PartMarks::default(),
    };
    let tokens = TokenCount(body.content().split_whitespace().count() as u32);
    NewRow { body, tokens, artifacts: Vec::new() }
}

/// An append to the conversation of a name.
pub fn build_append(name: &str, rows: Vec<NewRow>) -> AppendBatch {
    let conversation = conversation_id(name);
    let now = Timestamp(1_000);
    AppendBatch {
        conversation,
        name: name.to_owned(),
        project: None,
        author: None,
        title: None,
        rows,
        artifacts: Vec::new(),
        taken: ConflictPolicy::Refuse,
        now,
    }
}

/// The proof in an answer, stored now or before.
pub fn expect_ack(appended: &AppendOutcome) -> &MessageAck {
    match appended {
        AppendOutcome::New(ack) | AppendOutcome::Known(ack) | AppendOutcome::Revised(ack) => ack,
        AppendOutcome::Conflict { external_id } => panic!("`{external_id}` is taken"),
    }
}

/// A summary of some messages of the conversation of a name.
pub fn build_summary(name: &str, first: u64, last: u64, covers: &[&Summary], content: &str) -> Summary {
    let conversation = conversation_id(name);
    let range = SeqRange { first, last };
    let ids: Vec<SummaryId> = covers.iter().map(|summary| summary.id.clone()).collect();
    Summary {
        id: Summary::id_of(&conversation, range, &ids, content),
        conversation,
        range,
        covers: ids,
        depth: covers.iter().map(|summary| summary.depth + 1).max().unwrap_or_default(),
        content: content.to_owned(),
        tokens: TokenCount(content.split_whitespace().count() as u32),
        source_tokens: TokenCount(100),
        from: None,
        until: None,
        method: SummaryMethod::Extractive,
        trigger: FoldTrigger::Manual,
        kept: KeptFacts::default(),
        redoes: None,
        created: Timestamp(1_000),
    }
}

/// A version of a file with as many symbols and units as asked.
pub fn build_version(path: &str, text: &str, units: u32) -> FileVersion {
    let record = |word: &str| format!("{word} of {path}: {text}").into_bytes();
    FileVersion {
        path: path.to_owned(),
        hash: ContentHash::hash_bytes(text.as_bytes()),
        made: SAMPLE_FINGERPRINT,
        stamp: FileStamp { bytes: text.len() as u64, modified: 7 },
        language: Some("esperanto".to_owned()),
        lines: units,
        symbols: units,
        units,
        problems: Vec::new(),
        records: FileRecords {
            symbols: record("symbols"),
            texts: record("texts"),
            uses: record("uses"),
            vectors: record("vectors"),
            document: record("document"),
        },
    }
}

/// The fingerprint of all versions here, unless a case says otherwise.
pub const SAMPLE_FINGERPRINT: Fingerprint = Fingerprint(-3);

/// A batch of new versions with postings for `terms`.
pub fn build_batch(versions: Vec<FileVersion>, terms: &[&str]) -> FileBatch {
    let mut postings: Vec<_> = terms
        .iter()
        .map(|term| TermPostings { term: (*term).to_owned(), bytes: term.bytes().rev().collect() })
        .collect();
    postings.sort_unstable_by(|a, b| a.term.cmp(&b.term));
    FileBatch { versions, lengths: vec![1, 2, 3], postings, ..FileBatch::default() }
}
