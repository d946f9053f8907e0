//! From a keyword to the secret it announces.
//!
//! The automaton goes over the whole text once; everything here looks only at the neighbourhood of a keyword, so what
//! a text costs depends on its length and not on the number of rules.

use super::assigned::Assigned;
use super::escape::{self, View};
use super::keywords::{self, Hit};
use super::look;
use super::rules::{self, Form, Rule};
use super::{pem, url};
use std::ops::Range;

/// A stretch of the text that a rule takes for a secret; the rule by its number.
pub(super) struct Candidate {
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
pub(super) fn candidates(text: &[u8]) -> Vec<Candidate> {
    let mut finder = Finder { text, found: Vec::new(), searched: Vec::new() };
    keywords::BUILT_IN.find(text, |hit| {
        // What follows the keyword is the same for all rules of the hit.
        let mut assigned = None;
        for number in hit.rules() {
            let rule = &rules::BUILT_IN[number];
            match rule.form {
                Form::Token => finder.token(&hit, number, rule),
                Form::Inside => finder.inside(&hit, number, rule),
                Form::Phrase => finder.phrase(&hit, number, rule),
                Form::Near => finder.near(&hit, number, rule),
                Form::Named | Form::Quoted | Form::Open => {
                    let assigned = assigned.get_or_insert_with(|| Assigned::behind(text, hit.end));
                    if let Some(range) = assigned.as_ref().and_then(|assigned| assigned.secret(text, rule)) {
                        finder.found.push(Candidate { range, rule: number });
                    }
                }
                Form::Url => finder.one(url::password(text, hit.end), number, rule),
                Form::Pem => finder
                    .found
                    .extend(pem::bodies(text, hit.start).into_iter().map(|range| Candidate { range, rule: number })),
            }
        }
    });
    finder.found
}

struct Finder<'t> {
    text: &'t [u8],
    found: Vec<Candidate>,
    /// For rules of the form `near`: up to where the text was looked through.
    searched: Vec<(usize, usize)>,
}

impl Finder<'_> {
    fn token(&mut self, hit: &Hit<'_>, number: usize, rule: &Rule) {
        let end = run_end(self.text, hit.start);
        if end - hit.start < SHORTEST || !escape::starts_word(self.text, hit.start) {
            return;
        }
        let has_mark = has_mark(&self.text[hit.start..hit.end]);
        if !has_mark && is_in_blob(&self.text[..hit.start]) {
            return;
        }
        let view = View::of(self.text, hit.start..end);
        let Some(found) = rule.regex().find(view.bytes()) else { return };
        let mut end = found.end();
        // Vendors make their tokens longer from time to time; where the start alone is proof, all of it goes.
        if has_mark {
            end += view.bytes()[end..].iter().take_while(|byte| is_of_token(**byte)).count();
        }
        // Two characters are no proof: `s.` starts a token and half of all expressions.
        let is_proof = hit.end - hit.start > 2 || !look::reads_as_words(&view.bytes()[..end]);
        if is_proof && ends_word(view.bytes(), end) {
            self.one(Some(view.places(0..end)), number, rule);
        }
    }

    fn inside(&mut self, hit: &Hit<'_>, number: usize, rule: &Rule) {
        let start = run_start(self.text, hit.start);
        let view = View::of(self.text, start..run_end(self.text, hit.end));
        for found in rule.regex().find_iter(view.bytes()) {
            let range = view.places(found.range());
            if range.start <= hit.start
                && hit.end <= range.end
                && escape::starts_word(self.text, range.start)
                && ends_word(view.bytes(), found.end())
            {
                self.one(Some(range), number, rule);
            }
        }
    }

    fn phrase(&mut self, hit: &Hit<'_>, number: usize, rule: &Rule) {
        let end = self.text.len().min(hit.end + AROUND);
        let view = View::of(self.text, hit.start..end);
        if let Some(found) = rule.regex().captures(view.bytes()) {
            for group in found.iter().skip(1).flatten() {
                self.one(Some(view.places(group.range())), number, rule);
            }
        }
    }

    fn near(&mut self, hit: &Hit<'_>, number: usize, rule: &Rule) {
        let mut start = hit.start.saturating_sub(AROUND);
        let end = self.text.len().min(hit.end + AROUND);
        // Where keywords stand close together, the text between them is looked through once.
        match self.searched.iter_mut().find(|(other, _)| *other == number) {
            Some((_, until)) => {
                start = start.max(until.saturating_sub(AROUND / 2)).min(end);
                *until = end;
            }
            None => self.searched.push((number, end)),
        }
        let view = View::of(self.text, escape_start(self.text, start)..end);
        for found in rule.regex().captures_iter(view.bytes()) {
            for group in found.iter().skip(1).flatten() {
                self.one(Some(view.places(group.range())), number, rule);
            }
        }
    }

    /// Takes a stretch for a secret unless it looks like none.
    fn one(&mut self, range: Option<Range<usize>>, number: usize, rule: &Rule) {
        let Some(range) = range else { return };
        let view = View::of(self.text, range.clone());
        if look::entropy(view.bytes()) > rule.entropy && !look::is_stand_in(view.bytes()) {
            self.found.push(Candidate { range, rule: number });
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
    while at < text.len().min(start + LONGEST) {
        let (byte, next) = escape::read(text, at).expect("the place is in the text");
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
