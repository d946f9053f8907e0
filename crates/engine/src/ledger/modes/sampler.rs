//! Thompson sampling over the view modes of one slot: of each mode a mean reward is drawn from what is believed of it,
//! and the mode with the highest draw is taken. What is believed of a mean is a normal distribution around the mean of
//! its samples, as wide as they scatter; of an untried mode next to nothing is believed.

use super::MIN_SAMPLES;
use store::ModeArm;
use syntax::ViewMode;

/// What is believed of a mode before it is tried: one sample's weight, in the middle of all rewards, as wide as they are.
const PRIOR_WEIGHT: f64 = 1.0;
const PRIOR_VARIANCE: f64 = 0.5;

/// The mode to take next; none where the slot has too few samples.
pub(crate) fn choose_arm(arms: &[&ModeArm], seed: u64) -> Option<ViewMode> {
    let samples: u64 = arms.iter().map(|arm| arm.samples).sum();
    if samples < MIN_SAMPLES {
        return None;
    }
    // The state of the slot is part of the seed: with every sample that comes in the draws are others.
    let mut random = RandomNumbers(seed ^ samples.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let draw = |(mode, word): (ViewMode, &str)| {
        let belief = MeanBelief::from_arm(arms.iter().find(|arm| arm.mode == word).copied());
        (belief.mean + belief.deviation * random.next_normal(), mode)
    };
    ViewMode::ALL.into_iter().map(draw).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, mode)| mode)
}

/// What is believed of the mean reward of a mode.
pub(super) struct MeanBelief {
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl MeanBelief {
    pub(super) fn from_arm(arm: Option<&ModeArm>) -> Self {
        let Some(arm) = arm.filter(|arm| arm.samples > 0) else {
            return Self { mean: 0.0, deviation: PRIOR_VARIANCE.sqrt() };
        };
        let count = arm.samples as f64;
        let mean = arm.reward_micros as f64 / 1e6 / count;
        let scatter = (arm.square_micros as f64 / 1e6 - count * mean * mean).max(0.0);
        let weight = count + PRIOR_WEIGHT;
        let variance = (scatter + PRIOR_WEIGHT * PRIOR_VARIANCE) / weight;
        Self { mean: mean * count / weight, deviation: (variance / weight).sqrt() }
    }
}

/// Random numbers that follow from a seed.
pub(super) struct RandomNumbers(pub(super) u64);

impl RandomNumbers {
    pub(super) fn next_number(&mut self) -> u64 {
        // The generator `splitmix64`: every seed gives another sequence, neighbouring seeds too.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// Above 0 and at most 1.
    pub(super) fn next_share(&mut self) -> f64 {
        ((self.next_number() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// From the normal distribution around 0 (Box and Muller).
    pub(super) fn next_normal(&mut self) -> f64 {
        let distance = (-2.0 * self.next_share().ln()).sqrt();
        distance * (std::f64::consts::TAU * self.next_share()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{reread_outcome, spared_outcome};
    use super::*;
    use proptest::prelude::*;
    use store::{ModeOutcome, ModeSlot};

    fn slot() -> ModeSlot {
        let [language, size_bucket, pattern] = ["rust", "M", "edit"].map(str::to_owned);
        ModeSlot { language, size_bucket, pattern }
    }

    fn add(arms: &mut Vec<ModeArm>, outcome: &ModeOutcome) {
        let at = arms.iter().position(|arm| arm.mode == outcome.mode).unwrap_or_else(|| {
            let (slot, mode) = (outcome.slot.clone(), outcome.mode.clone());
            arms.push(ModeArm { slot, mode, samples: 0, rereads: 0, reward_micros: 0, square_micros: 0 });
            arms.len() - 1
        });
        arms[at].samples += 1;
        arms[at].rereads += u64::from(outcome.is_reread);
        arms[at].reward_micros += outcome.reward_micros;
        arms[at].square_micros += outcome.reward_micros * outcome.reward_micros / 1_000_000;
    }

    /// Files of a slot: bytes that a mode spares on average, and how often it is read again in a wider one.
    struct SimulatedSlot {
        spared: [i64; 4],
        reread: [f64; 4],
    }

    impl SimulatedSlot {
        fn expected_reward(&self, at: usize) -> f64 {
            (1.0 - self.reread[at]) * (self.spared[at] as f64 / 10_000.0).min(1.0) - self.reread[at]
        }

        fn best(&self) -> ViewMode {
            let best = (0..4).max_by(|a, b| self.expected_reward(*a).total_cmp(&self.expected_reward(*b)));
            ViewMode::ALL[best.expect("four modes")].0
        }

        fn outcome(&self, mode: ViewMode, random: &mut RandomNumbers) -> ModeOutcome {
            let at = mode as usize;
            if random.next_share() <= self.reread[at] {
                return reread_outcome(slot(), mode);
            }
            let spared = self.spared[at] as f64 * (0.7 + 0.6 * random.next_share());
            spared_outcome(slot(), mode, spared as i64)
        }

        /// The share of the best mode among the calls that the learner chose for.
        fn run(&self, seed: u64, calls: usize, static_mode: ViewMode) -> f64 {
            let mut random = RandomNumbers(seed);
            let mut arms = Vec::new();
            let (mut chosen, mut best) = (0_u32, 0_u32);
            for _ in 0..calls {
                let refs: Vec<&ModeArm> = arms.iter().collect();
                let choice = choose_arm(&refs, seed);
                if let Some(mode) = choice {
                    chosen += 1;
                    best += u32::from(mode == self.best());
                }
                add(&mut arms, &self.outcome(choice.unwrap_or(static_mode), &mut random));
            }
            f64::from(best) / f64::from(chosen)
        }
    }

    #[test]
    fn a_slot_with_few_samples_is_left_to_the_table() {
        let mut arms = Vec::new();
        for _ in 0..MIN_SAMPLES - 1 {
            add(&mut arms, &spared_outcome(slot(), ViewMode::Map, 5_000));
        }
        assert_eq!(choose_arm(&arms.iter().collect::<Vec<_>>(), 1), None);
        add(&mut arms, &spared_outcome(slot(), ViewMode::Map, 5_000));
        assert!(choose_arm(&arms.iter().collect::<Vec<_>>(), 1).is_some());
    }

    #[test]
    fn a_mode_that_is_always_read_again_is_given_up() {
        let slot = SimulatedSlot { spared: [0, 1_000, 6_000, 9_000], reread: [0.0, 0.0, 0.05, 0.9] };
        assert_eq!(slot.best(), ViewMode::Aggressive);
        assert!(slot.run(7, 1_000, ViewMode::Map) > 0.9);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

        /// Thirty seeds of a thousand calls each: the best mode gets 95 of 100 calls that the learner chooses for, as
        /// long as it is better than the others by more than they scatter.
        #[test]
        fn the_best_mode_gets_nearly_all_calls(
            best in 0_usize..4,
            spared in prop::array::uniform4(0_i64..4_000),
            lead in 4_000_i64..6_000,
            first in 0_u64..1_000_000,
            table in 0_usize..4,
        ) {
            let mut files = SimulatedSlot { spared, reread: [0.3, 0.3, 0.3, 0.3] };
            files.spared[best] = 4_000 + lead;
            files.reread[best] = 0.02;
            prop_assert_eq!(files.best() as usize, best);
            let shares = (0..30).map(|seed| files.run(first + seed * 7_919, 1_000, ViewMode::ALL[table].0));
            let mean = shares.sum::<f64>() / 30.0;
            prop_assert!(mean >= 0.95, "{mean}");
        }
    }
}
