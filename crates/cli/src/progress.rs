//! The progress bar, which receives the events of a run.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use benchwright_model::{Event, Phase, Side, Verdict};
use benchwright_report::{scale, visible_line};
use indicatif::{ProgressBar, ProgressStyle};

use crate::log_lines::LogLines;
use crate::terminal::Terminal;
use benchwright_session::words::count;
use benchwright_session::{Listener, foretell};

/// Draws a progress bar on a terminal, prints a line to a log now and then, or does nothing.
pub(crate) struct Progress {
    terminal: Terminal,
    bar: ProgressBar,
    phase: Phase,
    benchmark: String,
    changed: u32,
    log: Option<Log>,
    group: Group,
}

const STEP: &str = "{spinner} {wide_msg}";
const MEASURE: &str = "{spinner} {prefix} {bar:24} {pos}/{len} done, {msg}";

impl Progress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        let bar = if terminal.shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(style(STEP));
        bar.enable_steady_tick(Duration::from_millis(200));
        let log = terminal.tells_log().then(|| Log::start(terminal));
        let group = Group::new(log.is_some());
        Progress { terminal, bar, phase: Phase::Screening, benchmark: String::new(), changed: 0, log, group }
    }

    fn close_group(&mut self) {
        if let Some(line) = self.group.close() {
            self.terminal.say(line);
        }
    }

    fn built(&mut self, side: Side, benchmarks: u32, cached: bool, took: Duration) {
        let how =
            if cached { "from the cache".to_owned() } else { format!("built in {}", scale::duration(took)) };
        self.say(&format!("{side}: {} {how}", count(benchmarks, "benchmark")));
    }
}

impl Listener for Progress {
    fn event(&mut self, event: &Event) {
        if let Some(log) = &self.log {
            log.event(event);
        }
        match event {
            Event::Building { side, version } => {
                self.bar.set_message(format!("{side}: preparing {}", version.title()));
            }
            Event::Step { side, purpose } => self.bar.set_message(format!("{side}: {purpose}")),
            Event::Built { side, benchmarks, cached, took } => self.built(*side, *benchmarks, *cached, *took),
            Event::Started { benchmarks, predicted, enough, .. } => {
                self.bar.set_style(style(MEASURE));
                self.bar.set_length(u64::from(*benchmarks));
                self.changed = 0;
                // Otherwise the last step of a build would be shown until the first duet has ended.
                self.bar.set_message("");
                let time = predicted.map(|range| foretell::describe(&range, *enough, *benchmarks));
                let time = time.map(|time| format!(", {time}")).unwrap_or_default();
                let opened = self.group.open();
                self.say(&format!("{opened}measuring {}{time}", count(*benchmarks, "benchmark")));
            }
            Event::PhaseStarted { phase, benchmarks } => {
                self.phase = *phase;
                self.bar.set_prefix(phase.word());
                if *phase == Phase::Confirmation {
                    self.say(&format!("confirming {} with fresh duets", count(*benchmarks, "suspect")));
                }
            }
            Event::Measuring { benchmark, .. } => self.benchmark = visible_line(benchmark.short_name()),
            Event::Decided(finding) => {
                self.changed += u32::from(matches!(finding.verdict, Verdict::Slower | Verdict::Faster));
            }
            Event::Progress { decided, benchmarks, left, .. } => {
                self.bar.set_length(u64::from(*benchmarks));
                self.bar.set_position(u64::from(*decided));
                self.bar.set_message(format!(
                    "about {} left, {} changed · {}",
                    scale::rough(*left),
                    self.changed,
                    self.benchmark
                ));
            }
            Event::Noticed(diagnostic) => self.bar.suspend(|| self.terminal.notice(diagnostic)),
            Event::TrialFinished(_) => {}
            Event::Finished { .. } => {
                self.bar.finish_and_clear();
                self.close_group();
            }
        }
    }

    /// Prints a line above the bar.
    fn say(&mut self, text: &str) {
        self.bar.suspend(|| self.terminal.say(text));
    }

    /// The same for important lines, even with `--quiet`.
    fn insist(&mut self, text: &str) {
        self.bar.suspend(|| self.terminal.insist(text));
    }
}

/// The lines of a log, with a thread that checks every second whether one is due.
struct Log {
    lines: Arc<Mutex<LogLines>>,
    began: Instant,
    /// Ends the thread when it is dropped.
    _end: Sender<()>,
}

impl Log {
    fn start(terminal: Terminal) -> Log {
        const LOOK: Duration = Duration::from_secs(1);
        let (lines, began) = (Arc::new(Mutex::new(LogLines::default())), Instant::now());
        let (end, ended) = channel::<()>();
        let shared = Arc::clone(&lines);
        std::thread::spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let due = locked(&shared).due(began.elapsed());
                due.into_iter().for_each(|line| terminal.say(&line));
            }
        });
        Log { lines, began, _end: end }
    }

    fn event(&self, event: &Event) {
        locked(&self.lines).event(event, self.began.elapsed());
    }
}

/// The lines, even after a panic in another thread, because they are never left in an inconsistent state.
fn locked(lines: &Mutex<LogLines>) -> MutexGuard<'_, LogLines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        self.close_group();
    }
}

/// A part of the log that GitHub Actions folds, so that the lines printed while measuring do not push the results away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    /// The log is not printed by GitHub Actions.
    Unknown,
    Closed,
    Open,
}

impl Group {
    fn new(is_log: bool) -> Group {
        let is_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
        if is_log && is_github { Group::Closed } else { Group::Unknown }
    }

    /// Opens the group: how its first line starts.
    fn open(&mut self) -> &'static str {
        if *self != Group::Closed {
            return "";
        }
        *self = Group::Open;
        "::group::"
    }

    /// Closes the group: the line that does so, if it was open.
    fn close(&mut self) -> Option<&'static str> {
        let was_open = *self == Group::Open;
        if was_open {
            *self = Group::Closed;
        }
        was_open.then_some("::endgroup::")
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
