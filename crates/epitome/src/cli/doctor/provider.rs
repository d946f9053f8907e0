//! What doctor says of the configured providers: what each may spend and has spent, and with `--online` whether it
//! answers.
//!
//! A provider is asked only when the user says so, and only for what costs nothing: a list of its models, or whether
//! its command starts.

use super::{Check, Finding};
use crate::compose::App;
use engine::ValueRequest;
use providers::Generator;
use store::TotalsBy;

/// Whether providers are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    Online,
    Offline,
}

pub(super) async fn checks(app: &App, asking: Asking) -> Vec<Check> {
    let unusable = app.providers.unusable.iter().map(|degraded| Check {
        name: "provider".to_owned(),
        outcome: Err(Finding {
            what: degraded.reason.clone(),
            fix: degraded.fix.clone().unwrap_or_else(|| "see the message".to_owned()),
        }),
    });
    let mut checks: Vec<Check> = unusable.collect();
    for generator in &app.providers.generators {
        checks.push(provider(app, &**generator, asking).await);
    }
    if checks.is_empty() {
        let none = "none configured: no model is ever called (providers.chain)".to_owned();
        checks.push(Check { name: "providers".to_owned(), outcome: Ok(none) });
    }
    checks
}

async fn provider(app: &App, generator: &dyn Generator, asking: Asking) -> Check {
    let model = generator.model();
    let name = format!("{}/{}", model.vendor.name(), model.name);
    let answers = match asking {
        Asking::Offline => "not asked (epitome doctor --online asks)".to_owned(),
        Asking::Online => match generator.probe().await {
            Ok(()) => "answers".to_owned(),
            Err(error) => {
                let fix = error.hint().unwrap_or_else(|| "try again later, or choose another provider".to_owned());
                return Check {
                    name: "provider".to_owned(),
                    outcome: Err(Finding { what: format!("{name}: {error}"), fix }),
                };
            }
        },
    };
    let outcome = match spending(app, &name).await {
        Ok(Ok(words)) => Ok(format!("{name} {answers}; {words}")),
        Ok(Err(finding)) => Err(finding),
        Err(problem) => Err(Finding { what: problem.to_string(), fix: "see the message".to_owned() }),
    };
    Check { name: "provider".to_owned(), outcome }
}

/// What a provider may spend and has spent, or why it may not be asked at all.
async fn spending(app: &App, name: &str) -> Result<Result<String, Finding>, engine::Error> {
    let request =
        ValueRequest { by: TotalsBy::Model, project: None, session: None, days: None, entries: 0, spend: true };
    let Some(report) = app.engine.value(request).await?.spend else { return Ok(Ok(String::new())) };
    let Some(provider) = report.providers.iter().find(|provider| provider.model == name) else {
        return Ok(Ok(String::new()));
    };
    if provider.price.is_none() {
        let what = format!("{name} is never asked: its price is not known, and spending is limited in money");
        let fix = format!("set spend.prices = [\"{name}=INPUT/OUTPUT\"], in dollars per million tokens");
        return Ok(Err(Finding { what, fix }));
    }
    let (left, spent) = (report.remaining, provider.spent);
    let may = format!("may spend {} or {} tokens more today", left.money, left.tokens);
    Ok(Ok(format!("{may}; has spent {} and {} tokens", spent.money, spent.tokens)))
}
