//! Edited programs built with the real tools, run, and compared with what they are known to do.

mod go;
mod java;
mod program;
mod rust;
