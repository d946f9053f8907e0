//! A language's query, compiled: which kinds of node matter, and what each capture means.
//!
//! The captures:
//!
//! | capture | means |
//! |---|---|
//! | `@function`, `@class`, … (a symbol kind's word) | a definition |
//! | `@name` | its name, or what is declared around it (see [`crate::expression`]); required |
//! | `@start` | where it starts, where that is before its node |
//! | `@body` | where its signature ends |
//! | `@owner` | the type it belongs to without standing in it (a receiver) |
//! | `@clause` | with a definition: goes on with the definition of the same name just before it (a further equation); on a part of it, such as its parameters, only where that has as many parts |
//! | `@scope` | no symbol, but its members belong to `@owner` (as `@as`, where given) |
//! | `@wrap` | belongs to the definition that ends with it (`export`, decorators and what they decorate); its first words, to the first of several |
//! | `@lead` | belongs to the declaration below it, outside of its signature (attributes, decorators); with `@docstring`, documents it |
//! | `@comment` | a comment |
//! | `@docstring` | the text that documents the definition with this `@body` |
//! | `@returns` | the type a function returns |
//! | `@uncalled` | what looks like a call in it is none (a type that is written like one) |
//! | `@base`, `@implements` | a base of the type around it, or an interface that the type implements |
//! | `@called` | something called where no kind of node says so: an operand of `|>`, a step of a block; every name in it, where it is none itself |
//! | `@package` | the package, namespace or module that the whole file is in; its parts, where one match has several |
//! | `@from` with `@imported`, `@alias`, `@all`, `@default`, `@export`, `@type_only`, `@dynamic` | an import (see [`crate::facts::ImportDeclaration`]) |
//! | `@typed` alone | a type that is named |
//! | `@variable` or `@member` with `@typed`, `@value`, `@items` or nothing | what is said about a type (see [`crate::facts::TypeBinding`]); `@items` has what it is one of |
//! | `@picked` | which member of the value it is |
//! | `@reach` | where a variable is known, where that is less than the symbol around it |
//! | `@gives` | an expression that the function around it returns |
//! | `@embed`, perhaps with `@language` | text of another language (see [`crate::embedded_text`]) |
//! | `@again` | text of the same language between two signs that the grammar leaves unread: the items in a macro (see [`crate::embedded_text`]) |
//! | `@_…` | nothing; for predicates |
//!
//! What a pattern may set beside them (see [`crate::settings`]): `(#set! level "2")`, `(#set! language "javascript")`.
//!
//! Running one big query over the whole tree costs more than half of what parsing costs, because it tries every node
//! (measured). So the tree is walked once, and patterns are tried only at nodes whose kind starts some of them (see
//! [`crate::query`]); a pattern that is a single kind with one capture is answered by the kind alone. For this every
//! pattern has to start with a node kind, not with a choice.

use crate::definition::{self, DefinitionRule};
use crate::expression::ExpressionReader;
use crate::expression_spec::ExpressionSpec;
use crate::import_tree;
use crate::lost_definitions::DefinitionPatterns;
use crate::macro_blanking::MacroBlanker;
use crate::pattern_filter::PatternFilter;
use crate::query;
use crate::settings::{PatternSettings, SettingsError};
use model::SymbolKind;
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
    imports: Option<import_tree::ImportSpec>,
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
    pub(crate) imports: Option<&'a import_tree::ImportSpec>,
    pub(crate) unseen: &'a [(String, String)],
    pub(crate) lost: &'a [(String, String)],
    pub(crate) loses_silently: Option<&'a str>,
    pub(crate) line_texts: &'a [String],
    pub(crate) definitions: Option<&'a HashMap<String, definition::DefinitionSpec>>,
}

/// The meaning of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaptureRole {
    Symbol(SymbolKind),
    Start,
    Name,
    Body,
    Owner,
    Clause,
    Scope,
    As,
    Docstring,
    Returns,
    Uncalled,
    Base,
    Interface,
    Called,
    Module,
    Imported,
    Alias,
    All,
    Default,
    Export,
    TypeOnly,
    Dynamic,
    Package,
    Variable,
    Field,
    Type,
    Value,
    Items,
    Picked,
    Reach,
    Gives,
    Embed,
    Again,
    Language,
    Bare(KindCapture),
    Unread,
}

/// Captures that a node's kind alone can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindCapture {
    Comment,
    Lead,
    Wrap,
}

/// The rules of the query for one kind of node.
#[derive(Clone, Default)]
pub(crate) struct KindRule {
    pub(crate) bare: Option<KindCapture>,
    /// Before patterns are tried; none where no longer pattern starts with this kind.
    pub(crate) gate: Option<PatternFilter>,
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
    #[error("cannot use capture `@{0}`: it is no symbol kind and no known role")]
    Capture(String),
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
                    let gate = PatternFilter::of_pattern(grammar, text);
                    match &mut rule.gate {
                        // The gate of a kind lets through whatever any of its patterns wants.
                        Some(wider) => wider.union_with(&gate),
                        none => *none = Some(gate),
                    }
                }
            }
        }
        let mut places = Vec::new();
        for (rule, starting) in kinds.iter_mut().zip(starting) {
            let Some(rule) = rule.as_mut().filter(|rule| rule.gate.is_some()) else { continue };
            // All or none: if one pattern of a kind is not plain, the parser's engine gets all of them.
            rule.patterns =
                starting.iter().map(|index| query::parse_pattern(grammar, *index, &texts[*index])).collect();
            if rule.patterns.is_none() {
                places.extend(starting);
            }
        }
        let mut settings: Vec<PatternSettings> = Vec::new();
        // One more, for definitions without a pattern (`behind_patterns`).
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
        for kind in beside.imports.into_iter().flat_map(import_tree::ImportSpec::node_kinds) {
            match grammar.id_for_node_kind(kind, true) {
                0 => return Err(RulesError::Kind(format!("kind `{kind}`"))),
                id => kinds[id as usize].get_or_insert_default().imports = true,
            }
        }
        let expressions = match beside.expressions {
            Some(description) => ExpressionReader::compile(grammar, description).map_err(RulesError::Kind)?,
            None => ExpressionReader::default(),
        };
        let (unseen, imports) = (MacroBlanker::compile(beside.unseen)?, beside.imports.cloned());
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

    pub(crate) fn import_spec(&self) -> Option<&import_tree::ImportSpec> {
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
    pub(crate) fn behind_patterns(&self) -> usize {
        self.settings.len() - 1
    }

    pub(crate) fn pattern_settings(&self, pattern: usize) -> &PatternSettings {
        &self.settings[pattern]
    }

    /// The rule for a kind, if the query mentions it.
    pub(crate) fn kind_rule(&self, id: u16) -> Option<&KindRule> {
        self.kinds.get(id as usize)?.as_deref()
    }
}

pub(crate) fn parse_capture(name: &str) -> Result<CaptureRole, RulesError> {
    Ok(match name {
        "start" => CaptureRole::Start,
        "name" => CaptureRole::Name,
        "body" => CaptureRole::Body,
        "owner" => CaptureRole::Owner,
        "clause" => CaptureRole::Clause,
        "scope" => CaptureRole::Scope,
        "as" => CaptureRole::As,
        "docstring" => CaptureRole::Docstring,
        "returns" => CaptureRole::Returns,
        "uncalled" => CaptureRole::Uncalled,
        "base" => CaptureRole::Base,
        "implements" => CaptureRole::Interface,
        "called" => CaptureRole::Called,
        "from" => CaptureRole::Module,
        "imported" => CaptureRole::Imported,
        "alias" => CaptureRole::Alias,
        "all" => CaptureRole::All,
        "default" => CaptureRole::Default,
        "export" => CaptureRole::Export,
        "type_only" => CaptureRole::TypeOnly,
        "dynamic" => CaptureRole::Dynamic,
        "package" => CaptureRole::Package,
        "variable" => CaptureRole::Variable,
        "member" => CaptureRole::Field,
        "typed" => CaptureRole::Type,
        "value" => CaptureRole::Value,
        "items" => CaptureRole::Items,
        "picked" => CaptureRole::Picked,
        "reach" => CaptureRole::Reach,
        "gives" => CaptureRole::Gives,
        "embed" => CaptureRole::Embed,
        "again" => CaptureRole::Again,
        "language" => CaptureRole::Language,
        "comment" => CaptureRole::Bare(KindCapture::Comment),
        "lead" => CaptureRole::Bare(KindCapture::Lead),
        "wrap" => CaptureRole::Bare(KindCapture::Wrap),
        _ if name.starts_with('_') => CaptureRole::Unread,
        _ => CaptureRole::Symbol(SymbolKind::parse(name).ok_or_else(|| RulesError::Capture(name.to_owned()))?),
    })
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
