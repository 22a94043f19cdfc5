//! What a journal asks of its file, so that a full disk can be played.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, Write};

/// An append-only file.
pub(super) trait Medium: Debug + Send {
    /// Appends all of `bytes`, or fails with some of them written.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Returns when everything written is on the disk.
    fn sync(&mut self) -> io::Result<()>;
    /// Shortens the file to `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
}

impl Medium for File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}
