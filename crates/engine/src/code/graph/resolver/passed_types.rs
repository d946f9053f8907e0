//! Compares the type of what a call passes with the type of a parameter, as far as the text shows both.

use super::SymbolAt;
use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::language_traits::ConversionRules;
use super::value::{AbstractValue, ValueSet};
use crate::code::graph::uses::{ExpressionNode, InternedParameter};
use model::SymbolKind;

/// How well what is passed fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit(pub(super) u8);

impl Fit {
    /// It has exactly this type.
    pub(super) const EXACT: Self = Self(40);
    /// Its type is derived from it, or widened to it; less for each step between.
    const DERIVED: Self = Self(30);
    /// The same, through a type of the library that holds it.
    const BOXED: Self = Self(20);
    /// Nearly everything is of this type.
    pub(super) const TOP: Self = Self(10);
    /// A type parameter.
    const GENERIC: Self = Self(8);
    /// The text does not show it.
    pub(super) const OPEN: Self = Self(1);
    /// Only a conversion that the resolver does not see could make it fit.
    const CONVERTED: Self = Self(0);

    fn less(self, steps: usize) -> Self {
        Self(self.0.saturating_sub(steps.min(8) as u8))
    }
}

/// A type as far as the text shows it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenType {
    /// The type of the project that it is.
    ours: Option<SymbolAt>,
    /// Its name.
    head: Option<u32>,
    is_array: bool,
    /// `null`, or a function that is written in place: anything but a value of the language itself.
    is_object: bool,
}

/// Declarations are followed this far for the name of a type.
const MOST_STEPS: u32 = 4;

/// More bases than this are no hierarchy that people write.
const MOST_BASES: usize = 64;

impl ExpressionEvaluator<'_> {
    /// The type of what is passed.
    pub(super) fn passed_type(&mut self, node: u32, place: ExpressionSite) -> SeenType {
        let tables = self.file_tables(place);
        let (head, values) = match tables.node_at(node) {
            ExpressionNode::Builtin(name) => (Some((name, false)), ValueSet::none()),
            ExpressionNode::Literal => return SeenType { is_object: true, ..SeenType::default() },
            ExpressionNode::New(of) => (self.type_head(place.file, of), self.evaluate_type(of, place)),
            ExpressionNode::Name(_)
            | ExpressionNode::Member(..)
            | ExpressionNode::Call(_)
            | ExpressionNode::Of(..)
            | ExpressionNode::Item(_)
            | ExpressionNode::List(..)
            | ExpressionNode::Either(..)
            | ExpressionNode::This
            | ExpressionNode::Super
            | ExpressionNode::Unknown => {
                self.reset_fuel();
                (self.written_head(node, place, MOST_STEPS), self.evaluate_node(node, place))
            }
        };
        self.seen_type(head, &values)
    }

    fn seen_type(&self, head: Option<(u32, bool)>, values: &ValueSet) -> SeenType {
        let ours = match values.values[..] {
            [AbstractValue::Instance(of) | AbstractValue::Type(of)] => Some(of),
            _ => None,
        };
        let (name, is_array) = head.unzip();
        // `Optional<User>` is looked at like a `User`, but is passed as what it is.
        let ours = ours.filter(|of| name.is_none_or(|name| self.on.definition(*of).name == name));
        let head = name.or(ours.map(|of| self.on.definition(of).name));
        SeenType { ours, head, is_array: is_array.unwrap_or_default(), is_object: false }
    }

    /// The name of the type that is written for an expression, and whether it is an array of that.
    fn written_head(&mut self, node: u32, place: ExpressionSite, steps: u32) -> Option<(u32, bool)> {
        let steps = steps.checked_sub(1)?;
        match self.file_tables(place).node_at(node) {
            ExpressionNode::Builtin(name) => Some((name, false)),
            ExpressionNode::New(of) => self.type_head(place.file, of),
            ExpressionNode::Name(_) | ExpressionNode::Member(..) => {
                let known = self.evaluate_raw(node, place);
                match known.values[..] {
                    [AbstractValue::Bound(file, at)] => {
                        let binding = &self.on.file_tables(file).uses.bindings[at as usize];
                        if binding.is_type {
                            return self.type_head(file, binding.says);
                        }
                        let place = ExpressionSite { file, within: binding.within, line: binding.line };
                        self.written_head(binding.says, place, steps)
                    }
                    // A cast reads as the type that it names.
                    [AbstractValue::Type(of)] => Some((self.on.definition(of).name, false)),
                    _ => None,
                }
            }
            ExpressionNode::Call(function) => {
                let called = self.evaluate_node(function, place);
                let [AbstractValue::Symbol(symbol)] = called.values[..] else { return None };
                let uses = &self.on.file_tables(symbol.file).uses;
                let at = uses.returns.binary_search_by_key(&symbol.place, |(function, _)| *function).ok()?;
                let head = self.type_head(symbol.file, uses.returns[at].1);
                let name = self.on.definition(symbol).name;
                let same = self.on.definition(symbol).parent;
                // Functions of one name may return different types.
                let is_other = |(function, says): &(u32, u32)| {
                    let other = &uses.definitions[*function as usize];
                    other.name == name && other.parent == same && self.type_head(symbol.file, *says) != head
                };
                head.filter(|_| !uses.returns.iter().any(is_other))
            }
            ExpressionNode::Of(..)
            | ExpressionNode::Item(_)
            | ExpressionNode::List(..)
            | ExpressionNode::Either(..)
            | ExpressionNode::This
            | ExpressionNode::Super
            | ExpressionNode::Literal
            | ExpressionNode::Unknown => None,
        }
    }

    /// The name of a type as it is written, and whether it is an array of that.
    pub(super) fn type_head(&self, file: u32, node: u32) -> Option<(u32, bool)> {
        let tables = self.on.file_tables(file);
        match tables.node_at(node) {
            ExpressionNode::Name(name) | ExpressionNode::Member(_, name) | ExpressionNode::Builtin(name) => {
                Some((name, false))
            }
            ExpressionNode::Of(of, inner) if tables.node_at(of) == ExpressionNode::Literal => {
                self.type_head(file, inner).map(|(name, _)| (name, true))
            }
            ExpressionNode::Of(of, _) => self.type_head(file, of),
            ExpressionNode::Call(_)
            | ExpressionNode::New(_)
            | ExpressionNode::Item(_)
            | ExpressionNode::List(..)
            | ExpressionNode::Either(..)
            | ExpressionNode::This
            | ExpressionNode::Super
            | ExpressionNode::Literal
            | ExpressionNode::Unknown => None,
        }
    }

    /// How well what is passed fits a parameter of a function; nothing where it cannot be meant.
    pub(super) fn fit_of(
        &mut self,
        passed: &SeenType,
        function: SymbolAt,
        parameter: InternedParameter,
        asking: u32,
    ) -> Option<Fit> {
        let on = self.on;
        let Some(rules) = on.language_traits(asking).map(|traits| &traits.conversions) else { return Some(Fit::OPEN) };
        let line = on.definition(function).lines.0;
        let place = ExpressionSite { file: function.file, within: Some(function.place), line };
        let head = self.type_head(function.file, parameter.says);
        let values = self.evaluate_type(parameter.says, place);
        let wanted = self.seen_type(head, &values);
        let fit = self.compare_types(passed, &wanted, rules).or(rules.is_lenient.then_some(Fit::CONVERTED));
        // A list of any length is tried last.
        if parameter.is_repeated { fit.map(|fit| Fit(fit.0 / 4).max(Fit::OPEN)) } else { fit }
    }

    fn compare_types(&self, passed: &SeenType, wanted: &SeenType, rules: &ConversionRules) -> Option<Fit> {
        let Some(name) = wanted.head else { return Some(Fit::OPEN) };
        let is_value = |name: u32| rules.is_value(name);
        let is_generic = |name: u32| is_type_parameter(self.on.names.name_text(name));
        if passed.is_object {
            let starts_small = self.on.names.name_text(name).starts_with(char::is_lowercase);
            return (wanted.is_array || !(is_value(name) && starts_small)).then_some(Fit::OPEN);
        }
        let Some(given) = passed.head else { return Some(Fit::OPEN) };
        if passed.is_array != wanted.is_array {
            let takes_all = !wanted.is_array && (rules.tops.contains(&name) || is_generic(name));
            // An item of what is declared as an array has no brackets in some languages.
            return takes_all.then_some(Fit::TOP);
        }
        match (passed.ours, wanted.ours) {
            (Some(mine), Some(other)) if mine == other => Some(Fit::EXACT),
            (Some(mine), Some(other)) => self.steps_to_base(mine, other).map(|steps| Fit::DERIVED.less(steps)),
            (Some(_), None) if rules.tops.contains(&name) => Some(Fit::TOP),
            (Some(_), None) if is_generic(name) => Some(Fit::GENERIC),
            (Some(_), None) if is_value(name) => None,
            // What is from outside may be a base of it.
            (Some(mine), None) => self.may_be_external(mine).then_some(Fit::OPEN),
            (None, Some(_)) if given == name || is_generic(given) => Some(Fit::OPEN),
            (None, Some(_)) => (!is_value(given) && self.is_type_name(given)).then_some(Fit::OPEN),
            // The `T` of one function is not that of another.
            (None, None) if given == name && is_generic(name) => Some(Fit::GENERIC),
            (None, None) if given == name => Some(Fit::EXACT),
            (None, None) => match rules.steps_between(given, name) {
                Some(fit) => Some(fit),
                None if rules.tops.contains(&name) => Some(Fit::TOP),
                None if is_generic(name) => Some(Fit::GENERIC),
                None if is_value(given) || is_value(name) => None,
                None => Some(Fit::OPEN),
            },
        }
    }

    /// How many steps of inheritance lead from a type to one of its bases.
    fn steps_to_base(&self, from: SymbolAt, to: SymbolAt) -> Option<usize> {
        let mut seen = vec![from];
        let mut level = vec![from];
        for steps in 0.. {
            if level.contains(&to) {
                return Some(steps);
            }
            let bases: Vec<SymbolAt> = level.iter().flat_map(|of| self.base_types(*of)).collect();
            level = bases.into_iter().filter(|base| !seen.contains(base)).collect();
            seen.extend(&level);
            if level.is_empty() || seen.len() > MOST_BASES {
                break;
            }
        }
        None
    }

    fn may_be_external(&self, of: SymbolAt) -> bool {
        let mut seen = vec![of];
        let mut at = 0;
        while let Some(of) = seen.get(at).copied().filter(|_| at < MOST_BASES) {
            at += 1;
            // Every enumeration is something of the library.
            if self.is_open(of) || self.on.definition(of).kind == SymbolKind::Enum {
                return true;
            }
            let bases = self.base_types(of);
            seen.extend(bases.into_iter().filter(|base| *base != of));
        }
        false
    }

    /// Whether some type of the project has a name: the use may mean it, although it was not found.
    fn is_type_name(&self, name: u32) -> bool {
        self.on.languages.iter().any(|traits| {
            let named = self.on.guesses.symbols_named(traits.family, name);
            named.iter().any(|symbol| self.on.definition(*symbol).kind.is_type())
        })
    }
}

impl ConversionRules {
    /// Whether a type is one of the language itself, of which all that it is taken for is known.
    fn is_value(&self, name: u32) -> bool {
        self.widening.iter().chain(&self.boxed).any(|chain| chain.contains(&name))
    }

    fn steps_between(&self, from: u32, to: u32) -> Option<Fit> {
        let steps = |chain: &Vec<u32>| {
            let start = chain.iter().position(|name| *name == from)?;
            let end = chain.iter().position(|name| *name == to)?;
            if self.is_lenient { Some(start.abs_diff(end)) } else { end.checked_sub(start) }
        };
        let widened = self.widening.iter().find_map(steps).map(|steps| Fit::DERIVED.less(steps));
        widened.or_else(|| {
            let boxed = self.boxed.iter().find_map(|chain| {
                // A type is held by, or taken out of, the one that the chain begins with.
                (chain.first() == Some(&from)).then(|| steps(chain)).flatten()
            });
            boxed.map(|steps| Fit::BOXED.less(steps))
        })
    }
}

/// Whether a name looks like that of a type parameter: `T`, `K2`, `TYPE`.
fn is_type_parameter(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}
