//! Printing: results to standard output, everything else to standard error.

use std::io::{IsTerminal, Write};

use benchwright_config::Colour;
use benchwright_model::{Diagnostic, Event, Severity};
use benchwright_report::text::TextOptions;
use benchwright_report::visible;

use crate::args::{ColourChoice, Global};
use benchwright_session::{Listener, Problem, because};

/// Both streams, and how much to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminal {
    quiet: u8,
    colour: ColourChoice,
}

impl Terminal {
    pub(crate) fn new(global: &Global) -> Self {
        Terminal { quiet: global.quiet, colour: global.colour }
    }

    /// Uses the colours of the settings, unless the command line sets them.
    pub(crate) fn configured(self, colour: Colour) -> Self {
        let colour = match (self.colour, colour) {
            (ColourChoice::Auto, Colour::Always) => ColourChoice::Always,
            (ColourChoice::Auto, Colour::Never) => ColourChoice::Never,
            (typed, _) => typed,
        };
        Terminal { colour, ..self }
    }

    /// The same, printing only errors among diagnostics, because the others are also printed elsewhere.
    pub(crate) fn hushed(self) -> Self {
        Terminal { quiet: 2, ..self }
    }

    /// Whether progress is drawn, which requires a terminal.
    pub(crate) fn shows_progress(self) -> bool {
        self.quiet == 0 && std::io::stderr().is_terminal()
    }

    /// Whether progress is printed as lines, because there is no terminal for a bar.
    pub(crate) fn tells_log(self) -> bool {
        self.quiet == 0 && !std::io::stderr().is_terminal()
    }

    /// Prints a line on standard error.
    pub(crate) fn say(self, text: &str) {
        if self.quiet == 0 && !text.is_empty() {
            let _ = writeln!(anstream::stderr(), "{}", visible(text));
        }
    }

    /// Prints an important line, even with `--quiet`.
    pub(crate) fn insist(self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{}", visible(text));
    }

    /// Prints an error, even with `--quiet`.
    pub(crate) fn complain(self, problem: &Problem) {
        let _ = writeln!(anstream::stderr(), "{}", visible(&problem.text()));
    }

    /// Prints a diagnostic, unless this is switched off.
    pub(crate) fn notice(self, diagnostic: &Diagnostic) {
        let wanted = match diagnostic.severity {
            Severity::Note => self.quiet == 0,
            Severity::Warning => self.quiet < 2,
            Severity::Error => true,
        };
        if wanted {
            let _ = writeln!(anstream::stderr(), "{}", visible(&diagnostic.to_string()));
        }
    }

    /// The appearance of a table on standard output.
    pub(crate) fn text_options(self, all: bool) -> TextOptions {
        let stdout = std::io::stdout();
        let width = terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0));
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        TextOptions { width: columns.or(width), colour: self.has_colour(), all }
    }

    fn has_colour(self) -> bool {
        match self.colour {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => {
                let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                std::io::stdout().is_terminal() && !is_dumb && !refused
            }
        }
    }
}

impl Listener for Terminal {
    fn event(&mut self, event: &Event) {
        if let Event::Noticed(diagnostic) = event {
            Terminal::notice(*self, diagnostic);
        }
    }

    fn say(&mut self, text: &str) {
        Terminal::say(*self, text);
    }

    fn insist(&mut self, text: &str) {
        Terminal::insist(*self, text);
    }
}

/// Writes to standard output. A reader that has closed the pipe (`benchwright show | head`) is not an error.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Problem> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| Problem::failed(because("write the result", error), "")),
    }
}
