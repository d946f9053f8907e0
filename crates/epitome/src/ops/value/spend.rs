//! What may be spent, as every door shows it.

use schemars::JsonSchema;
use serde::Serialize;
use store::Spending;

#[derive(Serialize, JsonSchema)]
pub(super) struct Spend {
    /// Whether models may be called at all: `epitome value --stop` and `--resume`
    stopped: bool,
    /// Since when not
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_since: Option<String>,
    /// Whether models may be called without somebody asking for it
    background: bool,
    /// The day that counts, by UTC; ahead of today where a clock once was
    day: String,
    limits: Limits,
    /// On that day
    spent: Amount,
    /// On that day, by calls on their way
    reserved: Amount,
    /// Of that day
    remaining: Amount,
    /// By the session of this process
    spent_session: Amount,
    /// By calls of this session on their way
    reserved_session: Amount,
    /// Calls on their way
    in_flight: u32,
    /// In the order in which they are asked
    providers: Vec<Provider>,
    /// When the built-in prices were looked up
    prices_seen: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Limits {
    call: Amount,
    session: Amount,
    day: Amount,
    concurrent: u32,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
struct Amount {
    tokens: i64,
    dollars: f64,
}

#[derive(Serialize, JsonSchema)]
struct Provider {
    /// `vendor/model`
    model: String,
    /// Dollars per million tokens in and out; absent where nobody knows, and then it is not asked
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
    /// Ever
    spent: Amount,
}

#[derive(Serialize, JsonSchema)]
struct Price {
    input: f64,
    output: f64,
}

impl From<engine::SpendReport> for Spend {
    fn from(report: engine::SpendReport) -> Self {
        let standing = report.standing;
        let since = match standing.spending {
            Spending::Allowed => None,
            Spending::Stopped(at) => Some(at),
        };
        let limits = report.limits;
        Self {
            stopped: standing.spending != Spending::Allowed,
            stopped_since: since.map(|at| at.to_string()),
            background: report.background,
            day: standing.day.to_string(),
            limits: Limits {
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
            prices_seen: engine::Prices::SEEN,
        }
    }
}

impl From<store::Amount> for Amount {
    fn from(amount: store::Amount) -> Self {
        Self { tokens: amount.tokens, dollars: amount.money.dollars() }
    }
}

impl From<engine::ProviderSpend> for Provider {
    fn from(provider: engine::ProviderSpend) -> Self {
        let price = provider.price.map(engine::Price::dollars).map(|(input, output)| Price { input, output });
        Self { model: provider.model, price, spent: provider.spent.into() }
    }
}

impl Spend {
    pub(super) fn text(&self) -> String {
        let switch = match &self.stopped_since {
            Some(since) => format!("stopped since {since}; epitome value --resume allows it again"),
            None => "allowed; epitome value --stop stops all of it at once".to_owned(),
        };
        let background = if self.background { "allowed" } else { "never" };
        let line =
            |name: &str, amount: Amount| format!("{name:<14} {:>12} tokens  ${:.6}\n", amount.tokens, amount.dollars);
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
        for Provider { model, price, spent } in &self.providers {
            let price = match price {
                Some(Price { input, output }) => format!("${input} in, ${output} out a million tokens"),
                None => "price not known: it is not asked before spend.prices says it".to_owned(),
            };
            let Amount { tokens, dollars } = spent;
            text.push_str(&format!("provider       {model}: {price}; spent {tokens} tokens, ${dollars:.6}\n"));
        }
        text
    }
}
