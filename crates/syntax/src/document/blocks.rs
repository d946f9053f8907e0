//! Cuts a document into blocks: headings, items of lists, rows of tables, paragraphs, and lines of code, which hold no
//! requirement.

use crate::language::headings::HeadingRules;
use model::Symbol;
use std::collections::HashSet;

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Heading,
    Item,
    Row,
    Paragraph,
    /// One line of literal text.
    Code,
}

/// A block, its lines joined by blanks.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) text: String,
    /// Of each line where it begins in the text, and its number.
    starts: Vec<(usize, u32)>,
}

impl Block {
    fn new(kind: BlockKind, line: u32, text: &str) -> Self {
        Self { kind, text: text.to_owned(), starts: vec![(0, line)] }
    }

    fn add_line(&mut self, line: u32, text: &str) {
        self.text.push(' ');
        self.starts.push((self.text.len(), line));
        self.text.push_str(text);
    }

    pub(super) fn first_line(&self) -> u32 {
        self.starts[0].1
    }

    pub(super) fn last_line(&self) -> u32 {
        self.starts[self.starts.len() - 1].1
    }

    /// The line of a byte of the text.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        let after = self.starts.partition_point(|(start, _)| *start <= byte);
        self.starts[after.saturating_sub(1)].1
    }
}

/// The blocks of a document behind its head; `sections` say which lines are headings.
pub(super) fn split_blocks(
    lines: &[&str],
    head: usize,
    sections: &[&Symbol],
    rules: Option<&HeadingRules>,
) -> Vec<Block> {
    let headings: HashSet<u32> = sections.iter().map(|section| section.name_line).collect();
    let mut blocks: Vec<Block> = Vec::new();
    let mut literal: Option<LiteralText> = None;
    let mut is_open = false;
    // Rows of a table need no mark at their beginning behind a line of dashes and marks.
    let mut is_table = false;
    for (number, line) in (1_u32..).zip(lines).skip(head) {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if literal.as_ref().is_some_and(|literal| literal.is_over(text, indent)) {
            let is_closing_line = literal.take().is_some_and(|literal| literal.has_closing_line());
            is_open = false;
            if is_closing_line {
                continue;
            }
        }
        if literal.is_some() {
            if !text.is_empty() {
                blocks.push(Block::new(BlockKind::Code, number, text));
            }
            continue;
        }
        if text.is_empty() || is_rule(text) {
            is_table = is_table_rule(text);
            is_open = false;
            continue;
        }
        let is_heading = headings.contains(&number);
        if !is_heading && let Some(opened) = LiteralText::opened_by(text, indent, rules) {
            literal = Some(opened);
            is_open = false;
            continue;
        }
        let after_list = blocks.last().is_some_and(|block| block.kind == BlockKind::Item);
        if is_heading {
            blocks.push(Block::new(BlockKind::Heading, number, text.trim_matches(['#', '=', '*', ' '])));
            is_open = false;
        } else if text.starts_with('|') || (is_table && text.contains('|')) {
            blocks.push(Block::new(BlockKind::Row, number, text));
            is_open = false;
        } else if let Some(rest) = item_text(text) {
            blocks.push(Block::new(BlockKind::Item, number, rest));
            is_open = true;
        } else if is_open && let Some(block) = blocks.last_mut() {
            block.add_line(number, text);
        } else if rules.is_none() && indent >= 4 && !after_list {
            // Only where there is no other sign for it, an indented line is code.
            blocks.push(Block::new(BlockKind::Code, number, text));
        } else {
            blocks.push(Block::new(BlockKind::Paragraph, number, text));
            is_open = true;
        }
        // What is indented below a line that ends with two colons is shown as it is.
        if text.ends_with("::") && !is_heading {
            literal = Some(LiteralText::Indented(indent));
        }
    }
    blocks
}

/// A text that is shown as it is.
enum LiteralText {
    /// Until this line.
    Fenced(String),
    /// As long as lines are indented more than this.
    Indented(usize),
}

/// Directives whose content is code.
const CODE_DIRECTIVES: [&str; 7] =
    [".. code", ".. sourcecode", ".. highlight", ".. parsed-literal", ".. testcode", ".. doctest", ".. prompt"];

impl LiteralText {
    fn opened_by(text: &str, indent: usize, rules: Option<&HeadingRules>) -> Option<Self> {
        let fence = |sign: char| text.chars().take_while(|c| *c == sign).count();
        for sign in ['`', '~'] {
            let length = fence(sign);
            // Marks of an inline text end on their line.
            if length >= 3 && !text[length..].contains(sign) {
                return Some(Self::Fenced(text[..length].to_owned()));
            }
        }
        let lower = text.to_ascii_lowercase();
        if let Some(rest) = lower.strip_prefix("#+begin_") {
            let word = rest.split_whitespace().next().unwrap_or_default();
            return Some(Self::Fenced(format!("#+end_{word}")));
        }
        if CODE_DIRECTIVES.iter().any(|directive| lower.starts_with(directive)) {
            return Some(Self::Indented(indent));
        }
        let closing = rules?.closing_fence(text.as_bytes())?;
        Some(Self::Fenced(String::from_utf8_lossy(closing).into_owned()))
    }

    /// Whether it ends at, or before, a line.
    fn is_over(&self, text: &str, indent: usize) -> bool {
        match self {
            Self::Fenced(fence) => {
                let is_marks = |fence: &str| text.starts_with(fence) && text.trim_start_matches(&fence[..1]).is_empty();
                text.eq_ignore_ascii_case(fence) || (fence.starts_with(['`', '~']) && is_marks(fence))
            }
            Self::Indented(outer) => !text.is_empty() && indent <= *outer,
        }
    }

    fn has_closing_line(&self) -> bool {
        matches!(self, Self::Fenced(_))
    }
}

/// A line of signs: the line below a title, a rule, the border of a table.
fn is_rule(text: &str) -> bool {
    text.len() >= 2 && !text.contains(char::is_alphanumeric) && !text.contains('`')
}

/// The line between the head of a table and its rows.
fn is_table_rule(text: &str) -> bool {
    text.contains('|') && text.contains("--") && text.chars().all(|c| matches!(c, '|' | '-' | ':' | '+' | ' '))
}

/// The text of an item of a list, behind its mark.
fn item_text(text: &str) -> Option<&str> {
    let bullets = ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "• ", "** ", "#. ", ". "];
    if let Some(rest) = bullets.iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some(rest.trim_start());
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(['.', ')'])?;
    ((1..=3).contains(&digits) && rest.starts_with(' ')).then(|| rest.trim_start())
}
