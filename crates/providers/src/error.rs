//! `ProviderError`, the error type of all calls to models: which vendor, which `ProviderFailure` (sorted by what the
//! caller can do about it), and what the failed call cost.
//!
//! Text of a vendor never becomes text of ours: an answer that failed may hold a key, a prompt or an instruction, so
//! an error names the failure in our words and never quotes a body, a key or an address with credentials.
//!
//! Every error says what the failed call cost. A vendor that refuses or cuts an answer short has charged for it, and
//! one that fell silent may have: the ledger must not take a failure for a call that was free.

use std::time::Duration;

use crate::key::KeyOrigin;
use crate::{Usage, Vendor};

/// The result of asking a provider.
pub type Result<T, E = ProviderError> = std::result::Result<T, E>;

/// Why a provider did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use {vendor}: {failure}")]
pub struct ProviderError {
    /// Who was asked.
    pub vendor: Vendor,
    /// What went wrong.
    pub failure: ProviderFailure,
    /// What it cost all the same.
    pub spent: FailureCost,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFailure {
    /// The vendor does not accept the key, or wants one.
    #[error("{}", if *key == KeyOrigin::Missing { "it wants a key and none is set" } else { "it does not accept the key" })]
    Unauthorised {
        /// Where the key came from.
        key: KeyOrigin,
    },
    /// The account has nothing left to spend; waiting does not help.
    #[error("the account has no credit left")]
    OutOfCredit,
    /// The vendor does not know the model.
    #[error("it has no model `{model}`")]
    WrongModel {
        /// The name as configured.
        model: String,
    },
    /// The address is one that is never connected to.
    #[error("its address is not allowed: {reason}")]
    Forbidden {
        /// Which rule the address breaks.
        reason: &'static str,
    },
    /// The vendor is a program that is not installed.
    #[error("there is no command `{command}`")]
    NotInstalled {
        /// Its name.
        command: String,
    },
    /// Too many requests of ours.
    #[error("it asks for fewer requests")]
    RateLimited {
        /// When it wants to be asked again, where it says so.
        retry_after: Option<Duration>,
    },
    /// The vendor has a bad moment.
    #[error("it is overloaded or failing")]
    Overloaded {
        /// When it wants to be asked again, where it says so.
        retry_after: Option<Duration>,
    },
    /// No connection, or one that broke.
    #[error("it cannot be reached: {reason}")]
    Unreachable {
        /// How far it went.
        reason: &'static str,
    },
    /// No whole answer in time.
    #[error("no answer within {:.1} s", after.as_secs_f64())]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// It failed before and is left alone for a while; nothing was sent.
    #[error("it is left alone for {} s more, because {cause}", left.as_secs().max(1))]
    Suspended {
        /// How long.
        left: Duration,
        /// What it failed with last.
        cause: Box<ProviderFailure>,
    },
    /// The model declined to answer this.
    #[error("the model declined to answer")]
    Refused,
    /// An answer without a word, or with nothing but reasoning.
    #[error("the answer is empty")]
    Empty,
    /// The model ran out of room before anything usable was said.
    #[error("the answer was cut off before it said anything usable")]
    Truncated,
    /// More text than the model takes.
    #[error("the request is longer than the model takes")]
    TooLarge,
    /// The vendor does not take the request as it is.
    #[error("it rejects the request (status {status})")]
    Rejected {
        /// The status it answered with.
        status: u16,
    },
    /// What came does not have the form it must have.
    #[error("its answer cannot be used: {reason}")]
    Malformed {
        /// What is wrong with it, in our words.
        reason: String,
    },
}

/// What a failed call cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCost {
    /// The vendor did not begin to answer: asking again cannot be paid twice.
    Nothing,
    /// The vendor said what it charges for the answer that was of no use.
    Reported(Usage),
    /// The request went out and nothing came back that says: count what was reserved.
    Unknown,
}

/// What helps against a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureRemedy {
    /// A person has to change a setting, a key or an account.
    Configure,
    /// The same request may work later.
    Wait,
    /// Another request may work now; this one will not.
    Rephrase,
}

impl ProviderError {
    /// A failure that cost nothing.
    pub fn without_cost(vendor: Vendor, failure: ProviderFailure) -> Self {
        Self { vendor, failure, spent: FailureCost::Nothing }
    }

    /// What to do, where we know it.
    pub fn hint(&self) -> Option<String> {
        let vendor = self.vendor;
        match &self.failure {
            ProviderFailure::Unauthorised { key } => Some(key.hint(vendor)),
            ProviderFailure::OutOfCredit => {
                Some(format!("add credit to the account at {vendor}, or choose another provider"))
            }
            ProviderFailure::WrongModel { model } if vendor == Vendor::Ollama => Some(format!("ollama pull {model}")),
            ProviderFailure::WrongModel { .. } => Some("check the model's name and the provider's address".to_owned()),
            ProviderFailure::Forbidden { .. } => Some("check the provider's address in the settings".to_owned()),
            ProviderFailure::Unreachable { .. } if vendor == Vendor::Ollama => {
                Some("is it running? try: ollama serve".to_owned())
            }
            ProviderFailure::NotInstalled { command } => Some(format!("install `{command}` and log in once")),
            // The pause has no remedy of its own; what opened it has one.
            ProviderFailure::Suspended { cause, .. } => Self { failure: (**cause).clone(), ..self.clone() }.hint(),
            ProviderFailure::TooLarge => Some("ask with less text, or choose a model with a longer context".to_owned()),
            ProviderFailure::RateLimited { .. }
            | ProviderFailure::Overloaded { .. }
            | ProviderFailure::Unreachable { .. }
            | ProviderFailure::TimedOut { .. } => Some("try again later, or choose another provider".to_owned()),
            ProviderFailure::Rejected { .. } | ProviderFailure::Malformed { .. } => {
                Some("check the model's name and the provider's address, or choose another provider".to_owned())
            }
            ProviderFailure::Truncated => Some("choose a model that thinks less before it writes".to_owned()),
            ProviderFailure::Refused | ProviderFailure::Empty => None,
        }
    }
}

impl ProviderFailure {
    /// What helps against it.
    pub fn remedy(&self) -> FailureRemedy {
        match self {
            Self::Unauthorised { .. }
            | Self::OutOfCredit
            | Self::WrongModel { .. }
            | Self::Forbidden { .. }
            | Self::NotInstalled { .. }
            | Self::Malformed { .. } => FailureRemedy::Configure,
            Self::RateLimited { .. }
            | Self::Overloaded { .. }
            | Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::Suspended { .. } => FailureRemedy::Wait,
            Self::Refused | Self::Empty | Self::Truncated | Self::TooLarge | Self::Rejected { .. } => {
                FailureRemedy::Rephrase
            }
        }
    }

    /// When the vendor wants to be asked again, where it said so.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::RateLimited { retry_after } | Self::Overloaded { retry_after } = self {
            *retry_after
        } else {
            None
        }
    }
}
