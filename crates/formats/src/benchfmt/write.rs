//! Writes Go's benchmark text, which benchstat and similar tools read.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use benchwright_model::{Direction, Metric, Run, Side, Trial, Unit};

use crate::is_hidden;
use crate::summary::rounded;

/// The lines of one trial.
#[derive(Debug, Clone)]
pub struct TrialLines<'a> {
    /// The trial.
    pub trial: &'a Trial,
    /// In order. A line without values is not written.
    pub lines: Vec<TrialLine<'a>>,
}

/// One result.
#[derive(Debug, Clone)]
pub struct TrialLine<'a> {
    /// Number of operations that the values represent. 0 is written as 1.
    pub operations: u64,
    /// Values in the units of their metrics. Values that are not finite are left out.
    pub values: Vec<(&'a Metric, f64)>,
}

/// Writes the trials of `side`, or of both, with `notes` as comments. If both sides are in one file, the key
/// `benchwright-side` distinguishes them.
pub fn write(
    run: &Run,
    notes: &[String],
    trials: &[TrialLines<'_>],
    side: Option<Side>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_configuration(run, out)?;
    notes.iter().try_for_each(|note| writeln!(out, "# {}", one_line(note)))?;
    write_units(trials, out)?;
    let mut package: Option<&str> = None;
    for group in if side.is_some() { vec![side] } else { Side::BOTH.map(Some).to_vec() } {
        let members = |lines: &&TrialLines<'_>| Some(lines.trial.side) == group;
        if side.is_none() && trials.iter().any(|trial| members(&trial)) {
            writeln!(out, "benchwright-side: {}", group.map_or("", Side::name))?;
        }
        for TrialLines { trial, lines } in in_suite_order(trials.iter().filter(members)) {
            if package != Some(trial.benchmark.package.as_str()) {
                package = Some(&trial.benchmark.package);
                writeln!(out, "pkg: {}", one_line(&trial.benchmark.package))?;
            }
            let name = line_name(trial);
            lines.iter().try_for_each(|line| write_line(&name, line, out))?;
            // The last line of a test program, so that readers can distinguish processes.
            writeln!(out, "PASS")?;
        }
    }
    Ok(())
}

/// Writes the configuration. Tools split their tables by it, so it contains only facts that make numbers
/// incomparable: the machine. Run, seed and versions are comments.
fn write_configuration(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let fact = |key: &str| run.environment.facts.get(key).map(String::as_str).unwrap_or_default();
    let base = run.base.as_ref().map(benchwright_model::Version::title).unwrap_or_default();
    // Readers skip lines with this beginning.
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

/// Writes the directions of units that reading tools do not know.
fn write_units(trials: &[TrialLines<'_>], out: &mut dyn Write) -> io::Result<()> {
    let better = |metric: &Metric| match metric.direction {
        Direction::LowerIsBetter => Some("lower"),
        Direction::HigherIsBetter => Some("higher"),
        Direction::Unknown => None,
    };
    let metrics = trials.iter().flat_map(|trial| &trial.lines).flat_map(|line| &line.values);
    let custom = metrics.filter(|(metric, _)| matches!(metric.unit, Unit::Other(_)));
    let lines: BTreeSet<String> = custom
        .filter_map(|(metric, _)| Some(format!("Unit {} better={}", unit(metric).0, better(metric)?)))
        .collect();
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Benchmarks in the order of their first trial, so that a reader finds each package once.
fn in_suite_order<'a, 'b>(trials: impl Iterator<Item = &'a TrialLines<'b>>) -> Vec<&'a TrialLines<'b>> {
    let mut list: Vec<_> = trials.collect();
    list.sort_by(|a, b| (&a.trial.benchmark, a.trial.position).cmp(&(&b.trial.benchmark, b.trial.position)));
    list
}

fn write_line(name: &str, line: &TrialLine<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut fields = String::new();
    for (metric, value) in line.values.iter().filter(|(_, value)| value.is_finite()) {
        let (unit, factor) = unit(metric);
        // Multiplication adds digits that were never measured: 1.1 s must not become 1100000000.0000001 ns.
        let scaled = if factor == 1.0 { *value } else { rounded(value * factor) };
        fields.push_str(&format!("\t{scaled} {unit}"));
    }
    if fields.is_empty() { Ok(()) } else { writeln!(out, "{name}\t{}{fields}", line.operations.max(1)) }
}

/// The name of the unit in Go's tools, and the factor for converting to it.
fn unit(metric: &Metric) -> (Cow<'static, str>, f64) {
    match &metric.unit {
        Unit::Seconds if metric.is_time() => ("ns/op".into(), 1e9),
        Unit::Bytes if metric.name == "B/op" => ("B/op".into(), 1.0),
        Unit::BytesPerSecond => ("MB/s".into(), 1e-6),
        _ if *metric == Metric::throughput() => ("ops/s".into(), 1.0),
        _ => (no_space(&metric.name).into(), 1.0),
    }
}

/// `Benchmark` and a name that does not begin in lower case, without white space.
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
