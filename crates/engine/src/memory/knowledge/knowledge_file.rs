//! The form of a file of knowledge: a few lines of frontmatter, then the words. The same item gives the same bytes on every
//! machine, so that version control can compare and merge them. Pure.
//!
//! ```text
//! ---
//! id: mem_51432ca8c094e7e8
//! kind: decision
//! author: ana
//! date: 2026-11-19
//! hash: b1946ac9…            of kind, author and words
//! tags: deploy git
//! ---
//!
//! Deploys run from the release branch only.
//! ```
//! A text of somebody else that has lines of its own in a field is written as a JSON string, and read back as one.

use model::{ContentHash, DigestBuilder, MemoryId, MemoryKind, UtcDay};
use std::fmt::Write as _;

/// What a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnowledgeItem {
    /// The id that it has where it was made.
    pub(super) id: MemoryId,
    pub(super) kind: MemoryKind,
    pub(super) author: String,
    /// When it was said.
    pub(super) day: UtcDay,
    pub(super) tags: Vec<String>,
    /// Of a lesson: how it went.
    pub(super) outcome: Option<String>,
    /// Of a lesson: where it applies.
    pub(super) context: Option<String>,
    pub(super) content: String,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ParsedKnowledge {
    pub(super) item: KnowledgeItem,
    /// Whether its words are those that its hash was made of; not where somebody edited it.
    pub(super) is_as_written: bool,
}

/// Characters of an author's name.
const MAX_AUTHOR_CHARS: usize = 64;
/// Characters of the words, as of every memory, and of the other fields.
const MAX_CONTENT_CHARS: usize = 4_000;
const MAX_FIELD_CHARS: usize = 2_000;
const MAX_TAGS: usize = 32;

impl KnowledgeItem {
    /// The name of its file.
    pub(super) fn file_name(&self) -> String {
        format!("{}.md", self.id)
    }

    /// What its hash covers: whoever changes one of them gives a file with another hash.
    fn hash(&self) -> ContentHash {
        DigestBuilder::new("knowledge")
            .add_field(self.kind.as_str().as_bytes())
            .add_field(self.author.as_bytes())
            .add_field(self.content.as_bytes())
            .finish()
    }

    /// Its file.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::from("---\n");
        let mut add = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}: {}", write_value(value));
        };
        add("id", self.id.as_str());
        add("kind", self.kind.as_str());
        add("author", &self.author);
        add("date", &self.day.to_string());
        add("hash", &self.hash().to_string());
        if !self.tags.is_empty() {
            add("tags", &self.tags.join(" "));
        }
        for (name, value) in [("outcome", &self.outcome), ("context", &self.context)] {
            if let Some(value) = value.as_deref().filter(|value| !value.is_empty()) {
                add(name, value);
            }
        }
        let _ = write!(text, "---\n\n{}\n", self.content.trim());
        text
    }

    /// Reads a file, or says in words why it is none.
    pub(super) fn parse(text: &str) -> Result<ParsedKnowledge, String> {
        let text = text.replace("\r\n", "\n");
        let rest = text.strip_prefix("---\n").ok_or("it does not begin with a line `---`")?;
        let (head, words) = rest.split_once("\n---\n").ok_or("its head does not end with a line `---`")?;
        if text.lines().any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>")) {
            return Err("it has marks of a merge that was not finished".to_owned());
        }
        let field = |name: &str| -> Option<String> {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            let mut values = lines.filter(|(key, _)| key.trim() == name).map(|(_, value)| read_value(value.trim()));
            values.next()
        };
        let needed = |name: &str| {
            field(name).filter(|value| !value.is_empty()).ok_or_else(|| format!("its head has no `{name}`"))
        };
        let id = MemoryId::parse(&needed("id")?).map_err(|_| "its `id` is no id of a memory".to_owned())?;
        let kind = MemoryKind::parse(&needed("kind")?).filter(|kind| *kind != MemoryKind::Item);
        let kind = kind.ok_or("its `kind` is none of note, rule, decision, fix and reflection")?;
        let author = needed("author")?;
        let day = parse_day(&needed("date")?).ok_or("its `date` is no day such as 2026-11-19")?;
        let hash = needed("hash")?;
        let tags: Vec<String> =
            field("tags").unwrap_or_default().split_whitespace().take(MAX_TAGS).map(str::to_lowercase).collect();
        let content = words.trim().to_owned();
        let is_long = |text: &str, most: usize| text.chars().nth(most).is_some();
        let (outcome, about) = (field("outcome"), field("context"));
        if content.is_empty() {
            return Err("it says nothing".to_owned());
        }
        let fields = [outcome.as_deref(), about.as_deref()];
        if is_long(&content, MAX_CONTENT_CHARS) || fields.into_iter().flatten().any(|it| is_long(it, MAX_FIELD_CHARS)) {
            return Err(format!("it has more than {MAX_CONTENT_CHARS} characters, which no memory has"));
        }
        if is_long(&author, MAX_AUTHOR_CHARS) || tags.iter().any(|tag| is_long(tag, MAX_AUTHOR_CHARS)) {
            return Err(format!("a name or a tag in its head has more than {MAX_AUTHOR_CHARS} characters"));
        }
        let item = Self { id, kind, author, day, tags, outcome, context: about, content };
        let is_as_written = item.hash().to_string() == hash;
        Ok(ParsedKnowledge { item, is_as_written })
    }
}

/// A value of the head on one line.
fn write_value(value: &str) -> String {
    let is_plain = !value.contains(['\n', '\r', '"']) && value.trim() == value;
    if is_plain { value.to_owned() } else { serde_json::Value::from(value).to_string() }
}

fn read_value(written: &str) -> String {
    let quoted = written.starts_with('"').then(|| serde_json::from_str::<String>(written).ok()).flatten();
    quoted.unwrap_or_else(|| written.to_owned())
}

fn parse_day(text: &str) -> Option<UtcDay> {
    let mut numbers = text.splitn(3, '-');
    let (year, month, day) = (numbers.next()?, numbers.next()?, numbers.next()?);
    UtcDay::of_date(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn item(words: &str, context: Option<&str>) -> KnowledgeItem {
        KnowledgeItem {
            id: MemoryId::parse("mem_51432ca8c094e7e8").expect("an id"),
            kind: MemoryKind::Reflection,
            author: "Ana B.".to_owned(),
            day: UtcDay::of_date(2026, 11, 19).expect("a day"),
            tags: vec!["git".to_owned(), "a:b".to_owned()],
            outcome: Some("failure".to_owned()),
            context: context.map(str::to_owned),
            content: words.to_owned(),
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(content in "\\PC{1,40}(\n---\n|\n\n)?\\PC{1,20}", context in "[ -~\n\"]{1,60}") {
            prop_assume!(!content.trim().is_empty() && !content.contains("<<<<<<<") && !content.contains(">>>>>>>"));
            let written = item(content.trim(), Some(&context));
            let read = KnowledgeItem::parse(&written.to_text()).expect("it is read");
            prop_assert!(read.is_as_written);
            prop_assert_eq!(read.item, written);
        }
    }

    #[test]
    fn an_edited_file_is_read_and_known_as_such() {
        let text = item("Deploys run on Monday.", None).to_text();
        let edited = text.replace("Monday", "Friday");
        let read = KnowledgeItem::parse(&edited).expect("it is read");
        assert_eq!((read.item.content.as_str(), read.is_as_written), ("Deploys run on Friday.", false));
        let renamed = KnowledgeItem::parse(&text.replace("Ana B.", "Bob")).expect("it is read");
        assert!(!renamed.is_as_written, "nobody signs in the name of another");
        assert!(KnowledgeItem::parse(&text.replace('\n', "\r\n")).is_ok_and(|read| read.is_as_written));
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_a_reason() {
        let text = item("Words.", None).to_text();
        let check = |text: &str, reason: &str| {
            let error = KnowledgeItem::parse(text).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        };
        check("# Notes\n", "does not begin");
        check("---\nid: x\n", "does not end");
        check(&text.replace("mem_51432ca8c094e7e8", "mem_x"), "no id of a memory");
        check(&text.replace("kind: reflection", "kind: item"), "`kind`");
        check(&text.replace("2026-11-19", "yesterday"), "no day");
        check(&text.replace("author: Ana B.\n", ""), "no `author`");
        check(&text.replace("Words.", " "), "says nothing");
        check(&text.replace("Words.", &"x".repeat(4_001)), "more than 4000");
        check(&text.replace("Words.", "<<<<<<< ours\nWords.\n======="), "merge");
        check(&text.replace("Ana B.", &"x".repeat(65)), "more than 64");
    }
}
