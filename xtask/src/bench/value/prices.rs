//! List prices of models for the value benchmark, from the table that the program has compiled in.

use anyhow::{Context as _, Result};
use toml::Table;

use crate::repository;

const PRICES: &str = "crates/engine/src/ledger/prices.toml";

/// The vendor of the agent whose transcripts are replayed.
const VENDOR: &str = "anthropic";

/// What a write that is kept for five minutes costs, in prices of input: the vendor's published factor. The table has
/// the dearest kind of write, which is the one that is kept for an hour.
const SHORT_WRITE: f64 = 1.25;

/// Dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TokenPrices {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_read: f64,
    pub(super) short_write: f64,
    pub(super) long_write: f64,
}

pub(super) struct PriceTable {
    pub(super) seen: String,
    rows: Vec<(String, TokenPrices)>,
}

impl PriceTable {
    pub(super) fn read() -> Result<Self> {
        Self::parse(&fs_err::read_to_string(repository::root().join(PRICES))?)
    }

    fn parse(text: &str) -> Result<Self> {
        let table: Table = text.parse()?;
        let rows = table["price"].as_array().context("no prices")?.iter().map(|row| {
            let number = |key: &str| row.get(key).and_then(toml::Value::as_float);
            let input = number("input").context("a price without `input`")?;
            let prices = TokenPrices {
                input,
                output: number("output").context("a price without `output`")?,
                cache_read: number("cache_read").unwrap_or(input),
                short_write: if number("cache_write").is_some() { input * SHORT_WRITE } else { input },
                long_write: number("cache_write").unwrap_or(input),
            };
            Ok((row["model"].as_str().context("a price without `model`")?.to_owned(), prices))
        });
        let seen = table["seen"].as_str().context("no day")?.to_owned();
        Ok(Self { seen, rows: rows.collect::<Result<_>>()? })
    }

    /// The first row that fits; none for a model that is not in the list.
    pub(super) fn find_prices(&self, model: &str) -> Option<TokenPrices> {
        let name = format!("{VENDOR}/{model}");
        self.rows.iter().find(|(pattern, _)| fits_pattern(pattern.as_bytes(), name.as_bytes())).map(|(_, found)| *found)
    }
}

/// `*` stands for anything, `[5-9]` for one of these.
fn fits_pattern(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|at| fits_pattern(rest, &text[at..])),
        [b'[', low, b'-', high, b']', rest @ ..] => {
            text.first().is_some_and(|byte| (low..=high).contains(&byte)) && fits_pattern(rest, &text[1..])
        }
        [byte, rest @ ..] => text.first() == Some(byte) && fits_pattern(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_that_fits_counts() {
        let table = PriceTable::read().expect("prices");
        let input = |model: &str| table.find_prices(model).map(|prices| prices.input);
        assert_eq!(input("claude-opus-4-6"), input("claude-opus-4-5-20251101"));
        assert!(input("claude-opus-4-1") > input("claude-opus-4-6"));
        assert_eq!(input("glm-5"), None);
        let opus = table.find_prices("claude-opus-5").expect("a price");
        assert!(opus.cache_read < opus.input && opus.input < opus.short_write && opus.short_write < opus.long_write);
    }
}
