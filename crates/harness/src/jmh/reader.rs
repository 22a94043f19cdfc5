//! Reads a trial's output line by line.

use std::path::Path;

use benchwright_model::{BenchmarkId, Configured, Diagnostic, Measurement};

use super::command;
use super::fact::{self, Fact, Iteration, Score};
use super::harness::TEXT;
use super::metrics::Columns;
use super::text::{self, Line};
use crate::{Executable, Reader, Reading, TrialShape};

/// The mode in which an iteration is a single call.
const SINGLE_SHOT: &str = "ss";

/// Maximum number of invalid lines that are reported.
const MOST_DOUBTS: usize = 5;

/// Collects the iterations of one benchmark.
#[derive(Debug)]
pub(super) struct TrialReader {
    subject: String,
    /// The token of this call's lines. Empty until it is set.
    token: String,
    /// Whether a line imitates one of the shim.
    is_forged: bool,
    is_text: bool,
    is_watched: bool,
    columns: Columns,
    warmup: u32,
    latest: Option<f64>,
    configured: Option<Configured>,
    failure: Failure,
    doubts: Vec<String>,
    line: u32,
    /// The iteration in the text output that waits for its score or may get more scores.
    open: Open,
    mode: Option<&'static str>,
}

/// The known facts about a failure.
#[derive(Debug, PartialEq)]
enum Failure {
    None,
    /// The exception is in one of the next lines.
    Announced,
    Told(String),
}

/// The iteration of the text that is not complete.
#[derive(Debug)]
enum Open {
    None,
    Waiting { is_warmup: bool },
    Scored(Iteration),
}

impl TrialReader {
    pub(super) fn new(executable: &Executable, benchmark: &BenchmarkId, shape: &TrialShape) -> Self {
        TrialReader {
            subject: benchmark.to_string(),
            token: String::new(),
            is_forged: false,
            is_text: executable.flavour == TEXT,
            is_watched: command::is_watched(shape),
            columns: Columns::default(),
            warmup: 0,
            latest: None,
            configured: None,
            failure: Failure::None,
            doubts: Vec::new(),
            line: 0,
            open: Open::None,
            mode: None,
        }
    }

    fn take(&mut self, iteration: Iteration) {
        // Warm-up after a measured iteration would belong to another benchmark.
        if iteration.is_warmup && self.columns.iterations() == self.warmup as usize {
            self.warmup += 1;
        }
        let is_cold = iteration.mode == SINGLE_SHOT || self.mode == Some(SINGLE_SHOT);
        let value = self.columns.take(iteration);
        self.latest = (self.is_watched && !is_cold).then_some(value);
    }

    fn doubt(&mut self, message: String) {
        if self.doubts.len() < MOST_DOUBTS && !self.doubts.contains(&message) {
            self.doubts.push(message);
        }
    }

    fn fact(&mut self, line: &str) {
        // The token is printed before the benchmark's process is started.
        if fact::has_other_token(line, &self.token) {
            self.is_forged = true;
            return;
        }
        match fact::parse(line) {
            Some(Fact::Token(token)) => self.token = token,
            Some(Fact::Iteration(iteration)) => self.take(iteration),
            Some(Fact::Configured(configured)) => self.configured = Some(configured),
            Some(Fact::Failure(words)) => self.failure = Failure::Told(words),
            Some(_) => {}
            None => self.doubt(format!("line {} is cut or garbled", self.line)),
        }
    }

    fn text(&mut self, line: &str) {
        if self.failure == Failure::Announced && !line.trim().is_empty() && !line.starts_with('<') {
            self.failure = Failure::Told(line.trim().to_owned());
        }
        match text::parse(line) {
            Line::Iteration(iteration) => self.open(Open::Scored(iteration)),
            Line::Approximate(iteration) => {
                let Score { value, unit, .. } = &iteration.primary;
                self.doubt(format!("printed as about {value:e} {unit}: too coarse to compare; ask for a finer unit (`-tu ns`)"));
                self.open(Open::Scored(iteration));
            }
            Line::Begun { is_warmup } => self.open(Open::Waiting { is_warmup }),
            Line::Score(primary) => {
                if let Open::Waiting { is_warmup } = self.open {
                    self.open(Open::Scored(Iteration { is_warmup, primary, ..Iteration::default() }));
                }
            }
            Line::Secondary(score) => {
                if let Open::Scored(iteration) = &mut self.open {
                    iteration.secondary.push(score);
                }
            }
            Line::Failure => self.failure = Failure::Announced,
            Line::Mode(mode) => {
                if self.mode.is_some_and(|known| known != mode) {
                    self.doubt(format!("measured in mode {mode} as well, which is left out"));
                }
                self.mode.get_or_insert(mode);
            }
            // A blank line ends the additional scores.
            Line::Other => self.open(Open::None),
        }
    }

    /// Completes the open iteration and opens another.
    fn open(&mut self, next: Open) {
        let is_waiting = matches!((&self.open, &next), (Open::Waiting { .. }, Open::None));
        if is_waiting {
            return;
        }
        if let Open::Scored(iteration) = std::mem::replace(&mut self.open, next) {
            self.take(iteration);
        }
    }
}

impl Reader for TrialReader {
    fn line(&mut self, line: &str) -> u32 {
        self.line = self.line.saturating_add(1);
        let line = line.trim_end_matches('\r');
        if fact::is_marked(line) {
            self.fact(line);
        } else if self.is_text {
            self.text(line);
        }
        u32::try_from(self.columns.iterations()).unwrap_or(u32::MAX)
    }

    fn latest(&self) -> Option<f64> {
        self.latest
    }

    fn configured(&self) -> Option<Configured> {
        self.configured
    }

    fn finish(mut self: Box<Self>, _scratch: &Path) -> Reading {
        self.open(Open::None);
        let mut diagnostics = Vec::new();
        if let Failure::Told(words) = &self.failure {
            diagnostics.push(Diagnostic::error(&self.subject, words.clone()));
        }
        if self.is_forged {
            let message = "prints lines that look like results of benchwright's driver of JMH";
            diagnostics.push(Diagnostic::error(&self.subject, message));
            return Reading { diagnostics, ..Reading::default() };
        }
        let (operations, series, left_out) = self.columns.finish();
        let doubts = self.doubts.into_iter().chain(left_out);
        diagnostics.extend(doubts.map(|doubt| Diagnostic::warning(&self.subject, doubt)));
        Reading {
            measurement: Measurement { warmup: self.warmup, operations, series, ..Measurement::default() },
            diagnostics,
        }
    }
}

#[cfg(test)]
mod tests;
