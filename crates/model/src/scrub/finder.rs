//! Finds secret candidates in a text: for each keyword hit, tries the regexes of the built-in rules around it.
//!
//! The automaton goes over the whole text once; everything here looks only at the neighbourhood of a keyword, so what
//! a text costs depends on its length and not on the number of rules.

use super::assignment::ValuePosition;
use super::escape::{self, UnescapedView};
use super::inspect;
use super::keywords::{self, KeywordHit};
use super::rules::{self, RuleForm, SecretRule};
use super::secret_name::SecretClass;
use super::{named_value, pem, placeholder, url, vendor_prefix};
use std::ops::Range;

/// A stretch of the text that a rule takes for a secret; the rule by its number.
pub(super) struct SecretCandidate {
    pub(super) range: Range<usize>,
    pub(super) rule: usize,
}

/// How far around a keyword a rule of the form `near` looks, and how far behind it one of the form `phrase`.
const KEYWORD_WINDOW_BYTES: usize = 1_000;
/// A token has at most so many bytes before the keyword inside of it.
const MAX_TOKEN_PREFIX_BYTES: usize = 1_000;
/// A longer run of characters without a blank is no token.
const MAX_TOKEN_BYTES: usize = 16 << 10;
/// Characters of a token behind what its rule knows.
const MAX_TOKEN_REST_BYTES: usize = 2_048;
/// Candidates that are looked at for one that covers a keyword.
const MAX_CANDIDATES_COMPARED: usize = 4;
/// Names that are tried inside of the value of another name.
const MAX_NESTED_NAMES: u8 = 8;
/// A rule of the form `phrase` that asks for as much takes nothing that reads as words.
const WORDLESS_ENTROPY: f64 = 2.0;
/// So many characters of base 64 in a row are no path and no token.
const BLOB: usize = 200;
/// The rule of passwords; the other one for telling names is of secrets that machines make.
const PASSWORD_RULE: &str = "password";
/// A shorter run behind a keyword is no token.
const MIN_TOKEN_BYTES: usize = 12;

/// Every stretch that a built-in rule takes for a secret, in no order.
pub(super) fn find_candidates(text: &[u8]) -> Vec<SecretCandidate> {
    let mut finder = SecretFinder { text, found: Vec::new(), searched: Vec::new(), run: 0..0, value: (0..0, 0) };
    // The names of rules in placeholders are keywords too, and what stands behind a placeholder is no value of theirs.
    let placeholders = placeholder::find_placeholders(text);
    keywords::BUILT_IN.each_keyword(text, |hit| {
        if is_inside(&placeholders, hit.start) {
            return;
        }
        // What follows the keyword is the same for all rules of the hit, so it is read once.
        let mut assigned = None;
        for number in hit.rule_numbers() {
            let rule = &rules::BUILT_IN[number];
            match rule.form {
                RuleForm::Token => finder.find_token(&hit, number, rule),
                RuleForm::Inside => finder.find_inside(&hit, number, rule),
                RuleForm::Phrase => finder.find_phrase(&hit, number, rule),
                RuleForm::Near => finder.find_near(&hit, number, rule),
                RuleForm::Named => {
                    let assigned = assigned.get_or_insert_with(|| ValuePosition::find_after(text, hit.end));
                    if let Some(range) = assigned.as_ref().and_then(|assigned| assigned.find_secret(text, rule)) {
                        finder.found.push(SecretCandidate { range, rule: number });
                    }
                }
                RuleForm::Telling => finder.find_telling(&hit, number, rule),
                RuleForm::Prefixed => finder.accept_candidate(vendor_prefix::find_token(text, hit.start), number, rule),
                RuleForm::Url => finder.accept_candidate(url::find_password(text, hit.end), number, rule),
                RuleForm::Pem => finder.found.extend(
                    pem::find_bodies(text, hit.start).into_iter().map(|range| SecretCandidate { range, rule: number }),
                ),
            }
        }
    });
    finder.found
}

/// Whether a place lies in one of the ranges, which are in order.
fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    !ranges.is_empty()
        && ranges.get(ranges.partition_point(|range| range.end <= at)).is_some_and(|range| range.start <= at)
}

struct SecretFinder<'t> {
    text: &'t [u8],
    found: Vec<SecretCandidate>,
    /// For rules of the forms `near` and `inside`: up to where the text was looked through.
    searched: Vec<(usize, usize)>,
    /// The run of characters that was read last, so that a long one is not read again for each of its keywords.
    run: Range<usize>,
    /// The last value behind a telling name that was looked at, and how many names inside of it were tried.
    value: (Range<usize>, u8),
}

impl SecretFinder<'_> {
    fn find_token(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        // Most keywords stand in the middle of words, so that is asked first.
        if !escape::starts_word(self.text, hit.start) {
            return;
        }
        let end = self.run_end(hit.start);
        // A token that was taken with all its characters may hold the keyword again.
        let is_taken = |found: &SecretCandidate| found.rule == number && found.range.contains(&hit.start);
        if end - hit.start < MIN_TOKEN_BYTES || self.found.iter().rev().take(MAX_CANDIDATES_COMPARED).any(is_taken) {
            return;
        }
        let has_mark = has_mark(&self.text[hit.start..hit.end]);
        // An image in base 64 contains every short keyword by chance.
        if !has_mark && is_in_blob(&self.text[..hit.start]) {
            return;
        }
        let view = UnescapedView::new(self.text, hit.start..end);
        let Some(found) = rule.compiled_regex().find(view.as_bytes()) else { return };
        let mut end = found.end();
        // Vendors lengthen their tokens from time to time. Where the prefix alone is proof, all characters of the token
        // go.
        if has_mark {
            let rest = view.as_bytes()[end..].iter().take(MAX_TOKEN_REST_BYTES);
            end += rest.take_while(|byte| is_of_token(**byte)).count();
        }
        // Two characters prove nothing: `s.` starts a token and half of all expressions.
        let is_proof = hit.end - hit.start > 2 || !inspect::reads_as_words(&view.as_bytes()[..end]);
        if is_proof && ends_word(view.as_bytes(), end) {
            self.accept_candidate(Some(view.source_range(0..end)), number, rule);
        }
    }

    fn find_inside(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        // All tokens of a run are taken at its first keyword, or a run of keywords would take quadratic time.
        let until = self.searched.iter_mut().find(|(other, _)| *other == number);
        if until.as_ref().is_some_and(|(_, until)| hit.end <= *until) {
            return;
        }
        let start = run_start(self.text, hit.start);
        let end = run_end(self.text, hit.end);
        // Where the run goes on, a token may stand across the place where reading stopped.
        let searched = if end - hit.end >= MAX_TOKEN_BYTES { end - MAX_TOKEN_BYTES / 2 } else { end };
        match until {
            Some((_, until)) => *until = searched,
            None => self.searched.push((number, searched)),
        }
        let view = UnescapedView::new(self.text, start..end);
        for found in rule.compiled_regex().find_iter(view.as_bytes()) {
            let range = view.source_range(found.range());
            if (escape::starts_word(self.text, range.start) || self.text[..range.start].ends_with(b"/bot"))
                && ends_word(view.as_bytes(), found.end())
            {
                self.accept_candidate(Some(range), number, rule);
            }
        }
    }

    fn find_phrase(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let end = self.text.len().min(hit.end + KEYWORD_WINDOW_BYTES);
        let view = UnescapedView::new(self.text, hit.start..end);
        if let Some(found) = rule.compiled_regex().captures(view.as_bytes()) {
            for group in found.iter().skip(1).flatten() {
                // A rule for what machines make finds words as well, such as `basic_auth = AuthenticationMiddleware`.
                if rule.entropy < WORDLESS_ENTROPY || !inspect::reads_as_words(group.as_bytes()) {
                    self.accept_candidate(Some(view.source_range(group.range())), number, rule);
                }
            }
        }
    }

    fn find_telling(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let (last, tried) = &mut self.value;
        let is_nested = last.contains(&hit.start);
        // Names may stand in the value of another name, but not without end.
        *tried = if is_nested { tried.saturating_add(1) } else { 0 };
        if *tried > MAX_NESTED_NAMES {
            return;
        }
        let Some(value) = named_value::find_value(self.text, hit.start..hit.end) else { return };
        if !is_nested {
            *last = value.range.clone();
        }
        // A name may hold keywords of both rules; what it promises decides which of them gives its name.
        if value.is_secret && (rule.name.as_str() == PASSWORD_RULE) == (value.class != SecretClass::Generated) {
            self.found.push(SecretCandidate { range: value.range, rule: number });
        }
    }

    fn find_near(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let mut start = hit.start.saturating_sub(KEYWORD_WINDOW_BYTES);
        let end = self.text.len().min(hit.end + KEYWORD_WINDOW_BYTES);
        // Where keywords stand close together, the text between them is searched once, or a list of names would take
        // quadratic time.
        match self.searched.iter_mut().find(|(other, _)| *other == number) {
            Some((_, until)) => {
                start = start.max(until.saturating_sub(KEYWORD_WINDOW_BYTES / 2)).min(end);
                *until = end;
            }
            None => self.searched.push((number, end)),
        }
        let view = UnescapedView::new(self.text, escape_start(self.text, start)..end);
        for found in rule.compiled_regex().captures_iter(view.as_bytes()) {
            for group in found.iter().skip(1).flatten() {
                self.accept_candidate(Some(view.source_range(group.range())), number, rule);
            }
        }
    }

    /// Where the run of characters around a place ends; at most half of the longest run is read again.
    fn run_end(&mut self, start: usize) -> usize {
        let is_cut = self.run.end - self.run.start >= MAX_TOKEN_BYTES;
        let is_known = self.run.contains(&start) && !(is_cut && start > self.run.start + MAX_TOKEN_BYTES / 2);
        if !is_known {
            self.run = start..run_end(self.text, start);
        }
        self.run.end
    }

    /// Takes a stretch for a secret unless it looks like none.
    fn accept_candidate(&mut self, range: Option<Range<usize>>, number: usize, rule: &SecretRule) {
        let Some(range) = range else { return };
        let view = UnescapedView::new(self.text, range.clone());
        // Low entropy or a known stand-in (`changeme`, `xxxx`) means that no secret is there.
        if inspect::byte_entropy(view.as_bytes()) > rule.entropy && !inspect::is_stand_in(view.as_bytes()) {
            self.found.push(SecretCandidate { range, rule: number });
        }
    }
}

/// Whether a keyword is more than letters and digits, which may stand in any hash.
fn has_mark(keyword: &[u8]) -> bool {
    keyword.len() >= 4 && !keyword[keyword.len() - 1].is_ascii_alphanumeric()
}

/// Whether what stands before a place is base 64 and goes on there: an image holds every short sequence of letters.
fn is_in_blob(before: &[u8]) -> bool {
    let is_mark = before.last().is_some_and(|byte| matches!(byte, b'+' | b'/'));
    let in_blob = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    is_mark && before.len() > BLOB && before[before.len() - BLOB..].iter().all(in_blob)
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether no letter or digit follows a place.
fn ends_word(view: &[u8], at: usize) -> bool {
    view.get(at).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// Where the run of characters from a place on ends: at a blank, a quote or a bracket, escaped or not.
pub(super) fn run_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    // A run without end, as in minified code, is no token and must not be read again for every keyword.
    while at < text.len().min(start + MAX_TOKEN_BYTES) {
        let (byte, next) = escape::read_unescaped(text, at).expect("the place is in the text");
        if ends_run(byte) {
            break;
        }
        at = next;
    }
    at
}

/// Where the run of characters that ends at a place starts.
fn run_start(text: &[u8], end: usize) -> usize {
    let before = &text[end.saturating_sub(MAX_TOKEN_PREFIX_BYTES)..end];
    let run = before.iter().rev().take_while(|byte| !ends_run(**byte)).count();
    escape_start(text, end - run)
}

/// The start of the escape that a place may be in the middle of.
fn escape_start(text: &[u8], at: usize) -> usize {
    at - text[..at].iter().rev().take_while(|byte| **byte == b'\\').count()
}

fn ends_run(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b';')
}
