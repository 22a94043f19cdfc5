#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms)]
#![deny(missing_debug_implementations, missing_copy_implementations, trivial_casts, trivial_numeric_casts)]
#![deny(unused_results, unused_qualifications, unreachable_pub, single_use_lifetimes, let_underscore_drop)]
//! A crate that allows nothing.

/// A function.
pub fn twice(x: u32) -> u32 {
    2 * x
}

/// A type.
#[derive(Debug, Clone, Copy)]
pub struct Type(u32);

impl Type {
    /// A method.
    pub fn new(x: u32) -> Type {
        Type(twice(x))
    }

    /// Another.
    #[inline(always)]
    pub fn get<T: From<u32>>(&self) -> T {
        self.0.into()
    }
}

/// A module.
pub mod deep {
    /// One more function.
    pub fn four() -> u32 {
        ::core::cmp::max(super::twice(2), 1)
    }
}
