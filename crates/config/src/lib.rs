//! benchwright.toml to validated settings with positions.
