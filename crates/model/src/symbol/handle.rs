//! `SymbolHandle`, a short name of a symbol (`@123456789`), hashed from its id: a few tokens, where an id may take
//! twenty.

use crate::{DigestBuilder, SymbolId};
use std::fmt;

/// Nine digits taken from a symbol's id, so the same in every worktree and after every rebuild. Written `@123456789`:
/// three digits are one token. Two symbols of a large project may share one; who looks it up has to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolHandle(u32);

const NUMBERS: u32 = 1_000_000_000;
const DIGITS: usize = 9;

impl SymbolHandle {
    /// The handle of a symbol.
    pub fn from_symbol(id: &SymbolId) -> Self {
        let hash = DigestBuilder::new("handle").add_field(id.as_str().as_bytes()).finish();
        let bytes = hash.as_bytes();
        Self(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) % NUMBERS)
    }

    /// Reads a handle.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('@')?;
        let all_digits = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        all_digits.then(|| digits.parse().ok().map(Self)).flatten()
    }
}

impl fmt::Display for SymbolHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{:09}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count_tokens;

    #[test]
    fn a_handle_reads_back_and_is_four_tokens() {
        for number in 0..100 {
            let handle = SymbolHandle::from_symbol(&SymbolId::new("src/lib.rs", &format!("Session.login{number}")));
            assert_eq!(SymbolHandle::parse(&handle.to_string()), Some(handle));
            assert_eq!(count_tokens(&handle.to_string()).0, 4, "{handle}");
        }
        for wrong in ["@12345678", "123456789", "@1234567890", "@12345678a", "@+12345678", ""] {
            assert_eq!(SymbolHandle::parse(wrong), None, "{wrong}");
        }
    }
}
