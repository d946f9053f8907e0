//! The error type of all interfaces (`AppError`), and one table with the exit status, the HTTP status and the MCP code
//! of each class of failure.

use crate::config;
use crate::ops::{CommandExit, OperationFailure};
use engine::ErrorKind;
use serde_json::{Value, json};

/// A failure as people and programs see it.
#[derive(Debug)]
pub(crate) struct AppError {
    /// A stable word for programs.
    pub(crate) code: &'static str,
    /// What failed and why.
    pub(crate) message: String,
    /// What to do, where we know it.
    pub(crate) hint: Option<String>,
    /// After how many seconds the same may succeed.
    pub(crate) retry_after: Option<u64>,
    class: ErrorClass,
}

/// Failures sorted by what the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    Usage,
    NotFound,
    NotAuthorised,
    Forbidden,
    Busy,
    Unavailable,
    Damaged,
    Cancelled,
    Internal,
}

/// Class, exit status, HTTP status.
const TABLE: [(ErrorClass, u8, u16); 9] = [
    (ErrorClass::Usage, 2, 400),
    (ErrorClass::NotFound, 3, 404),
    (ErrorClass::NotAuthorised, 4, 401),
    // The caller is known and may not do this; a token would not help.
    (ErrorClass::Forbidden, 4, 403),
    (ErrorClass::Busy, 75, 409),
    (ErrorClass::Unavailable, 1, 503),
    (ErrorClass::Damaged, 5, 500),
    (ErrorClass::Cancelled, 130, 499),
    (ErrorClass::Internal, 1, 500),
];

impl AppError {
    pub(crate) fn new(class: ErrorClass, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after: None, class }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn status_row(&self) -> (ErrorClass, u8, u16) {
        TABLE.into_iter().find(|(class, ..)| *class == self.class).unwrap_or((ErrorClass::Internal, 1, 500))
    }

    /// The exit status of the command.
    pub(crate) fn exit_status(&self) -> u8 {
        self.status_row().1
    }

    /// The status of the HTTP reply.
    pub(crate) fn http_status(&self) -> u16 {
        self.status_row().2
    }

    /// The same for programs: `{"error": {code, message, hint}}`.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

impl From<OperationFailure> for AppError {
    fn from(failure: OperationFailure) -> Self {
        match failure {
            OperationFailure::Shape { reason } => Self::new(ErrorClass::Usage, "invalid_parameters", in_words(reason)),
            OperationFailure::Engine(error) => error.into(),
            OperationFailure::Panicked => {
                Self::new(ErrorClass::Internal, "internal", "the operation failed unexpectedly")
                    .with_hint("this is a bug: please report it with what you did")
            }
        }
    }
}

/// The expected type of a parameter, in the words of JSON instead of Rust's.
fn in_words(reason: String) -> String {
    let words = [
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected f32", "expected a number"),
        ("expected a sequence", "expected a list"),
        ("expected a map", "expected an object"),
        ("expected struct WireMessage", "expected an object with `role` and `content`"),
    ];
    // The names come from `serde`, whose texts speak of Rust types; a caller of MCP or HTTP knows only JSON.
    words.into_iter().fold(reason, |reason, (rust, plain)| reason.replace(rust, plain))
}

impl From<engine::Error> for AppError {
    fn from(error: engine::Error) -> Self {
        let class = match error.kind() {
            ErrorKind::Invalid => ErrorClass::Usage,
            ErrorKind::NotFound => ErrorClass::NotFound,
            ErrorKind::NotAuthorised => ErrorClass::Forbidden,
            ErrorKind::Busy => ErrorClass::Busy,
            ErrorKind::Unavailable => ErrorClass::Unavailable,
            ErrorKind::Damaged => ErrorClass::Damaged,
            ErrorKind::Cancelled => ErrorClass::Cancelled,
            ErrorKind::Internal => ErrorClass::Internal,
        };
        let retry_after = error.retry_after();
        Self { hint: error.hint(), retry_after, ..Self::new(class, error.code(), error.to_string()) }
    }
}

impl From<config::ConfigError> for AppError {
    fn from(error: config::ConfigError) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        // The cause holds the part that matters, such as the line of a TOML file.
        while let Some(next) = cause {
            message = format!("{message}: {next}");
            cause = next.source();
        }
        match message.split_once("\nhint: ") {
            Some((what, hint)) => Self::new(ErrorClass::Usage, "configuration", what).with_hint(hint),
            None => Self::new(ErrorClass::Usage, "configuration", message),
        }
    }
}

/// The exit status of an operation that answered.
pub(crate) fn exit_status(exit: CommandExit) -> u8 {
    match exit {
        CommandExit::Ok => 0,
        CommandExit::Refused => 1,
        CommandExit::NothingFound => 3,
        CommandExit::Integrity => 5,
    }
}
