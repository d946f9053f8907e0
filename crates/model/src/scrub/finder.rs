//! Finds secret candidates in a text: for each keyword hit, tries the regexes of the built-in rules around it.
//!
//! The automaton goes over the whole text once; everything here looks only at the neighbourhood of a keyword, so what
//! a text costs depends on its length and not on the number of rules.

use super::assignment::ValuePosition;
use super::escape::{self, UnescapedView};
use super::inspect;
use super::keywords::{self, KeywordHit};
use super::rules::{self, RuleForm, SecretRule};
use super::{pem, url};
use std::ops::Range;

/// A stretch of the text that a rule takes for a secret; the rule by its number.
pub(super) struct SecretCandidate {
    pub(super) range: Range<usize>,
    pub(super) rule: usize,
}

/// How far around a keyword a rule of the form `near` looks, and how far behind it one of the form `phrase`.
const AROUND: usize = 1_000;
/// A token has at most so many bytes before the keyword inside of it.
const BEFORE: usize = 1_000;
/// A longer run of characters without a blank is no token.
const LONGEST: usize = 16 << 10;
/// So many characters of base 64 in a row are no path and no token.
const BLOB: usize = 200;
/// A shorter run behind a keyword is no token.
const SHORTEST: usize = 12;

/// Every stretch that a built-in rule takes for a secret, in no order.
pub(super) fn find_candidates(text: &[u8]) -> Vec<SecretCandidate> {
    let mut finder = SecretFinder { text, found: Vec::new(), searched: Vec::new() };
    keywords::BUILT_IN.each_keyword(text, |hit| {
        // What follows the keyword is the same for all rules of the hit, so it is read once.
        let mut assigned = None;
        for number in hit.rule_numbers() {
            let rule = &rules::BUILT_IN[number];
            match rule.form {
                RuleForm::Token => finder.find_token(&hit, number, rule),
                RuleForm::Inside => finder.find_inside(&hit, number, rule),
                RuleForm::Phrase => finder.find_phrase(&hit, number, rule),
                RuleForm::Near => finder.find_near(&hit, number, rule),
                RuleForm::Named | RuleForm::Quoted | RuleForm::Open => {
                    let assigned = assigned.get_or_insert_with(|| ValuePosition::find_after(text, hit.end));
                    if let Some(range) = assigned.as_ref().and_then(|assigned| assigned.find_secret(text, rule)) {
                        finder.found.push(SecretCandidate { range, rule: number });
                    }
                }
                RuleForm::Url => finder.accept_candidate(url::find_password(text, hit.end), number, rule),
                RuleForm::Pem => finder.found.extend(
                    pem::find_bodies(text, hit.start).into_iter().map(|range| SecretCandidate { range, rule: number }),
                ),
            }
        }
    });
    finder.found
}

struct SecretFinder<'t> {
    text: &'t [u8],
    found: Vec<SecretCandidate>,
    /// For rules of the form `near`: up to where the text was looked through.
    searched: Vec<(usize, usize)>,
}

impl SecretFinder<'_> {
    fn find_token(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let end = run_end(self.text, hit.start);
        if end - hit.start < SHORTEST || !escape::starts_word(self.text, hit.start) {
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
            end += view.as_bytes()[end..].iter().take_while(|byte| is_of_token(**byte)).count();
        }
        // Two characters prove nothing: `s.` starts a token and half of all expressions.
        let is_proof = hit.end - hit.start > 2 || !inspect::reads_as_words(&view.as_bytes()[..end]);
        if is_proof && ends_word(view.as_bytes(), end) {
            self.accept_candidate(Some(view.source_range(0..end)), number, rule);
        }
    }

    fn find_inside(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let start = run_start(self.text, hit.start);
        let view = UnescapedView::new(self.text, start..run_end(self.text, hit.end));
        for found in rule.compiled_regex().find_iter(view.as_bytes()) {
            let range = view.source_range(found.range());
            // The match has to contain the keyword: another one in the same run is found by its own hit.
            if range.start <= hit.start
                && hit.end <= range.end
                && escape::starts_word(self.text, range.start)
                && ends_word(view.as_bytes(), found.end())
            {
                self.accept_candidate(Some(range), number, rule);
            }
        }
    }

    fn find_phrase(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let end = self.text.len().min(hit.end + AROUND);
        let view = UnescapedView::new(self.text, hit.start..end);
        if let Some(found) = rule.compiled_regex().captures(view.as_bytes()) {
            for group in found.iter().skip(1).flatten() {
                self.accept_candidate(Some(view.source_range(group.range())), number, rule);
            }
        }
    }

    fn find_near(&mut self, hit: &KeywordHit<'_>, number: usize, rule: &SecretRule) {
        let mut start = hit.start.saturating_sub(AROUND);
        let end = self.text.len().min(hit.end + AROUND);
        // Where keywords stand close together, the text between them is searched once, or a list of names would take
        // quadratic time.
        match self.searched.iter_mut().find(|(other, _)| *other == number) {
            Some((_, until)) => {
                start = start.max(until.saturating_sub(AROUND / 2)).min(end);
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
    while at < text.len().min(start + LONGEST) {
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
    let before = &text[end.saturating_sub(BEFORE)..end];
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
