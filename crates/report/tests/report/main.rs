//! Comparisons in, documents out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod benchfmt;
mod csv;
mod html;
mod json;
mod junit;
mod levels;
mod markdown;
mod sample;
mod text;
