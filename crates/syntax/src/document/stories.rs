//! Finds user stories ("As a reader, I want … so that …") with the conditions under which they count as done, and the
//! questions that a document says are open.

use super::blocks::{Block, BlockKind};
use super::keys::{leading_key, normalize_key};
use super::requirements::split_sentences;
use super::{OpenQuestion, UserStory};
use model::{LineRange, Symbol};
use regex::Regex;
use std::sync::LazyLock;

static STORY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:.{0,60}?[:.)\]–—|-]\s*)?as\s+an?\s+(.{2,80}?),?\s+i\s+(?:want|need|would\s+like|can)\s+",
        r"(.{3,400}?)(?:,?\s+(?:so\s+that|in\s+order\s+to)\s+(.{3,400}))?$"
    ))
    .expect("the pattern is ours")
});
static CONDITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?i)(given|when|then|scenario)\b[: ]").expect("the pattern is ours"));

/// Of one story so many conditions are kept.
const MOST_CRITERIA: usize = 40;
/// Sections that ask.
const OPEN_HEADINGS: [&str; 4] =
    ["open question", "unresolved question", "outstanding question", "unanswered question"];

pub(super) fn find_stories(blocks: &[Block]) -> Vec<UserStory> {
    let mut stories: Vec<UserStory> = Vec::new();
    let mut is_open = false;
    // Whether items are conditions here.
    let mut has_list = false;
    let mut heading_key: Option<String> = None;
    for block in blocks {
        let plain = block.text.replace(['*', '_', '`'], "");
        if block.kind == BlockKind::Heading {
            has_list = is_open && is_criteria(&plain);
            is_open = has_list;
            if !has_list {
                heading_key = leading_key(&block.text).map(|(key, _)| normalize_key(key));
            }
        }
        if let Some(found) = STORY.captures(plain.trim()).filter(|_| block.kind != BlockKind::Code) {
            let part = |at: usize| found.get(at).map(|part| tidy_part(part.as_str()));
            let own_key = leading_key(&block.text).map(|(key, _)| normalize_key(key));
            stories.push(UserStory {
                key: own_key.or_else(|| heading_key.take()),
                role: part(1).unwrap_or_default(),
                goal: part(2).unwrap_or_default(),
                benefit: part(3),
                criteria: Vec::new(),
                lines: LineRange { start: block.first_line(), end: block.last_line() },
            });
            (is_open, has_list) = (true, false);
            continue;
        }
        let Some(story) = stories.last_mut().filter(|_| is_open) else { continue };
        let is_condition = CONDITION.is_match(plain.trim());
        let is_listed = has_list && block.kind == BlockKind::Item;
        if is_condition || is_listed {
            if story.criteria.len() < MOST_CRITERIA {
                story.criteria.push(block.text.trim().to_owned());
            }
            story.lines.end = block.last_line();
        } else if block.kind == BlockKind::Paragraph {
            has_list = is_criteria(&plain);
        }
    }
    stories
}

fn is_criteria(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    text.starts_with("acceptance") || text.starts_with("done when") || text.starts_with("criteria")
}

fn tidy_part(part: &str) -> String {
    part.trim().trim_end_matches(['.', ',']).to_owned()
}

/// The questions below headings that say so.
pub(super) fn find_questions(blocks: &[Block], sections: &[&Symbol]) -> Vec<OpenQuestion> {
    let asks = |section: &&&Symbol| {
        let name = section.name.to_lowercase();
        OPEN_HEADINGS.iter().any(|heading| name.contains(heading))
    };
    let open: Vec<LineRange> = sections.iter().filter(asks).map(|section| section.lines).collect();
    let is_inside = |line: u32| open.iter().any(|lines| lines.start <= line && line <= lines.end);
    let mut questions = Vec::new();
    // Whether a list begins right below the heading: one that a sentence introduces lists something else.
    let mut is_direct = false;
    for block in blocks.iter().filter(|block| is_inside(block.first_line())) {
        is_direct = match block.kind {
            BlockKind::Heading => true,
            BlockKind::Item => is_direct,
            BlockKind::Paragraph | BlockKind::Code | BlockKind::Row => false,
        };
        let asked = split_sentences(&block.text).into_iter().filter(|(_, sentence)| sentence.trim_end().ends_with('?'));
        let asked: Vec<(usize, &str)> = asked.collect();
        match block.kind {
            BlockKind::Code | BlockKind::Row => {}
            // What is listed there is a question, however it is put.
            BlockKind::Item if asked.is_empty() => {
                let asked = || OpenQuestion { text: block.text.clone(), line: block.first_line() };
                questions.extend(is_direct.then(asked));
            }
            BlockKind::Heading | BlockKind::Item | BlockKind::Paragraph => {
                questions.extend(asked.iter().map(|(start, sentence)| OpenQuestion {
                    text: sentence.trim().to_owned(),
                    line: block.line_at(*start),
                }));
            }
        }
    }
    questions
}
