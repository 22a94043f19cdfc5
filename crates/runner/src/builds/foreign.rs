//! Programs for another processor in place of this machine's own.
//!
//! Benchmarks are found by running the program that contains them, which one for another processor cannot be here. So a project is built
//! twice, and the second build's programs take over the names that the first one's know.

use benchwright_harness::{Architecture, Harness, Project};
use benchwright_model::{Diagnostic, Severity};

use super::project::{ProjectBuild, prepare_unlisted};
use super::{BuiltExecutable, PrepareRequest};

/// The project with its programs for the architecture asked for, if one is. A harness that builds for this machine alone, and a
/// package that builds for no other, keep theirs. Nothing after an interrupt.
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
        // A reason that may be gone next time must not look like a build that is done.
        None => ProjectBuild { cached: false, ..here },
    };
    let news = failures.into_iter().filter(|failure| !known.contains(failure));
    build.diagnostics.extend(news.map(|failure| elsewhere(failure, architecture)));
    Some(build)
}

/// A failure for the other processor as a warning, because the program for this one exists. Whether it is needed is decided later.
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
        // What is measured are the programs for the other processor.
        key: there.key,
        toolchain: there.toolchain,
        harness: here.harness,
        executables,
        diagnostics: here.diagnostics,
        cached: here.cached && there.cached,
    }
}
