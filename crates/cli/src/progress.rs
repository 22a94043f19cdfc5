//! The progress bar: one of the consumers of a run's events.

use std::collections::HashSet;
use std::time::Duration;

use benchwright_model::{Event, Phase, Side, Verdict};
use benchwright_report::scale;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::Terminal;

/// Draws a bar for a person, tells steps to a log, or says nothing.
pub(crate) struct Progress {
    terminal: Terminal,
    bar: ProgressBar,
    phase: Phase,
    benchmark: String,
    changed: u32,
    /// Steps that a log was told of: each once, however often a program is linked again.
    steps: HashSet<String>,
}

const STEP: &str = "{spinner} {wide_msg}";
const MEASURE: &str = "{spinner} {prefix} {bar:24} {pos}/{len} decided, {msg}";

impl Progress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        let bar = if terminal.shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(style(STEP));
        bar.enable_steady_tick(Duration::from_millis(200));
        let (benchmark, steps) = (String::new(), HashSet::new());
        Progress { terminal, bar, phase: Phase::Screening, benchmark, changed: 0, steps }
    }

    /// Takes notice of an event.
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Building { side, version } => {
                self.bar.set_message(format!("{side}: preparing {}", version.title()));
            }
            Event::Step { side, purpose } => {
                let step = format!("{side}: {purpose}");
                self.bar.set_message(step.clone());
                if self.terminal.tells_steps() && self.steps.insert(step.clone()) {
                    self.terminal.say(&step);
                }
            }
            Event::Built { side, benchmarks, cached, took } => self.built(*side, *benchmarks, *cached, *took),
            Event::Started { benchmarks, predicted, .. } => {
                self.bar.set_style(style(MEASURE));
                self.bar.set_length(u64::from(*benchmarks));
                let about =
                    predicted.map(|time| format!(", about {}", scale::duration(time))).unwrap_or_default();
                self.say(&format!("measuring {}{about}", count(*benchmarks, "benchmark")));
            }
            Event::PhaseStarted { phase, benchmarks } => {
                self.phase = *phase;
                self.bar.set_prefix(phase.word());
                if *phase == Phase::Confirmation {
                    self.say(&format!("confirming {} with fresh duets", count(*benchmarks, "suspect")));
                }
            }
            Event::Measuring { benchmark, .. } => self.benchmark = benchmark.short_name().to_owned(),
            Event::Decided(finding) => {
                self.changed += u32::from(matches!(finding.verdict, Verdict::Slower | Verdict::Faster));
            }
            Event::Progress { decided, benchmarks, left } => {
                self.bar.set_length(u64::from(*benchmarks));
                self.bar.set_position(u64::from(*decided));
                self.bar.set_message(format!(
                    "about {} left, {} changed · {}",
                    scale::duration(*left),
                    self.changed,
                    self.benchmark
                ));
            }
            Event::Noticed(diagnostic) => self.bar.suspend(|| self.terminal.notice(diagnostic)),
            Event::TrialFinished(_) => {}
            Event::Finished { .. } => self.bar.finish_and_clear(),
        }
    }

    /// Tells a line above the bar.
    pub(crate) fn say(&self, text: &str) {
        self.bar.suspend(|| self.terminal.say(text));
    }

    /// The same for what must not be missed, however quiet.
    pub(crate) fn insist(&self, text: &str) {
        self.bar.suspend(|| self.terminal.insist(text));
    }

    fn built(&self, side: Side, benchmarks: u32, cached: bool, took: Duration) {
        let how =
            if cached { "from the cache".to_owned() } else { format!("built in {}", scale::duration(took)) };
        self.say(&format!("{side}: {} {how}", count(benchmarks, "benchmark")));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// `1 benchmark`, `2 benchmarks`.
pub(crate) fn count(number: u32, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
