//! The part of the `value` operation's reply about money: limits, amounts spent, providers and prices.

use schemars::JsonSchema;
use serde::Serialize;
use store::SpendingState;

#[derive(Serialize, JsonSchema)]
pub(super) struct ValueSpend {
    /// Whether models may be called at all: `epitome value --stop` and `--resume`
    stopped: bool,
    /// Since when not
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_since: Option<String>,
    /// Whether models may be called without somebody asking for it
    background: bool,
    /// The day that counts, by UTC; ahead of today where a clock once was
    day: String,
    limits: ValueLimits,
    /// On that day
    spent: ValueAmount,
    /// On that day, by calls on their way
    reserved: ValueAmount,
    /// Of that day
    remaining: ValueAmount,
    /// By the session of this process
    spent_session: ValueAmount,
    /// By calls of this session on their way
    reserved_session: ValueAmount,
    /// Calls on their way
    in_flight: u32,
    /// In the order in which they are asked
    providers: Vec<ValueProvider>,
    /// When the built-in prices were looked up
    prices_seen: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ValueLimits {
    call: ValueAmount,
    session: ValueAmount,
    day: ValueAmount,
    concurrent: u32,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct ValueAmount {
    tokens: i64,
    dollars: f64,
}

#[derive(Serialize, JsonSchema)]
struct ValueProvider {
    /// `vendor/model`
    model: String,
    /// Dollars per million tokens in and out; absent where nobody knows, and then it is not asked
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<ValuePrice>,
    /// Ever
    spent: ValueAmount,
}

#[derive(Serialize, JsonSchema)]
struct ValuePrice {
    input: f64,
    output: f64,
}

impl From<engine::SpendReport> for ValueSpend {
    fn from(report: engine::SpendReport) -> Self {
        let standing = report.standing;
        // The moment is shown, because the user may have stopped spending in another session and forgotten it.
        let since = match standing.spending {
            SpendingState::Allowed => None,
            SpendingState::Stopped(at) => Some(at),
        };
        let limits = report.limits;
        Self {
            stopped: standing.spending != SpendingState::Allowed,
            stopped_since: since.map(|at| at.to_string()),
            background: report.background,
            day: standing.day.to_string(),
            limits: ValueLimits {
                call: limits.call.into(),
                session: limits.session.into(),
                day: limits.day.into(),
                concurrent: limits.concurrent,
            },
            spent: standing.spent_day.into(),
            reserved: standing.reserved_day.into(),
            remaining: report.remaining.into(),
            spent_session: standing.spent_session.into(),
            reserved_session: standing.reserved_session.into(),
            in_flight: standing.in_flight,
            providers: report.providers.into_iter().map(Into::into).collect(),
            prices_seen: engine::PriceTable::LOOKUP_DATE,
        }
    }
}

impl From<store::SpendAmount> for ValueAmount {
    fn from(amount: store::SpendAmount) -> Self {
        Self { tokens: amount.tokens, dollars: amount.money.to_dollars() }
    }
}

impl From<engine::ProviderSpend> for ValueProvider {
    fn from(provider: engine::ProviderSpend) -> Self {
        let price =
            provider.price.map(engine::TokenPrice::dollar_rates).map(|(input, output)| ValuePrice { input, output });
        Self { model: provider.model, price, spent: provider.spent.into() }
    }
}

impl ValueSpend {
    pub(super) fn to_text(&self) -> String {
        let switch = match &self.stopped_since {
            Some(since) => format!("stopped since {since}; epitome value --resume allows it again"),
            None => "allowed; epitome value --stop stops all of it at once".to_owned(),
        };
        let background = if self.background { "allowed" } else { "never" };
        let line = |name: &str, amount: ValueAmount| {
            format!("{name:<14} {:>12} tokens  ${:.6}\n", amount.tokens, amount.dollars)
        };
        let mut text =
            format!("spending       {switch}\nin background  {background}\nday            {} (UTC)\n", self.day);
        for (name, amount) in [
            ("limit/call", self.limits.call),
            ("limit/session", self.limits.session),
            ("limit/day", self.limits.day),
            ("spent", self.spent),
            ("reserved", self.reserved),
            ("remaining", self.remaining),
        ] {
            text.push_str(&line(name, amount));
        }
        text.push_str(&format!("calls at once  {} of {}\n", self.in_flight, self.limits.concurrent));
        if self.providers.is_empty() {
            text.push_str("providers      none: no model is ever called\n");
        }
        for ValueProvider { model, price, spent } in &self.providers {
            let price = match price {
                Some(ValuePrice { input, output }) => format!("${input} in, ${output} out a million tokens"),
                None => "price not known: it is not asked before spend.prices says it".to_owned(),
            };
            let ValueAmount { tokens, dollars } = spent;
            text.push_str(&format!("provider       {model}: {price}; spent {tokens} tokens, ${dollars:.6}\n"));
        }
        text
    }
}
