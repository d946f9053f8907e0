//! The data type, parser and printer of the notes of a summary: turns in order, then lines under section headings, each
//! with its weight.
//!
//! The same labels and headings are written and read, so that summaries of summaries know a result from a request and a
//! path from a rule of the user. A text that a model wrote has none of them; all its lines are then things that were
//! said. `Asked` and `Said` are no longer written of messages, and are read in summaries of earlier versions.

use super::turn::{TurnNote, join_turns, parse_turn_line};
use super::turn_fit::is_gap;
use crate::memory::fact::{classify_sentence, is_requirement, split_sentences};
use model::FactKind;
use std::collections::HashMap;

/// What a line is about. Printed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NoteSection {
    Asked,
    Required,
    Decided,
    Changed,
    New,
    Deleted,
    Read,
    Failing,
    Fixed,
    Ran,
    Open,
    Said,
}

model::enum_words! {
    pub(crate) NoteSection {
        Asked = "The user asked:",
        Required = "The user requires:",
        Decided = "Decided:",
        Changed = "Changed files:",
        New = "New files:",
        Deleted = "Deleted files:",
        Read = "Files read:",
        Failing = "Failing:",
        Fixed = "Fixed:",
        Ran = "Ran:",
        Open = "To do:",
        Said = "Said:",
    }
}

impl NoteSection {
    /// The share of a summary that its lines may fill before others had theirs, in percent.
    pub(crate) fn budget_percent(self) -> u32 {
        match self {
            Self::Asked => 25,
            Self::Required => 65,
            Self::Decided | Self::New | Self::Read => 20,
            Self::Changed => 50,
            Self::Said => 35,
            Self::Deleted | Self::Ran => 10,
            Self::Failing | Self::Open => 15,
            Self::Fixed => 12,
        }
    }

    /// Whether its lines may take all room that is left over. A log of failures tells little more by its length.
    pub(crate) fn may_fill_rest(self) -> bool {
        !matches!(self, Self::Failing | Self::Fixed | Self::Ran | Self::Read | Self::Deleted)
    }

    /// Whether its lines are paths.
    pub(crate) fn is_files(self) -> bool {
        matches!(self, Self::Changed | Self::New | Self::Deleted | Self::Read)
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SummaryNote {
    pub(crate) section: NoteSection,
    /// Verbatim, on one line.
    pub(crate) text: String,
    /// How often it came up.
    pub(crate) times: u32,
    pub(crate) weight: f64,
    /// Its place in the order of the conversation.
    pub(crate) at: u64,
}

/// What a summary may say, and what it may only point at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SummaryNotes {
    /// In order.
    pub(crate) turns: Vec<TurnNote>,
    pub(crate) lines: Vec<SummaryNote>,
    /// Words to expand for, the most telling first.
    pub(crate) topics: Vec<String>,
}

/// Begins the line that names what is found by expanding.
pub(crate) const EXPAND_LINE_PREFIX: &str = "Expand for details about: ";
const ROOT_LINE_PREFIX: &str = "Paths are under ";

impl SummaryNotes {
    /// Reads what [`render_notes`] wrote, or any other text line by line. `at` is its place among others.
    pub(crate) fn parse(text: &str, at: u64) -> Self {
        let mut notes = Self::default();
        // A text by a model has no headings; its lines are then things that were said.
        let mut section = NoteSection::Said;
        let mut root = String::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(topics) = line.strip_prefix(EXPAND_LINE_PREFIX) {
                notes.topics.extend(topics.trim_end_matches('.').split(", ").map(str::to_owned));
            } else if let Some(under) = line.strip_prefix(ROOT_LINE_PREFIX) {
                under.clone_into(&mut root);
            } else if let Some(known) = NoteSection::parse(line) {
                section = known;
            } else if !is_gap(line) && !parse_turn_line(line, &mut notes.turns) {
                let line = line.strip_prefix("- ").unwrap_or(line);
                let (text, times) = split_count(line);
                // Paths are read back in full: the next summary may have another common directory, or none.
                let text = if section.is_files() && !text.starts_with('/') {
                    format!("{root}{text}")
                } else {
                    text.to_owned()
                };
                notes.lines.push(SummaryNote { section, text, times, weight: 0.0, at });
            }
        }
        notes.add_binding_requests(at);
        notes
    }

    /// Adds the lines of what binds in the requests of turns: a turn may be shortened, and its rules hold all the same.
    fn add_binding_requests(&mut self, at: u64) {
        let mut found: Vec<SummaryNote> = Vec::new();
        for sentence in self.turns.iter().flat_map(|turn| split_sentences(&turn.asked)) {
            let (section, weight) = match classify_sentence(&sentence) {
                Some(FactKind::Rule | FactKind::Correction) => (NoteSection::Required, 94.0),
                Some(FactKind::Task) if is_requirement(&sentence) => (NoteSection::Required, 83.0),
                Some(FactKind::Decision) => (NoteSection::Decided, 86.0),
                _ => continue,
            };
            if !self.lines.iter().chain(&found).any(|note| note.text.contains(&sentence)) {
                found.push(SummaryNote { section, text: sentence, times: 1, weight, at });
            }
        }
        self.lines.append(&mut found);
    }

    /// Adds what came later: a file or a failure has the state it was seen in last, a list of steps replaces the one
    /// before it.
    pub(crate) fn merge_later(&mut self, later: Self) {
        join_turns(&mut self.turns, later.turns);
        // Agents write their whole list of steps each time: an older list is out of date, not additional.
        if later.lines.iter().any(|note| note.section == NoteSection::Open) {
            self.lines.retain(|note| note.section != NoteSection::Open);
        }
        let mut places: HashMap<(NoteSubject, String), usize> = HashMap::new();
        for (place, note) in self.lines.iter().enumerate() {
            places.insert(note.subject_key(), place);
        }
        for note in later.lines {
            if let Some(place) = places.get(&note.subject_key()) {
                self.lines[*place].update_with(note);
            } else {
                places.insert(note.subject_key(), self.lines.len());
                self.lines.push(note);
            }
        }
        for topic in later.topics {
            if !self.topics.contains(&topic) {
                self.topics.push(topic);
            }
        }
    }
}

/// A text without the line that names what is found by expanding, by a model or by us.
pub(crate) fn strip_closing(text: &str) -> &str {
    let mut text = text.trim();
    while let Some((before, last)) = text.rsplit_once('\n').or_else(|| Some(("", text)).filter(|_| !text.is_empty())) {
        let last = last.trim_start_matches(['*', '_', '#', '-', ' ', '(', '[']).to_ascii_lowercase();
        if !last.starts_with(EXPAND_LINE_PREFIX.trim_end_matches(": ").to_ascii_lowercase().as_str()) {
            break;
        }
        text = before.trim_end();
    }
    text
}

/// What lines of several sections may be about together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum NoteSubject {
    File,
    Failure,
    Line(NoteSection),
}

impl SummaryNote {
    fn subject_key(&self) -> (NoteSubject, String) {
        let section = self.section;
        if section.is_files() {
            (NoteSubject::File, self.text.clone())
        } else if matches!(section, NoteSection::Failing | NoteSection::Fixed) {
            (NoteSubject::Failure, self.subject_text().to_owned())
        } else {
            (NoteSubject::Line(section), self.text.clone())
        }
    }

    /// The line without what is said about it.
    pub(crate) fn subject_text(&self) -> &str {
        self.text.rsplit_once(DETAIL_SEPARATOR).map_or(self.text.as_str(), |(about, _)| about)
    }

    /// Whether a text says it word for word. Turns name files without their directory, so a path is not said by them.
    pub(super) fn is_said_in(&self, text: &str) -> bool {
        !self.section.is_files() && text.contains(self.subject_text())
    }

    fn update_with(&mut self, later: Self) {
        self.times += later.times;
        self.at = later.at;
        self.weight = self.weight.max(later.weight);
        self.section = match (self.section, later.section) {
            // Reading a changed file leaves it changed.
            (before, NoteSection::Read) => before,
            // A file that was created and edited is still new to a reader of the repository.
            (NoteSection::New, NoteSection::Changed) => NoteSection::New,
            (_, after) => after,
        };
        self.text = later.text;
    }
}

/// Stands between what a line is about and what is said about it.
pub(crate) const DETAIL_SEPARATOR: &str = " — ";

/// A line and how often it came up, where it says so.
fn split_count(line: &str) -> (&str, u32) {
    let counted = line.rsplit_once(" ×").and_then(|(text, times)| Some((text, times.parse().ok()?)));
    counted.unwrap_or((line, 1))
}

/// The text of the turns and some lines, by section and in order, ending with the topics.
pub(crate) fn render_notes<'a>(
    turns: &str,
    lines: impl IntoIterator<Item = &'a SummaryNote>,
    topics: &[String],
) -> String {
    let mut lines: Vec<&SummaryNote> = lines.into_iter().collect();
    // By place, not by weight: a reader follows the order of the conversation.
    lines.sort_by_key(|note| (note.section, note.at));
    // Named once: absolute paths of one repository repeat half of their tokens.
    let root = common_directory(lines.iter().filter(|note| note.section.is_files()).map(|note| note.text.as_str()));
    let mut text = turns.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut last = None;
    for note in lines {
        if last != Some(note.section) {
            if note.section.is_files() && !root.is_empty() && !last.is_some_and(NoteSection::is_files) {
                text += &format!("{ROOT_LINE_PREFIX}{root}\n");
            }
            text += &format!("{}\n", note.section.as_str());
            last = Some(note.section);
        }
        let times = if note.times > 1 { format!(" ×{}", note.times) } else { String::new() };
        if note.section.is_files() {
            text += &format!("{}{times}\n", note.text.strip_prefix(&root).unwrap_or(&note.text));
        } else {
            text += &format!("- {}{times}\n", note.text);
        }
    }
    if !topics.is_empty() {
        text += &format!("{EXPAND_LINE_PREFIX}{}.", topics.join(", "));
    }
    text.trim_end().to_owned()
}

/// The directory that most absolute paths are under, where naming it once is shorter.
fn common_directory<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let absolute: Vec<&str> = paths.filter(|path| path.starts_with('/')).collect();
    let [first, rest @ ..] = absolute.as_slice() else { return String::new() };
    // For one path the extra line would cost more than it saves.
    if rest.is_empty() {
        return String::new();
    }
    let mut common = &first[..=first.rfind('/').unwrap_or_default()];
    for path in rest {
        while !path.starts_with(common) {
            let parent = common[..common.len() - 1].rfind('/');
            common = &common[..=parent.unwrap_or_default()];
        }
    }
    if common.len() > 1 { common.to_owned() } else { String::new() }
}

/// Whether a text that [`render_notes`] or a model wrote names a path.
pub(crate) fn names_path(text: &str, path: &str) -> bool {
    let root = || text.lines().find_map(|line| line.strip_prefix(ROOT_LINE_PREFIX));
    text.contains(path)
        || root().is_some_and(|root| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| text.lines().any(|line| split_count(line).0 == rest))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn note(section: NoteSection, text: &str, times: u32, at: u64) -> SummaryNote {
        SummaryNote { section, text: text.to_owned(), times, weight: 0.0, at }
    }

    fn sample() -> Vec<SummaryNote> {
        vec![
            note(NoteSection::Said, "assistant: it works", 1, 9),
            note(NoteSection::Changed, "/w/app/src/a.rs", 3, 1),
            note(NoteSection::Changed, "/w/app/src/b/c.rs", 1, 2),
            note(NoteSection::Read, "/w/app/README.md", 1, 3),
            note(NoteSection::Required, "never do x", 2, 1),
        ]
    }

    #[test]
    fn lines_stand_under_their_headings_and_paths_under_their_root() {
        let text = render_notes("", &sample(), &["cache".to_owned(), "loader".to_owned()]);
        expect![[r#"
            The user requires:
            - never do x ×2
            Paths are under /w/app/
            Changed files:
            src/a.rs ×3
            src/b/c.rs
            Files read:
            README.md
            Said:
            - assistant: it works
            Expand for details about: cache, loader."#]]
        .assert_eq(&text);
        assert!(names_path(&text, "/w/app/src/a.rs") && names_path(&text, "/w/app/README.md"));
        assert!(!names_path(&text, "/w/app/src/z.rs"));
    }

    #[test]
    fn what_was_written_reads_back() {
        let topics = vec!["cache".to_owned()];
        let text = render_notes("", &sample(), &topics);
        let read = SummaryNotes::parse(&text, 0);
        assert_eq!(render_notes("", &read.lines, &read.topics), text);
    }

    #[test]
    fn what_comes_later_decides() {
        let mut notes = SummaryNotes::parse(
            "New files:
a.rs
Changed files:
b.rs
Failing:
- error: x — cargo test
To do:
- one",
            1,
        );
        notes.merge_later(SummaryNotes::parse(
            "Changed files:
a.rs
Files read:
b.rs
Fixed:
- error: x — by a.rs
To do:
- two",
            2,
        ));
        expect![[r#"
            Changed files:
            b.rs ×2
            New files:
            a.rs ×2
            Fixed:
            - error: x — by a.rs ×2
            To do:
            - two"#]]
        .assert_eq(&render_notes("", &notes.lines, &[]));
    }

    #[test]
    fn a_closing_line_is_taken_off_whoever_wrote_it() {
        for closing in
            ["Expand for details about: x.", "**Expand for details about:** x", "(expand for details about x)"]
        {
            assert_eq!(strip_closing(&format!("It works.\n{closing}\n")), "It works.");
            assert_eq!(strip_closing(&format!("It works.\n{closing}\n\n{closing}")), "It works.");
        }
        assert_eq!(strip_closing("Expand for details about: x."), "");
        assert_eq!(strip_closing("It works."), "It works.");
    }

    #[test]
    fn any_other_text_is_what_was_said() {
        let notes = SummaryNotes::parse("The cache was added.\n\n- it evicts", 4);
        assert!(notes.lines.iter().all(|note| note.section == NoteSection::Said && note.at == 4));
    }
}
