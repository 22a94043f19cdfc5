//! Finds the trials and iterations that a finding is based on, so that every format shows the same values.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_analysis::value::{Estimator, log_ratio, median};
use benchwright_model::{BenchmarkId, Finding, Measurement, Position, Side, Trial};

/// Ratios that were stored or written to a document may differ by rounding.
const ROUNDING: f64 = 1e-12;

/// Number and attempt of a duet.
type Place = (u32, u32);

/// Base and head of duets, in order.
type Duets<'a> = BTreeMap<Place, (&'a Measurement, &'a Measurement)>;

/// The source of a finding's values.
#[derive(Debug, Clone)]
pub(crate) struct Basis {
    /// Which of a trial's iterations is its value.
    pub(crate) estimator: Estimator,
    /// The duets that count. `None` if there are no duets to distinguish, so that all trials count.
    counted: Option<BTreeSet<Place>>,
}

impl Basis {
    /// The basis in a run of one version: the medians of all its processes.
    pub(crate) const PLAIN: Basis = Basis { estimator: Estimator::Middle, counted: None };

    /// The basis of `finding`, found by the ratios that it lists. `trials` are those of its benchmark.
    pub(crate) fn of(finding: &Finding, trials: &[&Trial]) -> Basis {
        let duets = whole_duets(trials);
        let rests_on = finding.counted_duets();
        let fitting = |estimator: Estimator| {
            let counted = matching(&duets, estimator, &finding.metric.name, rests_on)?;
            Some(Basis { estimator, counted: Some(counted) })
        };
        // If a process has a single value, that is its median. Ratios may match when values do not.
        let mut all: Vec<Basis> =
            [Estimator::Middle, Estimator::Undisturbed].into_iter().filter_map(fitting).collect();
        let best = all.iter().position(|basis| basis.has_centre(finding, &duets)).unwrap_or(0);
        let found = (best < all.len()).then(|| all.swap_remove(best));
        found.unwrap_or(Basis::PLAIN)
    }

    /// Whether the values of base have the centre that the finding shows.
    fn has_centre(&self, finding: &Finding, duets: &Duets<'_>) -> bool {
        let counted = self.counted.iter().flatten().filter_map(|place| duets.get(place));
        let values: Vec<f64> =
            counted.filter_map(|(base, _)| self.estimator.value(base, &finding.metric.name)).collect();
        let wanted = finding.base.map(|base| base.centre);
        median(&values).zip(wanted).is_some_and(|(own, wanted)| (own / wanted - 1.0).abs() <= ROUNDING)
    }

    /// Whether the finding uses the value of this trial.
    pub(crate) fn counts(&self, trial: &Trial) -> bool {
        match (&self.counted, trial.position) {
            (Some(counted), Position::Duet { index, attempt, .. }) => counted.contains(&(index, attempt)),
            _ => true,
        }
    }

    /// A description of how a value is computed from a trial's iterations.
    pub(crate) fn words(&self) -> &'static str {
        match self.estimator {
            Estimator::Undisturbed => "fast decile of the iterations",
            Estimator::Middle => "median of the iterations",
        }
    }
}

/// The bases of all benchmarks, according to their first finding, which is that of time or throughput.
pub(crate) fn bases<'a>(findings: &'a [Finding], trials: &'a [Trial]) -> BTreeMap<&'a BenchmarkId, Basis> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    let main = findings.iter().filter(|finding| finding.metric.is_main());
    main.filter_map(|finding| {
        let trials = by_benchmark.get(&finding.benchmark)?;
        Some((&finding.benchmark, Basis::of(finding, trials)))
    })
    .collect()
}

/// Base and head of every duet whose halves were both measured, in order.
fn whole_duets<'a>(trials: &[&'a Trial]) -> Duets<'a> {
    let mut halves: BTreeMap<Place, [Option<&Measurement>; 2]> = BTreeMap::new();
    for trial in trials {
        if let Position::Duet { index, attempt, .. } = trial.position {
            let both = halves.entry((index, attempt)).or_default();
            both[usize::from(trial.side == Side::Head)] = trial.outcome.measurement();
        }
    }
    halves.into_iter().filter_map(|(place, [base, head])| Some((place, (base?, head?)))).collect()
}

/// The duets whose ratios are `ratios`, searched for from the end. `None` if one is missing or there are
/// none.
fn matching(
    duets: &Duets<'_>,
    estimator: Estimator,
    metric: &str,
    ratios: &[f64],
) -> Option<BTreeSet<Place>> {
    let mut left = duets.iter().rev();
    let mut is_it = |ratio: f64| {
        left.find(|(_, (base, head))| {
            let values = estimator.value(base, metric).zip(estimator.value(head, metric));
            let own = values.and_then(|(base, head)| log_ratio(base, head));
            own.is_some_and(|own| (own - ratio).abs() <= ROUNDING)
        })
    };
    let found: Option<BTreeSet<Place>> =
        ratios.iter().rev().map(|ratio| is_it(*ratio).map(|(place, _)| *place)).collect();
    found.filter(|found| !found.is_empty())
}
