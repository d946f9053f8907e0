//! From the text of a query to its patterns.

use super::token::{Token, Tokens};
use super::{Captured, Kind, Part, Pattern, Predicate, Step, Test};
use crate::rules::capture;
use regex::bytes::Regex;
use tree_sitter::Language;

/// The patterns of a query, each as it is written, with its captures and without comments.
pub(crate) fn patterns(source: &str) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    let mut depth = 0;
    for (token, written) in Tokens(source) {
        if depth == 0 && matches!(token, Token::Open | Token::OpenChoice | Token::Text(_) | Token::Word(_)) {
            patterns.push(String::new());
        }
        depth += i32::from(matches!(token, Token::Open | Token::OpenChoice));
        depth -= i32::from(matches!(token, Token::Close | Token::CloseChoice));
        if let Some(pattern) = patterns.last_mut() {
            let is_apart = !pattern.ends_with(['(', '[']) && !pattern.is_empty();
            let joins = matches!(token, Token::Close | Token::CloseChoice | Token::Many);
            pattern.push_str(if is_apart && !joins { " " } else { "" });
            pattern.push_str(written);
        }
    }
    patterns
}

/// A pattern, if it is plain.
pub(crate) fn read(grammar: &Language, index: usize, text: &str) -> Option<Pattern> {
    let tokens = Tokens(text).map(|(token, _)| token).collect();
    let mut reader = Reader { grammar, tokens, at: 0, names: Vec::new(), predicates: Vec::new() };
    let [root] = <[Step; 1]>::try_from(reader.part()?).ok()?;
    let is_whole = reader.at == reader.tokens.len();
    (is_whole && root.field.is_none()).then_some(Pattern { index, root, predicates: reader.predicates })
}

struct Reader<'a> {
    grammar: &'a Language,
    tokens: Vec<Token<'a>>,
    at: usize,
    names: Vec<&'a str>,
    predicates: Vec<Predicate>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let is_next = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    /// What one child may be, with its captures.
    fn part(&mut self) -> Option<Part> {
        let mut part = match self.next()? {
            Token::Open if self.opens() => {
                // Parentheses around a pattern and its predicates.
                let part = self.part()?;
                while !self.take(&Token::Close) {
                    self.predicate()?;
                }
                part
            }
            Token::Open => vec![self.node()?],
            Token::OpenChoice => self.choice()?,
            Token::Field(field) => {
                let field = self.grammar.field_id_for_name(field)?.get();
                let mut part = self.part()?;
                for step in &mut part {
                    // A field of a field says two things at once.
                    step.field = step.field.is_none().then_some(Some(field))?;
                }
                return Some(part);
            }
            Token::Text(sign) => vec![Step::of(Kind::Is(self.kind(&sign, false)?))],
            Token::Word("_") => vec![Step::of(Kind::Any)],
            Token::Word(_)
            | Token::Close
            | Token::CloseChoice
            | Token::Absent(_)
            | Token::Capture(_)
            | Token::Predicate(_)
            | Token::Anchor
            | Token::Many
            | Token::Unknown => return None,
        };
        while let Some(Token::Capture(name)) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            let captured = Captured { means: capture(name).ok()?, name: self.name(name) };
            for step in &mut part {
                step.captures.push(captured);
            }
        }
        if self.take(&Token::Many) {
            return None;
        }
        // Where ways through a pattern capture more or less, the longest counts, which is a matter of its own.
        let captures = part.first()?.capture_count();
        part.iter().all(|step| step.capture_count() == captures).then_some(part)
    }

    /// Whether what was just opened holds a pattern, not the kind of a node.
    fn opens(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Open | Token::OpenChoice | Token::Text(_)))
    }

    fn choice(&mut self) -> Option<Part> {
        let mut part: Part = Vec::new();
        while !self.take(&Token::CloseChoice) {
            part.extend(self.part()?);
        }
        // One node must not be found twice.
        let is_apart = |(at, step): (usize, &Step)| {
            let mut others = part[..at].iter().chain(&part[at + 1..]);
            matches!(step.kind, Kind::Is(_))
                && (!step.parts.is_empty() || others.all(|other| (other.kind, other.field) != (step.kind, step.field)))
        };
        part.iter().enumerate().all(is_apart).then_some(part)
    }

    /// A node from its kind to its closing parenthesis.
    fn node(&mut self) -> Option<Step> {
        let Token::Word(kind) = self.next()? else { return None };
        let mut step = match kind {
            "_" => Step::of(Kind::Named),
            kind => Step::of(Kind::Is(self.kind(kind, true)?)),
        };
        let mut is_next = false;
        while !self.take(&Token::Close) {
            if self.take(&Token::Anchor) {
                is_next = true;
                if self.tokens.get(self.at) == Some(&Token::Close) {
                    step.parts.last_mut()?.iter_mut().for_each(|step| step.is_last = true);
                }
                continue;
            }
            if let Some(Token::Absent(field)) = self.tokens.get(self.at) {
                step.absent.push(self.grammar.field_id_for_name(field)?.get());
                self.at += 1;
                continue;
            }
            if let [Token::Open, Token::Predicate(_), ..] = self.tokens[self.at..] {
                self.predicate()?;
                continue;
            }
            let mut part = self.part()?;
            // Without captures in it, how often a part is found depends on what the grammar promises; and behind any
            // node at all, anchors mean something else.
            let is_doubtful = |step: &Step| step.capture_count() == 0 || step.kind == Kind::Any;
            let follows_doubt = step.parts.last().is_some_and(|part| part.iter().any(is_doubtful));
            let is_told = |step: &Step| step.parts.is_empty() || step.capture_count() > 0;
            if (is_next && follows_doubt) || !part.iter().all(is_told) {
                return None;
            }
            for step in &mut part {
                step.is_next = is_next;
            }
            is_next = false;
            step.parts.push(part);
        }
        Some(step)
    }

    /// A predicate with its parentheses.
    fn predicate(&mut self) -> Option<()> {
        let (Token::Open, Token::Predicate(predicate), Token::Capture(name)) =
            (self.next()?, self.next()?, self.next()?)
        else {
            return None;
        };
        let mut words = Vec::new();
        while !self.take(&Token::Close) {
            let Token::Text(word) = self.next()? else { return None };
            words.push(word);
        }
        let (is_negated, said) = match predicate.strip_prefix("not-") {
            Some(said) => (true, said),
            None => (false, predicate),
        };
        let test = match (said, &words[..]) {
            ("eq?", [_]) | ("any-of?", _) => Test::IsOneOf(words),
            ("match?", [regex]) => Test::Fits(Regex::new(regex).ok()?),
            _ => return None,
        };
        let name = self.name(name);
        self.predicates.push(Predicate { name, is_negated, test });
        Some(())
    }

    /// The number of a kind; none for one that stands for others.
    fn kind(&self, kind: &str, is_named: bool) -> Option<u16> {
        let id = self.grammar.id_for_node_kind(kind, is_named);
        (id != 0 && !self.grammar.node_kind_is_supertype(id)).then_some(id)
    }

    fn name(&mut self, name: &'a str) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

impl Step {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            field: None,
            absent: Vec::new(),
            captures: Vec::new(),
            is_next: false,
            is_last: false,
            parts: Vec::new(),
        }
    }

    /// How many captures a way through it has; all ways have as many.
    fn capture_count(&self) -> usize {
        let below = self.parts.iter().filter_map(|part| part.first()).map(Self::capture_count);
        self.captures.len() + below.sum::<usize>()
    }
}
