//! One table: what each failure is at each door.

use crate::config;
use crate::ops::{Exit, Failure};
use engine::ErrorKind;
use serde_json::{Value, json};

/// A failure as people and programs see it.
#[derive(Debug)]
pub(crate) struct Problem {
    /// A stable word for programs.
    pub(crate) code: &'static str,
    /// What failed and why.
    pub(crate) message: String,
    /// What to do, where we know it.
    pub(crate) hint: Option<String>,
    class: Class,
}

/// Failures sorted by what the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Usage,
    NotFound,
    NotAuthorised,
    Busy,
    Unavailable,
    Damaged,
    Cancelled,
    Internal,
}

/// Class, exit status, HTTP status.
const TABLE: [(Class, u8, u16); 8] = [
    (Class::Usage, 2, 400),
    (Class::NotFound, 3, 404),
    (Class::NotAuthorised, 4, 401),
    (Class::Busy, 75, 503),
    (Class::Unavailable, 1, 503),
    (Class::Damaged, 5, 500),
    (Class::Cancelled, 130, 499),
    (Class::Internal, 1, 500),
];

impl Problem {
    pub(crate) fn new(class: Class, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, class }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn row(&self) -> (Class, u8, u16) {
        TABLE.into_iter().find(|(class, ..)| *class == self.class).unwrap_or((Class::Internal, 1, 500))
    }

    /// The exit status of the command.
    pub(crate) fn exit_status(&self) -> u8 {
        self.row().1
    }

    /// The status of the HTTP reply.
    pub(crate) fn http_status(&self) -> u16 {
        self.row().2
    }

    /// The same for programs: `{"error": {code, message, hint}}`.
    pub(crate) fn json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Shape { reason } => Self::new(Class::Usage, "invalid_parameters", in_words(reason)),
            Failure::Engine(error) => error.into(),
            Failure::Panicked => Self::new(Class::Internal, "internal", "the operation failed unexpectedly")
                .hint("this is a bug: please report it with what you did"),
        }
    }
}

/// What was expected of a parameter, in the words of JSON instead of Rust's.
fn in_words(reason: String) -> String {
    let words = [
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected f32", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("expected struct WireMessage", "expected an object with `role` and `content`"),
    ];
    words.into_iter().fold(reason, |reason, (rust, plain)| reason.replace(rust, plain))
}

impl From<engine::Error> for Problem {
    fn from(error: engine::Error) -> Self {
        let class = match error.kind() {
            ErrorKind::Invalid => Class::Usage,
            ErrorKind::NotFound => Class::NotFound,
            ErrorKind::NotAuthorised => Class::NotAuthorised,
            ErrorKind::Busy => Class::Busy,
            ErrorKind::Unavailable => Class::Unavailable,
            ErrorKind::Damaged => Class::Damaged,
            ErrorKind::Cancelled => Class::Cancelled,
            ErrorKind::Internal => Class::Internal,
        };
        Self { hint: error.hint(), ..Self::new(class, error.code(), error.to_string()) }
    }
}

impl From<config::Error> for Problem {
    fn from(error: config::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(next) = cause {
            message = format!("{message}: {next}");
            cause = next.source();
        }
        match message.split_once("\nhint: ") {
            Some((what, hint)) => Self::new(Class::Usage, "configuration", what).hint(hint),
            None => Self::new(Class::Usage, "configuration", message),
        }
    }
}

/// The exit status of an operation that answered.
pub(crate) fn exit_status(exit: Exit) -> u8 {
    match exit {
        Exit::Ok => 0,
        Exit::Refused => 1,
        Exit::NothingFound => 3,
        Exit::Integrity => 5,
    }
}
