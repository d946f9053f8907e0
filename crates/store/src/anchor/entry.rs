//! Entries of the anchor and how they are written: fields with tabs between them, one entry a line.

use model::{ContentHash, ConversationId, Timestamp};
use std::str::FromStr;

/// How far something append-only is: how many pieces, and the hash that links them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorHead {
    /// Messages of a conversation, or frames of an archive.
    pub count: u64,
    /// The chain hash of the last message, or the hash of the checkpoint; as hexadecimal digits.
    pub hash: String,
}

impl AnchorHead {
    /// A head of this many pieces.
    pub fn new(count: u64, hash: ContentHash) -> Self {
        Self { count, hash: hash.to_string() }
    }
}

/// Something that was there when an entry was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorPoint {
    /// A conversation had these messages.
    Conversation {
        /// Its id.
        id: String,
        /// How many, and the last link of the chain.
        head: AnchorHead,
    },
    /// An archive had these frames.
    Archive {
        /// The agent that wrote the transcript.
        agent: String,
        /// Where it lay.
        path: String,
        /// Which generation of it.
        generation: u32,
        /// How many frames, and the hash of the checkpoint behind them.
        head: AnchorHead,
    },
    /// A row that is never deleted was there.
    Row {
        /// Its table.
        table: String,
        /// Its id.
        id: String,
    },
}

/// The state of the database after a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchoredState {
    /// Counts the commits that changed what is kept; 0 where the store does not count.
    pub number: u64,
    /// Which database: an id that is drawn when it is made.
    pub database: String,
    /// The digest of the sums over every table that is kept; empty where the store makes none.
    pub digest: String,
    /// What the commit changed.
    pub points: Vec<AnchorPoint>,
}

/// What was removed or replaced on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemovedSubject {
    /// A conversation, or messages of it.
    Conversation {
        /// Its id.
        id: String,
    },
    /// A generation of an archive.
    Archive {
        /// The agent that wrote the transcript.
        agent: String,
        /// Where it lay.
        path: String,
        /// Which generation of it.
        generation: u32,
    },
    /// A row of a table whose rows are otherwise never deleted.
    Row {
        /// Its table.
        table: String,
        /// Its id.
        id: String,
    },
}

/// A removal or replacement that the user asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRemoval {
    /// What is gone or replaced.
    pub subject: RemovedSubject,
    /// Why, in words for people.
    pub reason: String,
    /// When.
    pub at: Timestamp,
    /// How far it was before.
    pub old: Option<AnchorHead>,
    /// How far what stands in its place is; none where nothing does.
    pub new: Option<AnchorHead>,
}

/// A database that the user accepted as it was, although the anchor knew more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedRestore {
    /// The name that was given to it.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// The state from which the anchor counts on.
    pub state: AnchoredState,
}

/// One entry of the anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorEntry {
    /// A commit.
    State(AnchoredState),
    /// Something was removed on purpose, in the commit with this number.
    Removed(u64, DataRemoval),
    /// A restored backup was accepted.
    Restored(AcceptedRestore),
    /// The key of placeholders, by its fingerprint.
    Key(String),
}

impl RemovedSubject {
    /// Its words in an entry and in the table of removals: kind, then what names it.
    fn fields(&self) -> Vec<String> {
        match self {
            Self::Conversation { id } => vec!["conversation".to_owned(), id.clone()],
            Self::Archive { agent, path, generation } => {
                vec!["archive".to_owned(), agent.clone(), path.clone(), generation.to_string()]
            }
            Self::Row { table, id } => vec!["row".to_owned(), table.clone(), id.clone()],
        }
    }

    /// The same as one text, as both databases keep it.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn to_line(&self) -> String {
        join_fields(&self.fields())
    }

    /// The subject of such a text; none where it is not ours.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        read_subject(&mut FieldReader(split_fields(line).into_iter()))
    }

    /// What it is, in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Conversation { id } => id.clone(),
            Self::Archive { path, generation, .. } => format!("{path} (generation {generation})"),
            Self::Row { table, id } => format!("{id} of {table}"),
        }
    }

    /// Whether it is this conversation.
    pub fn is_conversation(&self, other: &ConversationId) -> bool {
        matches!(self, Self::Conversation { id } if id == other.as_str())
    }
}

impl AnchorEntry {
    /// The fields of its line.
    pub(super) fn fields(&self) -> Vec<String> {
        match self {
            Self::State(state) => std::iter::once("state".to_owned()).chain(state_fields(state)).collect(),
            Self::Removed(number, removal) => {
                let start = ["removed".to_owned(), number.to_string(), removal.at.0.to_string()];
                let mut fields: Vec<String> = start.into_iter().chain([removal.reason.clone()]).collect();
                for head in [&removal.old, &removal.new] {
                    let (count, hash) =
                        head.as_ref().map_or((String::new(), ""), |it| (it.count.to_string(), &it.hash));
                    fields.extend([count, hash.to_owned()]);
                }
                fields.extend(removal.subject.fields());
                fields
            }
            Self::Restored(restore) => {
                let start = ["restored".to_owned(), restore.at.0.to_string(), restore.name.clone()];
                start.into_iter().chain(state_fields(&restore.state)).collect()
            }
            Self::Key(fingerprint) => vec!["key".to_owned(), fingerprint.clone()],
        }
    }

    /// The entry of a line's fields; none where they are not ours.
    pub(super) fn from_fields(fields: Vec<String>) -> Option<Self> {
        let mut reader = FieldReader(fields.into_iter());
        Some(match reader.text()?.as_str() {
            "state" => Self::State(read_state(&mut reader)?),
            "removed" => {
                let number = reader.number()?;
                let at = Timestamp(reader.number()?);
                let reason = reader.text()?;
                let (old, new) = (read_head(&mut reader)?, read_head(&mut reader)?);
                Self::Removed(number, DataRemoval { subject: read_subject(&mut reader)?, reason, at, old, new })
            }
            "restored" => {
                let at = Timestamp(reader.number()?);
                let name = reader.text()?;
                Self::Restored(AcceptedRestore { name, at, state: read_state(&mut reader)? })
            }
            "key" => Self::Key(reader.text()?),
            _ => return None,
        })
    }
}

fn state_fields(state: &AnchoredState) -> Vec<String> {
    let mut fields = vec![state.number.to_string(), state.database.clone(), state.digest.clone()];
    for point in &state.points {
        match point {
            AnchorPoint::Conversation { id, head } => {
                fields.extend(["c".to_owned(), id.clone(), head.count.to_string(), head.hash.clone()]);
            }
            AnchorPoint::Archive { agent, path, generation, head } => {
                fields.extend(["a".to_owned(), agent.clone(), path.clone(), generation.to_string()]);
                fields.extend([head.count.to_string(), head.hash.clone()]);
            }
            AnchorPoint::Row { table, id } => fields.extend(["r".to_owned(), table.clone(), id.clone()]),
        }
    }
    fields
}

fn read_state(reader: &mut FieldReader<impl Iterator<Item = String>>) -> Option<AnchoredState> {
    let (number, database, digest) = (reader.number()?, reader.text()?, reader.text()?);
    let mut points = Vec::new();
    while let Some(kind) = reader.text() {
        points.push(match kind.as_str() {
            "c" => AnchorPoint::Conversation { id: reader.text()?, head: read_head(reader)?? },
            "a" => {
                let (agent, path, generation) = (reader.text()?, reader.text()?, reader.number()?);
                AnchorPoint::Archive { agent, path, generation, head: read_head(reader)?? }
            }
            "r" => AnchorPoint::Row { table: reader.text()?, id: reader.text()? },
            _ => return None,
        });
    }
    Some(AnchoredState { number, database, digest, points })
}

fn read_subject(reader: &mut FieldReader<impl Iterator<Item = String>>) -> Option<RemovedSubject> {
    Some(match reader.text()?.as_str() {
        "conversation" => RemovedSubject::Conversation { id: reader.text()? },
        "archive" => {
            RemovedSubject::Archive { agent: reader.text()?, path: reader.text()?, generation: reader.number()? }
        }
        "row" => RemovedSubject::Row { table: reader.text()?, id: reader.text()? },
        _ => return None,
    })
}

/// A head that may be absent; none at all where the fields are not ours.
#[expect(clippy::option_option, reason = "no head and no readable head are different answers")]
fn read_head(reader: &mut FieldReader<impl Iterator<Item = String>>) -> Option<Option<AnchorHead>> {
    let (count, hash) = (reader.text()?, reader.text()?);
    if count.is_empty() { Some(None) } else { Some(Some(AnchorHead { count: count.parse().ok()?, hash })) }
}

struct FieldReader<I>(I);

impl<I: Iterator<Item = String>> FieldReader<I> {
    fn text(&mut self) -> Option<String> {
        self.0.next()
    }

    fn number<N: FromStr>(&mut self) -> Option<N> {
        self.text()?.parse().ok()
    }
}

/// Fields as one line. A tab or a line break inside of a field (paths may have them) is escaped; so is a zero, which in the
/// file only a power cut leaves.
pub(super) fn join_fields(fields: &[String]) -> String {
    let escape =
        |field: &String| field.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\0', "\\0");
    fields.iter().map(escape).collect::<Vec<_>>().join("\t")
}

/// The fields of a line.
pub(super) fn split_fields(line: &str) -> Vec<String> {
    let unescape = |field: &str| {
        let mut text = String::with_capacity(field.len());
        let mut chars = field.chars();
        while let Some(c) = chars.next() {
            text.push(match (c, c == '\\') {
                (_, true) => match chars.next() {
                    Some('t') => '\t',
                    Some('n') => '\n',
                    Some('0') => '\0',
                    _ => '\\',
                },
                (c, false) => c,
            });
        }
        text
    };
    line.split('\t').map(unescape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(entry: AnchorEntry) {
        let line = join_fields(&entry.fields());
        assert!(!line.contains(['\n', '\0']));
        assert_eq!(AnchorEntry::from_fields(split_fields(&line)), Some(entry));
    }

    proptest! {
        /// Whatever the names are, a line gives back its entry.
        #[test]
        fn an_entry_survives(path in ".*", name in "(?s).*", count in 0..u64::MAX, row in "[a-z_0-9]*") {
            let head = AnchorHead { count, hash: "ab".to_owned() };
            let points = vec![
                AnchorPoint::Archive { agent: "a".to_owned(), path: path.clone(), generation: 2, head: head.clone() },
                AnchorPoint::Conversation { id: row.clone(), head: head.clone() },
                AnchorPoint::Row { table: "artifacts".to_owned(), id: row.clone() },
            ];
            let state = AnchoredState { number: 3, database: row, digest: "cd".to_owned(), points };
            check(AnchorEntry::State(state.clone()));
            check(AnchorEntry::Restored(AcceptedRestore { name: name.clone(), at: Timestamp(-4), state }));
            let subject = RemovedSubject::Archive { agent: "a".to_owned(), path, generation: 7 };
            let removal = DataRemoval { subject, reason: name, at: Timestamp(9), old: Some(head), new: None };
            check(AnchorEntry::Removed(5, removal));
        }
    }
}
