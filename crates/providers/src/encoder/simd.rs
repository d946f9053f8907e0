//! Runtime CPU dispatch for the transformer's forward pass: compiled once for every processor and once with AVX2 and
//! fused multiply-add.
//!
//! A fused product is rounded once instead of twice, so the two agree in all places that count but not to the bit.

use super::forward::forward_pass;
use super::weights::{DIMENSIONS, EncoderWeights};
use crate::vendors::builtin::TokenId;

/// Runs the pass as wide as the processor has it.
pub(super) fn run_simd(weights: &EncoderWeights, tokens: &[TokenId]) -> [f32; DIMENSIONS] {
    #[cfg(target_arch = "x86_64")]
    // Asked at run time: one binary serves old and new processors.
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[expect(unsafe_code, reason = "the compiler cannot know what the processor just said")]
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { with_avx2(weights, tokens) };
    }
    run_portable(weights, tokens)
}

/// Runs the pass with what every processor of the family has; with 64-bit ARM, fused products belong to that.
pub(super) fn run_portable(weights: &EncoderWeights, tokens: &[TokenId]) -> [f32; DIMENSIONS] {
    forward_pass::<{ cfg!(target_arch = "aarch64") }, 2>(weights, tokens)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn with_avx2(weights: &EncoderWeights, tokens: &[TokenId]) -> [f32; DIMENSIONS] {
    forward_pass::<true, 6>(weights, tokens)
}
