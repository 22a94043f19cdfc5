//! Makes runs from recorded Go benchmarks: three instances, three suite runs, five iterations, five seconds.
//!
//! The results of ElastiBench are not available. The most similar data are versions that were measured on
//! three instances each, so that each instance is a separate experiment.

use benchwright_analysis::agree::Sample;
use benchwright_model::{BenchmarkId, Metric};

use super::noise::Version;
use crate::study::random::Generator;
use crate::study::recorded::RecordedBenchmark;

/// The runs made from recorded data.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedRuns {
    /// Two runs of one version against itself, from neighbouring seconds of each iteration: 45 results each.
    pub(super) same_code: [Vec<Sample>; 2],
    /// Runs of a version against the next one, one for each of three instances: 75 results per version.
    pub(super) versions: [Vec<Sample>; 3],
}

/// Makes the runs.
pub(super) fn runs(versions: &[Version], seed: u64) -> RecordedRuns {
    let mut generator = Generator::new(&[seed, 4]);
    let mut runs = RecordedRuns::default();
    for version in versions {
        for one in &version.benchmarks {
            let id = BenchmarkId::new("recorded", version.name.clone(), one.name.clone());
            for (samples, seconds) in runs.same_code.iter_mut().zip([[1, 2], [3, 4]]) {
                samples.push(neighbours(&id, one, seconds, &mut generator));
            }
        }
    }
    for pair in versions.windows(2).filter(|pair| pair[0].project == pair[1].project) {
        for head in &pair[1].benchmarks {
            let Some(base) = pair[0].benchmarks.iter().find(|base| base.name == head.name) else { continue };
            let id = BenchmarkId::new("recorded", pair[1].name.clone(), head.name.clone());
            for (samples, instance) in runs.versions.iter_mut().zip(1..) {
                let [base, head] = [base, head].map(|side| on_instance(side, instance));
                samples.push(Sample { benchmark: id.clone(), metric: Metric::time(), base, head });
            }
        }
    }
    runs
}

/// Takes two seconds of every iteration, and assigns them to the versions at random.
fn neighbours(
    id: &BenchmarkId,
    benchmark: &RecordedBenchmark,
    seconds: [u32; 2],
    generator: &mut Generator,
) -> Sample {
    let of = |second: u32| -> Vec<f64> {
        let all = benchmark.series.points().iter();
        all.filter(|(place, _)| place[3] == second).map(|(_, value)| *value).collect()
    };
    let (first, second) = (of(seconds[0]), of(seconds[1]));
    let toss = |(one, other): (f64, f64)| if generator.happens(0.5) { (one, other) } else { (other, one) };
    let (base, head) = first.into_iter().zip(second).map(toss).unzip();
    Sample { benchmark: id.clone(), metric: Metric::time(), base, head }
}

/// All values from one instance. The first seconds of all iterations come before the second ones, so that a
/// few results already cover all iterations.
fn on_instance(benchmark: &RecordedBenchmark, instance: u32) -> Vec<f64> {
    let own = benchmark.series.points().iter().filter(|(place, _)| place[0] == instance);
    let mut values: Vec<([u32; 3], f64)> =
        own.map(|(place, value)| ([place[3], place[1], place[2]], *value)).collect();
    values.sort_by_key(|(place, _)| *place);
    values.into_iter().map(|(_, value)| value).collect()
}
