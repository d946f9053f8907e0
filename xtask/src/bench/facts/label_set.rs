//! Reads the labels of the fact benchmark under `bench/data/facts`: what each extracted fact is worth, and what should
//! have been extracted. Labels name places and hashes and no text, so the words are looked up in the sessions again.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use super::told_session::ToldSession;
use super::word_list::hash_words;

/// A session with all that is labelled in it.
pub(super) struct LabelledSession {
    /// `owner+name/` and twelve digits of the blob.
    pub(super) id: String,
    /// `tune` or `held-out`.
    pub(super) half: String,
    pub(super) labels: Vec<FactLabel>,
    pub(super) items: Vec<WantedItem>,
}

/// What a told fact is worth.
pub(super) struct FactLabel {
    pub(super) place: TextPlace,
    /// The kind it was told as when it was labelled.
    pub(super) kind: String,
    pub(super) verdict: FactVerdict,
    /// What it is, whatever it was told as.
    pub(super) is: String,
    /// Whether it still held at the end of its session.
    pub(super) holds: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactVerdict {
    /// True, and worth telling as what it was told.
    Useful,
    /// True, and not worth telling.
    Idle,
    /// Not true, or not what it was told as.
    Wrong,
}

/// A rule, a decision or an open step that a reader found.
pub(super) struct WantedItem {
    pub(super) place: TextPlace,
    /// `user` or `assistant`.
    pub(super) role: String,
    /// `rule`, `decision`, `answer` (a decision by which the user answered a question of the agent) or `open`.
    pub(super) is: String,
}

/// Where a text stands, and what its words hash to.
pub(super) struct TextPlace {
    pub(super) message: u64,
    /// The first of its words in the message, and how many they are; nothing where it is put together from a call.
    words: Option<(usize, usize)>,
    pub(super) hash: String,
    /// The hash of its first six words.
    pub(super) head: String,
}

/// How many words a head has.
pub(super) const HEAD_WORDS: usize = 6;

/// Reads the three tables of a folder.
pub(super) fn load_labels(folder: &Path) -> Result<Vec<LabelledSession>> {
    let mut sessions = Vec::new();
    let mut numbers = HashMap::new();
    for row in read_table(&folder.join("sessions.tsv"), 8)? {
        numbers.insert(row[0].clone(), sessions.len());
        let id = row[0].clone();
        let half = row[1].clone();
        sessions.push(LabelledSession { id, half, labels: Vec::new(), items: Vec::new() });
    }
    let number = |id: &String| numbers.get(id).copied().with_context(|| format!("no session `{id}` in sessions.tsv"));
    for row in read_table(&folder.join("labels.tsv"), 11)? {
        let label = FactLabel {
            place: TextPlace::from_fields(&row[1], &row[3], &row[4], &row[5])?,
            kind: row[2].clone(),
            verdict: parse_verdict(&row[6])?,
            is: row[7].clone(),
            holds: row[8] == "holds",
        };
        sessions[number(&row[0])?].labels.push(label);
    }
    for row in read_table(&folder.join("items.tsv"), 8)? {
        let place = TextPlace::from_fields(&row[1], &row[5], &row[6], &row[7])?;
        let item = WantedItem { place, role: row[2].clone(), is: row[3].clone() };
        sessions[number(&row[0])?].items.push(item);
    }
    Ok(sessions)
}

/// The rows of a table below its heading, each of so many fields.
pub(super) fn read_table(path: &Path, fields: usize) -> Result<Vec<Vec<String>>> {
    let text = fs_err::read_to_string(path)?;
    let rows = text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    rows.enumerate()
        .map(|(at, row)| {
            ensure!(row.len() == fields, "{}:{} has {} fields instead of {fields}", path.display(), at + 2, row.len());
            Ok(row)
        })
        .collect()
}

fn parse_verdict(word: &str) -> Result<FactVerdict> {
    Ok(match word {
        "useful" => FactVerdict::Useful,
        "idle" => FactVerdict::Idle,
        "wrong" => FactVerdict::Wrong,
        other => bail!("unknown verdict `{other}`"),
    })
}

impl TextPlace {
    fn from_fields(message: &str, words: &str, hash: &str, head: &str) -> Result<Self> {
        let words = match words.split_once('+') {
            Some((first, count)) => Some((first.parse()?, count.parse()?)),
            None => None,
        };
        Ok(Self { message: message.parse()?, words, hash: hash.to_owned(), head: head.to_owned() })
    }

    /// Its words in a session: where they stood, or in whatever message they stand now.
    pub(super) fn find_words<'a>(&self, session: &'a ToldSession) -> Option<&'a [String]> {
        let (first, count) = self.words?;
        let at_home = session.messages.get(&self.message).and_then(|words| words.get(first..first + count));
        let elsewhere = || session.messages.values().flat_map(|words| words.windows(count.max(1)));
        at_home.into_iter().chain(elsewhere()).find(|words| hash_words(words) == self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::facts::word_list::split_words;
    use crate::repository;

    #[test]
    fn a_text_is_found_where_it_was_and_where_it_moved() {
        let hash = hash_words(&split_words("never push"));
        let place = TextPlace::from_fields("7", "2+2", &hash, &hash).expect("fields");
        let session =
            |seq, text| ToldSession { messages: [(seq, split_words(text))].into_iter().collect(), facts: Vec::new() };
        for (seq, text) in [(7, "Please do never push."), (9, "Never push, please.")] {
            assert_eq!(place.find_words(&session(seq, text)).expect("found"), ["never", "push"], "{text}");
        }
        assert_eq!(place.find_words(&session(7, "Please do always push.")), None);
    }

    #[test]
    fn the_labels_of_the_repository_can_be_read() {
        let sessions = load_labels(&repository::root().join("bench/data/facts")).expect("labels");
        let count = |half: &str| sessions.iter().filter(|it| it.half == half).map(|it| it.labels.len()).sum::<usize>();
        assert!(count("tune") >= 100 && count("held-out") >= 100);
        // A project is in one half.
        let halves: std::collections::BTreeSet<(&str, &str)> =
            sessions.iter().map(|it| (it.id.split('/').next().unwrap_or_default(), it.half.as_str())).collect();
        let projects: std::collections::BTreeSet<&str> = halves.iter().map(|(project, _)| *project).collect();
        assert_eq!(halves.len(), projects.len());
    }
}
