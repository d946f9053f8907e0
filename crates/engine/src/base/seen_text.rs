//! What the model of a session has in its context for certain (`SeenTexts`): regions of files, line by line as hashes. A
//! text that was seen whole and is unchanged need not be sent again: a reference stands for it (`WithheldText`). Who knows
//! what was seen is the caller, which is asked once it is known what would be sent (`SeenFinder`); where it knows of
//! nothing, nothing is withheld.

use model::{ContentHash, LineRange, TokenCount, count_tokens, show_name};
use std::fmt;
use std::sync::Arc;

/// The mode of a text that is as it is on disk, of which parts are seen where the whole is.
const EXACT: &str = "raw";

/// The mode of what was said in a conversation, which has no lines of a file.
const SAID: &str = "said";

/// The beginning of a reference.
const REFERENCE: &str = "[seen in this session, unchanged: ";

/// A text with fewer tokens is sent again: a reference would be nearly as long.
const MIN_WITHHELD_TOKENS: TokenCount = TokenCount(64);

/// Hexadecimal digits of the hash of a line.
const HASH_DIGITS: usize = 16;

/// Lines of a file as they were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRegion {
    /// The file.
    pub path: String,
    /// The view mode it was shown in.
    pub mode: String,
    /// Its first line…
    pub start: u32,
    /// …and its last one.
    pub end: u32,
    /// The hash of each line of the text, in order.
    pub lines: Vec<String>,
}

/// The regions that the model of a session has seen for certain; empty where nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTexts {
    /// In the order in which they were seen.
    pub regions: Vec<SeenRegion>,
}

type FindSeen = dyn Fn(&[SeenRegion]) -> SeenTexts + Send + Sync;

/// Finds what a reader has of regions that are about to be sent; nobody, where there is no reader that is known. It may
/// wait, and is called on threads that may.
#[derive(Clone, Default)]
pub struct SeenFinder(Option<Arc<FindSeen>>);

/// A text in whose place a reference was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldText {
    /// What it is.
    pub region: SeenRegion,
    /// The text.
    pub text: String,
}

/// Which texts of a reply the reader now has, and which were withheld.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenReport {
    /// Sent.
    pub shown: Vec<SeenRegion>,
    /// Not sent again.
    pub withheld: Vec<WithheldText>,
}

impl SeenRegion {
    /// A text with the lines that it shows; none where an exact text does not have as many.
    pub fn of_text(path: &str, mode: &str, range: LineRange, text: &str) -> Option<Self> {
        let hash = |line: &str| ContentHash::hash_bytes(line.as_bytes()).to_string()[..HASH_DIGITS].to_owned();
        let lines: Vec<String> = text.strip_suffix('\n').unwrap_or(text).split('\n').map(hash).collect();
        let is_whole = mode != EXACT || lines.len() == range.count() as usize;
        let (path, mode) = (path.to_owned(), mode.to_owned());
        is_whole.then_some(Self { path, mode, start: range.start, end: range.end, lines })
    }

    /// What was said in a conversation, by its source.
    pub fn of_said(source: &str, text: &str) -> Option<Self> {
        Self::of_text(source, SAID, LineRange { start: 0, end: 0 }, text)
    }

    /// Where it is, as a caller writes it.
    fn place(&self) -> String {
        if self.mode == SAID { self.path.clone() } else { format!("{}:{}-{}", self.path, self.start, self.end) }
    }

    /// Whether whoever has seen this has seen all of another one, as it is now.
    pub fn covers(&self, other: &Self) -> bool {
        if self.path != other.path || self.mode != other.mode {
            return false;
        }
        if self.mode != EXACT {
            return self == other;
        }
        let Some(skipped) = other.start.checked_sub(self.start) else { return false };
        let lines = self.lines.get(skipped as usize..).and_then(|rest| rest.get(..other.lines.len()));
        other.end <= self.end && lines == Some(other.lines.as_slice())
    }

    /// Whether both show a line of the same file.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.start <= other.end && other.start <= self.end
    }
}

impl SeenFinder {
    /// One that asks a caller.
    pub fn asking(find: impl Fn(&[SeenRegion]) -> SeenTexts + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(find)))
    }

    /// What the reader has of these; nothing is looked for where there are none.
    pub(crate) fn find_seen(&self, about_to_send: &[SeenRegion]) -> SeenTexts {
        match &self.0 {
            Some(find) if !about_to_send.is_empty() => find(about_to_send),
            _ => SeenTexts::default(),
        }
    }

    /// Whether anybody is asked.
    pub(crate) fn is_asking(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for SeenFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SeenFinder").field(&self.is_asking()).finish()
    }
}

impl SeenTexts {
    /// Whether all of a region was seen, as it is now.
    pub fn covers(&self, region: &SeenRegion) -> bool {
        self.regions.iter().any(|seen| seen.covers(region))
    }

    /// Takes in a reply, the later one behind the earlier one. Who got a reference and asks again wants the text. What a
    /// reply showed counts where the reader `has` it.
    pub fn add_reply(&mut self, shown: &[SeenRegion], withheld: &[SeenRegion], has: bool) {
        self.regions.retain(|seen| !withheld.iter().any(|withheld| seen.overlaps(withheld)));
        if has {
            self.regions.extend_from_slice(shown);
        }
    }

    /// Takes in a text that somebody else sent. A reference in it may be to any of these, and who got it and asks again wants
    /// the text.
    pub fn add_foreign_reply(&mut self, text: &str) {
        if text.contains(REFERENCE) {
            self.regions.clear();
        }
    }

    /// Puts a reference in the place of a text that was seen; nothing where it was not, or is too short to matter.
    pub(crate) fn withhold(&self, region: Option<&SeenRegion>, text: &mut String) -> Option<WithheldText> {
        let region = region.filter(|region| self.covers(region))?;
        if count_tokens(text) < MIN_WITHHELD_TOKENS {
            return None;
        }
        let place = region.place();
        let place = show_name(&place);
        let reference = format!("{REFERENCE}{place}; ask again for the text]\n");
        Some(WithheldText { region: region.clone(), text: std::mem::replace(text, reference) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: std::ops::RangeInclusive<u32>) -> String {
        lines
            .map(|number| format!("line {number} says something that is long enough to be worth a reference\n"))
            .collect()
    }

    fn region(start: u32, end: u32, text: &str) -> SeenRegion {
        SeenRegion::of_text("src/a.rs", EXACT, LineRange { start, end }, text).expect("as many lines")
    }

    #[test]
    fn a_part_of_what_was_seen_is_seen_and_more_or_other_text_is_not() {
        let seen = region(10, 40, &text(10..=40));
        let check = |start, end, text: &str, expected: bool| {
            assert_eq!(seen.covers(&region(start, end, text)), expected, "{start}-{end}");
        };
        check(10, 40, &text(10..=40), true);
        check(12, 20, &text(12..=20), true);
        check(9, 20, &text(9..=20), false);
        check(30, 41, &text(30..=41), false);
        // The same lines one line further down: the file was changed above them.
        check(13, 21, &text(12..=20), false);
        check(12, 20, &text(12..=20).replace("line 15", "line fifteen"), false);
        let elsewhere = SeenRegion { path: "src/b.rs".to_owned(), ..region(12, 20, &text(12..=20)) };
        assert!(!seen.covers(&elsewhere) && !seen.overlaps(&elsewhere) && seen.overlaps(&region(40, 40, "x")));
    }

    #[test]
    fn a_view_is_seen_only_as_a_whole_and_in_its_own_mode() {
        let view = |mode: &str, end, text: &str| {
            SeenRegion::of_text("a.rs", mode, LineRange { start: 1, end }, text)
                .expect("a view has any number of lines")
        };
        let map = view("map", 90, "fn a();\nfn b();\n");
        assert!(map.covers(&map.clone()) && !map.covers(&view("map", 90, "fn a();\n")));
        assert!(!map.covers(&view("aggressive", 90, "fn a();\nfn b();\n")));
        let exact = SeenRegion::of_text("a.rs", EXACT, LineRange { start: 1, end: 90 }, "fn a();\n");
        assert_eq!(exact, None, "lines were left out");
    }

    #[test]
    fn only_a_text_that_is_longer_than_its_reference_is_withheld() {
        let whole = text(10..=40);
        let seen = SeenTexts { regions: vec![region(10, 40, &whole)] };
        let mut shown = whole.clone();
        let withheld = seen.withhold(Some(&region(10, 40, &whole)), &mut shown).expect("it was seen");
        assert_eq!(withheld.text, whole);
        let reference = "[seen in this session, unchanged: src/a.rs:10-40; ask again for the text]\n";
        assert_eq!(shown, reference);
        let mut short = text(10..=10);
        assert_eq!(seen.withhold(Some(&region(10, 10, &short.clone())), &mut short), None);
        let mut other = whole.clone();
        assert_eq!(SeenTexts::default().withhold(Some(&region(10, 40, &whole)), &mut other), None);
        assert_eq!(other, whole);
    }

    #[test]
    fn who_got_a_reference_gets_the_text_the_next_time() {
        let whole = region(10, 40, &text(10..=40));
        let part = region(12, 20, &text(12..=20));
        let elsewhere = SeenRegion { path: "src/b.rs".to_owned(), ..whole.clone() };
        let mut seen = SeenTexts::default();
        seen.add_reply(std::slice::from_ref(&whole), &[], false);
        assert!(!seen.covers(&part), "it did not arrive");
        seen.add_reply(&[whole.clone(), elsewhere.clone()], &[], true);
        assert!(seen.covers(&part));
        seen.add_reply(&[], std::slice::from_ref(&part), false);
        assert!(!seen.covers(&part) && !seen.covers(&whole) && seen.covers(&elsewhere));
        seen.add_reply(std::slice::from_ref(&part), &[], true);
        assert!(seen.covers(&part) && !seen.covers(&whole));
        seen.add_foreign_reply("what another tool said");
        assert!(seen.covers(&part));
        seen.add_foreign_reply("## a.rs\n[seen in this session, unchanged: a.rs:1-9; ask again for the text]\n");
        assert!(!seen.covers(&part));
    }

    #[test]
    fn nobody_is_asked_about_nothing() {
        let finder = SeenFinder::asking(|regions| SeenTexts { regions: regions.to_vec() });
        let part = region(12, 20, &text(12..=20));
        assert!(finder.find_seen(std::slice::from_ref(&part)).covers(&part));
        assert_eq!(finder.find_seen(&[]), SeenTexts::default());
        assert_eq!(SeenFinder::default().find_seen(&[part]), SeenTexts::default());
    }
}
