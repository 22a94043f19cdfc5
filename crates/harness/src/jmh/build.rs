//! Makes executables from a project.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::class_path::ClassPath;
use super::harness::{NAME, TEXT, WITH_SHIM};
use super::jar::{self, BENCHMARK_LIST, Jar};
use super::jdk::{self, Jdk};
use super::recognise::{self, Kind};
use super::{gradle, maven, shim};
use crate::{BuildRequest, Built, Executable, HarnessError, StepRunner};

/// A program with benchmarks.
struct Program {
    /// The name of the module or of the jar.
    name: String,
    /// The working directory of its trials, relative to the version's root.
    dir: PathBuf,
    /// The files it consists of.
    parts: Parts,
}

enum Parts {
    /// One jar, anywhere.
    Jar(PathBuf),
    /// Directories and jars, anywhere, in order.
    ClassPath(Vec<PathBuf>),
}

/// Builds every module of the project that uses JMH.
pub(super) fn build(request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
    let choice = jdk::choose(request.root, &request.project.dir);
    let mut built = Built::default();
    if let Some(wanted) = choice.unmet {
        let message = format!("asks for Java {wanted}, which is not installed; the one in PATH is used");
        let hint = "install it, or set JAVA_HOME";
        built.diagnostics.push(Diagnostic::warning(jdk::STATEMENTS[0], message).hint(hint));
    }
    let kind = recognise::kind_of(request.root, &request.project.dir);
    let mut programs = match kind {
        Some(Kind::Maven(modules)) => maven_programs(request, &modules, &choice.jdk, &mut built, run)?,
        Some(Kind::Gradle(builds)) => gradle_programs(request, &builds, &choice.jdk, &mut built, run)?,
        Some(Kind::Jars(jars)) => jars.iter().map(|jar| jar_program(request.root, jar)).collect(),
        None => Vec::new(),
    };
    make_names_different(&mut programs);
    for program in programs {
        let executable = assemble(request, program, &choice.jdk, &mut built, run)?;
        built.executables.push(executable);
    }
    Ok(built)
}

fn maven_programs(
    request: &BuildRequest<'_>,
    modules: &[maven::Module],
    jdk: &Jdk,
    built: &mut Built,
    run: &mut dyn StepRunner,
) -> Result<Vec<Program>, HarnessError> {
    let reactor = request.root.join(&request.project.dir);
    maven::package(&reactor, modules, false, request.args, jdk, run)?;
    let mut programs = Vec::new();
    let mut scattered = Vec::new();
    for module in modules {
        let dir = request.root.join(&module.dir);
        let program = |parts| Program { name: module.artifact.clone(), dir: module.dir.clone(), parts };
        match runnable_jar(&dir.join("target")) {
            Some(jar) => programs.push(program(Parts::Jar(jar))),
            None if class_directories(&dir).iter().any(|classes| classes.join(BENCHMARK_LIST).is_file()) => {
                scattered.push(module.clone());
            }
            None => built.diagnostics.push(without_benchmarks(&module.artifact)),
        }
    }
    if !scattered.is_empty() {
        maven::package(&reactor, &scattered, true, request.args, jdk, run)?;
    }
    for module in scattered {
        let dir = request.root.join(&module.dir);
        let list = dir.join(maven::CLASS_PATH_FILE);
        let text = fs::read_to_string(&list).map_err(|source| HarnessError::File { path: list, source })?;
        let others = text.trim().split(':').filter(|entry| !entry.is_empty()).map(PathBuf::from);
        let entries = class_directories(&dir).into_iter().chain(others).filter(|entry| entry.exists());
        let parts = Parts::ClassPath(entries.collect());
        programs.push(Program { name: module.artifact, dir: module.dir, parts });
    }
    Ok(programs)
}

/// The directories of a module's own classes. Benchmarks are often among the tests.
fn class_directories(module: &Path) -> Vec<PathBuf> {
    ["target/test-classes", "target/classes"]
        .iter()
        .map(|dir| module.join(dir))
        .filter(|dir| dir.is_dir())
        .collect()
}

fn without_benchmarks(name: &str) -> Diagnostic {
    let message = "uses JMH, but its build made no list of benchmarks";
    let hint = "JMH's annotation processor (`jmh-generator-annprocess`) must run; since Java 23 javac runs it only if asked to, such as with `-proc:full`";
    Diagnostic::warning(name, message).hint(hint)
}

fn gradle_programs(
    request: &BuildRequest<'_>,
    builds: &[PathBuf],
    jdk: &Jdk,
    built: &mut Built,
    run: &mut dyn StepRunner,
) -> Result<Vec<Program>, HarnessError> {
    let wrapper_dir = request.root.join(&request.project.dir);
    gradle::build(&wrapper_dir, builds, request.args, jdk, run)?;
    let mut programs = Vec::new();
    for build in builds {
        let name = gradle::name(&wrapper_dir, build);
        let dir = request.project.dir.join(build);
        match runnable_jar(&request.root.join(&dir).join(gradle::JARS)) {
            Some(jar) => programs.push(Program { name, dir, parts: Parts::Jar(jar) }),
            None => built.diagnostics.push(without_benchmarks(&name)),
        }
    }
    Ok(programs)
}

fn jar_program(root: &Path, jar: &Path) -> Program {
    let name = jar.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let dir = jar.parent().unwrap_or(Path::new("")).to_owned();
    Program { name, dir, parts: Parts::Jar(root.join(jar)) }
}

/// The jar in a directory that contains benchmarks and JMH. If there are several, the one with the usual
/// name, or else the first.
fn runnable_jar(dir: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jar");
    let mut jars: Vec<PathBuf> =
        entries.filter(is_jar).filter(|path| jar::look(path) == Jar::Runnable).collect();
    jars.sort_by_key(|path| (path.file_name().is_none_or(|name| name != "benchmarks.jar"), path.clone()));
    jars.into_iter().next()
}

/// Adds numbers to the names of programs if several have the same name.
fn make_names_different(programs: &mut [Program]) {
    for index in 1..programs.len() {
        let (before, rest) = programs.split_at_mut(index);
        let own = rest[0].name.clone();
        let mut number = 2;
        while before.iter().any(|program| program.name == rest[0].name) {
            rest[0].name = format!("{own}-{number}");
            number += 1;
        }
    }
}

/// Copies the program into the build's directory and compiles the shim for it.
fn assemble(
    request: &BuildRequest<'_>,
    program: Program,
    jdk: &Jdk,
    built: &mut Built,
    run: &mut dyn StepRunner,
) -> Result<Executable, HarnessError> {
    let path = match &program.parts {
        Parts::Jar(jar) => {
            let path = PathBuf::from(format!("{}.jar", program.name));
            let copied = fs::copy(jar, request.out.join(&path));
            copied.map_err(|source| HarnessError::File { path: jar.clone(), source })?;
            path
        }
        Parts::ClassPath(entries) => ClassPath::collect(request.out, &program.name, entries)?,
    };
    let class_path = ClassPath::of(request.out, &path);
    let (flavour, flavour_version) = match shim::compile(request.out, &program.name, &class_path, jdk, run)? {
        Ok(version) => (WITH_SHIM, version),
        Err(shim::Absent(why)) => {
            let message = format!("numbers are read from JMH's text, which rounds them: {why}");
            built.diagnostics.push(Diagnostic::warning(&program.name, message));
            (TEXT, String::new())
        }
    };
    Ok(Executable {
        harness: NAME.into(),
        package: program.name,
        flavour: flavour.into(),
        flavour_version,
        path,
        dir: program.dir,
        env: jdk.variables(),
    })
}

#[cfg(test)]
mod tests;
