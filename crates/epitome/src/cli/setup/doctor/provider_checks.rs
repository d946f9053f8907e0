//! Checks of `epitome doctor` on the configured model providers: what each may spend and has spent, and with `--online`
//! whether it answers. A provider is asked only when the user says so, and only for what costs nothing: a list of its
//! models, or whether its command starts.

use super::{DoctorCheck, DoctorFinding};
use crate::compose::App;
use engine::{ValueGrouping, ValueRequest};
use providers::Vendor;

/// Whether providers are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ProbeMode {
    Online,
    Offline,
}

pub(super) async fn check_providers(app: &App, asking: ProbeMode) -> Vec<DoctorCheck> {
    let engine::ProviderSet { generators, unusable, embedders, unusable_embedders } = &app.providers;
    let mut checks: Vec<DoctorCheck> = unusable
        .iter()
        .chain(unusable_embedders)
        .map(|degraded| failed_check(degraded.reason.clone(), degraded.fix.clone()))
        .collect();
    for generator in generators {
        let model = generator.model();
        let name = format!("{}/{}", model.vendor, model.name);
        checks.push(check_provider(app, &name, asking, generator.probe()).await);
    }
    // The embedder inside of the program has a check of its own.
    for embedder in embedders.iter().filter(|embedder| embedder.vendor() != Vendor::Builtin) {
        checks.push(check_provider(app, &embedder.model().name, asking, embedder.probe()).await);
    }
    if checks.is_empty() {
        let none = "none configured: no model is ever called (providers.chain)".to_owned();
        checks.push(DoctorCheck { name: "providers".to_owned(), outcome: Ok(none) });
    }
    checks
}

async fn check_provider(
    app: &App,
    name: &str,
    asking: ProbeMode,
    probe: impl Future<Output = providers::Result<()>>,
) -> DoctorCheck {
    let answers = match asking {
        // A probe is free but needs the network, and `doctor` has to work without one.
        ProbeMode::Offline => "not asked (epitome doctor --online asks)",
        ProbeMode::Online => match probe.await {
            Ok(()) => "answers",
            Err(error) => return failed_check(format!("{name}: {error}"), error.hint()),
        },
    };
    match describe_spending(app, name).await {
        Ok(Ok(words)) => DoctorCheck { name: "provider".to_owned(), outcome: Ok(format!("{name} {answers}; {words}")) },
        Ok(Err(finding)) => DoctorCheck { name: "provider".to_owned(), outcome: Err(finding) },
        Err(problem) => failed_check(problem.to_string(), None),
    }
}

fn failed_check(what: String, fix: Option<String>) -> DoctorCheck {
    let fix = fix.unwrap_or_else(|| "see the message".to_owned());
    DoctorCheck { name: "provider".to_owned(), outcome: Err(DoctorFinding { what, fix }) }
}

/// What a provider may spend and has spent, or why it may not be asked at all.
async fn describe_spending(app: &App, name: &str) -> Result<Result<String, DoctorFinding>, engine::Error> {
    let request = ValueRequest { by: ValueGrouping::Model, spend: true, ..ValueRequest::default() };
    let Some(report) = app.engine.ledger_report(request).await?.spend else { return Ok(Ok(String::new())) };
    let Some(provider) = report.providers.iter().find(|provider| provider.model == name) else {
        return Ok(Ok(String::new()));
    };
    // A provider without a price would be refused at every call, which the user should learn here.
    if provider.price.is_none() {
        let what = format!("{name} is never asked: its price is not known, and spending is limited in money");
        let fix = format!("set spend.prices = [\"{name}=INPUT/OUTPUT\"], in dollars per million tokens");
        return Ok(Err(DoctorFinding { what, fix }));
    }
    let left = report.remaining;
    let spent = provider.spent;
    let may = format!("may spend {} or {} tokens more today", left.money, left.tokens);
    Ok(Ok(format!("{may}; has spent {} and {} tokens", spent.money, spent.tokens)))
}
