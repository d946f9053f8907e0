//! The `[expressions]` table of a `language.toml`, as deserialized: which node kinds of the grammar are names, members,
//! calls and types.

use super::bare_names::BareNameSpec;
use serde::Deserialize;
use std::collections::HashMap;

/// Which kinds of node are what.
///
/// A field is its name in the grammar. Where the grammar has no name for it, a number selects a named child, counted
/// from 0, or from -1 at the end; an empty text selects the first, and a sign the one behind it.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpressionSpec {
    /// Kinds that are a name.
    pub(crate) names: Vec<String>,
    /// Kinds that are a member, with the fields of the object and of the name, which may be a member itself. Where the
    /// query captures one as a name, its object is the owner.
    pub(crate) members: HashMap<String, (String, String)>,
    /// Kinds that are a path of names without fields: the first child and, after it, each that is a name. What stands
    /// between them is no part of it.
    pub(crate) paths: Vec<String>,
    /// Kinds of child of a path that list the arguments of the type it is so far.
    pub(crate) arguments: Vec<String>,
    /// Kinds that are a call, with the field of what is called.
    pub(crate) calls: HashMap<String, String>,
    /// Kinds of call that are an item of a value where a bracket follows what is called: `items[0]`.
    pub(crate) indexing: Vec<String>,
    /// Kinds that are a call of a member, with the fields of the object, which may be missing, and of the name, which may
    /// be a call itself.
    pub(crate) member_calls: HashMap<String, (String, String)>,
    /// Kinds that make a new instance, with the field of its type.
    pub(crate) news: HashMap<String, String>,
    /// Kinds and names that are the object itself.
    pub(crate) this: Vec<String>,
    /// Kinds and names that are its base.
    pub(crate) supers: Vec<String>,
    /// Kinds that mean what is in one of their fields, or in their first child where the field is empty. Of a kind that
    /// is a call too: where nothing is called, as in the application of a type. A name that the query captures is read
    /// through them, too: `*name` and `name[3]` declare `name`.
    pub(crate) through: HashMap<String, String>,
    /// Kinds that are something of the language itself.
    pub(crate) literals: Vec<String>,
    /// Kinds that are a type of the language itself, or a value of one, with the name of that type; an empty text stands
    /// for what is written.
    pub(crate) builtins: HashMap<String, String>,
    /// Kinds that list what is passed to a call, where functions of one name may differ by that.
    pub(crate) passed: Vec<String>,
    /// Words of the language that are written like something called: `def`, `if`.
    pub(crate) words: Vec<String>,
    /// Kinds that name a type, where not every name in a type does: type variables may look like any other.
    pub(crate) types: Vec<String>,
    /// Kinds that are a member of the object itself, without naming it: `@name`.
    pub(crate) own: Vec<String>,
    /// Signs around a name that are no part of it: the `@` of `@name`, the `:` of `:name` and `name:`.
    pub(crate) sigils: String,
    /// The separator in names that the grammar leaves whole: `My.Module`, `My::Package`.
    pub(crate) separator: Option<String>,
    /// Names of members that, when called, make an instance of what they are a member of: `Thing.new`.
    pub(crate) makers: Vec<String>,
    /// Whether the base, named alone, calls its member of the same name as the one around.
    pub(crate) super_calls: bool,
    /// Names that call without looking like it.
    pub(crate) bare: Option<BareNameSpec>,
    /// Kinds that are a type with arguments or an item of a value, with the fields of it and of what lists them.
    pub(crate) generics: HashMap<String, (String, String)>,
    /// Kinds of type that hold others, with the field of these: `[]T`.
    pub(crate) holds: HashMap<String, String>,
    /// Kinds that are one of several, with the fields of these; no field means all children.
    pub(crate) either: HashMap<String, Vec<String>>,
    /// Kinds with a child that is only tokens, though most often expressions are meant, and the kind of that child.
    pub(crate) tokens: HashMap<String, String>,
    /// Whether a text may spell a type.
    pub(crate) quoted_types: bool,
    /// Kinds that declare a function where they are nearest to its name: `name(int)`, not `(*name)(int)`. Where there
    /// are any, a captured function is one only if its name is declared so, and a captured constant only if not; the
    /// type of a variable declared so is what the function returns.
    pub(crate) functions: Vec<String>,
    /// Types that are used as their first argument: the members of an owning pointer are those of its target.
    pub(crate) boxes: Vec<String>,
}
