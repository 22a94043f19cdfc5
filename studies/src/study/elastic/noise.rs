//! How much recorded Go benchmarks vary on cloud instances.

use std::path::Path;

use anyhow::Result;
use benchwright_analysis::reduce::LevelSeries;
use benchwright_stats::dispersion::{median, quantile};
use benchwright_stats::nested_variance::robust_nested_variances;

use crate::study::recorded;

/// The noise of one benchmark: standard deviations of logarithms, outermost first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// Between instances.
    pub(super) instance: f64,
    /// Between suite runs and iterations on one instance.
    pub(super) state: f64,
    /// Between successive executions.
    pub(super) trial: f64,
}

/// The fitted noise of all benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    /// One per benchmark and version.
    pub(super) noises: Vec<Noise>,
    /// Share of executions that are slower than their neighbours by much more than the usual noise.
    pub(super) wild_share: f64,
    /// How much slower those executions are on average, as a logarithm.
    pub(super) wild_size: f64,
}

/// One version of a project.
pub(super) struct Version {
    pub(super) project: String,
    pub(super) name: String,
    pub(super) benchmarks: Vec<recorded::RecordedBenchmark>,
}

/// All Go versions, oldest first within each project, without benchmarks that take no time.
pub(super) fn versions(data: &Path) -> Result<Vec<Version>> {
    /// Benchmarks with an empty body report far less than a clock cycle.
    const LEAST_NS: f64 = 0.1;
    let mut versions = Vec::new();
    for file in recorded::version_files(&data.join("uoptime/go"), true)? {
        let (mut benchmarks, _) = recorded::read(&file.path)?;
        benchmarks.retain(|one| one.series.points().iter().all(|(_, value)| *value > LEAST_NS));
        versions.push(Version { project: file.project.clone(), name: file.name(), benchmarks });
    }
    Ok(versions)
}

/// Fits the noise of every benchmark separately.
pub(super) fn fit(versions: &[Version]) -> Fitted {
    let all: Vec<&LevelSeries> =
        versions.iter().flat_map(|version| &version.benchmarks).map(|one| &one.series).collect();
    let noises: Vec<Noise> = all.iter().filter_map(|series| noise(series)).collect();
    let typical = quantile(&noises.iter().map(|noise| noise.trial).collect::<Vec<_>>(), 0.5).unwrap_or(0.01);
    let (mut executions, mut wild) = (0_usize, Vec::new());
    for series in all {
        for neighbours in neighbours(series) {
            let Some(centre) = median(&neighbours) else { continue };
            executions += neighbours.len();
            let far = 5.0 * typical + 0.02;
            wild.extend(neighbours.iter().map(|value| (value / centre).ln()).filter(|excess| *excess > far));
        }
    }
    Fitted {
        noises,
        wild_share: wild.len() as f64 / executions.max(1) as f64,
        wild_size: wild.iter().sum::<f64>() / wild.len().max(1) as f64,
    }
}

fn noise(series: &LevelSeries) -> Option<Noise> {
    let places: Vec<&[u32]> = series.points().iter().map(|(place, _)| place.as_slice()).collect();
    let values: Vec<f64> = series.points().iter().map(|(_, value)| value.ln()).collect();
    let found = robust_nested_variances(&places, &values, 1)?;
    let [instance, run, iteration, second] = found.as_slice() else { return None };
    Some(Noise {
        instance: instance.variance.sqrt(),
        state: (run.variance + iteration.variance).sqrt(),
        trial: second.variance.sqrt(),
    })
}

/// The executions of each iteration.
fn neighbours(series: &LevelSeries) -> Vec<Vec<f64>> {
    let mut all: Vec<(&[u32], Vec<f64>)> = Vec::new();
    for (place, value) in series.points() {
        let outer = &place[..place.len() - 1];
        match all.last_mut() {
            Some((known, values)) if *known == outer => values.push(*value),
            _ => all.push((outer, vec![*value])),
        }
    }
    all.into_iter().map(|(_, values)| values).collect()
}
