//! Who is asked: the provider the caller names, else each of the configured chain until one answers, else nobody, and
//! the operation goes on with what is built in.

use super::contract::{Purpose, Refused, call, model_name};
use crate::{Engine, Error, Result};
use providers::{GenerateRequest, Generator, Remedy, Stop};
use std::sync::Arc;

/// The providers that are configured, each behind its circuit breaker, in the order in which they are asked.
#[derive(Clone, Default)]
pub struct Providers {
    /// Those that write text.
    pub generators: Vec<Arc<dyn Generator>>,
    /// Why others of the chain cannot be asked.
    pub unusable: Vec<Degraded>,
}

/// Something that did not run as it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl From<&Refused> for Degraded {
    fn from(refused: &Refused) -> Self {
        let (reason, fix) = refused.words();
        Self { reason, fix }
    }
}

/// What was written, if anything, and what stood against it.
pub(crate) struct Written {
    pub(crate) text: Option<String>,
    /// Providers that were asked, or would have been, and gave nothing.
    pub(crate) missed: Vec<Degraded>,
    /// Whether another request may fare better where this one did not.
    pub(crate) others_may: bool,
}

/// Has a text written under the spend contract.
///
/// A text that ends for lack of room is no text: whoever takes the beginning of a summary for a summary keeps a lie.
pub(crate) async fn write(
    engine: &Engine,
    purpose: Purpose<'_>,
    choice: Option<&str>,
    request: &GenerateRequest,
) -> Result<Written> {
    let generators = chosen(&engine.providers, choice)?;
    let mut written = Written { text: None, missed: Vec::new(), others_may: false };
    if choice.is_none() {
        written.missed.clone_from(&engine.providers.unusable);
    }
    if generators.is_empty() && written.missed.is_empty() {
        let fix = "name a provider in providers.chain, and its model".to_owned();
        written.missed.push(Degraded { reason: "no provider of models is configured".to_owned(), fix: Some(fix) });
    }
    for generator in generators {
        match call(engine, purpose, &*generator, request).await? {
            Ok(generated) if generated.stop == Stop::End => {
                written.text = Some(generated.text);
                return Ok(written);
            }
            Ok(_) => {
                let reason = format!("{} ran out of room before it was done", model_name(generator.model()));
                written.missed.push(Degraded { reason, fix: None });
                written.others_may = true;
            }
            Err(refused) => {
                written.missed.push(Degraded::from(&refused));
                written.others_may |=
                    matches!(&refused, Refused::Provider(error) if error.failure.remedy() == Remedy::Rephrase);
                if refused.is_final() {
                    break;
                }
            }
        }
    }
    Ok(written)
}

/// The one that is named as `vendor` or `vendor/model`, or all of the chain.
fn chosen(providers: &Providers, choice: Option<&str>) -> Result<Vec<Arc<dyn Generator>>> {
    let Some(choice) = choice else { return Ok(providers.generators.clone()) };
    let is_named = |generator: &&Arc<dyn Generator>| {
        let model = generator.model();
        model.vendor.name() == choice || model_name(model) == choice
    };
    if let Some(generator) = providers.generators.iter().find(is_named) {
        return Ok(vec![Arc::clone(generator)]);
    }
    let names: Vec<String> = providers.generators.iter().map(|known| model_name(known.model())).collect();
    let known = if names.is_empty() { "none is".to_owned() } else { format!("there is {}", names.join(", ")) };
    let reason = format!("names `{choice}`, which is not configured: {known}");
    Err(Error::Parameter { field: "provider", reason })
}
