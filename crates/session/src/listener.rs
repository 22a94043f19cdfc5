//! The interface that receives progress and messages of a session.

use benchwright_model::{Diagnostic, Event};

/// Receives events and messages, in order and from one thread. An implementation may ignore any of them.
pub trait Listener {
    /// Something happened in a run. Diagnostics come as [`Event::Noticed`].
    fn event(&mut self, event: &Event);

    /// A line about progress.
    fn say(&mut self, text: &str);

    /// A line that the user should not miss, such as why nothing happens for minutes.
    fn insist(&mut self, text: &str);

    /// A diagnostic.
    fn notice(&mut self, diagnostic: &Diagnostic) {
        self.event(&Event::Noticed(diagnostic.clone()));
    }
}

/// Ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Listener for Silent {
    fn event(&mut self, _: &Event) {}

    fn say(&mut self, _: &str) {}

    fn insist(&mut self, _: &str) {}
}
