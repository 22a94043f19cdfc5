//! The same loops for each kind of vector unit, selected at run time.
//!
//! benchwright is built for all processors of an architecture. Code for the smallest vector unit alone would
//! take three times as long. The sums of different units differ in the last digits. All unsafe code of this
//! crate is here: calls of functions after checking that the processor supports their instructions.

use super::convolution::{Bundle, run_bundle};

/// Computes the rows of one bundle.
#[cfg(target_arch = "x86_64")]
pub(crate) fn run(bundle: &Bundle, input: &[f32], output: &mut [f32]) {
    if std::arch::is_x86_feature_detected!("avx512f") {
        // SAFETY: the processor has the instructions.
        unsafe { run_with_avx512(bundle, input, output) }
    } else if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the instructions.
        unsafe { run_with_avx2(bundle, input, output) }
    } else {
        run_bundle::<4, false>(bundle, input, output);
    }
}

/// Computes the rows of one bundle.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run(bundle: &Bundle, input: &[f32], output: &mut [f32]) {
    run_bundle::<8, { cfg!(target_arch = "aarch64") }>(bundle, input, output);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_with_avx512(bundle: &Bundle, input: &[f32], output: &mut [f32]) {
    run_bundle::<16, true>(bundle, input, output);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_with_avx2(bundle: &Bundle, input: &[f32], output: &mut [f32]) {
    run_bundle::<8, true>(bundle, input, output);
}
