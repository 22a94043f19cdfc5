//! Replaces programs by programs for another processor.
//!
//! The benchmarks in a program are found by running it, and a program for another processor does not run
//! here. So a project is built twice, and the programs of the second build get the benchmark names found with
//! the first.

use benchwright_harness::{Architecture, Harness, Project};
use benchwright_model::{Diagnostic, Severity};

use super::project::{ProjectBuild, prepare_unlisted};
use super::{BuiltExecutable, PrepareRequest};

/// Replaces the programs of the project by programs for the requested architecture, if there is one. If the
/// harness builds only for this machine, or a package cannot be built for the other one, the programs stay.
/// Returns `None` after an interrupt.
pub(super) fn prepare(
    request: &PrepareRequest<'_>,
    harness: &dyn Harness,
    project: &Project,
    here: ProjectBuild,
    on_step: &mut dyn FnMut(&str),
) -> Option<ProjectBuild> {
    let Some(architecture) = request.architecture else { return Some(here) };
    let Some(there) = harness.targeting(architecture) else { return Some(here) };
    let (there, failures) = match prepare_unlisted(request, there.as_ref(), project, on_step) {
        Ok(mut built) => {
            let failures = std::mem::take(&mut built.diagnostics);
            (Some(built), failures)
        }
        Err(error) if error.is_interrupt() || request.interrupt.is_set() => return None,
        Err(error) => (None, vec![error.diagnostic(&here.harness)]),
    };
    let known = here.diagnostics.clone();
    let mut build = match there {
        Some(there) => replaced(here, there),
        // The failure may be gone next time, so the build does not count as complete.
        None => ProjectBuild { cached: false, ..here },
    };
    let news = failures.into_iter().filter(|failure| !known.contains(failure));
    build.diagnostics.extend(news.map(|failure| elsewhere(failure, architecture)));
    Some(build)
}

/// A failure for the other processor as a warning, because the program for this one exists. Whether it is
/// needed is decided later.
fn elsewhere(failure: Diagnostic, architecture: Architecture) -> Diagnostic {
    let subject = format!("{} for {architecture}", failure.subject);
    Diagnostic { subject, severity: failure.severity.min(Severity::Warning), ..failure }
}

/// The programs of `there` with the benchmarks of `here`, matched by package.
fn replaced(here: ProjectBuild, there: ProjectBuild) -> ProjectBuild {
    let mut programs = there.executables;
    let mut take = |own: BuiltExecutable| {
        let place = programs.iter().position(|it| it.executable.package == own.executable.package);
        match place.map(|place| programs.swap_remove(place)) {
            Some(program) => {
                let here = Some((own.executable, own.out));
                BuiltExecutable { benchmarks: own.benchmarks, listed: own.listed, here, ..program }
            }
            None => own,
        }
    };
    let executables = here.executables.into_iter().map(&mut take).collect();
    ProjectBuild {
        // The programs for the other processor are the ones that are measured.
        key: there.key,
        toolchain: there.toolchain,
        harness: here.harness,
        executables,
        diagnostics: here.diagnostics,
        cached: here.cached && there.cached,
    }
}
