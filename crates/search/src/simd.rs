//! Runtime CPU dispatch (`run_simd`): runs a `SimdKernel` compiled for AVX2 where the processor has it. Newer
//! processors run such loops twice as fast: code that is compiled for all processors uses half of their width.
//!
//! The same steps in the same order, only more of them at a time, so results are the same to the bit.

/// A loop over numbers, compiled once for every processor and once for those with wide registers.
pub trait SimdKernel {
    /// Runs it. Has to be inlined always: code keeps the width of the function that it is compiled into.
    fn run(self);
}

/// Runs a loop as wide as the processor has it.
pub fn run_simd(work: impl SimdKernel) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the compiler cannot know what the processor just said")]
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { with_avx2(work) };
    }
    work.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(work: impl SimdKernel) {
    work.run();
}
