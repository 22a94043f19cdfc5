//! Comparisons in, documents out.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod agreement;
mod benchfmt;
mod csv;
mod export;
mod grade;
mod html;
mod json;
mod junit;
mod levels;
mod markdown;
mod reduction;
mod sample;
mod schema;
mod steady;
mod text;
