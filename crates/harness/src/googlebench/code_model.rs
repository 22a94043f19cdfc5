//! Reads CMake's description of a configured project: its file API, object "codemodel" version 2.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::steps::file_error;
use crate::HarnessError;

/// The file that requests the description, below the build directory.
const QUERY: &str = ".cmake/api/v1/query/client-benchwright/codemodel-v2";
/// The directory with the description after the configuration.
const REPLY: &str = ".cmake/api/v1/reply";

/// The executables of a project that link the library.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CodeModel {
    /// The configuration that programs are built in. Empty with a single-configuration generator and no build
    /// type.
    pub(super) configuration: String,
    /// By name.
    pub(super) programs: Vec<Program>,
}

/// An executable that links the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// The target's name, unique in the project.
    pub(super) name: String,
    /// The file, relative to the build directory unless it is outside.
    pub(super) artefact: PathBuf,
    /// Whether it loads a library made by the same build.
    pub(super) loads_own_library: bool,
    /// Macros for compiling it and its parts: `DATA="/a/b"`.
    pub(super) definitions: Vec<String>,
}

/// Requests the description. CMake writes it when it configures.
pub(super) fn ask(build: &Path) -> Result<(), HarnessError> {
    let query = build.join(QUERY);
    let parent = query.parent().unwrap_or(build);
    fs::create_dir_all(parent).map_err(file_error(parent))?;
    fs::write(&query, "").map_err(file_error(&query))
}

impl CodeModel {
    /// Reads the answer.
    pub(super) fn read(build: &Path) -> Result<CodeModel, HarnessError> {
        let reply = build.join(REPLY);
        let index: Index = parse(&newest_index(&reply)?)?;
        let object = index.objects.iter().find(|object| object.kind == "codemodel");
        let object = object.ok_or_else(|| wrong("CMake's answer has no code model"))?;
        let model: WireModel = parse(&reply.join(&object.json_file))?;
        // A generator with several configurations lists all of them, Debug first.
        let configurations = &model.configurations;
        let release = configurations.iter().find(|configuration| configuration.name == "Release");
        let configuration = release.or(configurations.first());
        let configuration = configuration.ok_or_else(|| wrong("CMake's answer has no configuration"))?;
        let mut targets = HashMap::new();
        for target in &configuration.targets {
            targets.insert(target.id.as_str(), parse::<WireTarget>(&reply.join(&target.json_file))?);
        }
        let is_wanted = |target: &&TargetReference| {
            targets.get(target.id.as_str()).is_some_and(|wire| wire.is_benchmark())
                && !configuration.is_foreign(target, &targets)
        };
        let mut programs: Vec<Program> = configuration
            .targets
            .iter()
            .filter(is_wanted)
            .filter_map(|target| program(&target.id, &targets))
            .collect();
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(CodeModel { configuration: configuration.name.clone(), programs })
    }
}

fn program(id: &str, targets: &HashMap<&str, WireTarget>) -> Option<Program> {
    let target = targets.get(id)?;
    let artefact = target.artefacts.first()?.path.clone();
    let parts = parts(id, targets);
    let is_loaded = |part: &&WireTarget| matches!(part.kind.as_str(), "SHARED_LIBRARY" | "MODULE_LIBRARY");
    let definitions = parts.iter().flat_map(|part| &part.compile_groups).flat_map(|group| &group.defines);
    Some(Program {
        name: target.name.clone(),
        artefact,
        loads_own_library: parts.iter().any(is_loaded),
        definitions: definitions.map(|definition| definition.define.clone()).collect(),
    })
}

/// The target and all targets of this build that it consists of.
fn parts<'a>(id: &'a str, targets: &'a HashMap<&str, WireTarget>) -> Vec<&'a WireTarget> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    let mut waiting = vec![id];
    while let Some(id) = waiting.pop() {
        let Some(target) = targets.get(id).filter(|_| seen.insert(id)) else { continue };
        found.push(target);
        waiting.extend(target.dependencies.iter().map(|dependency| dependency.id.as_str()));
    }
    found
}

/// The index with the last name is the current one, according to CMake's manual.
fn newest_index(reply: &Path) -> Result<PathBuf, HarnessError> {
    let entries = fs::read_dir(reply).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_index =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("index-"));
    entries
        .filter(is_index)
        .max()
        .ok_or_else(|| wrong("it does not describe the project; CMake 3.15 or newer does"))
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, HarnessError> {
    let bytes = fs::read(path).map_err(file_error(path))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(&format!("`{}`: {error}", path.display())))
}

fn wrong(message: &str) -> HarnessError {
    HarnessError::Output { purpose: "configure the project with CMake".into(), message: message.into() }
}

#[derive(Debug, Deserialize)]
struct Index {
    objects: Vec<IndexObject>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IndexObject {
    kind: String,
    json_file: String,
}

#[derive(Debug, Deserialize)]
struct WireModel {
    configurations: Vec<Configuration>,
}

#[derive(Debug, Deserialize)]
struct Configuration {
    name: String,
    directories: Vec<Directory>,
    targets: Vec<TargetReference>,
}

#[derive(Debug, Deserialize)]
struct Directory {
    /// Relative to the project, unless it is outside.
    source: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetReference {
    id: String,
    directory_index: usize,
    #[serde(default)]
    project_index: usize,
    json_file: String,
}

#[derive(Debug, Deserialize)]
struct WireTarget {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, rename = "artifacts")]
    artefacts: Vec<Artefact>,
    #[serde(default)]
    link: Link,
    #[serde(default)]
    dependencies: Vec<Dependency>,
    #[serde(default, rename = "compileGroups")]
    compile_groups: Vec<CompileGroup>,
}

#[derive(Debug, Deserialize)]
struct CompileGroup {
    #[serde(default)]
    defines: Vec<Definition>,
}

#[derive(Debug, Deserialize)]
struct Definition {
    define: String,
}

#[derive(Debug, Deserialize)]
struct Artefact {
    path: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Link {
    command_fragments: Vec<Fragment>,
}

#[derive(Debug, Deserialize)]
struct Fragment {
    fragment: String,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    id: String,
}

impl Configuration {
    /// Whether a target belongs to another project: its directory is outside the project (for example
    /// fetched), or it belongs to a part of the project that makes the library itself, whose own tests link
    /// it too.
    fn is_foreign(&self, target: &TargetReference, targets: &HashMap<&str, WireTarget>) -> bool {
        let directory = self.directories.get(target.directory_index);
        let is_outside = directory.is_some_and(|directory| directory.source.is_absolute());
        let makes_library = |other: &TargetReference| {
            other.project_index == target.project_index
                && targets.get(other.id.as_str()).is_some_and(WireTarget::is_library_itself)
        };
        is_outside || target.project_index > 0 && self.targets.iter().any(makes_library)
    }
}

impl WireTarget {
    fn is_benchmark(&self) -> bool {
        let words = self.link.command_fragments.iter().flat_map(|part| part.fragment.split_whitespace());
        self.kind == "EXECUTABLE" && words.into_iter().any(is_library)
    }

    fn is_library_itself(&self) -> bool {
        self.name == "benchmark" && self.kind.ends_with("_LIBRARY")
    }
}

/// Whether a word of a link command names the library: `-lbenchmark`, `/usr/lib/libbenchmark.so.1.7.1`.
fn is_library(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    let name = match word.strip_prefix("-l") {
        Some(name) => name,
        None => {
            let file = word.rsplit(['/', '\\']).next().unwrap_or_default();
            let stem = file.split('.').next().unwrap_or_default();
            if stem == file { "" } else { stem.strip_prefix("lib").unwrap_or(stem) }
        }
    };
    matches!(name, "benchmark" | "benchmark_main" | "benchmarkd" | "benchmark_maind")
}

#[cfg(test)]
mod tests;
