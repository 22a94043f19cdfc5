//! ElastiBench: its figures for recorded and simulated runs, and the cost of measuring on functions at any
//! size.
//!
//! 1. `noise` reads recorded Go benchmarks and fits how much they vary, and `recorded_runs` makes experiments
//!    of them;
//! 2. `suite` generates benchmarks with that noise, `platform` the instances they run on, and `prices` has
//!    their prices;
//! 3. `engine` simulates calls, instances, cold starts, throttling and losses, and computes the bill;
//! 4. `strategy` and `sequential` decide which calls are sent: the paper's fixed number, unpaired executions,
//!    or the real judge;
//! 5. `worlds` repeats the paper's experiments, `map` varies the sizes of suites and numbers of instances,
//!    and `errors` counts false alarms and misses;
//! 6. `figures`, `pictures` and `document` write `docs/studies/elastic.md`.

mod document;
mod engine;
mod errors;
mod figures;
mod map;
mod noise;
mod pictures;
mod platform;
mod prices;
mod recorded_runs;
mod sequential;
mod strategy;
mod suite;
#[cfg(test)]
mod tests;
mod words;
mod worlds;

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use benchwright_analysis::agree::Reading;

use super::recorded;
use engine::{Bill, Caller, run};
use noise::Fitted;
use sequential::{Pace, Parcel, Sequential};

/// The path of the document.
const DOCUMENT: &str = "docs/studies/elastic.md";
/// The default seed of all random numbers.
const SEED: u64 = 20_261_115;
/// For counting errors: the number of benchmarks of a suite, and the number of suites of each kind.
const ERRORS: (usize, u64) = (100, 6);

/// All results that the document shows.
struct Results {
    fitted: Fitted,
    prototype: worlds::Prototype,
    /// The original study on virtual machines.
    original: Bill,
    experiments: Vec<worlds::Simulated>,
    points: Vec<map::Point>,
    /// The bills of the paper's way and of the judge on a machine paid by the hour, by size of the suite.
    machines: Vec<(usize, [Bill; 2])>,
    errors: Vec<errors::Errors>,
    figures: figures::Figures,
    /// Mean number of duets per benchmark that the judge needed for the paper's suite.
    mean_duets: f64,
}

/// Runs the study with the arguments `[--data DIR] [--seed N]`.
pub(super) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    let (mut data, mut seed) = (None, SEED);
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        let value = left.next().with_context(|| format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--data" => data = Some(value.as_str()),
            "--seed" => seed = value.parse().context("read the seed")?,
            other => bail!("no such option `{other}`"),
        }
    }
    let started = Instant::now();
    let said = |text: &str| println!("{:5.1} s  {text}", started.elapsed().as_secs_f64());
    let versions = noise::versions(&recorded::directory(root, data)?)?;
    ensure!(!versions.is_empty(), "find recorded Go benchmarks: the data have no folder `uoptime/go`");
    let results = results(&versions, seed, &said);
    let document = document::write(&results, seed);
    let path = root.join(DOCUMENT);
    let folder = path.parent().context("find the folder of the document")?;
    fs::create_dir_all(folder).with_context(|| format!("make `{}`", folder.display()))?;
    fs::write(&path, &document).with_context(|| format!("write `{DOCUMENT}`"))?;
    let drawn = [
        ("elastic-map.svg", pictures::map(&results.points)),
        ("elastic-figures.svg", pictures::figures(&results.figures)),
    ];
    for (file, picture) in drawn {
        fs::write(folder.join(file), picture).with_context(|| format!("write `{file}`"))?;
    }
    println!("{document}");
    said(&format!("written to {DOCUMENT}"));
    Ok(())
}

fn results(versions: &[noise::Version], seed: u64, said: &dyn Fn(&str)) -> Results {
    said("noise of recorded benchmarks");
    let fitted = noise::fit(versions);
    said(&format!("{} benchmarks and versions; the paper's experiments", fitted.noises.len()));
    let prototype = worlds::prototype(&fitted, seed);
    let experiments = worlds::experiments(prototype, &fitted, seed);
    said("map of sizes and instances");
    let points = map::map(&fitted, &map::BENCHMARKS, &map::INSTANCES, seed);
    let machines = map::BENCHMARKS.map(|size| (size, map::machine(&fitted, size, seed))).to_vec();
    said("figures");
    let runs = recorded_runs::runs(versions, seed);
    let (original, repeats) = worlds::for_repeats(prototype, &fitted, seed);
    let judged = [1, 2].map(|run| judge_again(&fitted, seed, run));
    let mean_duets = judged[0].1;
    let judged = judged.map(|(readings, _)| readings);
    let figures = figures::figures(&runs, &experiments, &repeats, judged, seed);
    said("false alarms and misses");
    let errors = errors::errors(&fitted, ERRORS.0, ERRORS.1, seed);
    Results { fitted, prototype, original, experiments, points, machines, errors, figures, mean_duets }
}

/// Runs the judge on the paper's suite. `number` distinguishes runs. Returns the mean number of duets per
/// benchmark too.
fn judge_again(fitted: &Fitted, seed: u64, number: u64) -> (Vec<Reading>, f64) {
    let suite = worlds::paper_suite(fitted, false, seed);
    let mut plan = Sequential::new(suite.len(), Pace::Waves, Parcel::Of(map::PER_CALL));
    let platform = platform::Platform::prebuilt(fitted);
    run(&platform, Caller::ours(150), &suite, &mut plan, map::NOON, seed.wrapping_add(number));
    let duets = plan.duets();
    let mean = duets.iter().sum::<usize>() as f64 / duets.len().max(1) as f64;
    (plan.findings().iter().filter_map(Reading::of_finding).collect(), mean)
}
