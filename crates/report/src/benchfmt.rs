//! Raw values in Go's benchmark format, so that benchstat and its relatives read what was measured.
//!
//! Those tools take every line as an independent sample. Samples of one process are not, so a line is a whole
//! trial by default: the median of its iterations.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use benchwright_analysis::value::{median, steady};
use benchwright_model::{Direction, Measurement, Metric, Run, Series, Side, Trial, Unit};

/// What one line of the export stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinePer {
    /// A trial: the median of its iterations after warm-up. What comparisons should use.
    #[default]
    Trial,
    /// An iteration after warm-up. For looking at processes from inside; comparisons of such lines are too certain.
    Iteration,
}

/// Writes the trials of `side`, or of both, one line per trial. With both sides in one file the key
/// `benchwright-side` tells them apart: `benchstat -col benchwright-side FILE`.
pub fn write_trials(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    write_lines(run, trials, side, LinePer::Trial, out)
}

/// The same with a choice of what a line stands for.
pub fn write_lines(
    run: &Run,
    trials: &[Trial],
    side: Option<Side>,
    per: LinePer,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_configuration(run, out)?;
    write_units(trials, out)?;
    let mut package: Option<&str> = None;
    for group in if side.is_some() { vec![side] } else { Side::BOTH.map(Some).to_vec() } {
        let members = |trial: &&Trial| Some(trial.side) == group && trial.outcome.measurement().is_some();
        if side.is_none() && trials.iter().any(|trial| members(&trial)) {
            writeln!(out, "benchwright-side: {}", group.map_or("", Side::name))?;
        }
        for trial in in_suite_order(trials.iter().filter(members)) {
            if package != Some(trial.benchmark.package.as_str()) {
                package = Some(&trial.benchmark.package);
                writeln!(out, "pkg: {}", one_line(&trial.benchmark.package))?;
            }
            if let Some(measurement) = trial.outcome.measurement() {
                write_trial(&line_name(trial), measurement, per, out)?;
                // What ends a test program's output: readers that know processes can tell them apart.
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

/// Directions of units that the reading tools cannot know.
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

fn write_trial(name: &str, measurement: &Measurement, per: LinePer, out: &mut dyn Write) -> io::Result<()> {
    let warmup = usize::try_from(measurement.warmup).unwrap_or(usize::MAX);
    let operations = measurement.operations.get(warmup..).filter(|rest| !rest.is_empty());
    let operations = operations.unwrap_or(&measurement.operations);
    let counted: Vec<(&Series, &[f64])> =
        measurement.series.iter().map(|series| (series, steady(measurement, series))).collect();
    match per {
        LinePer::Trial => {
            let values = counted.iter().filter_map(|(series, values)| Some((*series, median(values)?)));
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
    text.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
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
