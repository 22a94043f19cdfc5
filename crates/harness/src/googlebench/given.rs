//! Programs that another build tool makes, or that already exist.

use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::Diagnostic;

use super::arguments::BuildArguments;
use super::harness::NAME;
use super::{programs, steps};
use crate::{BuildRequest, Built, Executable, HarnessError, StepRunner};

/// Time limit of the user's own command.
const MAKING: Duration = Duration::from_secs(2 * 60 * 60);

/// Runs the user's command, if there is one, and copies the programs the user named. A missing program
/// becomes a diagnostic as long as another one exists.
pub(super) fn take(
    request: &BuildRequest<'_>,
    arguments: &BuildArguments,
    run: &mut dyn StepRunner,
) -> Result<Built, HarnessError> {
    let project: PathBuf = request.root.join(&request.project.dir).components().collect();
    if let Some(command) = &arguments.make {
        let purpose = format!("make the benchmark programs with `{command}`");
        let step = steps::step(purpose, "sh", ["-c", command.as_str()], &project, MAKING);
        let output = steps::run(&step, run)?;
        if output.status != 0 {
            return Err(steps::refusal(&step, &output));
        }
    }
    let mut built = Built::default();
    let mut first_failure = None;
    for path in &arguments.programs {
        let package = label(path, &request.project.dir);
        match programs::copy(&project.join(path), request.out, &package) {
            Ok(copy) => built.executables.push(Executable {
                harness: NAME.into(),
                package,
                flavour: NAME.into(),
                flavour_version: String::new(),
                path: copy,
                dir: request.project.dir.clone(),
                // It is unknown what else the program loads.
                env: programs::belonging(request.out),
            }),
            Err(error) => {
                let diagnostic = Diagnostic::error(package, format!("there is no program `{path}`"));
                built.diagnostics.push(diagnostic.hint("`--make COMMAND` before it names what makes it"));
                first_failure.get_or_insert(error);
            }
        }
    }
    match first_failure {
        Some(error) if built.executables.is_empty() => Err(error),
        _ => Ok(built),
    }
}

/// The package of the program's benchmarks in identities: its path as the user wrote it, or its name if that
/// path is absolute.
fn label(path: &str, project: &Path) -> String {
    let path = Path::new(path);
    let shown = if path.is_absolute() { path.file_name().map(Path::new).unwrap_or(path) } else { path };
    project.join(shown).components().collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_called_as_the_user_wrote_them() {
        let check = |path: &str, project: &str, expected: &str| {
            assert_eq!(label(path, Path::new(project)), expected);
        };
        check("build/bench", "", "build/bench");
        check("./bench", "cpp", "cpp/bench");
        check("/opt/suite/bench", "", "bench");
        check("/opt/suite/bench", "cpp", "cpp/bench");
    }
}
