//! The scrubber of secrets: replaces API keys, tokens, passwords and private keys in a text by placeholders before the
//! first byte is written anywhere (see [`Placeholder`]).
//!
//! A [`Scrubber`] looks for what built-in rules describe (`rules/secrets.txt`: formats of some 330 tokens and keys,
//! most of them known from gitleaks; and what stands behind names such as `password`) and for what the user added. It works on raw bytes, in JSON and outside: escapes
//! do not hide a secret, and JSON stays JSON. Scrubbing twice is scrubbing once: a pass that replaced something is
//! followed by another, because a word that ended a secret may hide the start of the next one. What is found is told by
//! rule and place; the value itself is in no result, no error and no debug form.
//!
//! Rules of a project come with a repository, whose author may not be trusted. Such rules are followed last and within
//! bounds ([`project_rules`]), so that they can hide what a project holds secret, and not what is said in it.

mod assignment;
#[cfg(test)]
mod automaton;
mod escape;
mod finder;
mod inspect;
mod json;
mod keywords;
mod named_value;
mod pattern;
mod pem;
mod placeholder;
mod project_rules;
mod rules;
mod secret_name;
mod url;
mod value_test;
mod vendor_prefix;
mod wide;

pub use pattern::{PatternError, RuleNameError, SecretPattern, UserRuleError};
pub use placeholder::{PLACEHOLDER_TERM, Placeholder, rules_in};

use crate::ByteSpan;
use escape::UnescapedView;
use json::JsonText;
use rules::BUILT_IN;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use wide::WideText;

/// The secret that placeholders are hashed with. Its debug form shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct ScrubKey([u8; 32]);

impl ScrubKey {
    /// A key from 32 random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be kept where only their owner can read them.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ScrubKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScrubKey(…)")
    }
}

/// The name of a rule: small letters, digits and hyphens.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleName(Cow<'static, str>);

impl RuleName {
    /// Characters it may have.
    const MAX_LENGTH: usize = 40;

    fn built_in(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    fn new(name: &str) -> Self {
        Self(Cow::Owned(name.to_owned()))
    }

    fn is_valid(name: &[u8]) -> bool {
        let fits = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        (1..=Self::MAX_LENGTH).contains(&name.len()) && name.iter().all(fits)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The names of the built-in rules, in the order of their table.
pub fn built_in_rules() -> impl Iterator<Item = &'static RuleName> {
    let mut names: Vec<&RuleName> = BUILT_IN.iter().map(|rule| &rule.name).collect();
    // Some secrets come in two forms under one name.
    let mut known = std::collections::HashSet::new();
    names.retain(|name| known.insert(*name));
    names.into_iter()
}

/// A rule that a user or a project adds.
#[derive(Clone, Debug)]
pub struct UserRule {
    /// Its name, in placeholders and counts.
    pub name: RuleName,
    /// What it finds.
    pub pattern: SecretPattern,
    /// Who wrote it.
    pub owner: RuleOwner,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOwner {
    /// The user, whose rules are followed as they are.
    User,
    /// A project, whose rules are followed within bounds.
    Project,
}

/// A secret that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedSecret {
    /// The rule that found it.
    pub rule: RuleName,
    /// Where it stood in the original; its length is the length of the secret as it was written.
    pub span: ByteSpan,
    /// The placeholder.
    pub placeholder: Placeholder,
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScrubbedText<'t> {
    /// The text; borrowed when nothing was found.
    pub bytes: Cow<'t, [u8]>,
    /// The replaced ranges, in order, without overlaps.
    pub found: Vec<ReplacedSecret>,
    /// Whether rules of a project would have replaced too much somewhere, and were not followed there.
    pub is_left_out: bool,
}

/// Takes secrets out of texts.
#[derive(Clone, Debug)]
pub struct Scrubber {
    key: ScrubKey,
    /// Rules of the user.
    extra: Vec<UserRule>,
    /// Rules of the project.
    project: Vec<UserRule>,
}

/// A stretch of the original to replace.
#[derive(Clone)]
struct SecretCut {
    range: Range<usize>,
    rule: RuleName,
    placeholder: Placeholder,
    /// It was a bare value of JSON, so what replaces it is a string.
    is_bare: bool,
}

impl Scrubber {
    /// A scrubber with the built-in rules, those of the user and those of a project.
    pub fn new(key: ScrubKey, rules: &[UserRule]) -> Self {
        let (project, extra) = rules.iter().cloned().partition(|rule| rule.owner == RuleOwner::Project);
        Self { key, extra, project }
    }

    /// Replaces every secret in a text: a line, a message, a file; JSON or not, UTF-8 or not, UTF-16 too.
    pub fn scrub<'t>(&self, text: &'t [u8]) -> ScrubbedText<'t> {
        match WideText::read(text) {
            Some(wide) => self.scrub_wide(text, &wide),
            None => self.scrub_bytes(text),
        }
    }

    /// UTF-16: found in the text as UTF-8, cut out of the text as it is.
    fn scrub_wide<'t>(&self, text: &'t [u8], wide: &WideText) -> ScrubbedText<'t> {
        let mut work = ScrubProgress { text: &wide.narrow, bytes: Cow::Borrowed(&wide.narrow), cuts: Vec::new() };
        let is_left_out = self.scrub_progress(&mut work);
        let mut bytes = Vec::new();
        let mut at = 0;
        for cut in &work.cuts {
            let range = wide.wide_range(cut.range.clone());
            bytes.extend_from_slice(&text[at..range.start]);
            let quote = if cut.is_bare { "\"" } else { "" };
            bytes.extend(wide.widen(&format!("{quote}{}{quote}", cut.placeholder)));
            at = range.end;
        }
        bytes.extend_from_slice(&text[at..]);
        let bytes = if work.cuts.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(bytes) };
        let placed = |cut: SecretCut| SecretCut { range: wide.wide_range(cut.range.clone()), ..cut };
        let found = work.cuts.into_iter().map(|cut| ReplacedSecret::from(placed(cut))).collect();
        ScrubbedText { bytes, found, is_left_out }
    }

    fn scrub_bytes<'t>(&self, text: &'t [u8]) -> ScrubbedText<'t> {
        let mut work = ScrubProgress { text, bytes: Cow::Borrowed(text), cuts: Vec::new() };
        let is_left_out = self.scrub_progress(&mut work);
        let found = work.cuts.into_iter().map(ReplacedSecret::from).collect();
        ScrubbedText { bytes: work.bytes, found, is_left_out }
    }

    /// Makes every cut; whether rules of the project were not followed somewhere.
    fn scrub_progress(&self, work: &mut ScrubProgress<'_>) -> bool {
        // Until nothing is found: a word that ended one secret may have hidden the start of the next.
        work.apply_repeatedly(|bytes| self.find_cuts(bytes));
        let mut is_left_out = false;
        if !self.project.is_empty() {
            // Once, and after all others: a cut of a project's rule must not divide a secret that another rule would
            // have found.
            let found = project_rules::find_project_cuts(&self.key, &self.project, &work.bytes);
            is_left_out = found.is_left_out;
            if work.apply_cuts(found.cuts) {
                // The project's cuts may have uncovered something, as any cut can.
                work.apply_repeatedly(|bytes| self.find_cuts(bytes));
            }
        }
        is_left_out
    }

    /// The same for text that is UTF-8 and stays so.
    pub fn scrub_text<'t>(&self, text: &'t str) -> (Cow<'t, str>, Vec<ReplacedSecret>) {
        let ScrubbedText { bytes, found, .. } = self.scrub(text.as_bytes());
        let text = match bytes {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).expect("cuts are made between characters")),
        };
        (text, found)
    }

    /// The ranges to replace in one pass, in order, apart from each other and from placeholders.
    fn find_cuts(&self, text: &[u8]) -> Vec<SecretCut> {
        let mut ranges: Vec<(Range<usize>, usize)> = Vec::new();
        ranges.extend(finder::find_candidates(text).into_iter().map(|found| (found.range, found.rule)));
        if !self.extra.is_empty() {
            // The user's patterns see the text without escapes, so that they need not know of JSON.
            let view = UnescapedView::new(text, 0..text.len());
            for (number, rule) in (BUILT_IN.len()..).zip(&self.extra) {
                let found = rule.pattern.as_regex().find_iter(view.as_bytes());
                ranges.extend(found.map(|found| (view.source_range(found.range()), number)));
            }
        }
        if ranges.is_empty() {
            return Vec::new();
        }
        // A placeholder is never searched: its hash could look like a secret, and scrubbing twice must be scrubbing
        // once.
        let placeholders = placeholder::find_placeholders(text);
        let mut json = JsonText::new(text);
        let mut cuts = Vec::new();
        for (range, rule) in merge_ranges(ranges) {
            for range in subtract_ranges(widen_to_chars(text, range), &placeholders) {
                for piece in json.replaceable_parts(range) {
                    let name = self.rule_name(rule).clone();
                    let placeholder = Placeholder::new(&self.key, &name, text, piece.range.clone());
                    cuts.push(SecretCut { range: piece.range, rule: name, placeholder, is_bare: piece.is_bare });
                }
            }
        }
        // Two secrets inside of one bare value give the same piece twice.
        cuts.dedup_by(|next, cut| next.range.start < cut.range.end);
        cuts
    }

    fn rule_name(&self, number: usize) -> &RuleName {
        let built_in = BUILT_IN.get(number).map(|rule| &rule.name);
        built_in.unwrap_or_else(|| &self.extra[number - BUILT_IN.len()].name)
    }
}

impl SecretCut {
    /// Bytes that stand in its place.
    fn replacement_len(&self) -> usize {
        self.placeholder.as_str().len() + if self.is_bare { 2 } else { 0 }
    }
}

/// A text on its way to one without secrets.
struct ScrubProgress<'t> {
    text: &'t [u8],
    /// The text with the cuts made so far.
    bytes: Cow<'t, [u8]>,
    /// By their places in the text, in order, apart from each other.
    cuts: Vec<SecretCut>,
}

impl ScrubProgress<'_> {
    /// Makes cuts until there are none left to make.
    fn apply_repeatedly(&mut self, more: impl Fn(&[u8]) -> Vec<SecretCut>) {
        while self.apply_cuts(more(&self.bytes)) {}
    }

    /// Makes cuts that were found in the bytes as they are now, in order; whether there were any.
    fn apply_cuts(&mut self, more: Vec<SecretCut>) -> bool {
        if more.is_empty() {
            return false;
        }
        // The places are those of the original text, since the report names lines of the source.
        let placed = in_original(more, &self.cuts);
        self.cuts.extend(placed);
        self.cuts.sort_by_key(|cut| cut.range.start);
        self.bytes = Cow::Owned(replace_cuts(self.text, &self.cuts));
        true
    }
}

/// Cuts with their places in the original; they were found after `before` were made. Both are in order, so each is
/// gone through once.
fn in_original(more: Vec<SecretCut>, before: &[SecretCut]) -> Vec<SecretCut> {
    let mut before = before.iter().peekable();
    let mut shift = 0_isize;
    let mut original = |at: usize| {
        while let Some(cut) = before.next_if(|cut| (cut.range.start as isize + shift) < at as isize) {
            shift += cut.replacement_len() as isize - cut.range.len() as isize;
        }
        at.checked_add_signed(-shift).expect("a place behind a cut is a place of the original")
    };
    let place = |cut: SecretCut| SecretCut { range: original(cut.range.start)..original(cut.range.end), ..cut };
    more.into_iter().map(place).collect()
}

impl From<SecretCut> for ReplacedSecret {
    fn from(cut: SecretCut) -> Self {
        let span = ByteSpan { start: cut.range.start as u32, end: cut.range.end as u32 };
        Self { rule: cut.rule, span, placeholder: cut.placeholder }
    }
}

/// The text with every cut filled by its placeholder.
fn replace_cuts(text: &[u8], cuts: &[SecretCut]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        bytes.extend_from_slice(&text[at..cut.range.start]);
        // A bare value becomes a string, so that the line stays JSON.
        let quote: &[u8] = if cut.is_bare { b"\"" } else { b"" };
        bytes.extend_from_slice(quote);
        bytes.extend_from_slice(cut.placeholder.as_str().as_bytes());
        bytes.extend_from_slice(quote);
        at = cut.range.end;
    }
    bytes.extend_from_slice(&text[at..]);
    bytes
}

/// Ranges that overlap become one, under the rule that stands first.
fn merge_ranges(mut ranges: Vec<(Range<usize>, usize)>) -> Vec<(Range<usize>, usize)> {
    ranges.sort_by_key(|(range, rule)| (range.start, *rule, range.end));
    let mut merged: Vec<(Range<usize>, usize)> = Vec::new();
    for (range, rule) in ranges {
        match merged.last_mut() {
            Some((last, first)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *first = rule.min(*first);
            }
            _ => merged.push((range, rule)),
        }
    }
    merged
}

/// The range, made so wide that it cuts no character of UTF-8 in two.
fn widen_to_chars(text: &[u8], range: Range<usize>) -> Range<usize> {
    let is_within = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let start = (0..4).filter_map(|by| range.start.checked_sub(by)).find(|at| !is_within(*at));
    let end = (0..4).map(|by| range.end + by).find(|at| !is_within(*at));
    start.unwrap_or(range.start)..end.unwrap_or(range.end)
}

/// The rest of a range without some other ranges, which are in order.
fn subtract_ranges(range: Range<usize>, others: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut at = range.start;
    let first = others.partition_point(|other| other.end <= range.start);
    for other in others[first..].iter().take_while(|other| other.start < range.end) {
        left.push(at..other.start);
        at = other.end;
    }
    left.push(at..range.end);
    left.retain(|range| range.start < range.end);
    left
}

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod detection_tests;
#[cfg(test)]
mod tests;
