//! From a version to benchmarks that can run.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use benchwright_harness::{PackageFilter, TrialShape, Usual, near_misses};
use benchwright_model::{BenchmarkId, Diagnostic, Event, Severity, Side, Version};
use benchwright_runner::{
    Arguments, Build, BuildError, BuiltExecutable, Checkout, PrepareRequest, Shapes, identical, prepare,
};
use benchwright_store::{BuildRecord, ExecutableRecord};
use benchwright_worker::{BuildPlace, Program, Subject};

use crate::decide;
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;
use crate::request::Selection;
use crate::unlisted;

/// Extra arguments by harness: the configured ones, followed by those of the command line, which apply to
/// every harness.
pub fn arguments(project: &Project, selection: &Selection) -> HashMap<String, Arguments> {
    let mut arguments = project.arguments();
    for (name, of_harness) in &mut arguments {
        of_harness.build.extend(selection.build_args.iter().cloned());
        of_harness.run.extend(selection.harness_args.iter().cloned());
        if project.harnesses.iter().any(|harness| harness.name() == name && harness.shares_arguments()) {
            of_harness.build.extend(of_harness.run.iter().cloned());
        }
    }
    arguments
}

/// Checks out a version, builds it and lists its benchmarks. Steps whose result is in the cache are skipped.
pub fn build(
    project: &Project,
    version: &Version,
    side: Side,
    arguments: &HashMap<String, Arguments>,
    listener: &mut dyn Listener,
) -> Result<Build, Problem> {
    let started = Instant::now();
    listener.event(&Event::Building { side, version: Box::new(version.clone()) });
    let checkout = project.cache.checkout(&project.repository, version)?;
    if project.is_measuring {
        checkout.sweep();
    }
    for diagnostic in &checkout.diagnostics {
        listener.notice(diagnostic);
    }
    let selection = &project.settings.selection;
    let request = PrepareRequest {
        cache: &project.cache,
        repository: &project.repository,
        checkout: &checkout,
        harnesses: project.harnesses(side),
        arguments,
        architecture: project.architecture,
        filter: Some(selection)
            .filter(|selection| !selection.is_everything())
            .map(|it| it as &dyn PackageFilter),
        limits: decide::trial_limits(&project.settings, true),
        interrupt: &project.interrupt,
    };
    let prepared = prepare(&request, &mut |purpose| {
        listener.event(&Event::Step { side, purpose: purpose.to_owned() });
    });
    let mut build = match prepared {
        // The change may add the first benchmarks; if head has none either, that is the error.
        Err(BuildError::NoProjects { source: None, .. }) if side == Side::Base => empty(&checkout),
        prepared => prepared?,
    };
    drop_twins(&mut build);
    let packages: Vec<String> =
        build.executables.iter().map(|built| built.executable.package.clone()).collect();
    build.diagnostics.retain(|diagnostic| selection.concerns(&diagnostic.subject, &packages));
    // Missing programs for another processor are reported before the consequences.
    if project.architecture.is_some() {
        build.diagnostics.iter().for_each(|it| listener.notice(it));
    }
    if project.is_measuring {
        sweep(project, &build);
    }
    let benchmarks = build.benchmarks().count() as u32;
    listener.event(&Event::Built { side, benchmarks, cached: build.cached, took: started.elapsed() });
    Ok(build)
}

/// The build of a version without benchmarks.
fn empty(checkout: &Checkout) -> Build {
    Build {
        key: String::new(),
        root: checkout.root.clone(),
        listing: checkout.listing.clone(),
        toolchains: Vec::new(),
        executables: Vec::new(),
        diagnostics: Vec::new(),
        cached: true,
    }
}

/// Removes files that benchmarks of earlier runs left in the build, if they run there.
fn sweep(project: &Project, build: &Build) {
    for harness in &project.harnesses {
        let own = build.executables.iter().filter(|built| built.executable.harness == harness.name());
        let places: BTreeSet<&Path> = own.map(|built| built.out.as_path()).collect();
        places.into_iter().for_each(|out| harness.sweep(out));
    }
}

/// Drops benchmarks whose identity another project of the version already has. It would be unclear which of
/// the two corresponds to which one of the other version.
fn drop_twins(build: &mut Build) {
    let mut owners: HashMap<BenchmarkId, String> = HashMap::new();
    for built in &mut build.executables {
        let owner = format!("{} project `{}`", built.project.harness, built.project.dir.display());
        built.benchmarks.retain(|id| {
            let first = owners.entry(id.clone()).or_insert_with(|| owner.clone());
            if *first != owner {
                let message = format!("is in the {first} and in the {owner}; only the first is measured");
                let hint = "give the packages different names";
                build.diagnostics.push(Diagnostic::error(id.to_string(), message).hint(hint));
            }
            *first == owner
        });
    }
}

/// The benchmarks of two builds, matched.
#[derive(Debug, Clone, Default)]
pub struct Matched {
    /// To be measured on both sides.
    pub subjects: Vec<Subject>,
    /// Not measured, because executable and data are identical.
    pub identical: Vec<BenchmarkId>,
    /// Only in head.
    pub added: Vec<BenchmarkId>,
    /// Only in base.
    pub removed: Vec<BenchmarkId>,
}

impl Matched {
    /// Leaves all others out.
    pub(crate) fn keep(&mut self, only: &BTreeSet<BenchmarkId>) {
        self.subjects.retain(|subject| only.contains(&subject.benchmark));
        for ids in [&mut self.identical, &mut self.added, &mut self.removed] {
            ids.retain(|id| only.contains(id));
        }
    }
}

/// Sets the benchmarks of two builds against each other. `measure_all`: those with identical builds too. A benchmark that one
/// side does not list because something is wrong with it there is neither added nor removed: the diagnostic of its build names it.
pub fn matched(project: &Project, base: &mut Build, head: &mut Build, measure_all: bool) -> Matched {
    let mut matched = by_identity(project, base, head, measure_all);
    unlisted::explain(&mut matched.removed, base, &mut head.diagnostics, Side::Head);
    unlisted::explain(&mut matched.added, head, &mut base.diagnostics, Side::Base);
    matched
}

fn by_identity(project: &Project, base: &Build, head: &Build, measure_all: bool) -> Matched {
    let is_wanted = |id: &BenchmarkId| project.settings.selection.accepts(&id.to_string());
    let old: BTreeMap<&BenchmarkId, &BuiltExecutable> = base.benchmarks().collect();
    let known: HashSet<&BenchmarkId> = head.benchmarks().map(|(id, _)| id).collect();
    let alike = if measure_all { HashSet::new() } else { identical(base, head, &project.harnesses) };
    let mut matched = Matched::default();
    for (id, built) in head.benchmarks().filter(|(id, _)| is_wanted(id)) {
        match old.get(id) {
            None => matched.added.push(id.clone()),
            Some(_) if alike.contains(id) => matched.identical.push(id.clone()),
            Some(before) => matched.subjects.push(Subject {
                benchmark: id.clone(),
                base: Some(program(base, before)),
                head: Some(program(head, built)),
            }),
        }
    }
    let removed = base.benchmarks().map(|(id, _)| id).filter(|id| !known.contains(id) && is_wanted(id));
    matched.removed = removed.cloned().collect();
    matched
}

/// The diagnostics of both builds, without duplicates, even if one listing is from the cache and the other is
/// new. An error that both versions have gets a hint, because it would make the command fail every time.
pub fn diagnostics([base, head]: [&[Diagnostic]; 2]) -> Vec<Diagnostic> {
    let is_alike = |one: &Diagnostic, other: &Diagnostic| {
        (one.severity, &one.subject, one.position, &one.message)
            == (other.severity, &other.subject, other.position, &other.message)
    };
    let mut all: Vec<Diagnostic> = Vec::new();
    for diagnostic in base.iter().chain(head) {
        if all.iter().any(|known| is_alike(known, diagnostic)) {
            continue;
        }
        let mut diagnostic = diagnostic.clone();
        let is_shared = [base, head].iter().all(|side| side.iter().any(|it| is_alike(it, &diagnostic)));
        if is_shared && diagnostic.severity == Severity::Error {
            let more = if diagnostic.hint.is_empty() { "" } else { "; " };
            diagnostic.hint += &format!("{more}fails alike in both versions: --skip leaves it out");
        }
        all.push(diagnostic);
    }
    all
}

/// The selected benchmarks of one build.
pub fn selected(project: &Project, build: &Build) -> Vec<Subject> {
    build
        .benchmarks()
        .filter(|(id, _)| project.settings.selection.accepts(&id.to_string()))
        .map(|(id, built)| Subject { benchmark: id.clone(), base: None, head: Some(program(build, built)) })
        .collect()
}

fn program(build: &Build, built: &BuiltExecutable) -> Program {
    let place = BuildPlace { root: build.root.clone(), out: built.out.clone() };
    Program { executable: built.executable.clone(), place }
}

/// How long processes measure, by harness, before a stop rule is chosen.
pub fn shapes(project: &Project, arguments: &HashMap<String, Arguments>) -> HashMap<String, TrialShape> {
    let trial = &project.settings.trial;
    let shape = |(name, arguments): (&String, &Arguments)| {
        let (iterations, iteration_time) = usual_iterations(name);
        let shape = TrialShape {
            warmup_time: trial.warmup_time,
            args: arguments.run.clone(),
            ..TrialShape::fixed(
                trial.iterations.unwrap_or(iterations),
                trial.iteration_time.unwrap_or(iteration_time),
            )
        };
        (name.clone(), shape)
    };
    arguments.iter().map(shape).collect()
}

/// First guesses of the trial times, from the listing run of a build.
pub fn guesses(build: &Build, shapes: &Shapes) -> HashMap<BenchmarkId, Duration> {
    let listed = build.executables.iter().flat_map(|built| &built.listed);
    listed.filter_map(|(id, time)| Some((id.clone(), time.guess(shapes.of(id).ok()?)))).collect()
}

/// The usual number of iterations of a harness, and their time.
fn usual_iterations(harness: &str) -> (u32, Duration) {
    let harness = benchwright_harness::by_name(harness);
    harness.map_or((1, Duration::from_millis(100)), |harness| {
        let usual = Usual::of(harness.samples());
        (usual.iterations, usual.iteration_time)
    })
}

/// The records that the store keeps of a build, one per project.
pub fn records(side: Side, build: &Build) -> Vec<BuildRecord> {
    let mut records: Vec<BuildRecord> = Vec::new();
    for built in &build.executables {
        let (harness, dir) = (&built.project.harness, built.project.dir.display().to_string());
        let executable =
            ExecutableRecord { package: built.executable.package.clone(), digest: built.digest.clone() };
        match records.iter_mut().find(|record| record.harness == *harness && record.dir == dir) {
            Some(record) => record.executables.push(executable),
            None => {
                let toolchain = build.toolchains.iter().find(|(name, _)| name == harness);
                records.push(BuildRecord {
                    side,
                    harness: harness.clone(),
                    dir,
                    key: build.key.clone(),
                    toolchain: toolchain.map(|(_, text)| text.clone()).unwrap_or_default(),
                    executables: vec![executable],
                });
            }
        }
    }
    records
}

/// Refuses two versions without a common benchmark, unless head adds the first ones. A base whose benchmarks
/// could not be found must not look like one without any.
pub fn check_matched(
    project: &Project,
    matched: &Matched,
    base: &Build,
    head: &mut Build,
) -> Result<(), Problem> {
    if !matched.subjects.is_empty() || !matched.identical.is_empty() {
        return Ok(());
    }
    let is_bad = |diagnostic: &&Diagnostic| diagnostic.severity >= Severity::Warning;
    let is_sound = !base.diagnostics.iter().filter(is_bad).any(|it| !head.diagnostics.contains(it));
    let has_errors = base.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if is_sound && !has_errors && matched.removed.is_empty() && !matched.added.is_empty() {
        let message = "only head has benchmarks: nothing was compared";
        head.diagnostics.push(Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) });
        return Ok(());
    }
    let sides = [("base", &matched.removed), ("head", &matched.added)];
    let alone = sides.into_iter().filter(|(_, ids)| !ids.is_empty());
    let mut lines: Vec<String> =
        alone.map(|(side, ids)| format!("only {side} has {}", named(ids.iter()))).collect();
    for diagnostic in base.diagnostics.iter().chain(&head.diagnostics).map(Diagnostic::to_string) {
        if !lines.contains(&diagnostic) {
            lines.push(diagnostic);
        }
    }
    let is_left_out = |id: &BenchmarkId| !project.settings.selection.accepts(&id.to_string());
    let is_filtered = head.benchmarks().next().is_some() && head.benchmarks().all(|(id, _)| is_left_out(id));
    if is_filtered || lines.is_empty() {
        return Err(no_benchmarks("that both versions have", head));
    }
    Err(Problem::failed("no benchmarks found that both versions have", lines.join("\n")))
}

/// No benchmarks at all is an error: it must not look like "nothing got slower".
pub fn no_benchmarks(what: &str, build: &Build) -> Problem {
    let hint = if build.benchmarks().next().is_none() {
        let told = build.diagnostics.iter().map(Diagnostic::to_string);
        let harnesses: HashSet<&String> = build.toolchains.iter().map(|(name, _)| name).collect();
        let passed = near_misses(&build.root).into_iter();
        let passed = passed.filter(|miss| harnesses.iter().any(|name| *name == miss.harness));
        let lines: Vec<String> = told.chain(passed.map(|miss| miss.to_string())).collect();
        if lines.is_empty() { "the projects of this version list none".to_owned() } else { lines.join("\n") }
    } else {
        let all = named(build.benchmarks().map(|(id, _)| id));
        format!("--filter and --skip leave out all there are: {all}")
    };
    Problem::failed(format!("no benchmarks found {what}"), hint)
}

/// The names of the first of these benchmarks, and how many more there are.
fn named<'a>(ids: impl Iterator<Item = &'a BenchmarkId>) -> String {
    const SHOWN: usize = 5;
    let names: Vec<String> = ids.map(BenchmarkId::to_string).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}
