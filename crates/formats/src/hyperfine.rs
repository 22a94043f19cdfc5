//! hyperfine's JSON: every value is a separate process.

use benchwright_model::{BenchmarkId, Direction, Metric, Nature, Unit};

use crate::reading::collect::{Collector, Found};
use crate::reading::columns;
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::statistics::Statistics;
use crate::{Format, Imported, ImportedSummary};

/// Whether it has results of commands.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_result = ["times", "mean", "exit_codes"].iter().any(|name| head.has(3, name));
    head.is_object() && head.has(1, "results") && head.has(3, "command") && is_result
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::Hyperfine);
    let read = json.object(|json, name| match name {
        "results" => json.records(|json| result(json, &mut collector)).map(|_| ()),
        _ => json.skip(),
    });
    finish_json(json, read.map(|_| ()), vec![collector])
}

#[derive(Default)]
struct CommandResult {
    command: String,
    parameters: Vec<(String, String)>,
    times: Vec<f64>,
    memory: Vec<f64>,
    exit_codes: Vec<Option<f64>>,
    statistics: Statistics,
    user: Option<f64>,
    system: Option<f64>,
}

fn result(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    let place = json.place();
    let mut found = CommandResult::default();
    if json.object(|json, name| found.member(json, name))? {
        found.hand_over(place, collector, json);
    }
    Ok(())
}

impl CommandResult {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "command" => self.command = json.text()?.unwrap_or_default(),
            "times" => self.times = json.numbers()?,
            "memory_usage_byte" => self.memory = json.numbers()?,
            "user" => self.user = json.number()?,
            "system" => self.system = json.number()?,
            "exit_codes" => {
                json.array(|json| {
                    self.exit_codes.push(json.number()?);
                    Ok(())
                })?;
            }
            "parameters" => {
                json.object(|json, name| {
                    let value = json.word()?.unwrap_or_default();
                    self.parameters.push((name.into(), value));
                    Ok(())
                })?;
            }
            _ => self.statistics.member(json, name)?,
        }
        Ok(())
    }

    /// The command. Parameters that do not occur in it are appended.
    fn name(&self) -> String {
        let hidden = self.parameters.iter().filter(|(_, value)| !self.command.contains(value.as_str()));
        let pairs: Vec<String> = hidden.map(|(name, value)| format!("{name}={value}")).collect();
        if pairs.is_empty() { self.command.clone() } else { format!("{}({})", self.command, pairs.join(",")) }
    }

    /// Whether the run with this number ended well, if the file contains this.
    fn is_fine(&self, run: usize) -> bool {
        self.exit_codes.get(run).is_none_or(|code| *code == Some(0.0))
    }

    fn hand_over(self, place: Place, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        if self.command.is_empty() {
            return diagnostics.warn(place, "left out a result without its command");
        }
        let id = BenchmarkId::new("command", "", self.name());
        let runs = self.exit_codes.len();
        let failed = (0..runs).filter(|run| !self.is_fine(*run)).count();
        if failed > 0 && failed == runs {
            return diagnostics.error(place, format!("all {runs} runs of `{id}` failed"));
        }
        if failed > 0 {
            let message = format!("{failed} of {runs} runs of `{id}` failed; their times are left out");
            diagnostics.warn(place, message);
        }
        let mut summaries = Vec::new();
        for (name, value) in [("user-time", self.user), ("system-time", self.system)] {
            // These include runs that failed.
            summaries.extend(value.filter(|_| failed == 0).map(|value| ImportedSummary {
                mean: Some(value),
                ..ImportedSummary::new(cost(name, Unit::Seconds), value)
            }));
        }
        if self.times.is_empty() && failed == 0 {
            summaries.extend(self.statistics.summary());
        }
        let has_memory = self.memory.len() == self.times.len();
        let process = |(index, time): (usize, &f64)| {
            let memory = has_memory.then(|| (cost("max-rss", Unit::Bytes), self.memory[index]));
            columns::single(Some(1), [(Metric::time(), *time)].into_iter().chain(memory))
        };
        let fine = self.times.iter().enumerate().filter(|(run, _)| self.is_fine(*run));
        let processes = fine.map(process).collect();
        let variant = "time".into();
        let found = Found { summaries, variant, ..Found::values(id, processes) };
        collector.add(found, place, diagnostics);
    }
}

fn cost(name: &str, unit: Unit) -> Metric {
    Metric { name: name.into(), unit, direction: Direction::LowerIsBetter, nature: Nature::Measured }
}

#[cfg(test)]
mod tests;
