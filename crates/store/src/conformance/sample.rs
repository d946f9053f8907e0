//! Things to store, in as few words as a case needs.

use crate::{
    Ack, Append, Appended, Facts, FileBatch, FileStamp, FileVersion, Fingerprint, NewRow, Taken, TermPostings,
};
use model::{
    ContentHash, ConversationId, KeptFacts, NewMessage, Part, ProjectId, Role, SeqRange, Summary, SummaryId,
    SummaryMethod, Timestamp, Tokens, Trigger,
};

/// Texts that break what is careless: empty, NUL, the escapes of the stores, quotes, other scripts, broken lines.
pub const ODD: &[&str] = &[
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
    (0..200).map(|number| ContentHash::of(format!("{seed}{number}").as_bytes()).to_string()).collect()
}

/// The conversation of a name.
pub fn conversation(name: &str) -> ConversationId {
    ConversationId::from_hash(ContentHash::of(name.as_bytes()))
}

/// The project of a name.
pub fn project(name: &str) -> ProjectId {
    ProjectId::from_hash(ContentHash::of(name.as_bytes()))
}

/// A user's message of one text.
pub fn said(text: &str) -> NewRow {
    message(vec![Part::Text { text: text.to_owned() }])
}

/// A user's message of one text, under its source's own id.
pub fn said_as(id: &str, text: &str) -> NewRow {
    let mut row = said(text);
    row.body.external_id = Some(id.to_owned());
    row
}

/// A user's message of these parts.
pub fn message(parts: Vec<Part>) -> NewRow {
    let body = NewMessage { external_id: None, role: Role::User, speaker: None, session: None, at: None, parts };
    let tokens = Tokens(body.content().split_whitespace().count() as u32);
    NewRow { body, tokens, artifacts: Vec::new() }
}

/// An append to the conversation of a name.
pub fn append(name: &str, rows: Vec<NewRow>) -> Append {
    let (conversation, now) = (conversation(name), Timestamp(1_000));
    Append {
        conversation,
        name: name.to_owned(),
        project: None,
        rows,
        artifacts: Vec::new(),
        taken: Taken::Refuse,
        now,
    }
}

/// The proof in an answer, stored now or before.
pub fn ack(appended: &Appended) -> &Ack {
    match appended {
        Appended::New(ack) | Appended::Known(ack) | Appended::Revised(ack) => ack,
        Appended::Conflict { external_id } => panic!("`{external_id}` is taken"),
    }
}

/// A summary of some messages of the conversation of a name.
pub fn summary(name: &str, first: u64, last: u64, covers: &[&Summary], content: &str) -> Summary {
    let (conversation, range) = (conversation(name), SeqRange { first, last });
    let ids: Vec<SummaryId> = covers.iter().map(|summary| summary.id.clone()).collect();
    Summary {
        id: Summary::id_of(&conversation, range, &ids, content),
        conversation,
        range,
        covers: ids,
        depth: covers.iter().map(|summary| summary.depth + 1).max().unwrap_or_default(),
        content: content.to_owned(),
        tokens: Tokens(content.split_whitespace().count() as u32),
        source_tokens: Tokens(100),
        from: None,
        until: None,
        method: SummaryMethod::Extractive,
        trigger: Trigger::Manual,
        kept: KeptFacts::default(),
        redoes: None,
        created: Timestamp(1_000),
    }
}

/// A version of a file with as many symbols and units as asked.
pub fn version(path: &str, text: &str, units: u32) -> FileVersion {
    let fact = |word: &str| format!("{word} of {path}: {text}").into_bytes();
    FileVersion {
        path: path.to_owned(),
        hash: ContentHash::of(text.as_bytes()),
        made: MADE,
        stamp: FileStamp { bytes: text.len() as u64, modified: 7 },
        language: Some("esperanto".to_owned()),
        lines: units,
        symbols: units,
        units,
        facts: Facts { symbols: fact("symbols"), texts: fact("texts"), uses: fact("uses"), vectors: fact("vectors") },
    }
}

/// What all versions here are made with, unless a case says otherwise.
pub const MADE: Fingerprint = Fingerprint(-3);

/// A batch of new versions with postings for `terms`.
pub fn batch(versions: Vec<FileVersion>, terms: &[&str]) -> FileBatch {
    let mut postings: Vec<_> = terms
        .iter()
        .map(|term| TermPostings { term: (*term).to_owned(), bytes: term.bytes().rev().collect() })
        .collect();
    postings.sort_unstable_by(|a, b| a.term.cmp(&b.term));
    FileBatch { versions, lengths: vec![1, 2, 3], postings, ..FileBatch::default() }
}
