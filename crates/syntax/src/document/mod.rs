//! Reads what a document says of itself, of requirements and of code: metadata, requirements, user stories, open questions
//! and mentions of names, paths and requirement keys; of code only the keys. Line by line, without a grammar: its sections
//! are symbols already. In doubt a text is neither a requirement nor a mention, because each one is shown as a link.

mod blocks;
mod front_matter;
mod keys;
mod mentions;
mod requirements;
mod stories;

use crate::language::{ContentKind, language_called};
use blocks::split_blocks;
use model::{LineRange, Symbol, SymbolKind};

/// The facts of one document, or the keys in one file of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentFacts {
    /// Whether it is a document; of other files only keys are known.
    pub is_document: bool,
    /// Its title, where it has one.
    pub title: Option<String>,
    /// What stands at its head, as it is written.
    pub metadata: Vec<(String, String)>,
    /// Number of its words.
    pub words: u32,
    /// What it requires, in order of place.
    pub requirements: Vec<Requirement>,
    /// Its user stories, in order of place.
    pub stories: Vec<UserStory>,
    /// Questions that it leaves open, in order of place.
    pub questions: Vec<OpenQuestion>,
    /// What it mentions, in order of place.
    pub mentions: Vec<DocumentMention>,
}

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its key, such as `REQ-123`; none of a sentence without one.
    pub key: Option<String>,
    /// What is required.
    pub text: String,
    /// `must`, `should` or `may`, or what stands behind "Priority:".
    pub priority: Option<String>,
    /// What stands behind "Status:".
    pub status: Option<String>,
    /// Its lines.
    pub lines: LineRange,
}

/// A user story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserStory {
    /// Its key, where it has one.
    pub key: Option<String>,
    /// Who wants it.
    pub role: String,
    /// What.
    pub goal: String,
    /// What for.
    pub benefit: Option<String>,
    /// When it counts as done, one condition each.
    pub criteria: Vec<String>,
    /// Its lines, with those of its criteria.
    pub lines: LineRange,
}

/// A question that is left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The question.
    pub text: String,
    /// Its line.
    pub line: u32,
}

/// A place that mentions something that may be defined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentMention {
    /// How it is written.
    pub kind: DocumentMentionKind,
    /// The name, path or key.
    pub text: String,
    /// Its line.
    pub line: u32,
}

/// How a mention is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocumentMentionKind {
    /// As code: a name or a path.
    Code,
    /// As code, with parentheses behind it.
    Call,
    /// With a role or directive that says it is a function or a method.
    FunctionRole,
    /// With one that says it is something else that has a name.
    NameRole,
    /// As the target of a link.
    Link,
    /// As the key of a requirement.
    Key,
}

impl DocumentMentionKind {
    /// Every kind, in the order in which stored numbers name them.
    pub const ALL: [Self; 6] = [Self::Code, Self::Call, Self::FunctionRole, Self::NameRole, Self::Link, Self::Key];
}

/// Larger documents are records.
const MOST_BYTES: usize = 1 << 20;
/// Of one file so many facts of a kind are kept.
const MOST_FACTS: usize = 4_000;

/// Reads the facts of a file in a language, whose symbols are known; none where there are none to know.
pub fn read_document(path: &str, bytes: &[u8], language: Option<&str>, symbols: &[Symbol]) -> Option<DocumentFacts> {
    let language = language.and_then(language_called)?;
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    match language.content_kind() {
        ContentKind::Data => None,
        ContentKind::Code => {
            let mentions = mentions::find_keys_of_code(&lines);
            (!mentions.is_empty()).then(|| DocumentFacts { mentions, ..DocumentFacts::default() })
        }
        ContentKind::Prose => {
            let (metadata, head) = front_matter::read_metadata(&lines);
            let sections: Vec<&Symbol> = symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Section).collect();
            let blocks = split_blocks(&lines, head, &sections, language.heading_rules());
            let is_record = is_record(path);
            let mut requirements =
                if is_record { Vec::new() } else { requirements::find_requirements(&blocks, &lines, &sections) };
            let mut stories = if is_record { Vec::new() } else { stories::find_stories(&blocks) };
            let mut questions = stories::find_questions(&blocks, &sections);
            let mut mentions = mentions::find_mentions(&lines, &blocks);
            requirements.truncate(MOST_FACTS);
            stories.truncate(MOST_FACTS);
            questions.truncate(MOST_FACTS);
            mentions.truncate(MOST_FACTS);
            let titled = metadata.iter().find(|(name, _)| name.eq_ignore_ascii_case("title"));
            let title = titled.map(|(_, title)| title.clone());
            let title = title.or_else(|| sections.first().map(|section| section.name.clone()));
            let words = lines[head..].iter().flat_map(|line| line.split_whitespace());
            let words = words.filter(|word| word.contains(char::is_alphanumeric)).count() as u32;
            Some(DocumentFacts {
                is_document: true,
                title,
                metadata,
                words,
                requirements,
                stories,
                questions,
                mentions,
            })
        }
    }
}

/// Whether a document tells what was, or is a license: what it demands is demanded of nobody here.
fn is_record(path: &str) -> bool {
    const RECORDS: [&str; 12] = [
        "changelog",
        "changes",
        "history",
        "news",
        "release",
        "releases",
        "whatsnew",
        "license",
        "licence",
        "copying",
        "notice",
        "patents",
    ];
    let stem = path.rsplit('/').next().unwrap_or(path).split(['.', '-', '_']).next().unwrap_or_default();
    RECORDS.contains(&stem.to_lowercase().as_str())
}

/// The innermost section around a line, as a place in the list.
fn section_around(sections: &[&Symbol], line: u32) -> Option<usize> {
    let holds = |(_, section): &(usize, &&Symbol)| section.lines.start <= line && line <= section.lines.end;
    let around = sections.iter().enumerate().filter(holds);
    around.min_by_key(|(_, section)| section.lines.end - section.lines.start).map(|(at, _)| at)
}

#[cfg(test)]
mod tests;
