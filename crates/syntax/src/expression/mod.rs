//! Expressions (`Expression`) as far as a name can be resolved through them: to find what a call calls, it is enough to
//! know whether its target is a name, a member of something, the result of another call, or the object itself. Which
//! node kinds are which, a language says in its `language.toml`; reading them is the same for all, and needs no query.

mod bare_names;
mod child_selector;
mod declarators;
mod name_spelling;
mod quoted_types;
mod reader;
mod spec;
mod tokens;

pub(crate) use bare_names::{NameOccurrences, NameRole};
pub(crate) use child_selector::ChildSelector;
pub(crate) use declarators::{DeclarationKind, DeclaredName};
pub(crate) use quoted_types::parse_name;
pub(crate) use reader::ExpressionReader;
pub(crate) use spec::ExpressionSpec;
pub(crate) use tokens::calls_in;

/// As much of an expression or type as resolution can follow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A bare name.
    Name(String),
    /// A member of something: `a.b`, `a::b`, `a->b`.
    Member(Box<Expression>, String),
    /// What a call returns.
    Call(Box<Expression>),
    /// A new instance of a type.
    New(Box<Expression>),
    /// A type with its arguments, or one item of a value: `List[A]`, `items[0]`.
    Of(Box<Expression>, Vec<Expression>),
    /// One of several: `A | B`, `a or b`.
    Either(Vec<Expression>),
    /// The object that the code belongs to.
    This,
    /// The same object, as an instance of its base.
    Super,
    /// Something of the language itself: a text, a number, a list.
    Literal,
    /// A type of the language itself, or a value whose type that is: `int`, `1`.
    Builtin(String),
    /// Something that cannot be followed.
    Unknown,
}

impl Expression {
    /// The last name in it: the called function, or the type.
    pub fn last_name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Member(_, name) => Some(name),
            Self::New(inner) | Self::Of(inner, _) => inner.last_name(),
            Self::Either(_)
            | Self::Call(_)
            | Self::This
            | Self::Super
            | Self::Literal
            | Self::Builtin(_)
            | Self::Unknown => None,
        }
    }

    /// A path as part of a longer one.
    fn prefix_with(self, object: Self) -> Self {
        match self {
            Self::Name(name) => Self::Member(Box::new(object), name),
            Self::Member(inner, name) => Self::Member(Box::new(inner.prefix_with(object)), name),
            Self::Of(inner, arguments) => Self::Of(Box::new(inner.prefix_with(object)), arguments),
            Self::Call(_)
            | Self::New(_)
            | Self::Either(_)
            | Self::This
            | Self::Super
            | Self::Literal
            | Self::Builtin(_)
            | Self::Unknown => self,
        }
    }
}
