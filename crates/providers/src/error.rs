//! What can go wrong between us and a model, sorted by what the caller can do about it.

/// The result of asking a provider.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a provider did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// What came from the provider does not have the form it must have. Trying again gives the same.
    #[error("cannot use {what}: {reason}")]
    Malformed {
        /// What was read, in words.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
}
