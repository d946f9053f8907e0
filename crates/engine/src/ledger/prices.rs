//! The price table of models, per million tokens: a dated table inside the binary, and the user's own rows before it.
//!
//! A model that no row matches has no price, and a call without a price is not made: a limit in money is no limit where
//! the cost of a call is unknown.

use model::Money;
use providers::Usage;
use std::sync::LazyLock;
use store::LedgerFigures;

/// The price of a model, in millionths of a dollar per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPrice {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

/// Models by pattern, each with its price; the first match counts.
#[derive(Clone, Debug)]
pub struct PriceTable(Vec<PriceRow>);

/// A pattern for `vendor/model`, in which `*` matches any text and `[5-9]` one digit, and the price of what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceRow {
    pattern: String,
    price: TokenPrice,
}

impl Default for PriceTable {
    /// The table inside the binary.
    fn default() -> Self {
        static TABLE: LazyLock<PriceTable> = LazyLock::new(|| PriceTable(built_in()));
        TABLE.clone()
    }
}

impl PriceTable {
    /// When the table inside the binary was looked up.
    pub const LOOKUP_DATE: &str = "2026-11-15";

    /// The same, with rows that come first.
    pub fn with_rows(mut self, rows: Vec<PriceRow>) -> Self {
        // The first match counts, so a user's row replaces that of the table.
        self.0.splice(0..0, rows);
        self
    }

    /// The price of a model, as `vendor/model`; `None` where no row matches.
    pub fn find_price(&self, model: &str) -> Option<TokenPrice> {
        self.0.iter().find(|row| matches_pattern(&row.pattern, model)).map(|row| row.price)
    }
}

impl PriceRow {
    /// Reads `pattern=input/output` or `pattern=input/output/cache read/cache write`, dollars per million tokens.
    pub fn parse(text: &str) -> Option<Self> {
        // The last `=`: prices hold none, but a pattern may.
        let (pattern, prices) = text.rsplit_once('=')?;
        let prices: Vec<u64> =
            prices.split('/').map(|price| to_micro_dollars(price.trim().parse().ok()?)).collect::<Option<_>>()?;
        let price = match prices[..] {
            [input, output] => TokenPrice { input, output, cache_read: input, cache_write: input },
            [input, output, cache_read, cache_write] => TokenPrice { input, output, cache_read, cache_write },
            _ => return None,
        };
        let pattern = pattern.trim().to_owned();
        (!pattern.is_empty()).then_some(Self { pattern, price })
    }
}

impl TokenPrice {
    /// The most that so many tokens in and out can cost: whatever goes in may be written to a cache.
    pub(crate) fn worst_cost(self, input: u64, output: u64) -> LedgerFigures {
        let money = total_cost(&[(input, self.input.max(self.cache_write)), (output, self.output)]);
        LedgerFigures { tokens_in: input as i64, tokens_out: output as i64, money, ..LedgerFigures::default() }
    }

    /// The cost of a call. Numbers that the vendor did not report count as reserved; `None` where nothing was reported.
    pub(super) fn reported_cost(self, usage: Usage, reserved: &LedgerFigures) -> Option<LedgerFigures> {
        if usage.input.is_none() && usage.output.is_none() {
            return None;
        }
        let cached = usage.cache_read.unwrap_or_default() + usage.cache_write.unwrap_or_default();
        // The reserved input includes the cached tokens, which have their own price below.
        let input = usage.input.unwrap_or_else(|| (reserved.tokens_in as u64).saturating_sub(cached));
        let output = usage.output.unwrap_or(reserved.tokens_out as u64);
        let cache_read = usage.cache_read.unwrap_or_default();
        let cache_write = usage.cache_write.unwrap_or_default();
        let money = total_cost(&[
            (input, self.input),
            (output, self.output),
            (cache_read, self.cache_read),
            (cache_write, self.cache_write),
        ]);
        Some(LedgerFigures {
            tokens_in: input as i64,
            tokens_out: output as i64,
            cache_read: cache_read as i64,
            cache_write: cache_write as i64,
            tokens_avoided: 0,
            money,
        })
    }

    /// What tokens cost that a model reads once; below zero for tokens that were spared less than nothing.
    pub(super) fn read_cost(self, tokens: i64) -> Money {
        let cost = i128::from(tokens) * i128::from(self.input) / 1_000_000;
        Money(i64::try_from(cost).unwrap_or(if cost < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Dollars per million tokens, in and out.
    pub fn dollar_rates(self) -> (f64, f64) {
        (Money(self.input as i64).to_dollars(), Money(self.output as i64).to_dollars())
    }
}

/// Rounded up: a fraction of the smallest amount is still spent.
fn total_cost(parts: &[(u64, u64)]) -> Money {
    let sum: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
    Money(i64::try_from(sum.div_ceil(1_000_000)).unwrap_or(i64::MAX))
}

/// Dollars as millionths; `None` for a number that is no price.
fn to_micro_dollars(dollars: f64) -> Option<u64> {
    (0.0..=1e6).contains(&dollars).then(|| (dollars * 1e6).round() as u64)
}

fn built_in() -> Vec<PriceRow> {
    let table: toml::Table = include_str!("prices.toml").parse().expect("prices.toml is TOML");
    let row = |row: &toml::Value| {
        let price = |name: &str| row.get(name).and_then(toml::Value::as_float).and_then(to_micro_dollars);
        let input = price("input")?;
        Some(PriceRow {
            pattern: row.get("model")?.as_str()?.to_owned(),
            price: TokenPrice {
                input,
                output: price("output")?,
                cache_read: price("cache_read").unwrap_or(input),
                cache_write: price("cache_write").unwrap_or(input),
            },
        })
    };
    let rows = table.get("price").and_then(toml::Value::as_array).expect("prices.toml has prices");
    rows.iter().map(|text| row(text).expect("each price of prices.toml has model, input and output")).collect()
}

/// Whether a pattern matches a text.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let pattern = pattern.as_bytes();
    let text = text.as_bytes();
    // The last star and where in the text it may end: going back to the last one is enough, so there is no recursion.
    let mut at = 0;
    let mut place = 0;
    let mut star = None;
    while place < text.len() {
        match (&pattern[at..], text[place]) {
            ([b'*', ..], _) => {
                star = Some((at, place));
                at += 1;
            }
            ([b'[', low, b'-', high, b']', ..], byte) if (*low..=*high).contains(&byte) => {
                (at, place) = (at + 5, place + 1);
            }
            ([wanted, ..], byte) if *wanted == byte && *wanted != b'[' => (at, place) = (at + 1, place + 1),
            _ => match star {
                Some((back, seen)) => {
                    (at, place) = (back + 1, seen + 1);
                    star = Some((back, seen + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_what_it_says() {
        let rows = [
            ("ollama/*", "ollama/llama3.2:3b", true),
            ("ollama/*", "ollama/", true),
            ("ollama/*", "anthropic/x", false),
            ("*/gpt-5", "openai/gpt-5", true),
            ("*/gpt-5", "openai/gpt-5.4", false),
            ("*/claude-opus-4-[5-9]*", "anthropic/claude-opus-4-6-20260101", true),
            ("*/claude-opus-4-[5-9]*", "anthropic/claude-opus-4-20250514", false),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a[", "a[", false),
        ];
        for (pattern, text, expected) in rows {
            assert_eq!(matches_pattern(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn the_first_row_that_fits_counts_and_the_users_come_first() {
        let prices = PriceTable::default();
        let of = |prices: &PriceTable, model: &str| prices.find_price(model).map(TokenPrice::dollar_rates);
        assert_eq!(of(&prices, "anthropic/claude-opus-4-5"), Some((5.0, 25.0)));
        assert_eq!(of(&prices, "anthropic/claude-opus-4-1-20250805"), Some((15.0, 75.0)));
        assert_eq!(of(&prices, "openai-compatible/claude-haiku-4-5"), Some((1.0, 5.0)));
        assert_eq!(of(&prices, "ollama/anything"), Some((0.0, 0.0)));
        assert_eq!(of(&prices, "openai/gpt-9"), None, "nobody knows what it costs");
        let row = PriceRow::parse("openai/gpt-9 = 0.5/1.25").expect("it is a price");
        assert_eq!(of(&prices.with_rows(vec![row]), "openai/gpt-9"), Some((0.5, 1.25)));
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for text in ["", "a", "a=", "a=1", "a=1/2/3", "a=x/1", "a=-1/1", "=1/2", "a=1/nan", "a=1e9/1"] {
            assert_eq!(PriceRow::parse(text), None, "{text}");
        }
        assert!(PriceRow::parse("a=b/*=1/2/0.1/3").is_some(), "a name may hold anything");
    }

    #[test]
    fn the_table_says_when_it_was_seen() {
        assert!(include_str!("prices.toml").contains(&format!("\nseen = \"{}\"\n", PriceTable::LOOKUP_DATE)));
    }

    #[test]
    fn a_call_costs_what_its_vendor_reports_and_unreported_parts_as_reserved() {
        let price = PriceRow::parse("m=1/10/0.1/2").expect("it is a price").price;
        let reserved = price.worst_cost(1_000, 500);
        assert_eq!((reserved.spent_tokens(), reserved.money), (1_500, Money(2_000 + 5_000)));
        let all = Usage { input: Some(100), output: Some(10), cache_read: Some(1_000), cache_write: Some(5) };
        let used = price.reported_cost(all, &reserved).expect("it was reported");
        assert_eq!((used.spent_tokens(), used.money), (1_115, Money(100 + 100 + 100 + 10)));
        let output_only = Usage { output: Some(10), ..Usage::default() };
        let used = price.reported_cost(output_only, &reserved).expect("some of it was reported");
        assert_eq!((used.tokens_in, used.tokens_out, used.money), (1_000, 10, Money(1_100)));
        assert_eq!(price.reported_cost(Usage::default(), &reserved), None);
        assert_eq!(price.worst_cost(1, 0).money, Money(2));
        let cheap = PriceRow::parse("m=0.05/0.4").expect("it is a price").price;
        assert_eq!(cheap.worst_cost(1, 0).money, Money(1), "rounded up");
    }
}
