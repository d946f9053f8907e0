//! The error type of the engine, `Error`, with a stable code for each variant and a hint where one is known, and
//! `ErrorKind`, which sorts errors by what the caller can do about them (fix the request, try again, fix the setup, …).

/// The result of an engine method.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What the caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Fix the request.
    Invalid,
    /// Ask for something that exists.
    NotFound,
    /// Ask the user or agent who may allow it.
    NotAuthorised,
    /// Try again.
    Busy,
    /// Fix the setup.
    Unavailable,
    /// Stored data is damaged.
    Damaged,
    /// The caller asked to stop.
    Cancelled,
    /// Report a bug.
    Internal,
}

/// Why an engine method did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A parameter cannot be used.
    #[error("`{field}` {reason}")]
    Parameter {
        /// The parameter's name, as every door spells it.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The thing named does not exist.
    #[error("{what} `{id}` does not exist")]
    NotFound {
        /// The kind of thing, in words.
        what: &'static str,
        /// What was asked for.
        id: String,
        /// What to try instead.
        hint: Option<String>,
    },
    /// A path leads out of the project.
    #[error("`{path}` is outside of the project")]
    Outside {
        /// The path, as given.
        path: String,
    },
    /// A path leads to what version control keeps for itself.
    #[error("`{path}` is not read out: version control keeps it, with addresses and tokens in it")]
    RepositoryState {
        /// The path, as given.
        path: String,
    },
    /// The file system refused.
    #[error("{0}")]
    Disk(#[source] std::io::Error),
    /// The system does not watch files for us.
    #[error("cannot watch the project: {reason}")]
    Watch {
        /// Why.
        reason: String,
        /// What to do.
        hint: Option<String>,
    },
    /// Another process holds its lease.
    #[error("{what} `{id}` is being worked on by another process {}", describe_end(end))]
    Held {
        /// The kind of thing, in words.
        what: &'static str,
        /// Which one.
        id: String,
        /// Until when.
        end: store::LeaseEnd,
    },
    /// A setting forbids it.
    #[error("cannot {what}: {setting} is false")]
    Disabled {
        /// What was to be done.
        what: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A grant does not allow it.
    #[error("cannot use grant `{id}`: {reason}")]
    Grant {
        /// The grant.
        id: String,
        /// Why.
        reason: String,
    },
    /// The store refused.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The caller asked to stop.
    #[error("stopped before it was done; what was finished is kept")]
    Cancelled,
    /// A piece of the work panicked.
    #[error("{what} failed unexpectedly")]
    Panicked {
        /// Which piece.
        what: &'static str,
    },
}

/// Until when a lease is held, as far as it is known.
fn describe_end(end: &store::LeaseEnd) -> String {
    match end.until {
        Some(until) => format!("until {until}, unless it renews its lease"),
        None => "until that one is done or ends".to_owned(),
    }
}

/// At least one: a caller that asks again at once finds the same.
fn whole_seconds(end: &store::LeaseEnd) -> u64 {
    end.ask_again.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX).max(1)
}

impl Error {
    /// What the caller can do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Parameter { .. } | Self::Outside { .. } | Self::RepositoryState { .. } => ErrorKind::Invalid,
            Self::NotFound { .. } | Self::Store(store::Error::NotFound { .. }) => ErrorKind::NotFound,
            // A conflict means that another process was faster: the same request may succeed a moment later.
            Self::Held { .. } | Self::Store(store::Error::Busy { .. } | store::Error::Conflict { .. }) => {
                ErrorKind::Busy
            }
            Self::Grant { .. } => ErrorKind::NotAuthorised,
            Self::Store(store::Error::Corrupt { .. } | store::Error::DamagedMessage(_)) => ErrorKind::Damaged,
            Self::Disabled { .. }
            | Self::Disk(_)
            | Self::Watch { .. }
            | Self::Store(
                store::Error::Newer { .. } | store::Error::ReadOnly { .. } | store::Error::Unavailable { .. },
            ) => ErrorKind::Unavailable,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Panicked { .. } | Self::Store(store::Error::WrongDimensions { .. }) => ErrorKind::Internal,
        }
    }

    /// After how many seconds the same request may succeed; none where waiting does not help.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Held { end, .. } => Some(whole_seconds(end)),
            Self::Store(store::Error::Busy { .. } | store::Error::Conflict { .. }) => Some(1),
            Self::Parameter { .. }
            | Self::NotFound { .. }
            | Self::Outside { .. }
            | Self::RepositoryState { .. }
            | Self::Disk(_)
            | Self::Watch { .. }
            | Self::Disabled { .. }
            | Self::Grant { .. }
            | Self::Store(_)
            | Self::Cancelled
            | Self::Panicked { .. } => None,
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Parameter { .. } => "invalid_parameter",
            Self::Outside { .. } => "outside_project",
            Self::RepositoryState { .. } => "repository_state",
            Self::NotFound { .. } | Self::Store(store::Error::NotFound { .. }) => "not_found",
            Self::Disk(_) => "disk",
            Self::Watch { .. } => "watch",
            Self::Held { .. } | Self::Store(store::Error::Busy { .. } | store::Error::Conflict { .. }) => "busy",
            Self::Disabled { .. } => "disabled",
            Self::Grant { .. } => "grant",
            Self::Store(store::Error::Corrupt { .. } | store::Error::DamagedMessage(_)) => "damaged",
            Self::Store(store::Error::WrongDimensions { .. }) => "wrong_dimensions",
            Self::Store(store::Error::Newer { .. }) => "newer_schema",
            Self::Store(store::Error::ReadOnly { .. }) => "read_only",
            Self::Store(store::Error::Unavailable { .. }) => "store_unavailable",
            Self::Cancelled => "cancelled",
            Self::Panicked { .. } => "internal",
        }
    }

    /// What to do, where we know it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotFound { hint, .. } | Self::Watch { hint, .. } => return hint.clone(),
            Self::Outside { .. } => "name a path inside the project, or choose another project with --project",
            Self::RepositoryState { .. } => "ask git for it",
            Self::Disabled { setting, .. } => return Some(format!("set {setting} = true")),
            Self::Grant { .. } => "ask its issuer for another one",
            Self::Held { end, .. } => {
                return Some(format!("try again in {} s; a process that died is noticed by then", whole_seconds(end)));
            }
            Self::Store(store::Error::Busy { .. } | store::Error::Conflict { .. }) => {
                "try again; if it stays busy, look for a process that hangs"
            }
            Self::Store(store::Error::Corrupt { .. }) => {
                "an index is made anew by epitome index --rebuild; for conversations epitome verify says what is \
                 damaged: restore a backup and keep the damaged file; epitome salvage gets out what can be read"
            }
            Self::Store(store::Error::DamagedMessage(_)) => {
                "epitome verify says what else is damaged: restore a backup and keep the damaged file; other \
                 conversations can be read"
            }
            Self::Store(store::Error::Newer { .. }) => "upgrade epitome",
            Self::Store(store::Error::ReadOnly { .. }) => {
                "make the directory writable and see that its disk has room, or set EPITOME_HOME to another one"
            }
            Self::Store(store::Error::Unavailable { .. }) => {
                "epitome doctor checks the store; database.url says which one is used"
            }
            Self::Panicked { .. } | Self::Store(store::Error::WrongDimensions { .. }) => {
                "this is a bug: please report it with what you did"
            }
            Self::Parameter { .. } | Self::Disk(_) | Self::Cancelled | Self::Store(store::Error::NotFound { .. }) => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}
