//! Builds the report of the learner of view modes: each slot with its samples, how its modes did and which one is taken.

use super::sampler::MeanBelief;
use super::{LearnedModes, MIN_SAMPLES, slot_seed};
use crate::base::Result;
use crate::ledger::LedgerContext;
use std::collections::BTreeMap;
use store::{ModeArm, ModeSlot};
use syntax::ViewMode;

/// What the learner knows.
#[derive(Debug)]
pub struct ModesReport {
    /// Whether it chooses modes.
    pub is_adaptive: bool,
    /// So many samples a slot needs before the learner chooses for it.
    pub min_samples: u64,
    /// Within so many turns a wider reading of the same file counts as one more.
    pub window_turns: u64,
    /// Every slot with a sample.
    pub slots: Vec<ModeSlotReport>,
    /// How many arms were forgotten just now.
    pub forgotten: u64,
}

/// One slot.
#[derive(Debug)]
pub struct ModeSlotReport {
    /// Its language, size and way of working.
    pub slot: ModeSlot,
    /// How many samples it has.
    pub samples: u64,
    /// How often its files were read again in a wider mode.
    pub rereads: u64,
    /// Its modes, from the widest to the narrowest.
    pub arms: Vec<ModeArmReport>,
    /// The mode that the learner takes now; none where the table decides.
    pub chosen: Option<ViewMode>,
    /// Whether one mode is better than all others beyond doubt.
    pub is_converged: bool,
    /// Whether the mode with most samples is not the one with the best mean: the slot settled on a bad mode.
    pub is_suspect: bool,
}

/// How a mode did in a slot.
#[derive(Debug)]
pub struct ModeArmReport {
    /// The mode.
    pub mode: String,
    /// How often it was tried.
    pub samples: u64,
    /// How often the file was read again in a wider mode.
    pub rereads: u64,
    /// The mean reward, from -1 to 1.
    pub mean: f64,
}

/// What to forget.
#[derive(Clone, Debug)]
pub enum ModeReset {
    /// Everything.
    All,
    /// One slot.
    Slot(ModeSlot),
}

/// Means that differ by so many of their deviations differ beyond doubt.
const BEYOND_DOUBT: f64 = 3.0;

pub(crate) async fn build_modes_report(ledger: &LedgerContext) -> Result<ModesReport> {
    let arms = ledger.store.load_mode_arms().await?;
    let mut by_slot: BTreeMap<ModeSlot, Vec<ModeArm>> = BTreeMap::new();
    for arm in arms {
        by_slot.entry(arm.slot.clone()).or_default().push(arm);
    }
    Ok(ModesReport {
        is_adaptive: ledger.adaptive_modes,
        min_samples: MIN_SAMPLES,
        window_turns: ledger.window_turns,
        slots: by_slot.into_iter().map(|(slot, arms)| report_slot(slot, &arms)).collect(),
        forgotten: 0,
    })
}

/// Forgets what was learned, and reports what is left.
pub(crate) async fn reset_modes(ledger: &LedgerContext, reset: ModeReset) -> Result<ModesReport> {
    let slot = match reset {
        ModeReset::All => None,
        ModeReset::Slot(slot) => Some(slot),
    };
    let forgotten = ledger.store.reset_mode_arms(slot).await?;
    Ok(ModesReport { forgotten, ..build_modes_report(ledger).await? })
}

fn report_slot(slot: ModeSlot, arms: &[ModeArm]) -> ModeSlotReport {
    let refs: Vec<&ModeArm> = arms.iter().collect();
    let samples = arms.iter().map(|arm| arm.samples).sum();
    let mean = |arm: &ModeArm| arm.reward_micros as f64 / 1e6 / arm.samples.max(1) as f64;
    let tried = || arms.iter().filter(|arm| arm.samples > 0);
    let best = tried().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let most = tried().max_by_key(|arm| arm.samples);
    let is_enough = samples >= MIN_SAMPLES;
    ModeSlotReport {
        samples,
        rereads: arms.iter().map(|arm| arm.rereads).sum(),
        chosen: super::choose_arm(&refs, slot_seed(&slot)),
        is_converged: is_enough && best.is_some_and(|best| is_beyond_doubt(best, arms)),
        is_suspect: is_enough && best.zip(most).is_some_and(|(best, most)| best.mode != most.mode),
        arms: ViewMode::ALL
            .iter()
            .filter_map(|(_, word)| arms.iter().find(|arm| arm.mode == *word))
            .map(|arm| ModeArmReport {
                mode: arm.mode.clone(),
                samples: arm.samples,
                rereads: arm.rereads,
                mean: mean(arm),
            })
            .collect(),
        slot,
    }
}

/// Whether a mode is better than every other one, tried or not, by more than chance would have it.
fn is_beyond_doubt(best: &ModeArm, arms: &[ModeArm]) -> bool {
    let belief = MeanBelief::from_arm(Some(best));
    let others = ViewMode::ALL.iter().filter(|(_, word)| *word != best.mode);
    others.map(|(_, word)| MeanBelief::from_arm(arms.iter().find(|arm| arm.mode == *word))).all(|other| {
        let spread = belief.deviation.hypot(other.deviation);
        belief.mean - other.mean > BEYOND_DOUBT * spread
    })
}

/// What was learned so far, for one reading; nothing where modes are not chosen by it.
pub(crate) async fn load_learned(ledger: &LedgerContext) -> Option<LearnedModes> {
    if !ledger.adaptive_modes {
        return None;
    }
    match ledger.store.load_mode_arms().await {
        Ok(arms) => Some(LearnedModes { arms, pattern: ledger.notes.latest_pattern() }),
        // A reading must not fail for want of what was learned: the table decides.
        Err(error) => {
            tracing::warn!(%error, "what was learned of view modes could not be read");
            None
        }
    }
}
