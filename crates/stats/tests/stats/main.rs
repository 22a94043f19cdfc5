//! Black-box tests of this crate: against reference values, and by properties.

mod nested;
mod properties;
mod reference;
