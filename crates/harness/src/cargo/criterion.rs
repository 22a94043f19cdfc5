//! Criterion: its command line, and reading its samples.
//!
//! It writes every sample to `CRITERION_HOME/**/new/sample.json`, with full precision. A benchmark group that
//! sets its own sample size or times in code keeps them, because Criterion prefers them to the command line.
//! The quick mode, available since 0.4, still ends after a tenth of a second: it doubles a batch until the
//! time is up and keeps the last two.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_formats::criterion::{self, Sample};
use benchwright_model::{BenchmarkId, Diagnostic, Metric, Series};

use super::flavour::has_option;
use crate::{Reader, Reading, TrialCommand, TrialShape};

/// Criterion refuses fewer samples.
pub(super) const LEAST_SAMPLES: u32 = 10;
/// Resamples of Criterion's own bootstrap, whose results are not used here.
const RESAMPLES: &str = "10";
/// Maximum difference of the two batches of the quick mode, which would otherwise continue until they agree.
const ANY_SPREAD: &str = "0.99";
/// Longer names are cut in lists and titles.
const TITLE_BYTES: usize = 100;
/// The file with a benchmark's samples.
const SAMPLE: &str = "sample.json";

/// The command line of one trial.
pub(super) fn command(version: &str, name: &str, shape: &TrialShape, scratch: &Path) -> TrialCommand {
    let time = |time: Duration| seconds(version, time);
    let measuring = shape.iteration_time.saturating_mul(shape.iterations.max(1));
    let mut args: Vec<OsString> = vec!["--bench".into()];
    let samples = shape.iterations.max(LEAST_SAMPLES).to_string();
    let is_quick = shape.is_overruled && has_quick_mode(version) && !has_option(&shape.args, "--sample-size");
    let size = match is_quick {
        true => vec![("--quick", None), ("--significance-level", Some(ANY_SPREAD.to_owned()))],
        false => vec![("--sample-size", Some(samples))],
    };
    let ours = [("--noplot", None), ("--nresamples", Some(RESAMPLES.to_owned()))].into_iter().chain(size);
    let ours = ours.chain([
        ("--warm-up-time", Some(time(shape.warmup_time))),
        ("--measurement-time", Some(time(measuring))),
    ]);
    for (option, value) in ours.filter(|(option, _)| !has_option(&shape.args, option)) {
        args.push(option.into());
        args.extend(value.map(OsString::from));
    }
    args.extend(shape.args.iter().map(OsString::from));
    args.extend(selection(version, name));
    TrialCommand { args, env: environment(scratch), ..TrialCommand::default() }
}

/// Environment variables of every call: where Criterion writes.
pub(super) fn environment(scratch: &Path) -> Vec<(String, OsString)> {
    vec![("CRITERION_HOME".into(), scratch.as_os_str().to_owned())]
}

/// Selects exactly one benchmark. `--exact` exists since 0.5; a regular expression has always worked.
fn selection(version: &str, name: &str) -> Vec<OsString> {
    if let Some(beginning) = cut_title(name) {
        return vec![format!("^{}", escape(beginning)).into()];
    }
    if !has_exact(version) {
        return vec![format!("^{}$", escape(name)).into()];
    }
    let mut args = vec!["--exact".into()];
    if name.starts_with('-') {
        args.push("--".into());
    }
    args.push(name.into());
    args
}

/// The beginning of a name that is cut in Criterion's list. It has the first hundred bytes and an ellipsis,
/// and a number if several names have the same beginning.
fn cut_title(name: &str) -> Option<&str> {
    let title = match name.rsplit_once(" #") {
        Some((title, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => title,
        _ => name,
    };
    let beginning = title.strip_suffix("...")?;
    // The cut is at a character boundary, and a character has up to four bytes.
    (TITLE_BYTES - 3..=TITLE_BYTES).contains(&beginning.len()).then_some(beginning)
}

fn has_exact(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(0), Some(minor)) => minor >= 5,
        (Some(_), _) => true,
        _ => false,
    }
}

/// Available since 0.4. If the version is unknown, it might refuse the option.
fn has_quick_mode(version: &str) -> bool {
    !version.is_empty() && !is_old(version)
}

fn is_old(version: &str) -> bool {
    ["0.1.", "0.2.", "0.3."].iter().any(|old| version.starts_with(old))
}

/// A time in the format of the command line. It is never zero, and before 0.4 it has whole seconds.
fn seconds(version: &str, time: Duration) -> String {
    if is_old(version) {
        time.as_secs_f64().ceil().max(1.0).to_string()
    } else {
        time.as_secs_f64().max(0.001).to_string()
    }
}

/// The name with all characters escaped that are special in a regular expression.
fn escape(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for letter in name.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// The names in a list: `NAME: benchmark`, before 0.5 `NAME: bench`. Other lines are ignored.
pub(super) fn listed(stdout: &str) -> impl Iterator<Item = &str> {
    stdout
        .lines()
        .filter_map(|line| line.strip_suffix(": benchmark").or_else(|| line.strip_suffix(": bench")))
}

/// Whether a listed name is an earlier name with a number added, as Criterion does for a name that is used
/// twice.
pub(super) fn repeats(name: &str, earlier: &[BenchmarkId]) -> bool {
    let Some((title, number)) = name.rsplit_once(" #") else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && cut_title(name).is_none() && earlier.iter().any(|known| known.name == title)
}

/// Reads the samples after the process has ended.
pub(super) struct SampleReader {
    benchmark: BenchmarkId,
}

impl SampleReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId) -> Self {
        SampleReader { benchmark: benchmark.clone() }
    }

    fn read(&self, sample: &Path) -> Reading {
        match fs::read(sample).map(|text| criterion::sample(SAMPLE, &text)) {
            Err(error) => self.doubt(format!("cannot read `{SAMPLE}`: {error}")),
            Ok((sample, doubts)) => match doubts.first() {
                Some(doubt) => self.doubt(format!("cannot understand `{SAMPLE}`: {}", doubt.message)),
                None if sample.times.is_empty() => self.doubt(format!("`{SAMPLE}` has no times")),
                None => self.measurement(&sample),
            },
        }
    }

    fn measurement(&self, sample: &Sample) -> Reading {
        let mut reading = Reading::default();
        let mut doubt = |message| {
            reading.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
        };
        let (counts, times) = (sample.iterations.len(), sample.times.len());
        if counts != times {
            doubt(format!("`{SAMPLE}` has {counts} iteration counts for {times} times"));
        }
        let (mut operations, mut values) = (Vec::new(), Vec::new());
        for (iterations, seconds) in sample.batches() {
            if iterations >= 1.0 && seconds.is_finite() {
                operations.push(iterations as u64);
                values.push(seconds);
            } else {
                doubt(format!("left out a sample of {seconds} s per iteration in {iterations} iterations"));
            }
        }
        if !values.is_empty() {
            reading.measurement.series.push(Series { metric: Metric::time(), values, resolution: 0.0 });
        }
        reading.measurement.operations = operations;
        reading
    }

    fn doubt(&self, message: String) -> Reading {
        Reading::without_values(&self.benchmark, message)
    }

    /// Whether the sample belongs to the benchmark. `None` if Criterion did not write the identity.
    fn is_wanted(&self, sample: &Path) -> Option<bool> {
        let text = fs::read(sample.with_file_name("benchmark.json")).ok()?;
        let (identity, doubts) = criterion::identity("benchmark.json", &text);
        let full_name = identity.full_name.filter(|_| doubts.is_empty())?;
        let name = &self.benchmark.name;
        // A name used twice has the same full name and another title.
        Some(identity.title.unwrap_or(full_name) == *name)
    }
}

impl Reader for SampleReader {
    fn line(&mut self, _line: &str) -> u32 {
        0
    }

    fn finish(self: Box<Self>, scratch: &Path) -> Reading {
        let folders = criterion::folders(scratch).into_iter().filter(|folder| folder.ends_with("new"));
        let samples: Vec<PathBuf> =
            folders.map(|folder| folder.join(SAMPLE)).filter(|sample| sample.is_file()).collect();
        let said: Vec<Option<bool>> = samples.iter().map(|sample| self.is_wanted(sample)).collect();
        let wanted = said.iter().position(|said| *said == Some(true));
        // The identity is written last. If there is only one sample and it has no identity, it belongs to the
        // selected benchmark.
        let only = (samples.len() == 1 && said[0].is_none()).then_some(0);
        match wanted.or(only) {
            Some(index) => self.read(&samples[index]),
            None if samples.is_empty() => Reading::default(),
            None => self.doubt(format!("{} samples were left, none of this benchmark", samples.len())),
        }
    }
}

#[cfg(test)]
mod tests;
