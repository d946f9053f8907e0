//! The spend contract: a call is reserved at its worst before it is made, and settled by what its vendor reports.
//!
//! Nothing is ever taken for free. What a vendor does not report costs what was reserved, and so does a call whose
//! caller never came back: only a vendor's own word that it did not begin to answer gives the money back.

use super::prices::{PriceTable, TokenPrice};
use crate::Engine;
use crate::base::Result;
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

/// Who wants a call to be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallInitiative {
    /// The user or the agent, who asked for it and waits.
    User,
    /// The engine itself, and every caller that does not say that a user waits.
    #[default]
    Background,
}

/// What a call is for.
#[derive(Clone, Copy)]
pub(crate) struct CallPurpose<'a> {
    pub(crate) operation: &'static str,
    pub(crate) project: Option<&'a ProjectId>,
    /// What the ceiling of a session is counted by; that of the process where there is none.
    pub(crate) session: Option<&'a str>,
    pub(crate) initiative: CallInitiative,
}

/// Why a call gave nothing.
#[derive(Debug)]
pub(crate) enum CallRefusal {
    /// The user did not ask for it, and the settings do not allow calls in the background.
    Background,
    /// The price list lacks the model.
    Unpriced { model: String },
    /// A ceiling stands against it.
    Ceiling { model: String, refusal: SpendRefusal },
    /// The provider failed.
    Provider(providers::ProviderError),
}

/// How long after its deadline a call is taken for lost.
const GRACE: Duration = Duration::from_mins(1);

/// A call that was made, or was not to be.
pub(super) struct CallOutcome<T> {
    pub(super) answer: Result<T, CallRefusal>,
    /// What it is booked at.
    pub(super) cost: LedgerFigures,
}

impl<T> CallOutcome<T> {
    fn from_refusal(refused: CallRefusal) -> Self {
        Self { answer: Err(refused), cost: LedgerFigures::default() }
    }
}

/// Has a generator answer a request.
pub(super) async fn call_generator(
    engine: &Engine,
    purpose: CallPurpose<'_>,
    generator: &dyn Generator,
    request: &GenerateRequest,
) -> Result<CallOutcome<GeneratedText>> {
    let said = request.messages.iter().map(|turn| turn.text.as_str());
    let schema = request.schema.as_ref().map(ToString::to_string);
    let texts = said.chain(schema.as_deref()).chain([request.system.as_str()]);
    let planned = PlannedCall {
        model: model_name(generator.model()),
        input: max_input_tokens(generator.model().vendor, texts),
        output: u64::from(request.max_output.0),
        deadline: request.deadline,
    };
    run_reserved_call(engine, purpose, planned, generator.generate(request), |generated| generated.usage).await
}

/// Has an embedder embed texts. The one inside the program sends nothing anywhere and costs nothing: nothing is booked.
pub(crate) async fn call_embedder(
    engine: &Engine,
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
        deadline: EMBEDDING,
    };
    Ok(run_reserved_call(engine, purpose, planned, embedder.embed(texts), |embedded| embedded.usage).await?.answer)
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
const EMBEDDING: Duration = Duration::from_mins(2);

/// Makes a call under the contract.
async fn run_reserved_call<T>(
    engine: &Engine,
    purpose: CallPurpose<'_>,
    planned: PlannedCall,
    asked: impl Future<Output = providers::Result<T>>,
    usage: fn(&T) -> Usage,
) -> Result<CallOutcome<T>> {
    let spend = &engine.settings.spend;
    if purpose.initiative == CallInitiative::Background && !spend.background {
        return Ok(CallOutcome::from_refusal(CallRefusal::Background));
    }
    let PlannedCall { model, input, output, deadline } = planned;
    let Some(price) = spend.prices.find_price(&model) else {
        return Ok(CallOutcome::from_refusal(CallRefusal::Unpriced { model }));
    };
    let worst = price.worst_cost(input, output);
    let now = engine.clock.now();
    let account = LedgerAccount {
        operation: purpose.operation.to_owned(),
        project: purpose.project.cloned(),
        session: purpose.session.map(str::to_owned).or_else(|| engine.settings.session.clone()),
        model: Some(model.clone()),
    };
    let lives = i64::try_from((deadline + GRACE).as_millis()).unwrap_or(i64::MAX);
    let expires = Timestamp(now.0.saturating_add(lives));
    let wanted =
        NewReservation { account, worst, limits: spend.limits, day: UtcDay::from_timestamp(now), now, expires };
    let id = match engine.store.reserve_call(wanted).await? {
        ReservationOutcome::Granted(id) => id,
        ReservationOutcome::Refused(refusal) => {
            return Ok(CallOutcome::from_refusal(CallRefusal::Ceiling { model, refusal }));
        }
    };
    let answer = asked.await;
    let settlement = build_settlement(price, &worst, answer.as_ref().map(usage));
    let cost = match &settlement {
        Settlement::Used(used) => *used,
        Settlement::Unknown => worst,
        Settlement::Released => LedgerFigures::default(),
    };
    settle_reservation(engine, id, settlement).await;
    Ok(CallOutcome { answer: answer.map_err(CallRefusal::Provider), cost })
}

/// The model's name in the ledger and in the table of prices.
pub(crate) fn model_name(model: &GenerationModel) -> String {
    format!("{}/{}", model.vendor, model.name)
}

/// The most tokens that texts can be to a vendor.
fn max_input_tokens<'a>(vendor: Vendor, texts: impl Iterator<Item = &'a str>) -> u64 {
    let counted: u64 = texts.map(|text| u64::from(count_tokens(text).0)).sum();
    // Others cut text finer than the vocabulary we count with, and add words of their own; commands add pages.
    let added = match vendor {
        Vendor::ClaudeCli | Vendor::CodexCli => 30_000,
        Vendor::Builtin | Vendor::Anthropic | Vendor::OpenAi | Vendor::Compatible | Vendor::Ollama => 200,
    };
    counted + counted / 2 + added
}

/// What a call that ended like this costs.
fn build_settlement(
    price: TokenPrice,
    worst: &LedgerFigures,
    used: Result<Usage, &providers::ProviderError>,
) -> Settlement {
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

/// What cannot be settled stays reserved, and expires as spent: an answer that is here is not thrown away for that.
async fn settle_reservation(engine: &Engine, id: ReservationId, settlement: Settlement) {
    if let Err(error) = engine.store.settle_reservation(id, settlement, engine.clock.now()).await {
        tracing::warn!(%error, "a model call could not be settled; what was reserved for it counts as spent");
    }
}

impl CallRefusal {
    /// Whether no other call of this kind would fare better now.
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
                // What it failed with is the news; that it is left alone meanwhile is how we deal with it.
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
            let already = if *ceiling == CeilingKind::Call { String::new() } else { format!(", {used} of it used") };
            (
                format!("cannot call {model}: it may cost {wanted}, the limit of {of} is {limit}{already}"),
                Some(format!("raise spend.{key}_{unit}; epitome value --spend shows what is left")),
            )
        }
    }
}
