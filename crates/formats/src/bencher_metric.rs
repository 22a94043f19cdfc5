//! Bencher Metric Format: benchmarks, their measures, and a value with bounds for each.

mod write;

pub(crate) use write::write;

use benchwright_model::{BenchmarkId, Direction, Metric, Nature, Unit};

use crate::reading::collect::{Collector, Found};
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::units::{self, Scaled};
use crate::{Format, Imported, ImportedSummary};

/// Whether it has values on the third level.
pub(crate) fn recognise(head: &Head) -> bool {
    head.is_object() && head.has(3, "value") && !head.has(1, "value") && !head.has(2, "value")
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::BencherMetric);
    let read = json.object(|json, name| {
        let place = json.place();
        let mut summaries = Vec::new();
        let is_object = json.object(|json, measure| {
            summaries.extend(metric(json, measure)?);
            Ok(())
        })?;
        if is_object {
            let found = Found::summaries(BenchmarkId::new("imported", "", name), summaries);
            collector.add(Found { variant: "".into(), ..found }, place, &mut json.input.diagnostics);
        }
        Ok(())
    });
    finish_json(json, read.map(|_| ()), vec![collector])
}

fn metric(json: &mut Json<'_>, measure: &str) -> Step<Option<ImportedSummary>> {
    let (mut value, mut lower, mut upper) = (None, None, None);
    json.object(|json, name| {
        match name {
            "value" => value = json.number()?,
            "lower_value" => lower = json.number()?,
            "upper_value" => upper = json.number()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    let scaled = scaled(measure);
    let apply = |value: Option<f64>| value.map(|value| scaled.apply(value));
    Ok(apply(value).map(|value| ImportedSummary {
        lower: apply(lower),
        upper: apply(upper),
        ..ImportedSummary::new(scaled.metric.clone(), value)
    }))
}

/// The metric of a measure. Bencher's own measures have fixed units; the unit of a user's own measure is not
/// in the file.
fn scaled(measure: &str) -> Scaled {
    let cost =
        |unit, nature| Metric { name: measure.into(), unit, direction: Direction::LowerIsBetter, nature };
    match measure.to_ascii_lowercase().as_str() {
        "latency" => Scaled::new(Metric::time(), 1e-9),
        "throughput" => Scaled::new(Metric::throughput(), 1.0),
        "build-time" => Scaled::new(cost(Unit::Seconds, Nature::Measured), 1.0),
        "file-size" => Scaled::new(cost(Unit::Bytes, Nature::Counted), 1.0),
        "instructions" | "estimated-cycles" | "total-accesses" | "l1-accesses" | "l2-accesses"
        | "ram-accesses" => Scaled::new(cost(Unit::Count, Nature::Counted), 1.0),
        _ => units::named(measure, measure, None),
    }
}

#[cfg(test)]
mod tests;
