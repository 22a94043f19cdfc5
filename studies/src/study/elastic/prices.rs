//! Prices in US dollars.
//!
//! Functions: AWS, "AWS Lambda pricing", on demand, us-east-1, first tier, the same from 2022 to 2025. AWS
//! bills by the millisecond, including the initialisation of container images and custom runtimes. Virtual
//! machines: the cost of the original study of the same suite according to the paper, $1.14 for about 4 h on
//! three instances.

/// A GB-second on ARM.
pub(super) const ARM_GB_SECOND: f64 = 0.000_013_333_4;
/// A GB-second on x86.
pub(super) const X86_GB_SECOND: f64 = 0.000_016_666_7;
/// A request.
pub(super) const REQUEST: f64 = 0.20 / 1e6;
/// An hour of a virtual machine.
pub(super) const MACHINE_HOUR: f64 = 1.14 / 12.0;
