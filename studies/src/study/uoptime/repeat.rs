//! Repeats the whole study, project by project.

use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use benchwright_analysis::reduce::judgement::{self, Difference};
use benchwright_analysis::reduce::{Configuration, Mode, Options, by_name};

use super::agreement::{self, Agreement};
use super::data_sets::{DataSet, Project, projects};
use super::forward::{self, Forward};
use super::savings::{self, Draws, Outcome, with_kept_levels};
use crate::study::recorded::{self, RecordedBenchmark};

/// All results that the document shows.
#[derive(Debug)]
pub(super) struct Study {
    pub(super) projects: Vec<Studied>,
    pub(super) agreements: Vec<Agreement>,
    /// Remarks on data that was left out, with the reason.
    pub(super) remarks: Vec<String>,
}

/// One project.
#[derive(Debug)]
pub(super) struct Studied {
    pub(super) set: &'static DataSet,
    pub(super) name: String,
    pub(super) symbol: Option<&'static str>,
    pub(super) versions: usize,
    pub(super) newest: String,
    pub(super) benchmarks: usize,
    /// The findings by the prototype's definitions and by the paper's.
    pub(super) prototype: Findings,
    pub(super) paper: Findings,
}

/// The results of one mode's definitions.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Figure 3.
    pub(super) outcomes: Vec<Outcome>,
    /// Whether the metrics differ (RQ2). `None` if the test is not defined.
    pub(super) difference: Option<Difference>,
    /// Figure 4. Empty if the data has no warm-up.
    pub(super) warm: Vec<Outcome>,
    /// Table 2 or 3. Empty if there is only one version.
    pub(super) forward: Vec<Forward>,
}

impl Studied {
    /// The title for the document: `G1 prometheus`, or only the name.
    pub(super) fn title(&self) -> String {
        match self.symbol {
            Some(symbol) => format!("{symbol} {}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Repeats the study on the directory `uoptime` of recorded measurements.
pub(super) fn repeat(data: &Path, jobs: NonZeroUsize) -> Result<Study> {
    let projects = projects(data)?;
    let mut study = Study { projects: Vec::new(), agreements: Vec::new(), remarks: Vec::new() };
    // All files of data set 1 share one stream of random configurations.
    let mut draws = Draws::start(false);
    for project in &projects {
        eprintln!("data set {}: {}, {} versions", project.set.number, project.name, project.files.len());
        let mut batched = Draws::start(true);
        let draws = if project.set.is_batched { &mut batched } else { &mut draws };
        study.projects.push(studied(project, draws, &mut study.remarks, jobs)?);
    }
    eprintln!("the prototype's own choices");
    study.agreements = agreement::agreements(data, &projects, jobs)?;
    Ok(study)
}

fn studied(
    project: &Project,
    draws: &mut Draws,
    remarks: &mut Vec<String>,
    jobs: NonZeroUsize,
) -> Result<Studied> {
    let (mut versions, mut random) = (Vec::new(), Vec::new());
    for file in &project.files {
        let (benchmarks, about) =
            recorded::read(&file.path).with_context(|| format!("read `{}`", file.path.display()))?;
        remarks.extend(about.into_iter().map(|remark| format!("{}: {remark}", file.name())));
        random.push(draws.for_file(&benchmarks));
        versions.push((file.version.clone(), benchmarks));
    }
    let newest = versions.last().context("find a version")?;
    Ok(Studied {
        set: project.set,
        name: project.name.clone(),
        symbol: project.symbol,
        versions: versions.len(),
        newest: newest.0.clone(),
        benchmarks: newest.1.len(),
        prototype: findings(project, &versions, &random, Mode::Prototype, jobs)?,
        paper: findings(project, &versions, &random, Mode::Paper, jobs)?,
    })
}

fn findings(
    project: &Project,
    versions: &forward::Versions,
    random: &[Vec<Vec<Configuration>>],
    mode: Mode,
    jobs: NonZeroUsize,
) -> Result<Findings> {
    let options = Options { mode, lead: lead(project), ..Options::default() };
    let fitted = |benchmarks: &[RecordedBenchmark], drawn: &[Configuration]| match mode {
        Mode::Paper => with_kept_levels(benchmarks, drawn),
        Mode::Prototype => drawn.to_vec(),
    };
    let ((_, oldest), (_, newest)) = versions.first().zip(versions.last()).context("find a version")?;
    let (of_oldest, of_newest) = random.first().zip(random.last()).context("find a version")?;
    // The configurations for CV are used for the mean, and those for RMAD for the median.
    let pair = [fitted(newest, &of_newest[0]), fitted(newest, &of_newest[1])];
    let outcomes = savings::outcomes(newest, &pair, &options, jobs);
    // The baselines come first.
    let changes: Vec<Vec<f64>> = outcomes[4..].iter().map(|outcome| outcome.changes.clone()).collect();
    let metric = by_name(project.set.metric).context("find the metric that follows versions")?;
    let forward = match project.set.has_versions && versions.len() > 1 {
        true => forward::forward(versions, &fitted(oldest, &of_oldest[1]), metric, &options, jobs),
        false => Vec::new(),
    };
    Ok(Findings {
        difference: judgement::difference(&changes),
        warm: warm(newest, project.set, &options, jobs),
        outcomes,
        forward,
    })
}

/// The outcomes of all metrics without the warm-up of each process.
fn warm(
    benchmarks: &[RecordedBenchmark],
    set: &DataSet,
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Outcome> {
    if set.warmup == 0 {
        return Vec::new();
    }
    let rest: Vec<RecordedBenchmark> = benchmarks
        .iter()
        .filter_map(|one| {
            Some(RecordedBenchmark { name: one.name.clone(), series: one.series.without_warmup(set.warmup)? })
        })
        .collect();
    let full: Vec<Configuration> = rest.iter().map(|one| one.series.full()).collect();
    let options = Options { warmup: set.warmup, ..*options };
    savings::outcomes(&rest, &[full.clone(), full], &options, jobs).split_off(4)
}

/// Decides with the first set of resamples only, for projects without published numbers and for data set 2.
/// The benchmarks of data set 2 have 497 configurations of up to 500 values.
fn lead(project: &Project) -> Option<u32> {
    (project.set.number == 2 || project.symbol.is_none()).then_some(1)
}
