//! Black-box tests of the room: against reference values, and by properties.

mod nested;
mod properties;
mod reference;
