//! The `modes` operation (command, MCP tool, HTTP route): its parameters and its reply. It shows what was learned of how
//! files are best shown, slot by slot, and forgets it where that is asked for.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use engine::{ModeReset, ModeSlot, ModesReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct ModesOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModesParams {
    /// Forget what was learned of this slot (`rust/M/edit`), or of `all`
    #[arg(long, value_name = "SLOT")]
    reset: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ModesReply {
    /// Whether modes are chosen by it (`read.adaptive`)
    adaptive: bool,
    /// The mode that is always taken (`read.mode`)
    #[serde(skip_serializing_if = "Option::is_none")]
    default_mode: Option<String>,
    /// A slot with fewer samples goes by the table of kinds and sizes
    min_samples: u64,
    /// Turns within which reading a file again, wider, counts against its mode
    window_turns: u64,
    slots: Vec<ModesSlot>,
    /// How many modes of slots were forgotten just now
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
struct ModesSlot {
    /// `language/size/pattern`
    slot: String,
    language: String,
    /// `S`, `M`, `L` or `XL`
    size_bucket: String,
    /// `explore`, `edit`, `review` or `unknown`
    pattern: String,
    samples: u64,
    /// How often a file was read again in a wider mode
    rereads: u64,
    arms: Vec<ModesArm>,
    /// The mode that is taken now; absent where the table decides
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<&'static str>,
    /// Whether one mode is better than all others beyond doubt
    converged: bool,
    /// Whether the mode with most samples is not the best one
    suspect: bool,
}

#[derive(Serialize, JsonSchema)]
struct ModesArm {
    mode: String,
    samples: u64,
    rereads: u64,
    /// Mean reward, from -1 (always read again) to 1 (10 KB spared each time)
    mean: f64,
}

impl Operation for ModesOperation {
    const NAME: &'static str = "modes";
    const SUMMARY: &'static str = "Show what was learned of how files are best shown, and forget it";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::LookAfter;
    const HELP: &'static str = "\
A slot is a language, a size (S below 4 KiB, M below 16, L below 64, XL) and a way of working. From 50 samples on a slot \
takes the mode that spared most without being read again, where `read.adaptive` is on; below that the table by kind and \
size decides.

Examples:
  epitome modes
  epitome modes --reset rust/M/edit
  epitome modes --reset all";
    type Params = ModesParams;
    type Reply = ModesReply;

    async fn run(call: &OperationCall<'_>, params: ModesParams) -> Result<ModesReply, engine::Error> {
        let report = match params.reset.as_deref().map(parse_reset).transpose()? {
            None => call.engine.modes_report().await?,
            Some(reset) => call.engine.reset_modes(reset).await?,
        };
        let default_mode = call.config.read.mode.map(|mode| match mode {
            engine::ModeChoice::Fixed(mode) => mode.as_str().to_owned(),
            engine::ModeChoice::Auto => "auto".to_owned(),
        });
        Ok(ModesReply { default_mode, ..ModesReply::from(report) })
    }
}

fn parse_reset(text: &str) -> Result<ModeReset, engine::Error> {
    if text == "all" {
        return Ok(ModeReset::All);
    }
    let mut words = text.splitn(3, '/').map(str::to_owned);
    let (Some(language), Some(size_bucket), Some(pattern)) = (words.next(), words.next(), words.next()) else {
        let reason = format!("is `{text}`: write `language/size/pattern` as `modes` shows it, or `all`");
        return Err(engine::Error::Parameter { field: "reset", reason });
    };
    Ok(ModeReset::Slot(ModeSlot { language, size_bucket, pattern }))
}

impl From<ModesReport> for ModesReply {
    fn from(report: ModesReport) -> Self {
        let slot = |slot: engine::ModeSlotReport| {
            let ModeSlot { language, size_bucket, pattern } = slot.slot;
            let arm = |arm: engine::ModeArmReport| ModesArm {
                mode: arm.mode,
                samples: arm.samples,
                rereads: arm.rereads,
                mean: (arm.mean * 1e3).round() / 1e3,
            };
            ModesSlot {
                slot: format!("{language}/{size_bucket}/{pattern}"),
                language,
                size_bucket,
                pattern,
                samples: slot.samples,
                rereads: slot.rereads,
                arms: slot.arms.into_iter().map(arm).collect(),
                chosen: slot.chosen.map(engine::ViewMode::as_str),
                converged: slot.is_converged,
                suspect: slot.is_suspect,
            }
        };
        Self {
            adaptive: report.is_adaptive,
            default_mode: None,
            min_samples: report.min_samples,
            window_turns: report.window_turns,
            slots: report.slots.into_iter().map(slot).collect(),
            forgotten: report.forgotten,
        }
    }
}

impl OperationReply for ModesReply {
    fn to_text(&self) -> String {
        let mut text = match (&self.default_mode, self.adaptive) {
            (Some(mode), _) => format!("every file is shown as `{mode}` (read.mode)\n"),
            (None, true) => format!("modes are learned; a slot needs {} samples\n", self.min_samples),
            (None, false) => "modes are not learned: set read.adaptive to have them chosen\n".to_owned(),
        };
        if self.forgotten > 0 {
            text.push_str(&format!("forgot {} modes of slots\n", self.forgotten));
        }
        for ModesSlot { slot, samples, rereads, arms, chosen, converged, suspect, .. } in &self.slots {
            let taken = chosen.map_or_else(
                || format!("the table decides, {} samples to go", self.min_samples.saturating_sub(*samples)),
                |mode| format!("takes {mode}{}", if *converged { ", settled" } else { "" }),
            );
            let doubt = if *suspect { "; another mode has the better mean" } else { "" };
            text.push_str(&format!("{slot}: {samples} samples, {rereads} read again, {taken}{doubt}\n"));
            for ModesArm { mode, samples, rereads, mean } in arms {
                text.push_str(&format!(
                    "    {mode:<12} {samples:>6} samples {rereads:>5} read again, mean {mean:.3}\n"
                ));
            }
        }
        if self.slots.is_empty() {
            text.push_str("nothing was learned yet\n");
        }
        text
    }
}
