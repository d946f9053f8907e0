//! Reserves the worst-case cost of a model call against the spending limits before it is made, and settles the
//! reservation by what the vendor reports: the spend contract.
//!
//! Nothing ever counts as free. What a vendor does not report costs what was reserved, and so does a call whose caller
//! never came back: only a vendor's own report that it did not begin to answer gives the money back.

use super::prices::{PriceTable, TokenPrice};
use crate::base::Result;
use crate::ledger::LedgerContext;
use model::{Money, ProjectId, Timestamp, UtcDay, count_tokens};
use providers::{
    Embedder, EmbeddingBatch, FailureCost, GenerateRequest, GeneratedText, GenerationModel, Generator, ProviderError,
    ProviderFailure, Usage, Vendor,
};
use std::time::Duration;
use store::{
    CeilingKind, LedgerAccount, LedgerFigures, NewReservation, ReservationId, ReservationOutcome, Settlement,
    SpendAmount, SpendLimits, SpendRefusal,
};

/// What may be spent.
#[derive(Clone, Debug)]
pub struct SpendPolicy {
    /// The ceilings.
    pub limits: SpendLimits,
    /// Whether models may be called without a user's asking.
    pub background: bool,
    /// What models cost.
    pub prices: PriceTable,
}

impl Default for SpendPolicy {
    /// Nothing.
    fn default() -> Self {
        let none = SpendAmount::default();
        let limits = SpendLimits { call: none, session: none, day: none, concurrent: 0 };
        Self { limits, background: false, prices: PriceTable::default() }
    }
}

/// On whose initiative a call is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallInitiative {
    /// The user or the agent, who asked for it and waits.
    User,
    /// The engine itself, and every caller that does not say that a user waits.
    #[default]
    Background,
}

/// The purpose of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallPurpose<'a> {
    pub(crate) operation: &'static str,
    pub(crate) project: Option<&'a ProjectId>,
    /// The session whose ceiling counts; that of the process where there is none.
    pub(crate) session: Option<&'a str>,
    pub(crate) initiative: CallInitiative,
}

/// Why a call gave no answer.
#[derive(Debug)]
pub(crate) enum CallRefusal {
    /// The user did not ask for it, and the settings do not allow calls in the background.
    Background,
    /// The price list lacks the model.
    Unpriced { model: String },
    /// A ceiling forbids it.
    Ceiling { model: String, refusal: SpendRefusal },
    /// The provider failed.
    Provider(providers::ProviderError),
}

/// How long after its deadline a call counts as lost.
const GRACE_PERIOD: Duration = Duration::from_mins(1);

/// A call that was made, or refused.
pub(super) struct CallOutcome<T> {
    pub(super) answer: Result<T, CallRefusal>,
    /// The cost that is booked.
    pub(super) cost: LedgerFigures,
}

impl<T> CallOutcome<T> {
    fn from_refusal(refused: CallRefusal) -> Self {
        Self { answer: Err(refused), cost: LedgerFigures::default() }
    }
}

/// Has a generator answer a request.
pub(super) async fn call_generator(
    ledger: &LedgerContext,
    purpose: CallPurpose<'_>,
    generator: &dyn Generator,
    request: &GenerateRequest,
) -> Result<CallOutcome<GeneratedText>> {
    let said = request.messages.iter().map(|turn| turn.text.as_str());
    // Vendors count the schema as input.
    let schema = request.schema.as_ref().map(ToString::to_string);
    let texts = said.chain(schema.as_deref()).chain([request.system.as_str()]);
    let planned = PlannedCall {
        model: model_name(generator.model()),
        input: max_input_tokens(generator.model().vendor, texts),
        output: u64::from(request.max_output.0),
        deadline: request.deadline,
    };
    run_reserved_call(ledger, purpose, planned, generator.generate(request), |generated| generated.usage).await
}

/// Has an embedder embed texts. The built-in one sends nothing anywhere and costs nothing, so nothing is booked.
pub(crate) async fn call_embedder(
    ledger: &LedgerContext,
    purpose: CallPurpose<'_>,
    embedder: &dyn Embedder,
    texts: &[&str],
) -> Result<Result<EmbeddingBatch, CallRefusal>> {
    if embedder.vendor() == Vendor::Builtin {
        return Ok(embedder.embed(texts).await.map_err(CallRefusal::Provider));
    }
    let planned = PlannedCall {
        model: embedder.model().name.to_string(),
        input: max_input_tokens(embedder.vendor(), texts.iter().copied()),
        output: 0,
        deadline: EMBEDDING_TIMEOUT,
    };
    Ok(run_reserved_call(ledger, purpose, planned, embedder.embed(texts), |embedded| embedded.usage).await?.answer)
}

/// A call before it is made.
struct PlannedCall {
    /// The model, as `vendor/model`.
    model: String,
    /// The most tokens that go in.
    input: u64,
    /// The most that come out.
    output: u64,
    /// When it is over.
    deadline: Duration,
}

/// Embeddings have no deadline of their own; no embedder takes longer.
const EMBEDDING_TIMEOUT: Duration = Duration::from_mins(2);

/// Makes a call under the contract.
async fn run_reserved_call<T>(
    ledger: &LedgerContext,
    purpose: CallPurpose<'_>,
    planned: PlannedCall,
    asked: impl Future<Output = providers::Result<T>>,
    usage: fn(&T) -> Usage,
) -> Result<CallOutcome<T>> {
    let spend = &ledger.spend;
    if purpose.initiative == CallInitiative::Background && !spend.background {
        return Ok(CallOutcome::from_refusal(CallRefusal::Background));
    }
    let PlannedCall { model, input, output, deadline } = planned;
    // A ceiling in money cannot hold for a call without a price, so the call is not made.
    let Some(price) = spend.prices.find_price(&model) else {
        return Ok(CallOutcome::from_refusal(CallRefusal::Unpriced { model }));
    };
    let worst = price.worst_cost(input, output);
    let now = ledger.clock.now();
    let account = LedgerAccount {
        operation: purpose.operation.to_owned(),
        project: purpose.project.cloned(),
        // A caller outside of any conversation counts towards the session of its process.
        session: purpose.session.map(str::to_owned).or_else(|| ledger.session.clone()),
        model: Some(model.clone()),
    };
    // If this process dies, the reservation expires after the call must have ended, and counts as spent.
    let lives = i64::try_from((deadline + GRACE_PERIOD).as_millis()).unwrap_or(i64::MAX);
    let expires = Timestamp(now.0.saturating_add(lives));
    let wanted =
        NewReservation { account, worst, limits: spend.limits, day: UtcDay::from_timestamp(now), now, expires };
    let id = match ledger.store.reserve_call(wanted).await? {
        ReservationOutcome::Reserved(id) => id,
        ReservationOutcome::Refused(refusal) => {
            return Ok(CallOutcome::from_refusal(CallRefusal::Ceiling { model, refusal }));
        }
    };
    // From here on the call may have cost something: every path below leads to the settlement.
    let answer = asked.await;
    let settlement = build_settlement(price, &worst, answer.as_ref().map(usage));
    let cost = match &settlement {
        Settlement::Used(used) => *used,
        Settlement::Unknown => worst,
        Settlement::Released => LedgerFigures::default(),
    };
    settle_reservation(ledger, id, settlement).await;
    Ok(CallOutcome { answer: answer.map_err(CallRefusal::Provider), cost })
}

/// The model's name in the ledger and in the table of prices.
pub(crate) fn model_name(model: &GenerationModel) -> String {
    format!("{}/{}", model.vendor, model.name)
}

/// The most tokens that a vendor may count for some texts.
fn max_input_tokens<'a>(vendor: Vendor, texts: impl Iterator<Item = &'a str>) -> u64 {
    let counted: u64 = texts.map(|text| u64::from(count_tokens(text).0)).sum();
    // Other vocabularies cut text finer than the one we count with, and vendors add words of their own; command-line
    // tools add pages.
    let added = match vendor {
        Vendor::ClaudeCli | Vendor::CodexCli => 30_000,
        Vendor::Builtin | Vendor::Anthropic | Vendor::OpenAi | Vendor::Compatible | Vendor::Ollama => 200,
    };
    counted + counted / 2 + added
}

/// The settlement of a call by its result.
fn build_settlement(
    price: TokenPrice,
    worst: &LedgerFigures,
    used: Result<Usage, &providers::ProviderError>,
) -> Settlement {
    // A report beyond all limits is no report, and the reserved amount counts.
    let reported = |usage: Usage| match usage.check_limits() {
        Ok(usage) => price.reported_cost(usage, worst).map_or(Settlement::Unknown, Settlement::Used),
        Err(_) => Settlement::Unknown,
    };
    match used {
        Ok(usage) => reported(usage),
        Err(error) => match error.spent {
            FailureCost::Nothing => Settlement::Released,
            FailureCost::Reported(usage) => reported(usage),
            FailureCost::Unknown => Settlement::Unknown,
        },
    }
}

/// A reservation that cannot be settled expires as spent: an answer that has arrived is not discarded for that.
async fn settle_reservation(ledger: &LedgerContext, id: ReservationId, settlement: Settlement) {
    if let Err(error) = ledger.store.settle_reservation(id, settlement, ledger.clock.now()).await {
        tracing::warn!(%error, "a model call could not be settled; what was reserved for it counts as spent");
    }
}

impl CallRefusal {
    /// Whether every other call of this kind would be refused as well.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Background | Self::Ceiling { refusal: SpendRefusal::Stopped { .. }, .. } => true,
            Self::Unpriced { .. } | Self::Ceiling { .. } | Self::Provider(_) => false,
        }
    }

    /// What happened, and what to do about it.
    pub(crate) fn reason_and_fix(&self) -> (String, Option<String>) {
        match self {
            Self::Background => (
                "no model is called without being asked".to_owned(),
                Some("set spend.background = true to allow it".to_owned()),
            ),
            Self::Unpriced { model } => (
                format!("cannot call {model}: its price is not known, and spending is limited in money"),
                Some(format!("set spend.prices = [\"{model}=INPUT/OUTPUT\"], in dollars per million tokens")),
            ),
            Self::Ceiling { model, refusal } => refusal_words(model, refusal),
            Self::Provider(error) => {
                // The failure itself is the news; that the provider is suspended meanwhile is how we deal with it.
                let suspended =
                    if let ProviderFailure::Suspended { cause, .. } = &error.failure { Some(&**cause) } else { None };
                let error = ProviderError { failure: suspended.unwrap_or(&error.failure).clone(), ..error.clone() };
                (error.to_string(), error.hint())
            }
        }
    }
}

fn refusal_words(model: &str, refusal: &SpendRefusal) -> (String, Option<String>) {
    match refusal {
        SpendRefusal::Stopped { .. } => (
            format!("cannot call {model}: all spending is stopped"),
            Some("epitome value --resume allows it again".to_owned()),
        ),
        SpendRefusal::Busy { limit } => (
            format!("cannot call {model}: {limit} calls are on their way already"),
            Some("try again, or raise spend.concurrent".to_owned()),
        ),
        SpendRefusal::Over { ceiling, limit, used, wanted } => {
            let (of, key) = match ceiling {
                CeilingKind::Call => ("a call", "call"),
                CeilingKind::Session => ("a session", "session"),
                CeilingKind::Day => ("a day", "day"),
            };
            let over_tokens = used.tokens.saturating_add(wanted.tokens) > limit.tokens;
            let (unit, limit, used, wanted) = if over_tokens {
                let tokens = |tokens: i64| format!("{tokens} tokens");
                ("tokens", tokens(limit.tokens), tokens(used.tokens), tokens(wanted.tokens))
            } else {
                let money = |money: Money| money.to_string();
                ("dollars", money(limit.money), money(used.money), money(wanted.money))
            };
            // A single call has used nothing before it is made.
            let already = if *ceiling == CeilingKind::Call { String::new() } else { format!(", {used} of it used") };
            (
                format!("cannot call {model}: it may cost {wanted}, the limit of {of} is {limit}{already}"),
                Some(format!("raise spend.{key}_{unit}; epitome value --spend shows what is left")),
            )
        }
    }
}
