//! Raw samples as one JSON document; `docs/schema/samples.schema.json`.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Measurement, SampleKind, Series, Side, Timestamp};

use super::sets::{self, About, Sets, Standing};
use crate::moment::parse_moment;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::{Format, Imported, Structure};
mod write;

pub(crate) use write::write;
pub use write::{SCHEMA, SCHEMA_NAME};

/// Whether it is an object with the schema of benchwright, and trials.
pub(crate) fn recognise(head: &Head) -> bool {
    let has_name = || memchr::memmem::find(&head.text, b"\"benchwright.samples/").is_some();
    head.is_object() && head.has(1, "schema") && has_name()
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut run = Run::default();
    let mut sets = Sets::default();
    let read = json.object(|json, name| match name {
        "run" => run.read(json),
        "trials" => json.records(|json| trial(json, &mut sets)).map(|_| ()),
        _ => json.skip(),
    });
    let structure = |_, id: &BenchmarkId| Structure::of(&run.settings, id);
    let collectors =
        sets.finish(Format::Samples, |side| run.about(side), structure, &mut json.input.diagnostics);
    finish_json(json, read.map(|_| ()), collectors)
}

/// The known facts about the run.
#[derive(Default)]
struct Run {
    base: Option<String>,
    head: Option<String>,
    started_at: Option<Timestamp>,
    environment: BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
}

impl Run {
    fn read(&mut self, json: &mut Json<'_>) -> Step<()> {
        json.object(|json, name| {
            match name {
                "base" => self.base = commit(json)?,
                "head" => self.head = commit(json)?,
                "started_at" => self.started_at = moment(json)?,
                "environment" => self.environment = texts(json)?,
                "settings" => self.settings = texts(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(())
    }

    fn about(&self, side: Side) -> About {
        About {
            revision: if side == Side::Base { self.base.clone() } else { self.head.clone() },
            taken_at: self.started_at,
            environment: self.environment.clone(),
        }
    }
}

/// The commit of a version.
fn commit(json: &mut Json<'_>) -> Step<Option<String>> {
    let mut commit = None;
    if json.peek()? == b'n' {
        return json.skip().map(|()| None);
    }
    json.object(|json, name| {
        match name {
            "commit" => commit = json.word()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(commit)
}

fn moment(json: &mut Json<'_>) -> Step<Option<Timestamp>> {
    Ok(json.word()?.as_deref().and_then(parse_moment))
}

fn texts(json: &mut Json<'_>) -> Step<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    json.object(|json, name| {
        if let Some(text) = json.word()? {
            texts.insert(name.to_owned(), text);
        }
        Ok(())
    })?;
    Ok(texts)
}

/// One trial as it is read.
#[derive(Default)]
struct Trial {
    id: [String; 3],
    side: String,
    standing: Standing,
    has_failed: bool,
    measurement: Measurement,
}

fn trial(json: &mut Json<'_>, sets: &mut Sets) -> Step<()> {
    let place = json.place();
    let mut trial = Trial::default();
    let is_object = json.object(|json, name| trial.member(json, name))?;
    if is_object && !trial.has_failed {
        let [harness, package, name] = trial.id;
        let id = BenchmarkId { harness, package, name };
        sets.add((sets::side(&trial.side), id), place, trial.standing.position(), trial.measurement);
    }
    Ok(())
}

impl Trial {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "harness" => self.id[0] = json.text()?.unwrap_or_default(),
            "package" => self.id[1] = json.text()?.unwrap_or_default(),
            "name" => self.id[2] = json.text()?.unwrap_or_default(),
            "side" => self.side = json.text()?.unwrap_or_default(),
            "failure" => {
                self.has_failed = json.peek()? == b'{';
                json.skip()?;
            }
            "sample_kind" => {
                self.measurement.sample_kind = json.word()?.and_then(|word| SampleKind::named(&word));
            }
            "warmup" => self.measurement.warmup = small(json.count()?),
            "operations" => {
                json.array(|json| {
                    self.measurement.operations.push(json.count()?.unwrap_or(0));
                    Ok(())
                })?;
            }
            "series" => {
                json.array(|json| {
                    let series = series(json)?;
                    self.measurement.series.push(series);
                    Ok(())
                })?;
            }
            "duet" => self.standing.duet = level(json)?,
            "attempt" => self.standing.attempt = level(json)?,
            "instance" => self.standing.instance = level(json)?,
            "suite_run" => self.standing.suite_run = level(json)?,
            "iteration" => self.standing.iteration = level(json)?,
            _ => json.skip()?,
        }
        Ok(())
    }
}

fn level(json: &mut Json<'_>) -> Step<Option<u32>> {
    Ok(json.count()?.map(|number| small(Some(number))))
}

fn small(number: Option<u64>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

fn series(json: &mut Json<'_>) -> Step<Series> {
    // Name, unit, direction, nature.
    let mut words: [String; 4] = Default::default();
    let (mut values, mut resolution) = (Vec::new(), 0.0);
    json.object(|json, name| {
        match name {
            "metric" => words[0] = json.text()?.unwrap_or_default(),
            "unit" => words[1] = json.text()?.unwrap_or_default(),
            "direction" => words[2] = json.text()?.unwrap_or_default(),
            "nature" => words[3] = json.text()?.unwrap_or_default(),
            "resolution" => resolution = json.number()?.unwrap_or(0.0),
            "values" => values = json.numbers()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    let metric = sets::metric(words.each_ref().map(String::as_str));
    Ok(Series { metric, values, resolution })
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Position, Unit};

    const FILE: &str = r#"{"schema":"benchwright.samples/1","run":{"id":"r","base":{"commit":"0123456789"},
"head":{"commit":null},"started_at":"2026-03-01T12:00:00Z","environment":{"cpu":"A"},"settings":{}},
"trials":[
{"harness":"go","package":"p","name":"BenchmarkX","side":"base","duet":0,"attempt":0,"first":true,"instance":null,
"failure":null,"sample_kind":"slices","warmup":1,"operations":[10,20],"series":[{"metric":"time","unit":"seconds","direction":"lower",
"nature":"measured","resolution":0.001,"values":[0.1,0.30000000000000004]}]},
{"harness":"go","package":"p","name":"BenchmarkX","side":"head","duet":0,"attempt":1,"first":false,
"failure":{"kind":"signal","number":9,"text":"","detail":""},"warmup":0,"operations":[],"series":[]},
{"harness":"go","package":"p","name":"BenchmarkX","side":"head","duet":3,"attempt":1,"first":false,"failure":null,
"warmup":0,"operations":[],"series":[{"metric":"hits","unit":"hits","direction":"unknown","nature":"counted",
"resolution":0,"values":[7]}]}]}"#;

    #[test]
    fn both_versions_come_out_with_all_that_went_in() {
        let sets = crate::read("file", FILE.as_bytes()).unwrap();
        assert_eq!(sets.len(), 2);
        assert_eq!(sets[0].revision.as_deref(), Some("0123456789"));
        assert_eq!(sets[1].revision, None);
        assert_eq!(sets[0].environment["cpu"], "A");
        let process = &sets[0].benchmarks[0].processes[0];
        assert_eq!((process.warmup, process.operations.as_slice()), (1, [10, 20].as_slice()));
        assert_eq!(process.series[0].values, [0.1, 0.30000000000000004]);
        assert_eq!(process.series[0].metric, Metric::time());
        let head = &sets[1].benchmarks[0];
        assert_eq!(head.processes.len(), 1, "the failed one has no values");
        assert_eq!(head.positions, [Position::Levels { instance: 0, suite_run: 1, iteration: 3 }]);
        assert_eq!(head.processes[0].series[0].metric.unit, Unit::Other("hits".into()));
        assert!(sets.iter().all(|set| set.diagnostics.is_empty()), "{sets:?}");
    }

    #[test]
    fn what_was_not_known_is_still_not_known() {
        let unknown = FILE.replace(r#""settings":{}"#, r#""settings":{"unknown-structure":"p:BenchmarkX"}"#);
        assert!(!crate::read("file", unknown.as_bytes()).unwrap()[0].benchmarks[0].is_structure_known);
        let summary = FILE.replace(r#""settings":{}"#, r#""settings":{"summary-only":"all"}"#);
        let set = &crate::read("file", summary.as_bytes()).unwrap()[0];
        assert_eq!(set.benchmarks[0].summaries[0].value, 0.1);
    }

    #[test]
    fn a_cut_file_gives_what_was_complete() {
        let sets = crate::read("file", &FILE.as_bytes()[..FILE.len() - 150]).unwrap();
        assert_eq!(sets.len(), 1);
        assert_eq!(sets[0].benchmarks.len(), 1);
        assert!(!sets[0].diagnostics.is_empty());
    }
}
