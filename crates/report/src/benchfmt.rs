//! Raw values in Go's benchmark format, so that benchstat and its relatives read what was measured.
//!
//! Those tools take every line as an independent sample. Samples of one process are not, so a line is a whole
//! trial by default: the value that the report uses of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use benchwright_analysis::value::{Estimator, steady};
use benchwright_model::{
    BenchmarkId, Direction, Finding, Measurement, Metric, Run, Series, Side, Trial, Unit,
};

use crate::basis::{Basis, bases};
use crate::escape::is_hidden;

/// The meaning of one line of the export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinePer {
    /// A trial: the value that the report uses of it, so that medians of lines are those of the report.
    #[default]
    Trial,
    /// An iteration after warm-up. For looking at processes from inside; comparisons of such lines are too certain.
    Iteration,
}

/// Writes the trials of `side`, or of both, one line per trial. With both sides in one file the key
/// `benchwright-side` distinguishes them: `benchstat -col benchwright-side FILE`.
pub fn write_trials(
    run: &Run,
    findings: &[Finding],
    trials: &[Trial],
    side: Option<Side>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_lines(run, findings, trials, side, LinePer::Trial, out)
}

/// The same with a choice of what a line stands for.
pub fn write_lines(
    run: &Run,
    findings: &[Finding],
    trials: &[Trial],
    side: Option<Side>,
    per: LinePer,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_configuration(run, out)?;
    let bases = if per == LinePer::Trial { bases(findings, trials) } else { BTreeMap::new() };
    write_estimators(&bases, trials, per, out)?;
    write_units(trials, out)?;
    let mut package: Option<&str> = None;
    for group in if side.is_some() { vec![side] } else { Side::BOTH.map(Some).to_vec() } {
        let is_counted = |trial: &Trial| bases.get(&trial.benchmark).is_none_or(|basis| basis.counts(trial));
        let members = |trial: &&Trial| {
            Some(trial.side) == group && trial.outcome.measurement().is_some() && is_counted(trial)
        };
        if side.is_none() && trials.iter().any(|trial| members(&trial)) {
            writeln!(out, "benchwright-side: {}", group.map_or("", Side::name))?;
        }
        for trial in in_suite_order(trials.iter().filter(members)) {
            if package != Some(trial.benchmark.package.as_str()) {
                package = Some(&trial.benchmark.package);
                writeln!(out, "pkg: {}", one_line(&trial.benchmark.package))?;
            }
            if let Some(measurement) = trial.outcome.measurement() {
                let basis = bases.get(&trial.benchmark).unwrap_or(&Basis::PLAIN);
                write_trial(&line_name(trial), measurement, basis, per, out)?;
                // What ends a test program's output: readers that know processes can distinguish them.
                writeln!(out, "PASS")?;
            }
        }
    }
    Ok(())
}

/// Tools split their tables by configuration, so keys say only what makes numbers incomparable: the machine. Run,
/// seed and versions are comments.
fn write_configuration(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let fact = |key: &str| run.environment.facts.get(key).map(String::as_str).unwrap_or_default();
    let base = run.base.as_ref().map(benchwright_model::Version::title).unwrap_or_default();
    // Readers skip lines that begin like this.
    writeln!(out, "# benchwright run {}, seed {}", one_line(&run.id.0), run.seed)?;
    for (name, title) in
        [("base", base), ("head", run.head.title())].iter().filter(|(_, title)| !title.is_empty())
    {
        writeln!(out, "# {name} {}", one_line(title))?;
    }
    let list = [
        ("goos", go_system(fact("os"))),
        ("goarch", go_architecture(fact("arch")).to_owned()),
        ("cpu", fact("cpu").to_owned()),
    ];
    for (key, value) in list.iter().filter(|(_, value)| !value.trim().is_empty()) {
        writeln!(out, "{key}: {}", one_line(value))?;
    }
    Ok(())
}

/// What a line's value is, and what has no line: in comments, which readers skip.
fn write_estimators(
    bases: &BTreeMap<&BenchmarkId, Basis>,
    trials: &[Trial],
    per: LinePer,
    out: &mut dyn Write,
) -> io::Result<()> {
    if per == LinePer::Iteration {
        return writeln!(out, "# a line is one iteration after warm-up; the report compares processes");
    }
    writeln!(
        out,
        "# a line is one process, with the value that the report uses of it: the median of its iterations"
    )?;
    for (benchmark, basis) in bases {
        if basis.words() != Basis::PLAIN.words() {
            writeln!(out, "# {}: {}", one_line(&benchmark.to_string()), basis.words())?;
        }
    }
    let is_left_out = |trial: &&Trial| {
        trial.outcome.measurement().is_some()
            && bases.get(&trial.benchmark).is_some_and(|basis| !basis.counts(trial))
    };
    match trials.iter().filter(is_left_out).count() {
        0 => Ok(()),
        n => writeln!(out, "# {n} processes that the report's numbers do not rest on are left out"),
    }
}

/// Directions of units that are unknown to the reading tools.
fn write_units(trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let measured = trials.iter().filter_map(|trial| trial.outcome.measurement());
    let custom = measured
        .flat_map(|measurement| &measurement.series)
        .filter(|series| matches!(series.metric.unit, Unit::Other(_)));
    let better = |metric: &Metric| match metric.direction {
        Direction::LowerIsBetter => Some("lower"),
        Direction::HigherIsBetter => Some("higher"),
        Direction::Unknown => None,
    };
    let lines: BTreeSet<String> = custom
        .filter_map(|series| {
            Some(format!("Unit {} better={}", unit(&series.metric).0, better(&series.metric)?))
        })
        .collect();
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Benchmarks in the order of their first trial, so that a reader sees each package once.
fn in_suite_order<'a>(trials: impl Iterator<Item = &'a Trial>) -> Vec<&'a Trial> {
    let mut list: Vec<&Trial> = trials.collect();
    list.sort_by(|a, b| (&a.benchmark, a.position).cmp(&(&b.benchmark, b.position)));
    list
}

fn write_trial(
    name: &str,
    measurement: &Measurement,
    basis: &Basis,
    per: LinePer,
    out: &mut dyn Write,
) -> io::Result<()> {
    let warmup = usize::try_from(measurement.warmup).unwrap_or(usize::MAX);
    let operations = measurement.operations.get(warmup..).filter(|rest| !rest.is_empty());
    let operations = operations.unwrap_or(&measurement.operations);
    let counted: Vec<(&Series, &[f64])> =
        measurement.series.iter().map(|series| (series, steady(measurement, series))).collect();
    match per {
        LinePer::Trial => {
            let value = |series: &Series| {
                let estimator = if series.metric.is_main() { basis.estimator } else { Estimator::Middle };
                estimator.value(measurement, &series.metric.name)
            };
            let values = measurement.series.iter().filter_map(|series| Some((series, value(series)?)));
            write_line(name, operations.iter().sum(), values, out)
        }
        LinePer::Iteration => {
            let longest = counted.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
            for index in 0..longest {
                let values =
                    counted.iter().filter_map(|(series, values)| Some((*series, *values.get(index)?)));
                write_line(name, operations.get(index).copied().unwrap_or(1), values, out)?;
            }
            Ok(())
        }
    }
}

fn write_line<'a>(
    name: &str,
    operations: u64,
    values: impl Iterator<Item = (&'a Series, f64)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut fields = String::new();
    for (series, value) in values.filter(|(_, value)| value.is_finite()) {
        let (unit, factor) = unit(&series.metric);
        // Multiplying leaves digits that were never measured: 1.1 s must not become 1100000000.0000001 ns.
        let scaled = if factor == 1.0 { value.to_string() } else { round_trip(value * factor) };
        fields.push_str(&format!("\t{scaled} {unit}"));
    }
    if fields.is_empty() { Ok(()) } else { writeln!(out, "{name}\t{}{fields}", operations.max(1)) }
}

/// Twelve significant digits are more than any clock gives.
fn round_trip(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// The unit as Go's tools write it, and the factor to it.
fn unit(metric: &Metric) -> (Cow<'static, str>, f64) {
    match &metric.unit {
        Unit::Seconds if metric.is_time() => ("ns/op".into(), 1e9),
        Unit::Bytes if metric.name == "B/op" => ("B/op".into(), 1.0),
        Unit::BytesPerSecond => ("MB/s".into(), 1e-6),
        _ => (no_space(&metric.name).into(), 1.0),
    }
}

/// `Benchmark` and a name that does not go on in lower case, without white space.
fn line_name(trial: &Trial) -> String {
    let name = no_space(&trial.benchmark.name);
    let rest = match trial.benchmark.harness.as_str() {
        "go" => name.strip_prefix("Benchmark").unwrap_or(&name),
        _ => &name,
    };
    let mut chars = rest.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("Benchmark{first}{}", chars.as_str())
}

fn no_space(text: &str) -> String {
    text.chars().map(|c| if c.is_whitespace() || is_hidden(c) { '_' } else { c }).collect()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect::<String>().trim().to_owned()
}

fn go_system(os: &str) -> String {
    let first = os.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    if first == "macos" { "darwin".into() } else { first }
}

fn go_architecture(arch: &str) -> &str {
    match arch {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" | "i686" => "386",
        other => other,
    }
}
