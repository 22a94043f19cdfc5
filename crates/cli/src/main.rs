//! The binary `benchwright`.
fn main() {}
