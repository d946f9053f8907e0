//! Data types of what was learned of modes of showing a file: a slot (language, size, way of working), and how well a
//! mode did in it.

/// What a choice of a mode depends on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModeSlot {
    /// The language of the file.
    pub language: String,
    /// The size of the file, as a letter.
    pub size_bucket: String,
    /// How the agent works.
    pub pattern: String,
}

/// What became of one file that was shown in a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeOutcome {
    /// The slot.
    pub slot: ModeSlot,
    /// The mode.
    pub mode: String,
    /// The reward, in millionths.
    pub reward_micros: i64,
    /// Whether the file was read again in a wider mode.
    pub is_reread: bool,
}

/// How well a mode did in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModeArm {
    /// The slot.
    pub slot: ModeSlot,
    /// The mode.
    pub mode: String,
    /// How often it was tried.
    pub samples: u64,
    /// How often the file was read again in a wider mode.
    pub rereads: u64,
    /// The sum of rewards, in millionths.
    pub reward_micros: i64,
    /// The sum of the squares of rewards, in millionths.
    pub square_micros: i64,
}

impl ModeOutcome {
    /// The square of the reward, in millionths.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn square_micros(&self) -> i64 {
        let square = i128::from(self.reward_micros) * i128::from(self.reward_micros) / 1_000_000;
        i64::try_from(square).unwrap_or(i64::MAX)
    }
}
