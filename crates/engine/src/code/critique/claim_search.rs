//! Finds the claims of a draft: which symbols and files it says there are, with which parameters, where, what calls
//! what, which versions hold, and how things behave. Only what a sentence states as a fact is a claim.

use super::mention::{CodeMention, MentionedCode, PathMention, SymbolMention, find_mentions};
use super::sentence::{BLANK, DraftText, Sentence, SentenceMood, blank_code};
use super::{ClaimKind, DraftClaim};
use model::ByteSpan;
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What a claim states, as far as it can be compared with the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClaimSubject {
    /// The symbol exists; `is_stated` where the sentence says so, or says what it does.
    Symbol { symbol: SymbolMention, is_stated: bool },
    /// It has these parameters.
    Signature { symbol: SymbolMention, parameters: StatedParameters },
    /// The file exists.
    File(PathMention),
    /// The symbol stands in the file; `is_defined` where no use of it can be meant.
    Place { symbol: SymbolMention, path: PathMention, is_defined: bool },
    /// The first one calls the second, or is said not to.
    Call { caller: SymbolMention, file: Option<PathMention>, callee: SymbolMention, is_denied: bool },
    /// The first one extends or implements the second.
    Base { symbol: SymbolMention, base: SymbolMention },
    /// What only a text can tell.
    Words,
}

/// What a sentence says of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatedParameters {
    /// What stands in the parentheses behind the name.
    List(Vec<String>),
    /// That there is one of this name.
    Named(String),
    /// How many there are.
    Count(usize),
}

/// A claim, before it is judged.
#[derive(Clone, Debug)]
pub(super) struct FoundClaim {
    pub(super) claim: DraftClaim,
    pub(super) subject: ClaimSubject,
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is ours"));
    };
}

pattern!(
    CALLS,
    r"(?i)^\W*(?:[(\[][^)\]]*[)\]]\s*)?(?:(?:method|function|which|that|also|then|directly|internally|just|simply|first|finally|only|now|itself|always|eventually|in turn|and|each|both|in|at|from|inside|the|file|class|module|hook|helper|handler|component)\W+)*(?:calls?|invokes?|delegates to|calls into|calls out to|dispatches to|forwards to|is a thin wrapper around|wraps)\W+(?:the|its|both|new|existing|to|method|function|helper|shared|\s)*$"
);
pattern!(
    DENIES_CALL,
    r"(?i)^\W*(?:(?:method|function|itself|class|the|file|in)\W+)*(?:does not|doesn't|doesn’t|never|do not|don't) (?:directly |actually |even )?(?:calls?|invokes?)\W+(?:the|its|to|method|function|\s)*$"
);
pattern!(
    CALLED_BY,
    r"(?i)^\W*(?:[(\[][^)\]]*[)\]]\s*)?(?:(?:method|function|which|that|also|then|directly|only|now|itself|always|in|the|file|class|helper)\W+)*(?:is|are|gets|being)\s+(?:only |also |directly |always |then )?(?:called|invoked|used)\s+(?:by|from|inside|within)\W+(?:the|method|function|\s)*$"
);
pattern!(
    EXTENDS,
    r"(?i)^\W*(?:(?:class|which|that|also|directly|struct|the|in|type|component)\W+)*(?:extends?|inherits from|subclasses|is a subclass of|derives from|implements)\W+(?:the|trait|interface|class|base|abstract|protocol|\s)*$"
);
pattern!(AND_NEXT, r"(?i)^\s*(?:,|,?\s*and|,?\s*and then|,?\s*then|&|\+)\s*(?:also|the|then|finally|its|\s)*$");
pattern!(
    IN_FILE,
    r"(?i)^\W*(?:(?:method|function|class|helper|struct|type|interface|hook|component|constant|test|is|are|both|now|lives?|sits|defined|declared|implemented|located|found|exported|resides|file|the|comes|at line \d+|line \d+)\W+)*(?:in|at|inside|within|from)?\W*(?:the|file|of|module)?\W*$"
);
pattern!(DEFINED, r"(?i)\b(?:defined|declared|implemented|lives?|located|resides|exported|found)\b");
pattern!(
    FILE_HAS,
    r"(?i)^\W*(?:(?:which|that|file|module|now|also|only)\W+)*(?:defines|declares|implements|contains|exports|provides|introduces|holds|has)\s+(?:(?:a|an|the|new|its|both|method|function|class|helper|struct|type|interface|hook|component|constant|async)\s*)*$"
);
pattern!(
    USING,
    r"(?i)\b(?:uses?|usages?|using|calls?|calling|imports?|importing|invocations?|references?|referencing|reads?|passes|invok\w+|handl\w+|sites?|to|from|via|with|by|through|mocks?|tests?|against|like|for)\W*$"
);
pattern!(
    PARAMETER,
    r"(?i)^\W*(?:(?:also|now|method|function|constructor)\W+)*(?:takes?|accepts?|expects?|has|receives?)\s+(?:in\s+)?(?:a|an|the|its|one|optional|required|single|new|keyword|named|boolean|string|only|\s)*$"
);
pattern!(
    IS_PARAMETER,
    r"(?i)^\W*(?:\([^)]*\)\W*)?(?:keyword |optional |positional |required )*(?:parameter|argument|arg|param|kwarg)\b"
);
pattern!(
    PARAMETER_OF,
    r"(?i)^\W*(?:keyword |optional )?(?:parameter|argument|arg|param|kwarg)\s+(?:of|to|in|on|for)\W+(?:the|method|function|\s)*$"
);
pattern!(
    COUNT,
    r"(?i)^\W*(?:(?:also|now|method|function|constructor)\W+)*(?:takes?|accepts?|expects?|has)\s+(?:exactly |only )?(no|one|two|three|four|five|six|\d)\s+(?:required |optional |positional )?(?:parameters?|arguments?|args|params)\b"
);
pattern!(
    KIND_BEFORE,
    r"(?i)\b(?:function|method|class|struct|helper|interface|trait|type|enum|constant|component|hook|macro|module|decorator|handler|constructor|mixin|dataclass|middleware|named|called|added|implemented|introduced|defines?|exports?|contains)\W*$"
);
pattern!(
    KIND_AFTER,
    r"(?i)^\W*(?:function|method|class|struct|helper|interface|trait|type|enum|constant|component|macro|decorator|handler|constructor|mixin|middleware|lives|is defined|is implemented|is exported|is declared|calls?|returns?|takes|accepts|does|handles|checks|reads|writes|raises|throws|creates|builds|parses|validates|computes|sends|loads|sets|gets|runs|stores|wraps|converts|registers|resolves|inherits|extends|implements|delegates)\b"
);
pattern!(
    OUTSIDE,
    r"(?i)\b(?:python's|python’s|go's|rust's|node's|javascript's|typescript's|react's|stdlib|standard library|built-?in|builtin|npm|package|crate|library|third-party|vendor|framework|dependency|dependencies|sdk|runtime|browser|shell|cli|command|database|sql|api|endpoint|git|github|docker|event|env|environment|setting|config|key|field|column|table|flag|option|label|tag|branch|commit|placeholder|variable|prop|property|attribute|token|string|value|mock|stub|fixture|tool)\b"
);
pattern!(
    VERSION,
    r"(?i)\b(?:version|release|since|requires?|v)\s*(?:[A-Za-z+]+\s*)?(?:>=?\s*)?v?\d+(?:\.\d+)+\b|\b(?:19|20)\d\d-\d\d-\d\d\b"
);

/// The claims of a draft, in its order, each once.
pub(super) fn find_claims(draft: &DraftText<'_>, knows_file: impl Fn(&str) -> bool) -> Vec<FoundClaim> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for sentence in &draft.sentences {
        let mentions = find_mentions(sentence.text, &knows_file);
        let prose = blank_code(sentence.text);
        let mut search = ClaimSearch { sentence, prose: &prose, mentions: &mentions, found: Vec::new() };
        search.search_sentence();
        // Said twice, it is one claim.
        found
            .extend(search.found.into_iter().filter(|found| seen.insert((found.claim.kind, found.claim.text.clone()))));
    }
    found
}

struct ClaimSearch<'s> {
    sentence: &'s Sentence<'s>,
    /// The sentence without the words in backticks.
    prose: &'s str,
    mentions: &'s [CodeMention],
    found: Vec<FoundClaim>,
}

impl<'s> ClaimSearch<'s> {
    fn search_sentence(&mut self) {
        if self.sentence.mood == SentenceMood::Other {
            return;
        }
        self.add_calls();
        if self.sentence.mood == SentenceMood::Denial {
            return;
        }
        for (at, mention) in self.mentions.iter().enumerate() {
            match &mention.names {
                MentionedCode::Symbol(symbol) => self.add_symbol(at, mention, symbol),
                MentionedCode::Path(path) => {
                    let subject = ClaimSubject::File(path.clone());
                    self.add(ClaimKind::Location, mention.start, mention.end, subject);
                }
                MentionedCode::Other => {}
            }
        }
        if !self.sentence.is_row {
            self.add_places();
        }
        self.add_words();
    }

    fn add(&mut self, kind: ClaimKind, start: usize, end: usize, subject: ClaimSubject) {
        let text = self.sentence.text[start..end].to_owned();
        let first = self.sentence.start;
        let bytes = |start: usize, end: usize| ByteSpan { start: (first + start) as u32, end: (first + end) as u32 };
        let claim = DraftClaim::new(kind, text, bytes(start, end), bytes(0, self.sentence.text.len()));
        self.found.push(FoundClaim { claim, subject });
    }

    /// The words between a mention and the next one.
    fn between(&self, at: usize, next: usize) -> &'s str {
        &self.prose[self.mentions[at].end..self.mentions[next].start]
    }

    fn symbol_at(&self, at: usize) -> Option<&'s SymbolMention> {
        if let MentionedCode::Symbol(symbol) = &self.mentions.get(at)?.names { Some(symbol) } else { None }
    }

    fn path_at(&self, at: usize) -> Option<&'s PathMention> {
        if let MentionedCode::Path(path) = &self.mentions.get(at)?.names { Some(path) } else { None }
    }

    /// Whether a mention is the parameter that the symbol before it is said to take.
    fn is_parameter(&self, at: usize) -> bool {
        let Some(parameter) = self.symbol_at(at).filter(|_| at > 0) else { return false };
        let is_plain = parameter.segments.len() == 1 && parameter.arguments.is_none();
        is_plain
            && self.symbol_at(at - 1).is_some()
            && PARAMETER.is_match(self.between(at - 1, at))
            && IS_PARAMETER.is_match(&self.prose[self.mentions[at].end..])
    }

    fn add_symbol(&mut self, at: usize, mention: &CodeMention, symbol: &SymbolMention) {
        // The name of a parameter is no symbol.
        if self.is_parameter(at) {
            return;
        }
        let before = &self.prose[..mention.start];
        let after = &self.prose[mention.end..];
        let is_first = !before.contains(|c: char| c.is_alphanumeric() || c == BLANK);
        let says_what = KIND_AFTER.is_match(after) && (is_first || before.trim_end().ends_with([',', ':', '—', '–']));
        let has_kind = KIND_BEFORE.is_match(before) || KIND_AFTER.is_match(after);
        let is_stated = !OUTSIDE.is_match(self.prose) && (says_what || has_kind || self.is_beside_path(at));
        let subject = ClaimSubject::Symbol { symbol: symbol.clone(), is_stated };
        self.add(ClaimKind::Symbol, mention.start, mention.end, subject);
        let mut stated = None;
        if let Some(list) = symbol.arguments.as_ref().filter(|list| !list.is_empty()) {
            stated = Some((mention.end, StatedParameters::List(list.clone())));
        }
        if let Some(parameter) = self.symbol_at(at + 1)
            && self.is_parameter(at + 1)
        {
            stated = Some((self.mentions[at + 1].end, StatedParameters::Named(parameter.name().to_owned())));
        }
        if let Some(counted) = COUNT.captures(after) {
            let word = counted[1].to_lowercase();
            let words = ["no", "one", "two", "three", "four", "five", "six"];
            let count = words.iter().position(|known| *known == word).or_else(|| word.parse().ok());
            stated = count.map(|count| (mention.end + counted[0].len(), StatedParameters::Count(count)));
        }
        if let Some((end, parameters)) = stated {
            let subject = ClaimSubject::Signature { symbol: symbol.clone(), parameters };
            self.add(ClaimKind::Signature, mention.start, end, subject);
        }
        // "The `x` parameter of `f`".
        if let Some(owner) = self.symbol_at(at + 1)
            && symbol.arguments.is_none()
            && PARAMETER_OF.is_match(self.between(at, at + 1))
        {
            let parameters = StatedParameters::Named(symbol.name().to_owned());
            let subject = ClaimSubject::Signature { symbol: owner.clone(), parameters };
            // The name of a parameter is no symbol.
            self.found.retain(|found| found.claim.span.start as usize != self.sentence.start + mention.start);
            self.add(ClaimKind::Signature, mention.start, self.mentions[at + 1].end, subject);
        }
    }

    fn is_beside_path(&self, at: usize) -> bool {
        let follows = at
            .checked_sub(1)
            .is_some_and(|path| self.path_at(path).is_some() && FILE_HAS.is_match(self.between(path, at)));
        follows || self.path_at(at + 1).is_some() && self.is_in_file(at, at + 1)
    }

    /// Whether the words between a symbol and the path behind it say that it stands there.
    fn is_in_file(&self, at: usize, path: usize) -> bool {
        let between = self.between(at, path);
        let has_word = between.contains(char::is_alphabetic) || between.contains(['(', '—', '–', '@']);
        has_word && IN_FILE.is_match(between)
    }

    /// Symbols beside the files that they are said to be in.
    fn add_places(&mut self) {
        for at in 0..self.mentions.len() {
            let Some(symbol) = self.symbol_at(at).cloned() else { continue };
            if let Some(path) = self.path_at(at + 1).cloned()
                && self.is_in_file(at, at + 1)
            {
                let before = &self.prose[..self.mentions[at].start];
                let between = self.between(at, at + 1);
                let is_defined = DEFINED.is_match(between);
                // "Calls of `f` in `a.py`" are no place of `f`.
                if is_defined || !USING.is_match(before) {
                    // As the subject of a sentence it stands where it is defined; in a list it may be a use.
                    let is_first = !before.contains(|c: char| c.is_alphanumeric() || c == BLANK);
                    let is_subject = is_first && KIND_AFTER.is_match(&self.prose[self.mentions[at + 1].end..]);
                    let is_defined = is_defined || is_subject || symbol.is_declaration || KIND_BEFORE.is_match(before);
                    let subject = ClaimSubject::Place { symbol, path, is_defined };
                    self.add(ClaimKind::Location, self.mentions[at].start, self.mentions[at + 1].end, subject);
                }
            } else if let Some(path) = at.checked_sub(1).and_then(|path| self.path_at(path)).cloned()
                && FILE_HAS.is_match(self.between(at - 1, at))
            {
                let subject = ClaimSubject::Place { symbol, path, is_defined: true };
                self.add(ClaimKind::Location, self.mentions[at - 1].start, self.mentions[at].end, subject);
            }
        }
    }

    /// "A calls B and C", "B is called by A", "A extends B".
    fn add_calls(&mut self) {
        for at in 0..self.mentions.len() {
            let Some(subject) = self.symbol_at(at).cloned() else { continue };
            // "`f` in `a.py` calls `g`": the place stands between.
            let mut file = None;
            let mut last = at;
            if let Some(path) = self.path_at(at + 1).cloned()
                && self.is_in_file(at, at + 1)
            {
                file = Some(path);
                last = at + 1;
            }
            let next = last + 1;
            if self.symbol_at(next).is_none() {
                continue;
            }
            let verb = self.between(last, next).to_owned();
            let is_denied = DENIES_CALL.is_match(&verb);
            // In a sentence that denies something else, nobody knows what it denies.
            let is_fact = self.sentence.mood == SentenceMood::Fact;
            let mut object = next;
            while let Some(other) = self.symbol_at(object).cloned() {
                if is_denied || is_fact && CALLS.is_match(&verb) {
                    let (caller, file) = (subject.clone(), file.clone());
                    self.add_relation(at, object, ClaimSubject::Call { caller, file, callee: other, is_denied });
                } else if is_fact && object == next && CALLED_BY.is_match(&verb) {
                    let callee = subject.clone();
                    self.add_relation(
                        at,
                        object,
                        ClaimSubject::Call { caller: other, file: None, callee, is_denied: false },
                    );
                } else if is_fact && EXTENDS.is_match(&verb) {
                    self.add_relation(at, object, ClaimSubject::Base { symbol: subject.clone(), base: other });
                } else {
                    break;
                }
                object += 1;
                if object >= self.mentions.len() || !AND_NEXT.is_match(self.between(object - 1, object)) {
                    break;
                }
            }
        }
    }

    fn add_relation(&mut self, first: usize, last: usize, subject: ClaimSubject) {
        self.add(ClaimKind::Relation, self.mentions[first].start, self.mentions[last].end, subject);
    }

    /// What the sentence says besides: how something behaves, or which version.
    fn add_words(&mut self) {
        let end = self.sentence.text.len();
        if VERSION.is_match(self.prose) {
            return self.add(ClaimKind::Version, 0, end, ClaimSubject::Words);
        }
        let names_symbol = self.mentions.iter().any(|mention| matches!(mention.names, MentionedCode::Symbol(_)));
        let words = self.prose.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
        let has_relation = self.found.iter().any(|found| found.claim.kind == ClaimKind::Relation);
        // A name with its place and nothing else says nothing of how it behaves.
        if names_symbol && words >= 3 && !has_relation && !self.sentence.is_row {
            self.add(ClaimKind::Behaviour, 0, end, ClaimSubject::Words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sentence::split_draft;
    use super::*;
    use expect_test::{Expect, expect};

    fn check(draft: &str, expected: &Expect) {
        let claims = find_claims(&split_draft(draft), |name| name.contains(".py"));
        let told = claims.iter().map(|found| {
            let DraftClaim { kind, text, span, .. } = &found.claim;
            assert_eq!(&draft[span.start as usize..span.end as usize], text);
            format!("{}: {text}\n", kind.as_str())
        });
        expected.assert_eq(&told.collect::<String>());
    }

    #[test]
    fn one_sentence_may_claim_several_things() {
        check(
            "`Flask.make_answer(rv, retries)` in helpers.py calls `jsonify`.",
            &expect![[r#"
            relation: `Flask.make_answer(rv, retries)` in helpers.py calls `jsonify`
            symbol: `Flask.make_answer(rv, retries)`
            signature: `Flask.make_answer(rv, retries)`
            location: helpers.py
            symbol: `jsonify`
            location: `Flask.make_answer(rv, retries)` in helpers.py
        "#]],
        );
        check(
            "`A.run` calls `f()`, `g()` and then `h()`. `f()` is called by `B.run`. `B` extends `A`. `f` doesn't call `g`.",
            &expect![[r#"
                relation: `A.run` calls `f()`
                relation: `A.run` calls `f()`, `g()`
                relation: `A.run` calls `f()`, `g()` and then `h()`
                symbol: `A.run`
                symbol: `f()`
                symbol: `g()`
                symbol: `h()`
                relation: `f()` is called by `B.run`
                symbol: `B.run`
                relation: `B` extends `A`
                symbol: `B`
                symbol: `A`
                relation: `f` doesn't call `g`
            "#]],
        );
    }

    #[test]
    fn parameters_places_and_versions_are_claims_and_plans_are_none() {
        check(
            "`connect` takes a `timeout` parameter. `connect` takes two arguments.",
            &expect![[r#"
                symbol: `connect`
                signature: `connect` takes a `timeout`
                behaviour: `connect` takes a `timeout` parameter.
                signature: `connect` takes two arguments
                behaviour: `connect` takes two arguments.
            "#]],
        );
        check(
            "Add `f()` to a.py. Should `f` call `g`? Calls of `f` in a.py hang.",
            &expect![[r#"
                symbol: `f`
                location: a.py
                location: `f` in a.py
                behaviour: Calls of `f` in a.py hang.
            "#]],
        );
        check(
            "It requires Python 3.11.",
            &expect![[r#"
            version: It requires Python 3.11.
        "#]],
        );
    }
}
