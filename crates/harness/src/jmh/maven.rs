//! Modules that Maven builds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::jdk::Jdk;
use super::pom::Pom;
use super::recognise::{Files, normalised};
use crate::steps;
use crate::{HarnessError, Step, StepFailure, StepOutput, StepRunner};

/// Time limit for a build, which may download many packages the first time.
const BUILDING: Duration = Duration::from_secs(60 * 60);

/// With this property, archives made from the same files are identical, if the plug-ins support it.
const REPRODUCIBLE: &str = "-Dproject.build.outputTimestamp=2000-01-01T00:00:00Z";

/// The goal that writes a module's class path, in a version known to work.
const CLASS_PATH_GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";

/// The file it writes, below each module.
pub(super) const CLASS_PATH_FILE: &str = "target/benchwright.classpath";

/// How to install Maven.
const HINT: &str = "install Maven from https://maven.apache.org or the system's packages (`apt install maven`, \
                    `brew install maven`), and see that `mvn -version` works in this shell";

/// A module that uses JMH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// Its directory, relative to the version's root.
    pub(super) dir: PathBuf,
    /// Its directory, relative to the reactor's.
    pub(super) selector: PathBuf,
    /// Its name.
    pub(super) artifact: String,
    /// Profiles that are needed to include it in the reactor.
    pub(super) profiles: Vec<String>,
    /// Its dependencies that are in the same tree but are not built with it.
    pub(super) strangers: Vec<String>,
}

/// The modules with JMH, by the directory of the outermost project that builds them.
pub(super) fn reactors(files: &Files) -> BTreeMap<PathBuf, Vec<Module>> {
    let mut reactors: BTreeMap<PathBuf, Vec<Module>> = BTreeMap::new();
    for (dir, pom) in &files.poms {
        if !uses_jmh(files, dir) || (!pom.modules.is_empty() && !pom.uses_jmh) {
            continue;
        }
        let (reactor, profiles) = reactor_of(files, dir);
        let selector = dir.strip_prefix(&reactor).unwrap_or(dir).to_owned();
        let strangers = strangers(files, pom, &reactor);
        let module =
            Module { dir: dir.clone(), selector, artifact: pom.artifact.clone(), profiles, strangers };
        reactors.entry(reactor).or_default().push(module);
    }
    reactors
}

/// Whether the module or a parent in the same tree depends on JMH.
fn uses_jmh(files: &Files, dir: &Path) -> bool {
    let mut dir = dir.to_owned();
    // The limit prevents an endless loop if parents name each other.
    for _ in 0..=files.poms.len() {
        let Some(pom) = files.poms.get(&dir) else { return false };
        if pom.uses_jmh {
            return true;
        }
        let Some(parent) = pom.parent.as_ref().and_then(|path| project_dir(&dir, path)) else {
            return false;
        };
        dir = parent;
    }
    false
}

/// The directory of a project that another one names by its directory or its file.
fn project_dir(dir: &Path, path: &str) -> Option<PathBuf> {
    let path = path.strip_suffix("pom.xml").unwrap_or(path);
    normalised(&dir.join(path))
}

/// The outermost project that contains the module, directly or not, and the profiles on the way.
fn reactor_of(files: &Files, module: &Path) -> (PathBuf, Vec<String>) {
    let mut reactor = module.to_owned();
    let mut profiles = Vec::new();
    let mut seen = vec![reactor.clone()];
    while let Some((outer, profile)) = aggregator(files, &reactor) {
        if seen.contains(&outer) || !module.starts_with(&outer) {
            break;
        }
        profiles.extend(profile);
        seen.push(outer.clone());
        reactor = outer;
    }
    (reactor, profiles)
}

/// Names of dependencies whose sources are in the tree, but in another reactor. Maven would use those in the
/// user's own repository, the same for both versions.
fn strangers(files: &Files, pom: &Pom, reactor: &Path) -> Vec<String> {
    let is_that = |other: &Pom, (group, artifact): &(String, String)| {
        let is_group = other.group == *group || other.group.contains("${") || group.contains("${");
        other.artifact == *artifact && is_group
    };
    let is_strange = |dependency: &&(String, String)| {
        files
            .poms
            .iter()
            .any(|(dir, other)| is_that(other, dependency) && reactor_of(files, dir).0 != reactor)
    };
    pom.dependencies.iter().filter(is_strange).map(|(_, artifact)| artifact.clone()).collect()
}

/// A project that lists the one in `dir`, and the profile in which it is listed.
fn aggregator(files: &Files, dir: &Path) -> Option<(PathBuf, Option<String>)> {
    files.poms.iter().find_map(|(outer, pom)| {
        let lists = |path: &str| project_dir(outer, path).is_some_and(|listed| listed == dir);
        let module = pom.modules.iter().find(|module| lists(&module.path))?;
        (outer != dir).then(|| (outer.clone(), module.profile.clone()))
    })
}

/// Builds the modules and their dependencies. With `class_paths` it also writes a file with each module's
/// class path.
pub(super) fn package(
    reactor: &Path,
    modules: &[Module],
    class_paths: bool,
    args: &[String],
    jdk: &Jdk,
    run: &mut dyn StepRunner,
) -> Result<(), HarnessError> {
    let purpose = if class_paths { "find the class path with Maven" } else { "build with Maven" };
    if let Some((module, stranger)) =
        modules.iter().find_map(|module| Some((module, module.strangers.first()?)))
    {
        return Err(HarnessError::Unbuildable {
            purpose: purpose.into(),
            message: format!(
                "`{}` depends on `{stranger}` of this repository, which is not built with it: Maven would take \
                 whatever was installed last, the same for both versions",
                module.artifact
            ),
            hint: format!("name `{}` and `{stranger}` as modules of one parent", module.artifact),
        });
    }
    let mut all: Vec<String> = ["-q", "-B", "-DskipTests", REPRODUCIBLE].map(str::to_owned).into();
    let mut profiles: Vec<&str> =
        modules.iter().flat_map(|module| &module.profiles).map(String::as_str).collect();
    profiles.sort_unstable();
    profiles.dedup();
    if !profiles.is_empty() {
        all.push(format!("-P{}", profiles.join(",")));
    }
    let selectors: Vec<String> = modules.iter().map(|module| module.selector.display().to_string()).collect();
    if selectors.iter().all(|selector| !selector.is_empty()) {
        all.extend(["-pl".to_owned(), selectors.join(","), "-am".to_owned()]);
    }
    all.extend(args.iter().cloned());
    all.push("package".into());
    if class_paths {
        all.extend([CLASS_PATH_GOAL.to_owned(), format!("-Dmdep.outputFile={CLASS_PATH_FILE}")]);
    }
    let step = Step { env: jdk.variables(), ..steps::step(purpose, "mvn", &all, reactor, BUILDING) };
    let output = with_wrapper(&step, run)?;
    if output.status == 0 {
        return Ok(());
    }
    Err(steps::tool_error(purpose, &output, errors(&output)))
}

/// Runs Maven, or the project's own wrapper if Maven is not installed.
fn with_wrapper(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let wrapper = step.dir.join("mvnw");
    let output = match run.run(step) {
        Err(StepFailure::NoProgram(_)) if wrapper.is_file() => {
            run.run(&Step { program: wrapper.into(), ..step.clone() })
        }
        other => other,
    };
    output.map_err(|failure| steps::failed(step, failure, |_| HINT.into()))
}

/// Maven's error messages, without the advice at their end.
fn errors(output: &StepOutput) -> String {
    const MARK: &str = "[ERROR]";
    let advice = ["-> [Help", "Re-run Maven", "For more information", "To see the full stack", "[Help 1]"];
    let both = output.stdout.lines().chain(output.stderr.lines());
    let marked = both.filter_map(|line| line.trim_start().strip_prefix(MARK)).map(str::trim);
    let kept: Vec<&str> =
        marked.filter(|line| !line.is_empty() && !advice.iter().any(|text| line.starts_with(text))).collect();
    if kept.is_empty() { steps::own_words(output) } else { steps::first_lines(&kept) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jmh::recognise::tests::{pom, tree};

    fn found(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let root = tree(files);
        let text = |path: &PathBuf| path.display().to_string();
        reactors(&Files::of(root.path()))
            .iter()
            .map(|(dir, modules)| (text(dir), modules.iter().map(|module| text(&module.selector)).collect()))
            .collect()
    }

    fn check(files: &[(&str, &str)], dir: &str, modules: &[&str]) {
        let modules = modules.iter().map(|module| module.to_string()).collect();
        assert_eq!(found(files), [(dir.to_owned(), modules)]);
    }

    #[test]
    fn a_dependency_in_the_tree_that_is_not_built_with_the_module_is_a_stranger() {
        let check = |library: &str, group: &str, expected: &[&str]| {
            let benches = format!(
                "<project><groupId>acme</groupId><artifactId>benches</artifactId><dependencies>\
                 <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId></dependency>\
                 <dependency><groupId>{group}</groupId><artifactId>lib</artifactId></dependency>\
                 </dependencies></project>"
            );
            let root = tree(&[("pom.xml", library), ("benches/pom.xml", &benches)]);
            let reactors = reactors(&Files::of(root.path()));
            let modules: Vec<&Module> = reactors.values().flatten().collect();
            assert_eq!(modules[0].strangers, expected, "{library} {group}");
        };
        let library = "<project><groupId>acme</groupId><artifactId>lib</artifactId></project>";
        check(library, "acme", &["lib"]);
        check(library, "${project.groupId}", &["lib"]);
        check(library, "elsewhere", &[]);
        let parent = "<project><groupId>acme</groupId><artifactId>lib</artifactId>\
                      <modules><module>benches</module></modules></project>";
        check(parent, "acme", &[]);
    }

    #[test]
    fn modules_are_selected_from_the_outermost_reactor() {
        let (all, middle) = (pom("all", &["x"], false), pom("x", &["a", "b/pom.xml"], false));
        let (a, b) = (pom("a", &[], true), pom("b", &[], true));
        check(
            &[("pom.xml", &all), ("x/pom.xml", &middle), ("x/a/pom.xml", &a), ("x/b/pom.xml", &b)],
            "",
            &["x/a", "x/b"],
        );
        check(&[("pom.xml", &a)], "", &[""]);
    }

    #[test]
    fn a_dependency_of_the_parent_is_one_of_its_modules() {
        let parent = pom("all", &["a"], true);
        let child =
            "<project><parent><artifactId>all</artifactId></parent><artifactId>a</artifactId></project>";
        check(&[("pom.xml", &parent), ("a/pom.xml", child)], "", &["", "a"]);
        let stranger = "<project><artifactId>a</artifactId></project>";
        check(&[("pom.xml", &parent), ("a/pom.xml", stranger)], "", &[""]);
    }

    #[test]
    fn circles_end() {
        let one = pom("one", &["two"], true);
        let two = pom("two", &[".."], false);
        assert_eq!(found(&[("pom.xml", &one), ("two/pom.xml", &two)]).len(), 1);
        let own = "<project><parent><relativePath>.</relativePath></parent></project>";
        assert_eq!(found(&[("pom.xml", own)]), []);
    }

    #[test]
    fn the_words_are_mavens_errors() {
        let stdout = "[INFO] x\n[ERROR] COMPILATION ERROR : \n[ERROR] A.java:[3,5] ';' expected\n[ERROR] \n\
                      [ERROR] -> [Help 1]\n[ERROR] Re-run Maven using the -X switch\n";
        let output = StepOutput { status: 1, stdout: stdout.into(), ..StepOutput::default() };
        assert_eq!(errors(&output), "COMPILATION ERROR :\nA.java:[3,5] ';' expected");
        let silent = StepOutput { status: 1, stderr: "no JDK\n".into(), ..StepOutput::default() };
        assert_eq!(errors(&silent), "no JDK");
    }
}
