//! Parses the text of a tree-sitter query into patterns for our own matcher; patterns that are not plain are refused.

use super::capture::parse_capture;
use super::token::{QueryLexer, QueryToken};
use super::{KindMatcher, PatternCapture, PatternNode, PatternPart, PredicateTest, QueryPattern, TextPredicate};
use regex::bytes::Regex;
use tree_sitter::Language;

/// The patterns of a query, each as it is written, with its captures and without comments.
pub(crate) fn split_patterns(source: &str) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    let mut depth = 0;
    for (token, written) in QueryLexer(source) {
        if depth == 0
            && matches!(token, QueryToken::Open | QueryToken::OpenChoice | QueryToken::Text(_) | QueryToken::Word(_))
        {
            patterns.push(String::new());
        }
        depth += i32::from(matches!(token, QueryToken::Open | QueryToken::OpenChoice));
        depth -= i32::from(matches!(token, QueryToken::Close | QueryToken::CloseChoice));
        if let Some(pattern) = patterns.last_mut() {
            // Blanks are written in one way, on which `PatternHead` relies.
            let is_apart = !pattern.ends_with(['(', '[']) && !pattern.is_empty();
            let joins = matches!(token, QueryToken::Close | QueryToken::CloseChoice | QueryToken::Many);
            pattern.push_str(if is_apart && !joins { " " } else { "" });
            pattern.push_str(written);
        }
    }
    patterns
}

/// Parses a pattern; `None` if it is not plain.
pub(crate) fn parse_pattern(grammar: &Language, index: usize, text: &str) -> Option<QueryPattern> {
    let tokens = QueryLexer(text).map(|(token, _)| token).collect();
    let mut reader = PatternParser { grammar, tokens, at: 0, names: Vec::new(), predicates: Vec::new() };
    let [root] = <[PatternNode; 1]>::try_from(reader.parse_part()?).ok()?;
    let is_whole = reader.at == reader.tokens.len();
    (is_whole && root.field.is_none()).then_some(QueryPattern { index, root, predicates: reader.predicates })
}

struct PatternParser<'a> {
    grammar: &'a Language,
    tokens: Vec<QueryToken<'a>>,
    at: usize,
    names: Vec<&'a str>,
    predicates: Vec<TextPredicate>,
}

impl<'a> PatternParser<'a> {
    fn next_token(&mut self) -> Option<QueryToken<'a>> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn take_token(&mut self, wanted: &QueryToken) -> bool {
        let is_next = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    /// The alternatives for one child, with its captures.
    fn parse_part(&mut self) -> Option<PatternPart> {
        let mut part = match self.next_token()? {
            QueryToken::Open if self.opens_pattern() => {
                // Parentheses around a pattern and its predicates.
                let part = self.parse_part()?;
                while !self.take_token(&QueryToken::Close) {
                    self.parse_predicate()?;
                }
                part
            }
            QueryToken::Open => vec![self.parse_node()?],
            QueryToken::OpenChoice => self.parse_choice()?,
            QueryToken::Field(field) => {
                let field = self.grammar.field_id_for_name(field)?.get();
                let mut part = self.parse_part()?;
                for step in &mut part {
                    // A field of a field would state two fields for one node.
                    step.field = step.field.is_none().then_some(Some(field))?;
                }
                return Some(part);
            }
            QueryToken::Text(sign) => vec![PatternNode::from_kind(KindMatcher::Is(self.kind_id(&sign, false)?))],
            QueryToken::Word("_") => vec![PatternNode::from_kind(KindMatcher::Any)],
            QueryToken::Word(_)
            | QueryToken::Close
            | QueryToken::CloseChoice
            | QueryToken::Absent(_)
            | QueryToken::Capture(_)
            | QueryToken::Predicate(_)
            | QueryToken::Anchor
            | QueryToken::Many
            | QueryToken::Unknown => return None,
        };
        while let Some(QueryToken::Capture(name)) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            let captured = PatternCapture { means: parse_capture(name).ok()?, name: self.name_index(name) };
            for step in &mut part {
                step.captures.push(captured);
            }
        }
        // Optional and repeated parts can match in several ways, among which the parser's engine has rules of its own.
        if self.take_token(&QueryToken::Many) {
            return None;
        }
        // Where alternatives have different numbers of captures, the parser's engine prefers the longest match, which
        // is not supported here.
        let captures = part.first()?.capture_count();
        part.iter().all(|step| step.capture_count() == captures).then_some(part)
    }

    /// Whether what was just opened holds a pattern, not the kind of a node.
    fn opens_pattern(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(QueryToken::Open | QueryToken::OpenChoice | QueryToken::Text(_)))
    }

    fn parse_choice(&mut self) -> Option<PatternPart> {
        let mut part: PatternPart = Vec::new();
        while !self.take_token(&QueryToken::CloseChoice) {
            part.extend(self.parse_part()?);
        }
        // Two alternatives must not match one node, or it would be found twice.
        let is_apart = |(at, step): (usize, &PatternNode)| {
            let mut others = part[..at].iter().chain(&part[at + 1..]);
            matches!(step.kind, KindMatcher::Is(_))
                && (!step.parts.is_empty() || others.all(|other| (other.kind, other.field) != (step.kind, step.field)))
        };
        part.iter().enumerate().all(is_apart).then_some(part)
    }

    /// A node from its kind to its closing parenthesis.
    fn parse_node(&mut self) -> Option<PatternNode> {
        let QueryToken::Word(kind) = self.next_token()? else { return None };
        let mut step = match kind {
            "_" => PatternNode::from_kind(KindMatcher::Named),
            kind => PatternNode::from_kind(KindMatcher::Is(self.kind_id(kind, true)?)),
        };
        let mut is_next = false;
        while !self.take_token(&QueryToken::Close) {
            if self.take_token(&QueryToken::Anchor) {
                is_next = true;
                if self.tokens.get(self.at) == Some(&QueryToken::Close) {
                    step.parts.last_mut()?.iter_mut().for_each(|step| step.is_last = true);
                }
                continue;
            }
            if let Some(QueryToken::Absent(field)) = self.tokens.get(self.at) {
                step.absent.push(self.grammar.field_id_for_name(field)?.get());
                self.at += 1;
                continue;
            }
            if let [QueryToken::Open, QueryToken::Predicate(_), ..] = self.tokens[self.at..] {
                self.parse_predicate()?;
                continue;
            }
            let mut part = self.parse_part()?;
            // Without captures, how often a part matches depends on the grammar; and after a wildcard, an anchor has
            // another meaning.
            let is_doubtful = |step: &PatternNode| step.capture_count() == 0 || step.kind == KindMatcher::Any;
            let follows_doubt = step.parts.last().is_some_and(|part| part.iter().any(is_doubtful));
            let is_told = |step: &PatternNode| step.parts.is_empty() || step.capture_count() > 0;
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
    fn parse_predicate(&mut self) -> Option<()> {
        let (QueryToken::Open, QueryToken::Predicate(predicate), QueryToken::Capture(name)) =
            (self.next_token()?, self.next_token()?, self.next_token()?)
        else {
            return None;
        };
        let mut words = Vec::new();
        while !self.take_token(&QueryToken::Close) {
            let QueryToken::Text(word) = self.next_token()? else { return None };
            words.push(word);
        }
        let (is_negated, said) = match predicate.strip_prefix("not-") {
            Some(said) => (true, said),
            None => (false, predicate),
        };
        let test = match (said, &words[..]) {
            ("eq?", [_]) | ("any-of?", _) => PredicateTest::IsOneOf(words),
            ("match?", [regex]) => PredicateTest::Fits(Regex::new(regex).ok()?),
            _ => return None,
        };
        let name = self.name_index(name);
        self.predicates.push(TextPredicate { name, is_negated, test });
        Some(())
    }

    /// The number of a kind; `None` for a supertype.
    fn kind_id(&self, kind: &str, is_named: bool) -> Option<u16> {
        let id = self.grammar.id_for_node_kind(kind, is_named);
        (id != 0 && !self.grammar.node_kind_is_supertype(id)).then_some(id)
    }

    fn name_index(&mut self, name: &'a str) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

impl PatternNode {
    fn from_kind(kind: KindMatcher) -> Self {
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

    /// How many captures a match of the node has; every alternative has the same number.
    fn capture_count(&self) -> usize {
        let below = self.parts.iter().filter_map(|part| part.first()).map(Self::capture_count);
        self.captures.len() + below.sum::<usize>()
    }
}
