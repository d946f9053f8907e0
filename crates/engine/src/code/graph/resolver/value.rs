//! `AbstractValue` and `ValueSet`: the possible values of an expression in type inference (a symbol, an instance of a
//! type, a module, unknown, outside of the project) with their confidence.

use super::SymbolAt;

/// One possible value of an expression. Files and directories are numbers in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AbstractValue {
    /// A function, macro, constant or module inside a file.
    Symbol(SymbolAt),
    /// A type itself.
    Type(SymbolAt),
    /// An instance of a type.
    Instance(SymbolAt),
    /// A binding of a variable, a field or a type alias: the file, and the place among its bindings. Evaluated as a
    /// value or as a type when it is needed.
    Bound(u32, u32),
    /// A file as a module.
    File(u32),
    /// A directory as a module.
    Directory(u32),
    /// A namespace of a family of languages, by the number of its full name.
    Namespace(u32, u32),
    /// A container from outside of the project with these contents.
    Holder(Vec<AbstractValue>),
    /// From outside of the project.
    Outside,
    /// Undecidable from the text.
    Unknown,
}

impl AbstractValue {
    /// Whether the value can be followed.
    pub(super) fn is_ours(&self) -> bool {
        !matches!(self, Self::Outside | Self::Unknown)
    }

    /// The symbol that the value is, or is an instance of.
    pub(super) fn symbol(&self) -> Option<SymbolAt> {
        if let Self::Instance(of) | Self::Type(of) | Self::Symbol(of) = self { Some(*of) } else { None }
    }
}

/// All possible values of an expression, and their confidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueSet {
    pub(super) values: Vec<AbstractValue>,
    /// In hundredths.
    pub(super) sure: u8,
}

/// The text itself leaves no doubt.
pub(super) const CERTAIN_CONFIDENCE: u8 = 100;

/// A type was inferred from a value.
pub(super) const INFERRED_CONFIDENCE: u8 = 90;

/// More values than this are noise: an expression hardly ever means so many things.
const MAX_ALTERNATIVE_VALUES: usize = 8;

impl ValueSet {
    pub(super) fn none() -> Self {
        Self { values: Vec::new(), sure: CERTAIN_CONFIDENCE }
    }

    pub(super) fn one(value: AbstractValue) -> Self {
        Self { values: vec![value], sure: CERTAIN_CONFIDENCE }
    }

    pub(super) fn from_values(values: impl IntoIterator<Item = AbstractValue>) -> Self {
        let mut known = Self::none();
        values.into_iter().for_each(|value| known.add_value(value));
        known
    }

    pub(super) fn outside() -> Self {
        Self::one(AbstractValue::Outside)
    }

    pub(super) fn unknown() -> Self {
        Self::one(AbstractValue::Unknown)
    }

    /// Whether any of the values can be followed.
    pub(super) fn is_ours(&self) -> bool {
        self.values.iter().any(AbstractValue::is_ours)
    }

    /// An item of each value; an item of a generic type is that type. With `is_kept`, an instance stays: it may come
    /// out of a transparent container.
    pub(super) fn item_values(self, is_kept: bool) -> Self {
        let mut found = Self::none().at_most(self.sure);
        for value in self.values {
            match value {
                // `List<User>`: an item of the container is what it holds.
                AbstractValue::Holder(inner) => inner.into_iter().for_each(|value| found.add_value(value)),
                AbstractValue::Type(_) | AbstractValue::Symbol(_) | AbstractValue::Outside => found.add_value(value),
                AbstractValue::Instance(_) if is_kept => found.add_value(value),
                AbstractValue::Instance(_)
                | AbstractValue::Bound(..)
                | AbstractValue::File(_)
                | AbstractValue::Directory(_)
                | AbstractValue::Namespace(..)
                | AbstractValue::Unknown => found.add_value(AbstractValue::Unknown),
            }
        }
        found
    }

    /// The same values and the contents of containers: what a method returns that returns its receiver or an item of
    /// it.
    pub(super) fn with_inner(self) -> Self {
        let mut found = Self::none().at_most(self.sure);
        for value in self.values {
            // A member such as `get` returns the container or an item of it, so both stay possible.
            if let AbstractValue::Holder(inner) = &value {
                for value in inner {
                    found.add_value(value.clone());
                }
            }
            found.add_value(value);
        }
        found
    }

    /// The types of which the values are instances.
    pub(super) fn into_types(mut self) -> Self {
        for value in &mut self.values {
            if let AbstractValue::Instance(of) = value {
                *value = AbstractValue::Type(*of);
            }
        }
        self
    }

    pub(super) fn is_none(&self) -> bool {
        self.values.is_empty()
    }

    /// The same values with at most this confidence.
    pub(super) fn at_most(mut self, sure: u8) -> Self {
        self.sure = self.sure.min(sure);
        self
    }

    /// The same values, or others where there are none.
    pub(super) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_none() { other() } else { self }
    }

    pub(super) fn add_value(&mut self, value: AbstractValue) {
        if self.values.len() < MAX_ALTERNATIVE_VALUES && !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    pub(super) fn merge_with(&mut self, other: Self) {
        // An empty set says nothing about the confidence of the others.
        if !other.is_none() {
            self.sure = self.sure.min(other.sure);
        }
        other.values.into_iter().for_each(|value| self.add_value(value));
    }
}
