//! Builds with Gradle's JMH plugin, through the project's wrapper. It follows the plugin's documentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::jdk::Jdk;
use super::recognise::Files;
use crate::steps;
use crate::{HarnessError, Step, StepRunner};

/// Time limit for a build, which may download Gradle itself.
const BUILDING: Duration = Duration::from_secs(60 * 60);

/// Texts that occur only in builds with the plugin: its name today and before 2021, and the task it adds.
const MARKS: [&str; 3] = ["me.champeau.jmh", "me.champeau.gradle.jmh", "jmhJar"];

/// Where the plugin puts the benchmarks jar.
pub(super) const JARS: &str = "build/libs";

/// Whether a build file uses the plugin.
pub(super) fn uses_jmh(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// The builds with the plugin, by the directory of the wrapper above them. Without a wrapper the version of
/// Gradle is unknown.
pub(super) fn projects(files: &Files) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut projects: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for dir in &files.gradle_builds {
        let wrapper = dir.ancestors().find(|above| files.gradle_wrappers.contains(*above));
        if let Some(wrapper) = wrapper {
            let inside = dir.strip_prefix(wrapper).unwrap_or(dir).to_owned();
            projects.entry(wrapper.to_owned()).or_default().push(inside);
        }
    }
    projects
}

/// Builds the benchmark jars of the builds in `builds`, relative to the wrapper's directory.
pub(super) fn build(
    wrapper_dir: &Path,
    builds: &[PathBuf],
    args: &[String],
    jdk: &Jdk,
    run: &mut dyn StepRunner,
) -> Result<(), HarnessError> {
    let purpose = "build with Gradle";
    // A daemon would continue to run and disturb later measurements.
    let quiet =
        ["--quiet", "--console=plain", "--no-daemon", "-Pkotlin.compiler.execution.strategy=in-process"];
    let mut all: Vec<String> = quiet.map(str::to_owned).into();
    all.extend(args.iter().cloned());
    all.extend(builds.iter().map(|build| format!("{}:jmhJar", path(build))));
    let program = wrapper_dir.join("gradlew");
    let step = Step { env: jdk.variables(), ..steps::step(purpose, program, &all, wrapper_dir, BUILDING) };
    let output = run
        .run(&step)
        .map_err(|failure| steps::failed(&step, failure, |_| "see that `gradlew` can be run".into()))?;
    match output.status {
        0 => Ok(()),
        _ => Err(steps::tool_error(purpose, &output, steps::own_words(&output))),
    }
}

/// Gradle's name of the project in a directory: `:a:b`. Empty for the outermost one.
fn path(build: &Path) -> String {
    build.components().map(|part| format!(":{}", part.as_os_str().to_string_lossy())).collect()
}

/// The name of a build's benchmarks: its directory, or the name of the whole in the settings.
pub(super) fn name(wrapper_dir: &Path, build: &Path) -> String {
    if let Some(last) = build.file_name() {
        return last.to_string_lossy().into_owned();
    }
    let texts =
        ["settings.gradle", "settings.gradle.kts"].map(|file| fs::read_to_string(wrapper_dir.join(file)));
    let named = texts.into_iter().flatten().find_map(|text| root_name(&text));
    named.unwrap_or_else(|| "benchmarks".into())
}

fn root_name(settings: &str) -> Option<String> {
    let line = settings.lines().find(|line| line.trim_start().starts_with("rootProject.name"))?;
    let value = line.split_once('=')?.1.trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_is_recognised_by_name_or_task() {
        let check = |text: &str, expected| assert_eq!(uses_jmh(text), expected, "{text}");
        check("plugins { id 'me.champeau.jmh' version '0.7.2' }", true);
        check("id(\"me.champeau.gradle.jmh\")", true);
        check("tasks.register('jmhJar', Jar)", true);
        check("dependencies { testImplementation 'junit:junit:4' }", false);
    }

    #[test]
    fn tasks_are_named_by_project() {
        assert_eq!(path(Path::new("")), "");
        assert_eq!(path(Path::new("a/b")), ":a:b");
        assert_eq!(root_name("// x\nrootProject.name = 'sorting'\n"), Some("sorting".into()));
        assert_eq!(root_name("include 'a'"), None);
        assert_eq!(name(Path::new("missing"), Path::new("")), "benchmarks");
        assert_eq!(name(Path::new("missing"), Path::new("a/b")), "b");
    }
}
