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
//! | `@returns` | the type a function gives back |
//! | `@uncalled` | what looks like a call in it is none (a type that is written like one) |
//! | `@base`, `@implements` | what the type it stands in is made from, or keeps the promises of |
//! | `@called` | something called where no kind of node says so: an operand of `|>`, a step of a block; every name in it, where it is none itself |
//! | `@package` | the package, namespace or module that the whole file is in; its parts, where one match has several |
//! | `@from` with `@imported`, `@alias`, `@all`, `@default`, `@export`, `@type_only`, `@dynamic` | an import (see [`crate::facts::Import`]) |
//! | `@typed` alone | a type that is named |
//! | `@variable` or `@member` with `@typed`, `@value`, `@items` or nothing | what is said about a type (see [`crate::facts::Binding`]); `@items` has what it is one of |
//! | `@picked` | which member of the value it is |
//! | `@reach` | where a variable is known, where that is less than the symbol around it |
//! | `@gives` | what the function it stands in gives back |
//! | `@embed`, perhaps with `@language` | text of another language (see [`crate::embedded`]) |
//! | `@again` | text of the same language between two signs that the grammar leaves unread: the items in a macro (see [`crate::embedded`]) |
//! | `@_…` | nothing; for predicates |
//!
//! What a pattern may set beside them (see [`crate::settings`]): `(#set! level "2")`, `(#set! language "javascript")`.
//!
//! Running one big query over the whole tree costs more than half of what parsing costs, because it tries every node
//! (measured). So the tree is walked once, and patterns are tried only at nodes whose kind starts some of them (see
//! [`crate::query`]); a pattern that is a single kind with one capture is answered by the kind alone. For this every
//! pattern has to start with a node kind, not with a choice.

use crate::definition::{self, Definition};
use crate::expression::Expressions;
use crate::gate::Gate;
use crate::import_tree;
use crate::lost::Shapes;
use crate::notation::Notation;
use crate::query;
use crate::settings::{Settings, SettingsError};
use crate::unseen::Unseen;
use model::SymbolKind;
use std::collections::HashMap;
use tree_sitter::{Language, Query, QueryError};

/// A compiled query.
pub(crate) struct Rules {
    grammar: Language,
    /// For kinds of node whose patterns are not all plain.
    query: Option<Asked>,
    /// By pattern; the last for what is defined without one.
    settings: Vec<Settings>,
    /// By kind; nothing for kinds the query does not speak of, which are most.
    kinds: Vec<Option<Box<KindRule>>>,
    expressions: Expressions,
    imports: Option<import_tree::Description>,
    unseen: Unseen,
    lost: Shapes,
}

/// The patterns that the parser's own engine is asked about.
pub(crate) struct Asked {
    pub(crate) query: Query,
    captures: Vec<Capture>,
    /// The places of its patterns in the language's query.
    places: Vec<usize>,
}

impl Asked {
    /// Compiles the patterns at some places, if there are any, and reads what they set.
    fn compile(
        grammar: &Language,
        texts: &[String],
        mut places: Vec<usize>,
        settings: &mut [Settings],
    ) -> Result<Option<Self>, RulesError> {
        if places.is_empty() {
            return Ok(None);
        }
        places.sort_unstable();
        let source: Vec<&str> = places.iter().map(|place| texts[*place].as_str()).collect();
        let query = Query::new(grammar, &source.join("\n"))?;
        let captures = query.capture_names().iter().map(|name| capture(name)).collect::<Result<Vec<_>, _>>()?;
        for (at, place) in places.iter().enumerate() {
            settings[*place] = Settings::read(query.property_settings(at))?;
        }
        Ok(Some(Self { query, captures, places }))
    }

    pub(crate) fn capture(&self, index: u32) -> Capture {
        self.captures[index as usize]
    }

    pub(crate) fn place(&self, pattern: usize) -> usize {
        self.places[pattern]
    }
}

/// What a language says beside its query.
#[derive(Default)]
pub(crate) struct Grammar<'a> {
    pub(crate) expressions: Option<&'a Notation>,
    pub(crate) imports: Option<&'a import_tree::Description>,
    pub(crate) unseen: &'a [(String, String)],
    pub(crate) lost: &'a [(String, String)],
    pub(crate) loses_silently: Option<&'a str>,
    pub(crate) line_texts: &'a [String],
    pub(crate) definitions: Option<&'a HashMap<String, definition::Description>>,
}

/// What a capture means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
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
    Bare(Bare),
    Unread,
}

/// Captures that a node's kind alone can decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    Comment,
    Lead,
    Wrap,
}

/// What the query says about one kind of node.
#[derive(Clone, Default)]
pub(crate) struct KindRule {
    pub(crate) bare: Option<Bare>,
    /// Before patterns are tried; none where no longer pattern starts with this kind.
    pub(crate) gate: Option<Gate>,
    /// The patterns that start with this kind; none where the parser's engine is asked.
    pub(crate) patterns: Option<Vec<query::Pattern>>,
    /// Whether it declares imports that branch.
    pub(crate) imports: bool,
    /// What it defines without the query.
    pub(crate) definition: Option<Definition>,
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

impl Rules {
    pub(crate) fn compile(grammar: &Language, source: &str, beside: &Grammar<'_>) -> Result<Self, RulesError> {
        let texts = query::patterns(source);
        let mut kinds: Vec<Option<Box<KindRule>>> = vec![None; grammar.node_kind_count()];
        let mut starting: Vec<Vec<usize>> = vec![Vec::new(); kinds.len()];
        for (index, text) in texts.iter().enumerate() {
            let pattern = Pattern::read(text).ok_or_else(|| RulesError::Start(text.clone()))?;
            let kind = grammar.id_for_node_kind(pattern.kind, true) as usize;
            starting[kind].push(index);
            let rule = kinds[kind].get_or_insert_default();
            match pattern.only_capture.map(capture).transpose()? {
                Some(Capture::Bare(bare)) => rule.bare = Some(bare),
                _ if captures_of(text)
                    .any(|name| matches!(capture(name), Ok(Capture::Bare(Bare::Comment | Bare::Wrap)))) =>
                {
                    return Err(RulesError::NotBare(text.clone()));
                }
                _ => {
                    let gate = Gate::of_pattern(grammar, text);
                    match &mut rule.gate {
                        Some(wider) => wider.widen(&gate),
                        none => *none = Some(gate),
                    }
                }
            }
        }
        let mut places = Vec::new();
        for (rule, starting) in kinds.iter_mut().zip(starting) {
            let Some(rule) = rule.as_mut().filter(|rule| rule.gate.is_some()) else { continue };
            rule.patterns = starting.iter().map(|index| query::read(grammar, *index, &texts[*index])).collect();
            if rule.patterns.is_none() {
                places.extend(starting);
            }
        }
        let mut settings: Vec<Settings> = Vec::new();
        settings.resize_with(texts.len() + 1, Settings::default);
        let query = Asked::compile(grammar, &texts, places, &mut settings)?;
        for (kind, description) in beside.definitions.into_iter().flatten() {
            match grammar.id_for_node_kind(kind, true) {
                0 => return Err(RulesError::Kind(format!("kind `{kind}`"))),
                id => {
                    let definition = Definition::compile(grammar, description).map_err(RulesError::Kind)?;
                    kinds[id as usize].get_or_insert_default().definition = Some(definition);
                }
            }
        }
        for kind in beside.imports.into_iter().flat_map(import_tree::Description::kinds) {
            match grammar.id_for_node_kind(kind, true) {
                0 => return Err(RulesError::Kind(format!("kind `{kind}`"))),
                id => kinds[id as usize].get_or_insert_default().imports = true,
            }
        }
        let expressions = match beside.expressions {
            Some(description) => Expressions::compile(grammar, description).map_err(RulesError::Kind)?,
            None => Expressions::default(),
        };
        let (unseen, imports) = (Unseen::compile(beside.unseen)?, beside.imports.cloned());
        let lost = Shapes::compile(beside.lost, beside.loses_silently, beside.line_texts).map_err(RulesError::Lost)?;
        let grammar = grammar.clone();
        Ok(Self { grammar, query, settings, kinds, expressions, imports, unseen, lost })
    }

    pub(crate) fn grammar(&self) -> &Language {
        &self.grammar
    }

    pub(crate) fn expressions(&self) -> &Expressions {
        &self.expressions
    }

    pub(crate) fn imports(&self) -> Option<&import_tree::Description> {
        self.imports.as_ref()
    }

    pub(crate) fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    /// How definitions look that the parser may lose.
    pub(crate) fn lost(&self) -> &Shapes {
        &self.lost
    }

    /// What the parser's own engine is asked.
    pub(crate) fn query(&self) -> Option<&Asked> {
        self.query.as_ref()
    }

    /// The place of what is defined without a pattern, behind all that have one: a query may know better.
    pub(crate) fn behind_patterns(&self) -> usize {
        self.settings.len() - 1
    }

    pub(crate) fn settings(&self, pattern: usize) -> &Settings {
        &self.settings[pattern]
    }

    /// What the query says about a kind, if it speaks of it.
    pub(crate) fn kind(&self, id: u16) -> Option<&KindRule> {
        self.kinds.get(id as usize)?.as_deref()
    }
}

pub(crate) fn capture(name: &str) -> Result<Capture, RulesError> {
    Ok(match name {
        "start" => Capture::Start,
        "name" => Capture::Name,
        "body" => Capture::Body,
        "owner" => Capture::Owner,
        "clause" => Capture::Clause,
        "scope" => Capture::Scope,
        "as" => Capture::As,
        "docstring" => Capture::Docstring,
        "returns" => Capture::Returns,
        "uncalled" => Capture::Uncalled,
        "base" => Capture::Base,
        "implements" => Capture::Interface,
        "called" => Capture::Called,
        "from" => Capture::Module,
        "imported" => Capture::Imported,
        "alias" => Capture::Alias,
        "all" => Capture::All,
        "default" => Capture::Default,
        "export" => Capture::Export,
        "type_only" => Capture::TypeOnly,
        "dynamic" => Capture::Dynamic,
        "package" => Capture::Package,
        "variable" => Capture::Variable,
        "member" => Capture::Field,
        "typed" => Capture::Type,
        "value" => Capture::Value,
        "items" => Capture::Items,
        "picked" => Capture::Picked,
        "reach" => Capture::Reach,
        "gives" => Capture::Gives,
        "embed" => Capture::Embed,
        "again" => Capture::Again,
        "language" => Capture::Language,
        "comment" => Capture::Bare(Bare::Comment),
        "lead" => Capture::Bare(Bare::Lead),
        "wrap" => Capture::Bare(Bare::Wrap),
        _ if name.starts_with('_') => Capture::Unread,
        _ => Capture::Symbol(SymbolKind::parse(name).ok_or_else(|| RulesError::Capture(name.to_owned()))?),
    })
}

fn captures_of(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('@').skip(1).filter_map(|rest| rest.split(|c: char| !is_word(c)).next())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// As much of a pattern's text as decides where it is asked.
struct Pattern<'a> {
    kind: &'a str,
    /// The capture, where the pattern is `(kind) @capture` and nothing else.
    only_capture: Option<&'a str>,
}

impl<'a> Pattern<'a> {
    fn read(text: &'a str) -> Option<Self> {
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
