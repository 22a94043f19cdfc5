//! All projects of a version.

use benchwright_harness::{Harness, Project, near_misses};
use benchwright_model::Diagnostic;

use super::project::{ProjectBuild, prepare_project};
use super::{Build, BuildError, Passed, PrepareRequest, ProjectError, foreign, key};

/// Builds every project of the version, or takes it from the cache, and lists the benchmarks. `on_step` is
/// called with the purpose of each step. A project that fails becomes a diagnostic as long as another one has
/// something to run.
pub fn prepare(request: &PrepareRequest<'_>, on_step: &mut dyn FnMut(&str)) -> Result<Build, BuildError> {
    let version = request.checkout.version.title();
    let projects = recognise(request);
    if projects.is_empty() {
        let harnesses: Vec<String> =
            request.harnesses.iter().map(|harness| harness.name().to_owned()).collect();
        let looked_for = request.harnesses.iter().map(|harness| harness.looks_for());
        let looked_for = looked_for.filter(|what| !what.is_empty()).map(str::to_owned).collect();
        let passed = near_misses(&request.checkout.root).into_iter();
        let passed = passed.filter(|miss| harnesses.iter().any(|name| name == miss.harness));
        let passed: Vec<String> = passed.map(|miss| miss.to_string()).collect();
        let source = (!passed.is_empty()).then_some(Passed(passed));
        return Err(BuildError::NoProjects { version, harnesses, looked_for, source });
    }
    let (mut builds, mut failures) = (Vec::new(), Vec::new());
    for (harness, project) in projects {
        match prepare_project(request, harness, &project, on_step) {
            Ok(build) => match foreign::prepare(request, harness, &project, build, on_step) {
                Some(build) => builds.push(build),
                None => return Err(BuildError::Interrupted { version }),
            },
            Err(error) if error.is_interrupt() || request.interrupt.is_set() => {
                return Err(BuildError::Interrupted { version });
            }
            Err(error) => failures.push((project_title(&project), error)),
        }
    }
    let nothing_left = builds.iter().all(|build| build.executables.is_empty());
    if nothing_left && !failures.is_empty() {
        let (project, source) = failures.remove(0);
        let others = failures.iter().map(|(project, error)| error.diagnostic(project)).collect();
        return Err(BuildError::Project { version, project, source: Box::new(source), others });
    }
    Ok(assemble(request, builds, &failures))
}

fn recognise<'a>(request: &PrepareRequest<'a>) -> Vec<(&'a dyn Harness, Project)> {
    let harnesses = request.harnesses.iter().map(AsRef::as_ref);
    harnesses
        .flat_map(|harness: &dyn Harness| {
            harness.recognise(&request.checkout.root).into_iter().map(move |project| (harness, project))
        })
        .collect()
}

fn assemble(
    request: &PrepareRequest<'_>,
    builds: Vec<ProjectBuild>,
    failures: &[(String, ProjectError)],
) -> Build {
    let keys: Vec<String> = builds.iter().map(|build| build.key.clone()).collect();
    let mut diagnostics: Vec<Diagnostic> =
        failures.iter().map(|(project, error)| error.diagnostic(project)).collect();
    let mut build = Build {
        key: key::text_key(&keys),
        root: request.checkout.root.clone(),
        listing: request.checkout.listing.clone(),
        toolchains: Vec::new(),
        executables: Vec::new(),
        diagnostics: Vec::new(),
        cached: failures.is_empty() && builds.iter().all(|build| build.cached),
    };
    for project in builds {
        let toolchain = (project.harness, project.toolchain);
        if !build.toolchains.contains(&toolchain) {
            build.toolchains.push(toolchain);
        }
        build.executables.extend(project.executables);
        diagnostics.extend(project.diagnostics);
    }
    Build { diagnostics, ..build }
}

/// The name of a project in diagnostics.
pub fn project_title(project: &Project) -> String {
    match project.dir.as_os_str().is_empty() {
        true => format!("{} project", project.harness),
        false => format!("{} project `{}`", project.harness, project.dir.display()),
    }
}
