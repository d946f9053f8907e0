//! What an expression can turn out to be.

use super::SymbolAt;

/// One thing an expression may stand for. Files and directories are numbers in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AbstractValue {
    /// A function, macro, constant or module inside a file.
    Symbol(SymbolAt),
    /// A type itself.
    Type(SymbolAt),
    /// Something of a type.
    Instance(SymbolAt),
    /// What a file says about a variable, a field or another name for a type: the file, and the place among what it
    /// says. Read as a value or as a type when it is needed.
    Bound(u32, u32),
    /// A file as a module.
    File(u32),
    /// A directory as a module.
    Directory(u32),
    /// A namespace of a family of languages, by the number of its full name.
    Namespace(u32, u32),
    /// Something from outside of the project that holds these.
    Holder(Vec<AbstractValue>),
    /// From outside of the project.
    Outside,
    /// Not to be told.
    Unknown,
}

impl AbstractValue {
    /// Whether it is something that can be followed.
    pub(super) fn is_ours(&self) -> bool {
        !matches!(self, Self::Outside | Self::Unknown)
    }

    /// The symbol that it is, or is of.
    pub(super) fn symbol(&self) -> Option<SymbolAt> {
        if let Self::Instance(of) | Self::Type(of) | Self::Symbol(of) = self { Some(*of) } else { None }
    }
}

/// Everything an expression may stand for, and how sure that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueSet {
    pub(super) values: Vec<AbstractValue>,
    /// In hundredths.
    pub(super) sure: u8,
}

/// The text itself leaves no doubt.
pub(super) const CERTAIN: u8 = 100;

/// A type was inferred from a value.
pub(super) const INFERRED: u8 = 90;

/// More than this is noise: an expression hardly ever means all of so many.
const MOST: usize = 8;

impl ValueSet {
    pub(super) fn none() -> Self {
        Self { values: Vec::new(), sure: CERTAIN }
    }

    pub(super) fn one(value: AbstractValue) -> Self {
        Self { values: vec![value], sure: CERTAIN }
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

    /// Whether anything of it can be followed.
    pub(super) fn is_ours(&self) -> bool {
        self.values.iter().any(AbstractValue::is_ours)
    }

    /// An item of each value; a type with arguments is that type. What may be held by something transparent is kept
    /// where that is said.
    pub(super) fn item_values(self, is_kept: bool) -> Self {
        let mut found = Self::none().at_most(self.sure);
        for value in self.values {
            match value {
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

    /// The same, and what is in it: what a member gives back that gives back what it is called on.
    pub(super) fn with_inner(self) -> Self {
        let mut found = Self::none().at_most(self.sure);
        for value in self.values {
            if let AbstractValue::Holder(inner) = &value {
                for value in inner {
                    found.add_value(value.clone());
                }
            }
            found.add_value(value);
        }
        found
    }

    pub(super) fn is_none(&self) -> bool {
        self.values.is_empty()
    }

    /// The same, no surer than this.
    pub(super) fn at_most(mut self, sure: u8) -> Self {
        self.sure = self.sure.min(sure);
        self
    }

    /// The same, or something else where there is nothing.
    pub(super) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_none() { other() } else { self }
    }

    pub(super) fn add_value(&mut self, value: AbstractValue) {
        if self.values.len() < MOST && !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    pub(super) fn merge_with(&mut self, other: Self) {
        if !other.is_none() {
            self.sure = self.sure.min(other.sure);
        }
        other.values.into_iter().for_each(|value| self.add_value(value));
    }
}
