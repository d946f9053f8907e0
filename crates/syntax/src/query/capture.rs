//! Defines the captures of a language's tree-sitter query (`symbols.scm`) as `CaptureRole`, and what each means.
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
//! | `@from` with `@imported`, `@alias`, `@all`, `@default`, `@export`, `@type_only`, `@dynamic` | an import (see [`crate::file_extract::ImportDeclaration`]) |
//! | `@typed` alone | a type that is named |
//! | `@variable` or `@member` with `@typed`, `@value`, `@items` or nothing | what is said about a type (see [`crate::file_extract::TypeBinding`]); `@items` has what it is one of |
//! | `@many` | with `@typed`: a list of that type |
//! | `@picked` | which member of the value it is |
//! | `@reach` | where a variable is known, where that is less than the symbol around it |
//! | `@gives` | an expression that the function around it returns |
//! | `@embed`, perhaps with `@language` | text of another language (see [`crate::walk::embedded_text`]) |
//! | `@again` | text of the same language between two signs that the grammar leaves unread: the items in a macro (see [`crate::walk::embedded_text`]) |
//! | `@_…` | nothing; for predicates |
//!
//! What a pattern may set beside them (see [`super::settings`]): `(#set! level "2")`, `(#set! language "javascript")`.

use model::SymbolKind;

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
    Many,
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

/// A capture whose name means nothing.
#[derive(Debug, thiserror::Error)]
#[error("cannot use capture `@{0}`: it is no symbol kind and no known role")]
pub(crate) struct UnknownCapture(String);

/// What the capture with this name means.
pub(crate) fn parse_capture(name: &str) -> Result<CaptureRole, UnknownCapture> {
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
        "many" => CaptureRole::Many,
        "reach" => CaptureRole::Reach,
        "gives" => CaptureRole::Gives,
        "embed" => CaptureRole::Embed,
        "again" => CaptureRole::Again,
        "language" => CaptureRole::Language,
        "comment" => CaptureRole::Bare(KindCapture::Comment),
        "lead" => CaptureRole::Bare(KindCapture::Lead),
        "wrap" => CaptureRole::Bare(KindCapture::Wrap),
        _ if name.starts_with('_') => CaptureRole::Unread,
        _ => CaptureRole::Symbol(SymbolKind::parse(name).ok_or_else(|| UnknownCapture(name.to_owned()))?),
    })
}
