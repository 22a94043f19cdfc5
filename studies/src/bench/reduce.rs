//! How fast configurations are chosen, compared with the authors' prototype.

use std::fs;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use benchwright_analysis::reduce::{LevelSeries, Mode, Options, metrics, reduce_suite};

use super::goals::{Bound, Goal};
use super::programs::Figures;
use crate::command::run_watched;
use crate::study::recorded;

/// CPU seconds that the authors' program took on another machine for the newest versions of data set 1 with
/// all five metrics: 3.5 s for each of 112 benchmarks, median of seven runs.
const PROTOTYPE_SECONDS: f64 = 390.0;

/// Number of turns of each measurement. The fastest counts, because other programs can only add time.
const TURNS: usize = 5;

/// Measures all five metrics with 10,000 resamples, on the newest versions of data set 1.
pub(crate) fn measure(root: &Path) -> Result<Vec<Goal>> {
    let suite = newest(root)?;
    let series: Vec<&LevelSeries> = suite.iter().collect();
    println!("{} benchmarks", series.len());
    let single = |mode: Mode, lead: Option<u32>| {
        let options = Options { mode, lead, ..Options::default() };
        let times = (0..TURNS).map(|_| cpu_seconds(|| run(&series, &options, NonZeroUsize::MIN)));
        times.collect::<Result<Vec<f64>>>().map(|times| times.into_iter().fold(f64::INFINITY, f64::min))
    };
    let once = single(Mode::Prototype, Some(1))?;
    let voted = single(Mode::Prototype, None)?;
    let paper = single(Mode::Paper, None)?;
    println!("prototype's definitions, one set of resamples: {once:.2} s of CPU time");
    println!("prototype's definitions, sets that vote: {voted:.2} s");
    println!("paper's definitions, all instances: {paper:.2} s");
    let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let even = evenness(&series, jobs);
    println!(
        "divided among {jobs} threads, benchmark by benchmark, the work allows {even:.2} times as fast as one"
    );
    let Scaling { speed: scaling, cpu } = scaling(&series, jobs)?;
    println!("{jobs} threads: {scaling:.2} times as fast as one, for {cpu:.2} times its CPU time");
    let Scaling { speed: apart, cpu } = throughput(jobs, &|| run(&series, &quick(), NonZeroUsize::MIN))?;
    println!(
        "{jobs} such computations at once that share nothing: {apart:.2} times the work of one, each for {cpu:.2} times its CPU time"
    );
    let Scaling { speed, cpu } = throughput(jobs, &multiply)?;
    println!(
        "{jobs} threads of plain multiplications: {speed:.2} times the work of one, each for {cpu:.2} times its CPU time"
    );
    let numpy = numpy_seconds(root).map(|seconds| seconds * series.len() as f64);
    match &numpy {
        Ok(seconds) => println!("NumPy, the same work on this machine: {seconds:.0} s of CPU time"),
        Err(error) => println!("NumPy on this machine: skipped, {error:#}"),
    }
    let goal = |name, bound, measured| Goal { name, bound: Bound::AtLeast(bound), measured };
    Ok(vec![
        goal("reduce, times as fast as the prototype was", 300.0, Some(PROTOTYPE_SECONDS / once)),
        goal("reduce, times as fast as NumPy here", 300.0, numpy.ok().map(|seconds| seconds / once)),
        goal("reduce with votes, times as fast as the prototype was", 100.0, Some(PROTOTYPE_SECONDS / voted)),
        goal("reduce, share of the cores used", 0.8, Some(scaling / jobs.get() as f64)),
        goal("the same, share of what computations that share nothing use", 0.9, Some(scaling / apart)),
    ])
}

fn newest(root: &Path) -> Result<Vec<LevelSeries>> {
    let directory = recorded::directory(root, None)?.join("uoptime/go");
    let files = recorded::version_files(&directory, true)?;
    let mut suite = Vec::new();
    for (index, file) in files.iter().enumerate() {
        if files.get(index + 1).is_none_or(|next| next.project != file.project) {
            let (benchmarks, _) = recorded::read(&file.path)?;
            suite.extend(benchmarks.into_iter().map(|benchmark| benchmark.series));
        }
    }
    if suite.is_empty() {
        bail!("find data set 1 below `{}`", directory.display());
    }
    Ok(suite)
}

fn run(suite: &[&LevelSeries], options: &Options, jobs: NonZeroUsize) {
    black_box(reduce_suite(suite, metrics(), options, jobs));
}

/// The performance of several threads relative to one.
struct Scaling {
    /// Work per second of wall time, relative to one thread.
    speed: f64,
    /// CPU time for the same work, relative to one thread. It is near 1 if threads do not slow each other
    /// down. It is larger if they compete for memory or if two processors share a core. Other programs on the
    /// machine lower the speed but do not affect this number.
    cpu: f64,
}

impl Scaling {
    /// `one` does the work once, and `many` does it `times` times. Both are measured in turns, and the
    /// fastest turn of each counts.
    fn measure(times: f64, one: &dyn Fn(), many: &dyn Fn()) -> Result<Scaling> {
        let mut fastest = [(f64::INFINITY, f64::INFINITY); 2];
        for _ in 0..TURNS {
            for (fastest, work) in fastest.iter_mut().zip([one, many]) {
                let begin = Instant::now();
                let cpu = cpu_seconds(work)?;
                *fastest = (fastest.0.min(begin.elapsed().as_secs_f64()), fastest.1.min(cpu));
            }
        }
        let [one, many] = fastest;
        Ok(Scaling { speed: times * one.0 / many.0, cpu: many.1 / (times * one.1) })
    }
}

/// Measures a suite that is divided among this number of threads.
fn scaling(suite: &[&LevelSeries], jobs: NonZeroUsize) -> Result<Scaling> {
    Scaling::measure(1.0, &|| run(suite, &quick(), NonZeroUsize::MIN), &|| run(suite, &quick(), jobs))
}

/// The possible speed of this number of threads relative to one, if only the sizes of the benchmarks
/// mattered. Each thread takes the next benchmark when it is free, and at the end some wait for the last one.
fn evenness(suite: &[&LevelSeries], jobs: NonZeroUsize) -> f64 {
    let seconds = |series: &&LevelSeries| {
        let turn = |_| {
            let begin = Instant::now();
            run(&[*series], &quick(), NonZeroUsize::MIN);
            begin.elapsed().as_secs_f64()
        };
        (0..TURNS).map(turn).fold(f64::INFINITY, f64::min)
    };
    let mut busy: Vec<f64> = vec![0.0; jobs.get()];
    for series in suite {
        if let Some(first) = busy.iter_mut().min_by(|left, right| f64::total_cmp(left, right)) {
            *first += seconds(series);
        }
    }
    busy.iter().sum::<f64>() / busy.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}

/// Options for one set of resamples with the prototype's definitions.
fn quick() -> Options {
    Options { mode: Mode::Prototype, lead: Some(1), ..Options::default() }
}

/// Measures threads that each do all of the work and share nothing. This is what the machine can do. Two
/// processors of a virtual machine may be one core, and other virtual machines use part of it.
fn throughput(jobs: NonZeroUsize, work: &(dyn Fn() + Sync)) -> Result<Scaling> {
    let at_once = |threads: usize| {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    };
    Scaling::measure(jobs.get() as f64, &|| at_once(1), &|| at_once(jobs.get()))
}

/// Arithmetic without memory accesses. Eight independent chains keep the multiplier busy.
fn multiply() {
    let mut chains = [1.0_f64, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7];
    for _ in 0..50_000_000 {
        for chain in &mut chains {
            *chain = *chain * 0.999_999_9 + 1e-9;
        }
    }
    black_box(chains);
}

/// CPU time of this process for some work, user and system time together.
fn cpu_seconds(work: impl FnOnce()) -> Result<f64> {
    let before = used_ticks()?;
    work();
    // The kernel counts hundredths of a second.
    Ok((used_ticks()? - before) as f64 / 100.0)
}

fn used_ticks() -> Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat").context("ask the kernel for the CPU time")?;
    // The name in brackets may contain any characters. User and system time are fields 12 and 13 after it.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let tick = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
    tick(11).zip(tick(12)).map(|(user, system)| user + system).context("understand the CPU time")
}

/// CPU seconds per benchmark for the same computation with NumPy, without the prototype's processing of
/// tables.
fn numpy_seconds(root: &Path) -> Result<f64> {
    let python = xtask::scipy::python(root)?;
    let mut figures = Figures::default();
    let mut command = Command::new(python);
    command.arg(root.join("crates/analysis/reference/reduce_speed.py"));
    run_watched(&mut command, |line| figures.take(line))?;
    figures.get("numpy_reduce_per_benchmark").context("find NumPy's time")
}
