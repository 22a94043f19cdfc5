//! Summaries of gungraun, formerly iai-callgrind: exact counts of one process under Valgrind.
//!
//! There is one object per benchmark: alone in a file, one per line, or in an array. Schema versions 1 to 7
//! put the counts in different places, but always below a member called `total` or `events`.

use benchwright_model::{BenchmarkId, Direction, Metric, Nature, Unit};

use crate::reading::collect::{Collector, Found};
use crate::reading::columns;
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Kind, Step};
use crate::{Format, Imported};

/// Whether it has summaries of benchmarks.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_summary = |depth| head.has(depth, "module_path") && head.has(depth, "benchmark_exe");
    head.is_object() && is_summary(1) || head.is_array() && is_summary(2)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::Gungraun);
    let mut result = Ok(());
    while result.is_ok() && !json.is_at_end() {
        let read = match json.kind() {
            Ok(Kind::Array) => json.records(|json| summary(json, &mut collector)).map(|_| ()),
            Ok(Kind::Object) => summary(&mut json, &mut collector),
            Ok(_) => Err(json.stop("left out a line that is not a summary")),
            Err(stop) => Err(stop),
        };
        match read {
            // Output of a benchmark may appear between two lines of the tool.
            Err(stop) if !stop.is_end => {
                json.input.diagnostics.warn(stop.place, stop.message);
                json.input.skip_line();
            }
            other => result = other,
        }
    }
    finish_json(json, result, vec![collector])
}

#[derive(Default)]
struct Summary {
    module_path: String,
    function: String,
    case: String,
    package_dir: String,
    output_dir: String,
    metrics: Vec<(Metric, f64)>,
}

fn summary(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    let place = json.place();
    let mut found = Summary::default();
    let is_object = json.object(|json, name| {
        match name {
            "module_path" => found.module_path = json.text()?.unwrap_or_default(),
            "function_name" => found.function = json.text()?.unwrap_or_default(),
            "id" => found.case = json.word()?.unwrap_or_default(),
            "package_dir" => found.package_dir = json.text()?.unwrap_or_default(),
            "output_dir" => found.output_dir = json.text()?.unwrap_or_default(),
            "version" => {
                let version = json.word()?;
                collector.fact("gungraun-schema", version);
            }
            "callgrind_summary" => tool(json, "Callgrind", &mut found.metrics)?,
            "profiles" | "tool_summaries" => {
                json.array(|json| {
                    let mut metrics = Vec::new();
                    tool(json, "", &mut metrics)?;
                    found.metrics.append(&mut metrics);
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    if is_object {
        found.hand_over(place, collector, json);
    }
    Ok(())
}

/// The counts of one of Valgrind's tools.
fn tool(json: &mut Json<'_>, known: &str, metrics: &mut Vec<(Metric, f64)>) -> Step<()> {
    if json.kind()? != Kind::Object {
        return json.skip();
    }
    let mut name = known.to_owned();
    let mut counts = Vec::new();
    places(json, &mut name, &mut counts, 0)?;
    // The tool's name may come after its counts.
    metrics.extend(counts.into_iter().map(|(event, value)| (metric(&name, &event), value)));
    Ok(())
}

/// The maximum depth at which counts are searched for.
const DEPTH: usize = 8;

/// Searches for `total` and `events` and reads the values below them.
fn places(json: &mut Json<'_>, tool: &mut String, counts: &mut Vec<(String, f64)>, depth: usize) -> Step<()> {
    json.object(|json, name| match (name, json.kind()?) {
        ("tool", Kind::Text) => {
            *tool = json.text()?.unwrap_or_default();
            Ok(())
        }
        ("total" | "events", Kind::Object) => count(json, counts, 0).map(|_| ()),
        // Parts of the total.
        ("parts" | "segments", _) => json.skip(),
        ("summaries" | "data" | "callgrind_run" | "summary", Kind::Object) if depth < DEPTH => {
            places(json, tool, counts, depth + 1)
        }
        ("summaries", Kind::Array) => {
            let mut is_first = true;
            json.array(|json| {
                if !std::mem::take(&mut is_first) || depth >= DEPTH {
                    return json.skip();
                }
                places(json, tool, counts, depth + 1)
            })
            .map(|_| ())
        }
        _ => json.skip(),
    })?;
    Ok(())
}

/// Reads an object that is a count (returns its new value) or has counts below it (adds them to the list).
fn count(json: &mut Json<'_>, counts: &mut Vec<(String, f64)>, depth: usize) -> Step<Option<f64>> {
    match json.kind()? {
        Kind::Number => return json.number(),
        Kind::Object if depth <= DEPTH => {}
        _ => return json.skip().map(|()| None),
    }
    let mut found = None;
    json.object(|json, name| {
        match name {
            "Int" | "Float" | "Left" | "new" => found = count(json, counts, depth + 1)?.or(found),
            // The new value first, then the old one.
            "Both" => {
                let mut first = None;
                json.array(|json| {
                    let value = count(json, counts, depth + 1)?;
                    first.get_or_insert(value);
                    Ok(())
                })?;
                found = first.flatten().or(found);
            }
            "metrics" | "values" | "summary" => found = count(json, counts, depth + 1)?.or(found),
            "Right" | "old" | "diffs" | "change" | "regressions" | "diff_pct" | "factor" => json.skip()?,
            event => {
                let event = event.to_owned();
                if let Some(value) = count(json, counts, depth + 1)? {
                    counts.push((event, value));
                }
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// `Ir` of Callgrind has its own name; other events also get the name of their tool.
fn metric(tool: &str, event: &str) -> Metric {
    let name = if matches!(tool, "Callgrind" | "") { event.to_owned() } else { format!("{tool}:{event}") };
    let is_rate = event.ends_with("Rate");
    let direction = match event {
        "L1HitRate" => Direction::HigherIsBetter,
        "L1hits" | "LLhits" | "LLHitRate" | "RamHitRate" => Direction::Unknown,
        _ => Direction::LowerIsBetter,
    };
    let unit = match event {
        _ if is_rate => Unit::Other("%".into()),
        _ if event.ends_with("Bytes") => Unit::Bytes,
        _ => Unit::Count,
    };
    Metric { name, unit, direction, nature: if is_rate { Nature::Derived } else { Nature::Counted } }
}

impl Summary {
    /// The name of the package's directory. If it is missing, the package is the project's own, and results
    /// are in a directory of that name.
    fn package(&self) -> &str {
        let slash = ['/', '\\'];
        let own = self.package_dir.rsplit(slash).next().unwrap_or_default();
        let mut below =
            self.output_dir.split(slash).skip_while(|folder| !matches!(*folder, "gungraun" | "iai"));
        if own.is_empty() { below.nth(1).unwrap_or_default() } else { own }
    }

    fn hand_over(self, place: Place, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        let (target, path) = self.module_path.split_once("::").unwrap_or(("", self.module_path.as_str()));
        let name = if path.is_empty() { self.function.as_str() } else { path };
        if name.is_empty() {
            return diagnostics.warn(place, "left out a summary without the name of its function");
        }
        let name = if self.case.is_empty() { name.to_owned() } else { format!("{name} {}", self.case) };
        let id = BenchmarkId::new("cargo", format!("{}/{target}", self.package()), name);
        let process = columns::single(Some(1), self.metrics);
        let found = Found { variant: "counts".into(), ..Found::values(id, vec![process]) };
        collector.add(found, place, diagnostics);
    }
}

#[cfg(test)]
mod tests;
