//! github-action-benchmark: the list of results that it reads, and the history that it stores in `data.js`.

mod write;

pub(crate) use write::write;

use std::collections::HashMap;

use benchwright_model::{BenchmarkId, Direction, Metric};

use crate::moment::{from_milliseconds, parse_moment};
use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::{ASSIGNMENT, Head};
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::units;
use crate::{Format, Imported, ImportedSummary};

/// Whether it is a list of results or a history.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_list = head.is_array() && head.has(2, "name") && head.has(2, "value") && head.has(2, "unit");
    let is_history = head.is_object()
        && head.has(1, "entries")
        && (head.has(1, "lastUpdate") || head.has(1, "repoUrl") || head.has(4, "benches"));
    is_list || is_history
}

/// Reads everything: one set for a list, or one per commit and suite for a history.
pub(crate) fn read(mut input: Input<'_>) -> Vec<Imported> {
    let is_assigned = {
        let rest = input.rest().trim_ascii_start();
        rest.starts_with(ASSIGNMENT)
    };
    if is_assigned && let Some(sign) = memchr::memchr(b'=', input.rest()) {
        input.advance(sign + 1);
    }
    let mut json = Json::new(input);
    let mut collectors = Vec::new();
    let read = match json.peek() {
        Ok(b'[') => {
            let mut benches = Benches::default();
            let read = json.records(|json| benches.take(json)).map(|_| ());
            let mut collector = Collector::new(Format::GithubAction);
            benches.hand_over("", &mut collector, &mut json);
            collectors.push(collector);
            read
        }
        _ => history(&mut json, &mut collectors),
    };
    if collectors.is_empty() {
        collectors.push(Collector::new(Format::GithubAction));
    }
    finish_json(json, read, collectors)
}

fn history(json: &mut Json<'_>, collectors: &mut Vec<Collector>) -> Step<()> {
    json.object(|json, name| match name {
        "entries" => json
            .object(|json, suite| json.records(|json| entry(json, suite, collectors)).map(|_| ()))
            .map(|_| ()),
        _ => json.skip(),
    })
    .map(|_| ())
}

/// The results of one commit.
fn entry(json: &mut Json<'_>, suite: &str, collectors: &mut Vec<Collector>) -> Step<()> {
    let mut collector = Collector::new(Format::GithubAction);
    collector.fact("suite", Some(suite.to_owned()));
    let (mut tool, mut benches, mut committed_at) = (String::new(), Benches::default(), None);
    let is_object = json.object(|json, name| {
        match name {
            "commit" => {
                json.object(|json, name| {
                    match name {
                        "id" => collector.revision = json.word()?,
                        "timestamp" => committed_at = json.word()?.as_deref().and_then(parse_moment),
                        _ => json.skip()?,
                    }
                    Ok(())
                })?;
            }
            "date" => collector.taken_at = json.number()?.and_then(from_milliseconds),
            "tool" => tool = json.word()?.unwrap_or_default(),
            "benches" => {
                json.array(|json| benches.take(json))?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    if is_object {
        collector.taken_at = collector.taken_at.or(committed_at);
        benches.hand_over(&tool, &mut collector, json);
        collectors.push(collector);
    }
    Ok(())
}

/// Results by name. A benchmark may have several, `name` and `name - B/op`.
#[derive(Default)]
struct Benches {
    index: HashMap<String, usize>,
    list: Vec<(String, Place, Vec<Bench>)>,
}

#[derive(Default)]
struct Bench {
    unit: String,
    value: Option<f64>,
    range: Option<String>,
}

impl Benches {
    fn take(&mut self, json: &mut Json<'_>) -> Step<()> {
        let place = json.place();
        let (mut name, mut bench) = (String::new(), Bench::default());
        let is_object = json.object(|json, member| {
            match member {
                "name" => name = json.text()?.unwrap_or_default(),
                "unit" => bench.unit = json.text()?.unwrap_or_default(),
                "value" => bench.value = json.number()?,
                "range" => bench.range = json.word()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        if !is_object {
            return Ok(());
        }
        if name.is_empty() || bench.value.is_none() {
            json.input.diagnostics.warn(place, "left out a result without name or value");
            return Ok(());
        }
        let plain = name.strip_suffix(bench.unit.as_str()).and_then(|rest| rest.strip_suffix(" - "));
        let plain = plain.filter(|_| !bench.unit.is_empty()).unwrap_or(&name).to_owned();
        let index = *self.index.entry(plain.clone()).or_insert_with(|| {
            self.list.push((plain, place, Vec::new()));
            self.list.len() - 1
        });
        self.list[index].2.push(bench);
        Ok(())
    }

    fn hand_over(self, tool: &str, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        for (name, place, benches) in self.list {
            let mut summaries: Vec<ImportedSummary> = Vec::new();
            for summary in benches.iter().filter_map(|bench| bench.summary(tool)) {
                match summaries.iter().find(|known| known.metric.name == summary.metric.name) {
                    None => summaries.push(summary),
                    Some(known) if *known == summary => {}
                    Some(_) => {
                        let message =
                            format!("`{name}` has `{}` twice; the first counts", summary.metric.name);
                        diagnostics.warn(place, message);
                    }
                }
            }
            let found = Found::summaries(identity(tool, &name), summaries);
            collector.add(Found { variant: "".into(), ..found }, place, diagnostics);
        }
    }
}

impl Bench {
    fn summary(&self, tool: &str) -> Option<ImportedSummary> {
        // For Go, the unit contains all text after the first number of a line.
        let unit = self.unit.split('\t').next().unwrap_or_default();
        let mut scaled = units::main(unit);
        let direction = match tool {
            "customBiggerIsBetter" => Some(Direction::HigherIsBetter),
            "customSmallerIsBetter" => Some(Direction::LowerIsBetter),
            _ => None,
        };
        if let Some(direction) = direction.filter(|direction| *direction != scaled.metric.direction) {
            // The user's direction takes precedence over the unit's, so this is not the metric that the unit
            // suggests.
            scaled = units::Scaled::new(Metric { direction, ..Metric::custom(unit) }, 1.0);
        }
        let value = scaled.apply(self.value?);
        let range =
            self.range.as_deref().and_then(|range| self.half_width(range)).map(|range| scaled.apply(range));
        Some(ImportedSummary {
            lower: range.map(|range| value - range),
            upper: range.map(|range| value + range),
            ..ImportedSummary::new(scaled.metric, value)
        })
    }

    /// `± 1234`, `1234` or `±1.5%`.
    fn half_width(&self, range: &str) -> Option<f64> {
        let text = range.trim().trim_start_matches(['±', '+', '-', '/', ' ']).trim();
        match text.strip_suffix('%') {
            Some(percent) => Some(percent.trim().parse::<f64>().ok()? / 100.0 * self.value?),
            None => text.replace(',', "").parse::<f64>().ok(),
        }
        .filter(|width| width.is_finite() && *width >= 0.0)
    }
}

fn identity(tool: &str, name: &str) -> BenchmarkId {
    match tool {
        "go" => {
            // `BenchmarkX (example.com/p)` if there are several packages. The processor count is after the
            // name.
            let (name, package) = match name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
                Some((name, package)) => (name, package),
                None => (name, ""),
            };
            BenchmarkId::new("go", package, name)
        }
        "jmh" => super::jmh::identity(name, &[]),
        "cargo" => BenchmarkId::new("cargo", "", name),
        "googlecpp" => BenchmarkId::new("googlebench", "", name),
        "pytest" => {
            let (file, test) = name.split_once("::").unwrap_or(("", name));
            BenchmarkId::new("python", file, test)
        }
        "benchmarkjs" => BenchmarkId::new("javascript", "", name),
        "benchmarkdotnet" => {
            // `Namespace.Type.Method(N: 1.5)`.
            let path = name.split('(').next().unwrap_or_default();
            let method = path.rfind('.').unwrap_or(0);
            match path[..method].rfind('.') {
                Some(class) => BenchmarkId::new("dotnet", &name[..class], &name[class + 1..]),
                None => BenchmarkId::new("dotnet", "", name),
            }
        }
        _ => BenchmarkId::new("imported", "", name),
    }
}

#[cfg(test)]
mod tests;
