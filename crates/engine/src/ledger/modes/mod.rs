//! The learner of view modes: for files of a language and a size, read by an agent that works in one way, which mode
//! spares most without being read again.
//!
//! A choice depends only on what was learned so far: the random numbers come from a digest of it, so that the same state
//! gives the same mode.

mod mode_report;
mod sampler;

pub use mode_report::{ModeArmReport, ModeReset, ModeSlotReport, ModesReport};
pub(crate) use mode_report::{build_modes_report, load_learned, reset_modes};
use sampler::choose_arm;

use model::DigestBuilder;
use store::{ModeArm, ModeOutcome, ModeSlot};
use syntax::ViewMode;

/// A slot with fewer samples goes by the table of kinds and sizes.
const MIN_SAMPLES: u64 = 50;

/// The reward of a file that had to be read again, in millionths.
const REREAD_REWARD: i64 = -1_000_000;

/// Bytes spared that earn the whole reward.
const FULL_REWARD_BYTES: i64 = 10_000;

/// How an agent works, by the operations that it called lately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentPattern {
    Explore,
    Edit,
    Review,
    Unknown,
}

impl AgentPattern {
    /// The word, as stored.
    fn as_str(self) -> &'static str {
        match self {
            Self::Explore => "explore",
            Self::Edit => "edit",
            Self::Review => "review",
            Self::Unknown => "unknown",
        }
    }

    /// Reads the newest operations of a session.
    pub(crate) fn from_operations<'o>(operations: impl Iterator<Item = &'o str>) -> Self {
        let [mut asked, mut read, mut compared, mut count] = [0; 4];
        for operation in operations {
            count += 1;
            match operation {
                "search" | "context" | "tree" | "briefing" | "symbol" => asked += 1,
                "read" | "relations" => read += 1,
                "impact" => compared += 1,
                _ => {}
            }
        }
        // Two calls are no habit.
        if count < 3 {
            Self::Unknown
        } else if compared > 0 {
            Self::Review
        } else if read > asked {
            Self::Edit
        } else if asked > 0 {
            Self::Explore
        } else {
            Self::Unknown
        }
    }
}

/// The letter of a size.
pub(crate) fn size_bucket(bytes: u64) -> &'static str {
    match bytes {
        0..4_096 => "S",
        4_096..16_384 => "M",
        16_384..65_536 => "L",
        65_536.. => "XL",
    }
}

/// The language of a path, in a word.
pub(crate) fn language_name(path: &str) -> Option<&'static str> {
    syntax::language_of(path, &[]).map(syntax::Language::name)
}

/// The slot of a file.
pub(crate) fn slot_of(path: &str, bytes: u64, pattern: AgentPattern) -> ModeSlot {
    ModeSlot {
        language: language_name(path).unwrap_or("other").to_owned(),
        size_bucket: size_bucket(bytes).to_owned(),
        pattern: pattern.as_str().to_owned(),
    }
}

/// What became of a file that was not read again.
pub(crate) fn spared_outcome(slot: ModeSlot, mode: ViewMode, bytes_avoided: i64) -> ModeOutcome {
    let spared = bytes_avoided.clamp(-FULL_REWARD_BYTES, FULL_REWARD_BYTES);
    let reward_micros = spared * (1_000_000 / FULL_REWARD_BYTES);
    ModeOutcome { slot, mode: mode.as_str().to_owned(), reward_micros, is_reread: false }
}

/// What became of a file that was read again in a wider mode.
pub(crate) fn reread_outcome(slot: ModeSlot, mode: ViewMode) -> ModeOutcome {
    ModeOutcome { slot, mode: mode.as_str().to_owned(), reward_micros: REREAD_REWARD, is_reread: true }
}

/// What was learned, for one reading.
pub(crate) struct LearnedModes {
    pub(crate) arms: Vec<ModeArm>,
    pub(crate) pattern: AgentPattern,
}

impl LearnedModes {
    /// The mode for a file; none where too little is known.
    pub(crate) fn choose_mode(&self, path: &str, bytes: u64) -> Option<ViewMode> {
        let slot = slot_of(path, bytes, self.pattern);
        let of_slot: Vec<&ModeArm> = self.arms.iter().filter(|arm| arm.slot == slot).collect();
        choose_arm(&of_slot, slot_seed(&slot))
    }
}

/// The number that the choices in a slot begin with.
fn slot_seed(slot: &ModeSlot) -> u64 {
    let digest = DigestBuilder::new("mode slot").add_field(slot.language.as_bytes());
    let hash = digest.add_field(slot.size_bucket.as_bytes()).add_field(slot.pattern.as_bytes()).finish();
    let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
    u64::from_le_bytes(*first)
}
