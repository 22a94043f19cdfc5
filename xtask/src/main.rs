//! Set-up, tidy, ci.
fn main() {}
