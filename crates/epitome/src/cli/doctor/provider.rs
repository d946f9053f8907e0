//! What doctor says of the configured providers: what each may spend and has spent, and with `--online` whether it
//! answers.
//!
//! A provider is asked only when the user says so, and only for what costs nothing: a list of its models, or whether
//! its command starts.

use super::{Check, Finding};
use crate::compose::App;
use engine::ValueRequest;
use providers::Vendor;
use store::TotalsBy;

/// Whether providers are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    Online,
    Offline,
}

pub(super) async fn checks(app: &App, asking: Asking) -> Vec<Check> {
    let engine::Providers { generators, unusable, embedders, unusable_embedders } = &app.providers;
    let mut checks: Vec<Check> = unusable
        .iter()
        .chain(unusable_embedders)
        .map(|degraded| finding(degraded.reason.clone(), degraded.fix.clone()))
        .collect();
    for generator in generators {
        let model = generator.model();
        let name = format!("{}/{}", model.vendor, model.name);
        checks.push(provider(app, &name, asking, generator.probe()).await);
    }
    // The one inside the program has a check of its own.
    for embedder in embedders.iter().filter(|embedder| embedder.vendor() != Vendor::Builtin) {
        checks.push(provider(app, &embedder.model().name, asking, embedder.probe()).await);
    }
    if checks.is_empty() {
        let none = "none configured: no model is ever called (providers.chain)".to_owned();
        checks.push(Check { name: "providers".to_owned(), outcome: Ok(none) });
    }
    checks
}

async fn provider(app: &App, name: &str, asking: Asking, probe: impl Future<Output = providers::Result<()>>) -> Check {
    let answers = match asking {
        Asking::Offline => "not asked (epitome doctor --online asks)",
        Asking::Online => match probe.await {
            Ok(()) => "answers",
            Err(error) => return finding(format!("{name}: {error}"), error.hint()),
        },
    };
    match spending(app, name).await {
        Ok(Ok(words)) => Check { name: "provider".to_owned(), outcome: Ok(format!("{name} {answers}; {words}")) },
        Ok(Err(finding)) => Check { name: "provider".to_owned(), outcome: Err(finding) },
        Err(problem) => finding(problem.to_string(), None),
    }
}

fn finding(what: String, fix: Option<String>) -> Check {
    let fix = fix.unwrap_or_else(|| "see the message".to_owned());
    Check { name: "provider".to_owned(), outcome: Err(Finding { what, fix }) }
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
