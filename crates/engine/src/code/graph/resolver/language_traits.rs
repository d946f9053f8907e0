//! The naming rules of each language (module style, visibility, constructors, implicit `this`, file extensions), taken
//! from the language definitions of the `syntax` crate with names interned for the resolver.

use super::names::NameInterner;
use std::collections::HashSet;
use syntax::{ModuleStyle, NameVisibility};

/// What the resolver needs to know about one language.
pub(super) struct LanguageTraits {
    pub(super) name: &'static str,
    /// Languages of one family use each other's names.
    pub(super) family: u32,
    pub(super) style: ModuleStyle,
    pub(super) visible: NameVisibility,
    pub(super) has_implicit_this: bool,
    pub(super) constructors: Vec<u32>,
    /// Whether constructors are called like their type.
    pub(super) has_named_constructors: bool,
    /// Types that are used as their arguments: `Option<T>`.
    pub(super) transparent: HashSet<u32>,
    /// Types of types, whose values are their arguments themselves: `type[T]`.
    pub(super) metatypes: HashSet<u32>,
    /// Whether functions of one name and place differ by their parameters.
    pub(super) has_overloads: bool,
    /// How what is passed to a call is compared with parameters, where it is.
    pub(super) conversions: ConversionRules,
    /// Members that return their receiver, or an item of it.
    pub(super) passing: HashSet<u32>,
    /// Names of members of the language's own library.
    pub(super) library: HashSet<u32>,
    pub(super) extensions: Vec<&'static str>,
    pub(super) indexes: &'static [String],
}

/// How types of the language itself and of its library are taken for each other.
#[derive(Default)]
pub(super) struct ConversionRules {
    /// Whether calls are compared at all.
    pub(super) is_compared: bool,
    /// Whether what does not fit may be converted by code that the resolver does not see.
    pub(super) is_lenient: bool,
    /// Chains of types, each of which is taken for those behind it.
    pub(super) widening: Vec<Vec<u32>>,
    /// The same, where nothing of `widening` fits.
    pub(super) boxed: Vec<Vec<u32>>,
    /// Types that nearly everything is.
    pub(super) tops: Vec<u32>,
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

impl LanguageTraits {
    /// Whether `super.name()` with this name creates an instance of the base.
    pub(super) fn makes_base(&self, name: u32) -> bool {
        self.style != ModuleStyle::Dotted && self.constructors.contains(&name)
    }

    /// Every language, in order of its name.
    pub(super) fn all_languages(names: &mut NameInterner) -> Vec<Self> {
        let describe = |language: &'static syntax::Language| {
            let modules = language.module_rules();
            let mut numbers =
                |list: &[String]| -> Vec<u32> { list.iter().map(|name| names.intern_name(name)).collect() };
            Self {
                name: language.name(),
                style: modules.style,
                visible: modules.visible,
                has_implicit_this: modules.implicit_this,
                constructors: numbers(&modules.constructors),
                has_named_constructors: modules.constructors.iter().any(|name| name == "*"),
                transparent: numbers(&modules.transparent).into_iter().collect(),
                metatypes: numbers(&modules.metatypes).into_iter().collect(),
                has_overloads: modules.overloads,
                conversions: ConversionRules {
                    is_compared: modules.compared,
                    is_lenient: modules.conversions,
                    widening: modules.widening.iter().map(|chain| numbers(&words(chain))).collect(),
                    boxed: modules.boxed.iter().map(|chain| numbers(&words(chain))).collect(),
                    tops: numbers(&modules.tops),
                },
                passing: numbers(&modules.passing).into_iter().collect(),
                library: modules
                    .library
                    .iter()
                    .flat_map(|line| line.split_whitespace())
                    .map(|name| names.intern_name(name))
                    .collect(),
                family: names.intern_name(language.family()),
                extensions: language.file_extensions().collect(),
                indexes: &modules.indexes,
            }
        };
        syntax::all_languages().map(describe).collect()
    }
}
