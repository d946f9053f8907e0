//! The `[modules]` table of a `language.toml`: how imports of a language name modules, and which names of other files
//! are visible without an import. Only declarations here: their meaning for files on disk is decided where all files
//! are known.

use serde::Deserialize;

/// `[modules]` of a `language.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a line of its own in `language.toml`")]
pub struct ModuleRules {
    /// What the module of an import names.
    pub style: ModuleStyle,
    /// What a bare name refers to beyond its own file without an import.
    pub visible: NameVisibility,
    /// Whether a bare name may be a member of the type around the code.
    pub implicit_this: bool,
    /// Names of the members that make an instance; `*` for one called like its type.
    pub constructors: Vec<String>,
    /// File names, without extension, that represent their directory.
    pub indexes: Vec<String>,
    /// Types that are used as their arguments: `Optional[T]`, `Box<T>`.
    pub transparent: Vec<String>,
    /// Types of types, whose values are their arguments themselves: `type[T]`.
    pub metatypes: Vec<String>,
    /// Whether functions of one name and place differ by their parameters.
    pub overloads: bool,
    /// Whether what is passed to a call is compared with the parameters of each; types come before names there.
    pub compared: bool,
    /// Whether what is passed may be made into an instance of the parameter's type on the way.
    pub conversions: bool,
    /// Numbers of the language itself, each list in the order in which one is taken for the next: `int long float`.
    pub widening: Vec<String>,
    /// Types of the language itself and the types of its library that hold one of them, in pairs: `int Integer`.
    pub boxed: Vec<String>,
    /// Types of the library that nearly everything is: `Object`.
    pub tops: Vec<String>,
    /// Members that return their receiver, or an item of it: `unwrap`.
    pub passing: Vec<String>,
    /// Names of members of the language's own library, several on a line: on an unknown value, they are not taken for
    /// members of the project.
    pub library: Vec<String>,
}

/// What the module of an import names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleStyle {
    /// The language has no imports.
    #[default]
    None,
    /// A file, by its path from the importing file or from a root: `#include "a/b.h"`, `require "a/b"`.
    Path,
    /// A file or package, by a path when it starts with a dot: `./a`, `@scope/name/a`.
    Specifier,
    /// A file or directory, with dots between its parts, and leading dots for here and above: `.a.b`.
    Dotted,
    /// A directory whose files are one package: `example.com/module/a`.
    Directory,
    /// A place in the tree of modules of a crate: `crate::a::b`, `super::a`.
    Crate,
    /// A namespace that files declare, or a symbol of one by its full name: `a.b.C`.
    Namespace,
}

/// Which names of other files a bare name can refer to without an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NameVisibility {
    /// Nothing.
    #[default]
    File,
    /// The top of every file in the same directory.
    Directory,
    /// Everything in the same package or namespace.
    Namespace,
    /// The top of every file of the project in this language.
    Project,
}
