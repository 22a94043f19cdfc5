//! Builds one test executable per package with benchmarks.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::Diagnostic;
use serde::Deserialize;

use super::flags::Flags;
use super::harness::NAME;
use super::release::Release;
use super::standard_library::{self, Place};
use super::{recognise, source, toolchain};
use crate::{
    Architecture, BuildRequest, Built, Executable, HarnessError, PackageFilter, StepOutput, StepRunner,
};

/// Time limit for loading the package list, which may download modules.
const LOADING: Duration = Duration::from_secs(10 * 60);

/// Time limit for compiling a package and all its imports.
pub(super) const COMPILING: Duration = Duration::from_secs(30 * 60);

/// Linker flags that make the executable depend on the sources alone. The build id would hash the check-out's
/// path, and in compressed debug information the path could not be found and removed.
const LINKER: &str = "-buildid= -compressdwarf=false";

/// The same for the build id that the C linker adds to programs with C code.
const NO_HOST_BUILD_ID: &str = " -B none";

/// Builds every package of the module that has benchmarks and may be asked for. A package that does not
/// compile becomes a diagnostic as long as another one compiles.
pub(super) fn build(
    request: &BuildRequest<'_>,
    target: Option<Architecture>,
    filter: Option<&dyn PackageFilter>,
    run: &mut dyn StepRunner,
) -> Result<Built, HarnessError> {
    let session = Session::start(request, target, run)?;
    let mut packages = session.packages(run)?;
    if let Some(filter) = filter {
        leave_out(&mut packages, &session.place, filter);
    }
    let mut built = Built::default();
    let mut first_failure = None;
    for package in packages {
        if !package.has_benchmarks(&session.place) {
            built.diagnostics.extend(package.unknown());
            continue;
        }
        let purpose = format!("build package {}", package.import_path);
        let file = file_name(&package.import_path);
        let args = session.compile_args(&package.import_path, &request.out.join(&file), "");
        let step = toolchain::step(&purpose, &args, &session.place.dir, COMPILING, &session.env);
        let output = toolchain::carry_out(run, &step)?;
        if output.status == 0 {
            built.executables.push(session.executable(request.root, &package, file)?);
        } else {
            built.diagnostics.push(failed(&package.import_path, &output));
            first_failure.get_or_insert_with(|| toolchain::tool_error(&purpose, &output));
        }
    }
    match first_failure {
        Some(error) if built.executables.is_empty() => Err(error),
        _ => Ok(built),
    }
}

/// Removes packages that were not asked for. If a filter names packages, other packages stay only if the
/// filter occurs in their tests, because a sub-benchmark may have such a name.
fn leave_out(packages: &mut Vec<Package>, place: &Place, filter: &dyn PackageFilter) {
    packages.retain(|package| filter.may_accept(&package.import_path));
    let is_named = |package: &Package| {
        let sources = package.test_sources(place);
        let functions: Vec<String> = sources.iter().flat_map(|text| source::benchmarks(text)).collect();
        !functions.is_empty() && filter.names(&package.import_path, &functions)
    };
    let named: HashSet<String> = packages
        .iter()
        .filter(|package| is_named(package))
        .map(|package| package.import_path.clone())
        .collect();
    if named.is_empty() {
        return;
    }
    let is_mentioned =
        |package: &Package| package.test_sources(place).iter().any(|text| filter.mentions(text));
    packages.retain(|package| named.contains(&package.import_path) || is_mentioned(package));
}

fn failed(package: &str, output: &StepOutput) -> Diagnostic {
    Diagnostic::error(package, format!("does not build:\n{}", toolchain::own_words(output)))
        .hint(format!("the whole output is in {}", output.log.display()))
}

/// The data that all steps of one build share.
pub(super) struct Session {
    pub(super) place: Place,
    flags: Flags,
    pub(super) env: Vec<(String, String)>,
    pub(super) release_text: String,
    pub(super) release: Release,
    /// Whether flags in the environment include linker flags, which linker flags on the command line would
    /// replace.
    has_linker_default: bool,
}

impl Session {
    /// Reads version and settings of the tool chain.
    pub(super) fn start(
        request: &BuildRequest<'_>,
        target: Option<Architecture>,
        run: &mut dyn StepRunner,
    ) -> Result<Session, HarnessError> {
        let module = request.root.join(&request.project.dir);
        let mut env = toolchain::target_variables(target);
        if recognise::is_outside_workspace(request.root, &request.project.dir) {
            env.push(("GOWORK".to_owned(), "off".to_owned()));
        }
        let settings = toolchain::variables(run, &module, &["GOVERSION", "GOFLAGS", "GOROOT"], &env)?;
        let setting = |name: &str| settings.get(name).map_or("", String::as_str);
        let release_text = setting("GOVERSION").trim_start_matches("go").to_owned();
        Ok(Session {
            place: standard_library::place(&module, Path::new(setting("GOROOT")), request.out)?,
            flags: Flags::parse(request.args),
            env,
            release: Release::parse(&release_text),
            release_text,
            has_linker_default: setting("GOFLAGS").contains("-ldflags"),
        })
    }

    /// Whether additional linker flags can be passed without replacing any of the user's.
    pub(super) fn takes_linker_flags(&self) -> bool {
        !(self.flags.linker.is_empty() && self.has_linker_default)
    }

    /// The packages of the module, including those that cannot be loaded.
    fn packages(&self, run: &mut dyn StepRunner) -> Result<Vec<Package>, HarnessError> {
        let purpose = "list the packages of the module";
        let fields = "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,InvalidGoFiles,IgnoredGoFiles,Error";
        let fields = if self.release >= Release::LIST_FIELDS { fields } else { "-json" };
        let mut args = vec!["list".to_owned(), "-e".into(), fields.into()];
        // Only `go test` accepts flags for vetting.
        args.extend(self.common_args().into_iter().filter(|flag| !flag.starts_with("-vet=")));
        match self.flags.packages.is_empty() {
            true => args.push("./...".into()),
            false => args.extend(self.flags.packages.iter().cloned()),
        }
        let output = toolchain::go(run, purpose, &args, &self.place.dir, LOADING, &self.env)?;
        let packages = serde_json::Deserializer::from_str(&output.stdout).into_iter::<Package>();
        packages.collect::<Result<Vec<_>, _>>().map_err(|error| HarnessError::Output {
            purpose: purpose.into(),
            message: format!("expected a JSON object per package: {error}"),
        })
    }

    fn common_args(&self) -> Vec<String> {
        let overlay = self.place.overlay.iter().map(|file| format!("-overlay={}", file.display()));
        overlay.chain(self.flags.build.iter().cloned()).collect()
    }

    /// The arguments that build `package` into `target`. `linker` is added to the linker's flags.
    pub(super) fn compile_args(&self, package: &str, target: &Path, linker: &str) -> Vec<String> {
        let mut args = vec!["test".to_owned(), "-c".into(), "-o".into(), target.display().to_string()];
        let is_ours = |flag: &&String| flag.starts_with("-buildvcs");
        if self.release >= Release::BUILD_VCS && !self.flags.build.iter().any(|flag| is_ours(&flag)) {
            args.push("-buildvcs=false".into());
        }
        // Versions of yesterday need not please today's vet; a flag of the user comes later and wins.
        args.push("-vet=off".into());
        args.extend(self.common_args());
        let host = if self.release >= Release::NO_HOST_BUILD_ID { NO_HOST_BUILD_ID } else { "" };
        let ours = format!("{LINKER}{host}{linker}");
        match self.flags.linker.as_slice() {
            [] if self.has_linker_default => {}
            [] => args.push(format!("-ldflags={ours}")),
            // The last one that matches a package counts, so the flags are added to each of them.
            several => args.extend(several.iter().map(|user| format!("-ldflags={user} {ours}"))),
        }
        args.push(package.into());
        args
    }

    fn executable(&self, root: &Path, package: &Package, file: String) -> Result<Executable, HarnessError> {
        let dir = below(root, &self.place.own(&package.dir)).ok_or_else(|| HarnessError::Output {
            purpose: "list the packages of the module".into(),
            message: format!(
                "package {} lies in `{}`, outside the version",
                package.import_path, package.dir
            ),
        })?;
        let working_dir = match dir.as_os_str().is_empty() {
            true => PathBuf::from("{root}"),
            false => Path::new("{root}").join(&dir),
        };
        Ok(Executable {
            harness: NAME.into(),
            package: package.import_path.clone(),
            flavour: NAME.into(),
            flavour_version: self.release_text.clone(),
            path: file.into(),
            // As `go test` does it: programs read the name of their working directory from there.
            env: vec![("PWD".into(), working_dir.display().to_string())],
            dir,
        })
    }
}

/// `dir` relative to `root`. The go command may have resolved symbolic links in it.
fn below(root: &Path, dir: &Path) -> Option<PathBuf> {
    if let Ok(relative) = dir.strip_prefix(root) {
        return Some(relative.into());
    }
    let (root, dir) = (fs::canonicalize(root).ok()?, fs::canonicalize(dir).ok()?);
    dir.strip_prefix(root).ok().map(PathBuf::from)
}

/// The executable's name. It depends only on the package, so that both versions of a package have paths of
/// the same length.
fn file_name(import_path: &str) -> String {
    const LONGEST: usize = 200;
    let flat = import_path.replace('/', "@");
    if flat.len() <= LONGEST {
        return format!("{flat}.test");
    }
    let hash = flat.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let end: Vec<char> = flat.chars().rev().take(40).collect();
    format!("{hash:016x}@{}.test", end.into_iter().rev().collect::<String>())
}

/// The data of a package from `go list`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Package {
    import_path: String,
    dir: String,
    test_go_files: Vec<String>,
    x_test_go_files: Vec<String>,
    invalid_go_files: Vec<String>,
    ignored_go_files: Vec<String>,
    error: Option<PackageError>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct PackageError {
    err: String,
}

impl Package {
    fn has_benchmarks(&self, place: &Place) -> bool {
        self.test_sources(place).iter().any(|text| !source::benchmarks(text).is_empty())
    }

    /// The texts of its test files.
    fn test_sources(&self, place: &Place) -> Vec<String> {
        let dir = place.own(&self.dir);
        let mut files: Vec<String> = [&self.test_go_files, &self.x_test_go_files, &self.invalid_go_files]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        if self.error.is_some() && files.is_empty() {
            files = self.test_files_on_disk(&dir);
        }
        let read = |file: &String| {
            // The file may not be valid UTF-8, but then an unreadable name is not that of a benchmark.
            let text = fs::read(dir.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&text).into_owned()
        };
        files.iter().map(read).collect()
    }

    /// A package that cannot be loaded has no file lists, so its directory is searched for benchmarks.
    fn test_files_on_disk(&self, dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with("_test.go") && !self.ignored_go_files.contains(name)).collect()
    }

    /// A diagnostic if the user named a package that does not exist. This is not an error, because another
    /// module of the repository may have it. Packages without files for this system are ignored.
    fn unknown(&self) -> Option<Diagnostic> {
        let error = self.error.as_ref()?;
        let is_there = !self.dir.is_empty() && Path::new(&self.dir).is_dir();
        (!is_there).then(|| Diagnostic::warning(&self.import_path, error.err.clone()))
    }
}

#[cfg(test)]
mod tests;
