//! Compiles a language's tree-sitter query into rules by node kind; captures are [`crate::query::CaptureRole`]. One big
//! query over the tree costs more than half of parsing, because it tries every node (measured). So the tree is walked
//! once, and patterns are tried only at nodes whose kind starts one (see [`crate::query`]); a single kind with one
//! capture is answered by the kind alone. For this every pattern has to start with a node kind, not with a choice.

use super::definition::{DefinitionRule, DefinitionSpec};
use super::import_tree::ImportSpec;
use super::lost_definitions::DefinitionPatterns;
use super::macro_blanking::MacroBlanker;
use crate::expression::{ExpressionReader, ExpressionSpec};
use crate::query::{
    self, CaptureRole, KindCapture, PatternFilter, PatternSettings, SettingsError, UnknownCapture, parse_capture,
};
use std::collections::HashMap;
use tree_sitter::{Language, Query, QueryError};

/// A compiled query.
pub(crate) struct QueryRules {
    grammar: Language,
    /// For kinds of node whose patterns are not all plain.
    query: Option<NativeQuery>,
    /// By pattern; the last for what is defined without one.
    settings: Vec<PatternSettings>,
    /// By kind; nothing for kinds the query does not speak of, which are most.
    kinds: Vec<Option<Box<KindRule>>>,
    expressions: ExpressionReader,
    imports: Option<ImportSpec>,
    unseen: MacroBlanker,
    lost: DefinitionPatterns,
}

/// The patterns that the parser's own engine is asked about.
pub(crate) struct NativeQuery {
    pub(crate) query: Query,
    captures: Vec<CaptureRole>,
    /// The places of its patterns in the language's query.
    places: Vec<usize>,
}

impl NativeQuery {
    /// Compiles the patterns at some places, if there are any, and reads what they set.
    fn compile(
        grammar: &Language,
        texts: &[String],
        mut places: Vec<usize>,
        settings: &mut [PatternSettings],
    ) -> Result<Option<Self>, RulesError> {
        if places.is_empty() {
            return Ok(None);
        }
        // In the order of the language's query: where two patterns define the same, the earlier one counts.
        places.sort_unstable();
        let source: Vec<&str> = places.iter().map(|place| texts[*place].as_str()).collect();
        let query = Query::new(grammar, &source.join("\n"))?;
        let captures = query.capture_names().iter().map(|name| parse_capture(name)).collect::<Result<Vec<_>, _>>()?;
        for (at, place) in places.iter().enumerate() {
            settings[*place] = PatternSettings::from_properties(query.property_settings(at))?;
        }
        Ok(Some(Self { query, captures, places }))
    }

    pub(crate) fn capture_role(&self, index: u32) -> CaptureRole {
        self.captures[index as usize]
    }

    pub(crate) fn pattern_place(&self, pattern: usize) -> usize {
        self.places[pattern]
    }
}

/// The settings of a language beside its query.
#[derive(Default)]
pub(crate) struct GrammarSettings<'a> {
    pub(crate) expressions: Option<&'a ExpressionSpec>,
    pub(crate) imports: Option<&'a ImportSpec>,
    pub(crate) unseen: &'a [(String, String)],
    pub(crate) lost: &'a [(String, String)],
    pub(crate) loses_silently: Option<&'a str>,
    pub(crate) line_texts: &'a [String],
    pub(crate) definitions: Option<&'a HashMap<String, DefinitionSpec>>,
}

/// The rules of the query for one kind of node.
#[derive(Clone, Default)]
pub(crate) struct KindRule {
    pub(crate) bare: Option<KindCapture>,
    /// Before patterns are tried; none where no longer pattern starts with this kind.
    pub(crate) guard: Option<PatternFilter>,
    /// The patterns that start with this kind; none where the parser's engine is asked.
    pub(crate) patterns: Option<Vec<query::QueryPattern>>,
    /// Whether it declares imports that branch.
    pub(crate) imports: bool,
    /// The definition that its fields show without the query.
    pub(crate) definition: Option<DefinitionRule>,
}

/// Why a query does not compile.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RulesError {
    #[error("cannot compile the query: {0}")]
    Query(#[from] QueryError),
    #[error(transparent)]
    Capture(#[from] UnknownCapture),
    #[error("cannot use [expressions], [definitions] or [imports]: there is no {0}")]
    Kind(String),
    #[error("cannot compile what is unseen: {0}")]
    Unseen(#[from] regex::Error),
    #[error("cannot compile what may be lost: {0}")]
    Lost(String),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("cannot use pattern `{0}`: it has to start with a node kind")]
    Start(String),
    #[error("cannot use pattern `{0}`: comment and wrap need a pattern of one kind alone")]
    NotBare(String),
}

impl QueryRules {
    pub(crate) fn compile(grammar: &Language, source: &str, beside: &GrammarSettings<'_>) -> Result<Self, RulesError> {
        let texts = query::split_patterns(source);
        let mut kinds: Vec<Option<Box<KindRule>>> = vec![None; grammar.node_kind_count()];
        let mut starting: Vec<Vec<usize>> = vec![Vec::new(); kinds.len()];
        for (index, text) in texts.iter().enumerate() {
            let pattern = PatternHead::parse(text).ok_or_else(|| RulesError::Start(text.clone()))?;
            let kind = grammar.id_for_node_kind(pattern.kind, true) as usize;
            starting[kind].push(index);
            let rule = kinds[kind].get_or_insert_default();
            match pattern.only_capture.map(parse_capture).transpose()? {
                Some(CaptureRole::Bare(bare)) => rule.bare = Some(bare),
                // The walk recognizes comments and wraps by their kind alone, so a longer pattern for them would never
                // be tried.
                _ if captures_of(text).any(|name| {
                    matches!(parse_capture(name), Ok(CaptureRole::Bare(KindCapture::Comment | KindCapture::Wrap)))
                }) =>
                {
                    return Err(RulesError::NotBare(text.clone()));
                }
                _ => {
                    let guard = PatternFilter::of_pattern(grammar, text);
                    match &mut rule.guard {
                        // The guard of a kind lets through whatever any of its patterns wants.
                        Some(wider) => wider.union_with(&guard),
                        none => *none = Some(guard),
                    }
                }
            }
        }
        let mut places = Vec::new();
        for (rule, starting) in kinds.iter_mut().zip(starting) {
            let Some(rule) = rule.as_mut().filter(|rule| rule.guard.is_some()) else { continue };
            // All or none: if one pattern of a kind is not plain, the parser's engine gets all of them.
            rule.patterns =
                starting.iter().map(|index| query::parse_pattern(grammar, *index, &texts[*index])).collect();
            if rule.patterns.is_none() {
                places.extend(starting);
            }
        }
        let mut settings: Vec<PatternSettings> = Vec::new();
        // One more, for definitions without a pattern (`after_patterns`).
        settings.resize_with(texts.len() + 1, PatternSettings::default);
        let query = NativeQuery::compile(grammar, &texts, places, &mut settings)?;
        for (kind, description) in beside.definitions.into_iter().flatten() {
            match grammar.id_for_node_kind(kind, true) {
                0 => return Err(RulesError::Kind(format!("kind `{kind}`"))),
                id => {
                    let definition = DefinitionRule::compile(grammar, description).map_err(RulesError::Kind)?;
                    kinds[id as usize].get_or_insert_default().definition = Some(definition);
                }
            }
        }
        for kind in beside.imports.into_iter().flat_map(ImportSpec::node_kinds) {
            match grammar.id_for_node_kind(kind, true) {
                0 => return Err(RulesError::Kind(format!("kind `{kind}`"))),
                id => kinds[id as usize].get_or_insert_default().imports = true,
            }
        }
        let expressions = match beside.expressions {
            Some(description) => ExpressionReader::compile(grammar, description).map_err(RulesError::Kind)?,
            None => ExpressionReader::default(),
        };
        let unseen = MacroBlanker::compile(beside.unseen)?;
        let imports = beside.imports.cloned();
        let lost = DefinitionPatterns::compile(beside.lost, beside.loses_silently, beside.line_texts)
            .map_err(RulesError::Lost)?;
        let grammar = grammar.clone();
        Ok(Self { grammar, query, settings, kinds, expressions, imports, unseen, lost })
    }

    pub(crate) fn grammar(&self) -> &Language {
        &self.grammar
    }

    pub(crate) fn expression_reader(&self) -> &ExpressionReader {
        &self.expressions
    }

    pub(crate) fn import_spec(&self) -> Option<&ImportSpec> {
        self.imports.as_ref()
    }

    pub(crate) fn macro_blanker(&self) -> &MacroBlanker {
        &self.unseen
    }

    /// How definitions look that the parser may lose.
    pub(crate) fn lost_patterns(&self) -> &DefinitionPatterns {
        &self.lost
    }

    /// The patterns for the parser's own engine.
    pub(crate) fn native_query(&self) -> Option<&NativeQuery> {
        self.query.as_ref()
    }

    /// The place of definitions without a pattern, behind all patterns: a pattern is more specific.
    pub(crate) fn after_patterns(&self) -> usize {
        self.settings.len() - 1
    }

    pub(crate) fn pattern_settings(&self, pattern: usize) -> &PatternSettings {
        &self.settings[pattern]
    }

    /// The rule for a kind, if the query mentions it.
    pub(crate) fn kind_rule(&self, id: u16) -> Option<&KindRule> {
        self.kinds.get(id as usize)?.as_deref()
    }

    /// Whether a kind is that of comments.
    pub(crate) fn is_comment(&self, id: u16) -> bool {
        self.kind_rule(id).is_some_and(|rule| rule.bare == Some(KindCapture::Comment))
    }
}

fn captures_of(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('@').skip(1).filter_map(|rest| rest.split(|c: char| !is_word(c)).next())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// As much of a pattern's text as decides where it is asked.
struct PatternHead<'a> {
    kind: &'a str,
    /// The capture, where the pattern is `(kind) @capture` and nothing else.
    only_capture: Option<&'a str>,
}

impl<'a> PatternHead<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
        let kind = &start[..start.find(|c: char| !is_word(c))?];
        let rest = start[kind.len()..].split_whitespace().collect::<Vec<_>>();
        let only_capture = match rest[..] {
            [")", capture] => capture.strip_prefix('@'),
            _ => None,
        };
        (!kind.is_empty() && kind != "_").then_some(Self { kind, only_capture })
    }
}
