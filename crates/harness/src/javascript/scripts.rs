//! Finds the files that contain benchmarks.
//!
//! A benchmark file is identified by its path (a component contains `bench`, or is `perf`), or it is started
//! by a script of `package.json` with such a name. It must also import a benchmark library, itself or through
//! files of the project that it imports or starts (workers, processes). Files that other benchmark files
//! import or start are helpers, unless a script starts them. A file that only imports others which run by
//! themselves is left out in favour of those.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::imports;
use super::package::{FILE, Package};
use super::workspace;

/// How deep below a package files are searched for.
const DEPTH: usize = 12;

/// Maximum number of files that are read to find out whether one imports a library.
const READ_AT_MOST: usize = 500;

/// Endings of code files.
const ENDINGS: [&str; 8] = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"];

/// The library a file's benchmarks are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flavour {
    BenchmarkJs,
    Tinybench,
    Vitest,
}

impl Flavour {
    /// Its name in executables and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Flavour::BenchmarkJs => "benchmark.js",
            Flavour::Tinybench => "tinybench",
            Flavour::Vitest => "vitest",
        }
    }

    /// The npm package of the library.
    pub(super) fn library(self) -> &'static str {
        match self {
            Flavour::BenchmarkJs => "benchmark",
            Flavour::Tinybench => "tinybench",
            Flavour::Vitest => "vitest",
        }
    }
}

/// A file with benchmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    /// Relative to the project's directory.
    pub(super) path: PathBuf,
    /// The directory of its package, relative to the project's.
    pub(super) package_dir: PathBuf,
    /// The package's name.
    pub(super) package_name: String,
    pub(super) flavour: Flavour,
    /// Options that the package's own script gives to node.
    pub(super) node_args: Vec<String>,
}

impl Script {
    /// Its path within its package, with `/`.
    pub(super) fn path_in_package(&self) -> String {
        let path = self.path.strip_prefix(&self.package_dir).unwrap_or(&self.path);
        path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Whether it is written in TypeScript.
    pub(super) fn is_typed(&self) -> bool {
        self.path
            .extension()
            .is_some_and(|ending| matches!(ending.to_str(), Some("ts" | "mts" | "cts" | "tsx")))
    }
}

/// The packages of a project: the project itself and the members of its workspace, relative to it.
pub(super) fn packages(project: &Path) -> Vec<(PathBuf, Package)> {
    let Some(own) = Package::read(project) else { return Vec::new() };
    let members = workspace::members(project, &own);
    let mut all = vec![(PathBuf::new(), own)];
    let read = |member: PathBuf| Package::read(&project.join(&member)).map(|package| (member, package));
    all.extend(members.into_iter().filter_map(read));
    all
}

/// Whether the project has files that look like benchmarks by their names.
pub(super) fn may_have_benchmarks(project: &Path) -> bool {
    let packages = packages(project);
    let mut has_library = packages.iter().any(|(_, package)| package.has_library());
    has_library &= packages.iter().any(|(dir, package)| {
        let vitest_only = !package.depends_on("benchmark") && !package.depends_on("tinybench");
        let files = files_of(project, dir, &packages);
        let root = project.join(dir);
        let started = started_files(&root, package);
        files.iter().any(|file| match vitest_only {
            true => is_vitest_name(file),
            false => is_named_so(&root, file) || started.contains_key(file),
        })
    });
    has_library
}

/// The benchmark files of the project, by path.
pub(super) fn find(project: &Path) -> Vec<Script> {
    let packages = packages(project);
    let uses_vitest = packages.iter().any(|(_, package)| package.depends_on("vitest"));
    let mut found = Vec::new();
    for (dir, package) in &packages {
        let root = project.join(dir);
        let started = started_files(&root, package);
        let files = files_of(project, dir, &packages);
        let candidates =
            files.into_iter().filter(|file| is_named_so(&root, file) || started.contains_key(file));
        let entries = Entries::among(&root, candidates.collect(), &started, uses_vitest);
        found.extend(entries.into_iter().map(|(path, flavour)| Script {
            node_args: started.get(&path).cloned().unwrap_or_default(),
            path: dir.join(&path),
            package_dir: dir.clone(),
            package_name: title(package, &root),
            flavour,
        }));
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// The package's name, or otherwise its directory's.
fn title(package: &Package, dir: &Path) -> String {
    match package.name.as_str() {
        "" => dir.file_name().map_or_else(|| "package".into(), |name| name.to_string_lossy().into_owned()),
        name => name.to_owned(),
    }
}

/// The code files of one package, relative to it, without those of other members and of separate projects.
fn files_of(project: &Path, dir: &Path, packages: &[(PathBuf, Package)]) -> Vec<PathBuf> {
    let root = project.join(dir);
    let is_other = |below: &Path| {
        let is_member = packages.iter().any(|(member, _)| *member == dir.join(below));
        is_member || Package::read(&root.join(below)).is_some_and(|package| package.has_library())
    };
    let mut files = Vec::new();
    let mut waiting = vec![(PathBuf::new(), 0)];
    while let Some((at, depth)) = waiting.pop() {
        let entries = fs::read_dir(root.join(&at)).into_iter().flatten().flatten();
        let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let names = plain.filter_map(|entry| entry.file_name().into_string().ok());
        files.extend(names.filter(|name| is_code(name)).map(|name| at.join(name)));
        if depth < DEPTH {
            let inner = workspace::directories(&root.join(&at)).into_iter().map(|name| at.join(name));
            waiting.extend(inner.filter(|below| !is_other(below)).map(|below| (below, depth + 1)));
        }
    }
    files.sort();
    files
}

fn is_code(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    ENDINGS.contains(&ending) && !stem.ends_with(".d") && !stem.ends_with(".min")
}

/// Whether the path of a file looks like that of a benchmark. A whole package may have such a name.
fn is_named_so(root: &Path, file: &Path) -> bool {
    root.file_name().into_iter().chain(file).any(|part| {
        let part = part.to_string_lossy().to_lowercase();
        part.contains("bench") || matches!(part.as_str(), "perf" | "performance")
    })
}

/// Whether vitest takes a file for one with benchmarks.
fn is_vitest_name(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
    stem.ends_with(".bench") || stem.ends_with(".benchmark")
}

/// The files that scripts about benchmarks start, with their options for node.
fn started_files(root: &Path, package: &Package) -> BTreeMap<PathBuf, Vec<String>> {
    let mut started = BTreeMap::new();
    let is_about = |name: &str| name.contains("bench") || name.contains("perf");
    for (_, command) in package.scripts.iter().filter(|(name, _)| is_about(name)) {
        for part in command.split(['&', ';', '|']) {
            let mut options: Vec<String> = Vec::new();
            for word in part.split_whitespace().map(|word| word.trim_matches(['"', '\''])) {
                let path = imports::plain(Path::new(word));
                let file =
                    [path.clone(), path.with_extension("js")].into_iter().find(|path| is_file(root, path));
                match file.filter(|_| !options.last().is_some_and(|last| takes_value(last))) {
                    Some(file) => {
                        started.entry(file).or_insert_with(|| node_options(&options));
                        break;
                    }
                    None => options.push(word.to_owned()),
                }
            }
        }
    }
    started
}

fn is_file(root: &Path, path: &Path) -> bool {
    path.file_name().is_some_and(|name| is_code(&name.to_string_lossy())) && root.join(path).is_file()
}

/// The options between `node` and the file. Empty if something else starts it.
fn node_options(words: &[String]) -> Vec<String> {
    let Some(node) = words.iter().position(|word| word == "node") else { return Vec::new() };
    let mut options: Vec<String> = Vec::new();
    for word in &words[node + 1..] {
        if word.starts_with('-') || options.last().is_some_and(|last| takes_value(last)) {
            options.push(word.clone());
        }
    }
    options
}

/// Whether this option of node takes the next word as its value.
fn takes_value(option: &str) -> bool {
    matches!(
        option,
        "-r" | "--require" | "--import" | "--loader" | "--experimental-loader" | "-C" | "--conditions"
    )
}

/// Files of one package and their imports.
struct Entries<'a> {
    root: &'a Path,
    read: HashMap<PathBuf, Facts>,
}

/// The relevant facts about one file's text.
#[derive(Debug, Clone, Default)]
struct Facts {
    /// The library it imports itself.
    library: Option<Flavour>,
    /// The files of the package it imports or starts.
    files: Vec<PathBuf>,
    /// Whether it seems to start benchmarks.
    is_running: bool,
}

impl Entries<'_> {
    /// The candidates that contain benchmarks, with their flavours.
    fn among(
        root: &Path,
        candidates: Vec<PathBuf>,
        started: &BTreeMap<PathBuf, Vec<String>>,
        uses_vitest: bool,
    ) -> Vec<(PathBuf, Flavour)> {
        let mut entries = Entries { root, read: HashMap::new() };
        let mut reaching: BTreeMap<PathBuf, Flavour> = BTreeMap::new();
        let mut of_vitest: Vec<(PathBuf, Flavour)> = Vec::new();
        for file in candidates {
            match entries.library(&file) {
                Some(flavour) => drop(reaching.insert(file, flavour)),
                None if uses_vitest && is_vitest_name(&file) => of_vitest.push((file, Flavour::Vitest)),
                None => {}
            }
        }
        let gathering: BTreeSet<PathBuf> =
            reaching.keys().filter(|file| entries.is_gathering(file, &reaching)).cloned().collect();
        let importers = reaching.keys().filter(|file| !gathering.contains(*file));
        let imported: BTreeSet<PathBuf> = importers.flat_map(|file| entries.facts(file).files).collect();
        let is_entry = |file: &PathBuf| {
            !gathering.contains(file) && (started.contains_key(file) || !imported.contains(file))
        };
        reaching.into_iter().filter(|(file, _)| is_entry(file)).chain(of_vitest).collect()
    }

    /// The library that `file` imports, directly or through other files of the package.
    fn library(&mut self, file: &Path) -> Option<Flavour> {
        let mut seen = BTreeSet::from([file.to_owned()]);
        let mut waiting = vec![file.to_owned()];
        while let Some(next) = waiting.pop() {
            let facts = self.look(&next);
            if facts.library.is_some() {
                return facts.library;
            }
            waiting.extend(facts.files.into_iter().filter(|file| seen.insert(file.clone())));
        }
        None
    }

    /// Whether the file only imports others that run by themselves.
    fn is_gathering(&self, file: &Path, reaching: &BTreeMap<PathBuf, Flavour>) -> bool {
        let facts = self.facts(file);
        let runs_itself = |other: &&PathBuf| {
            let other_facts = self.facts(other);
            reaching.contains_key(*other) && other_facts.library.is_some() && other_facts.is_running
        };
        facts.library.is_none() && facts.files.iter().filter(runs_itself).count() >= 2
    }

    fn facts(&self, file: &Path) -> Facts {
        self.read.get(file).cloned().unwrap_or_default()
    }

    fn look(&mut self, file: &Path) -> Facts {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        let facts = match self.read.len() < READ_AT_MOST {
            true => Facts::of(self.root, file),
            false => Facts::default(),
        };
        self.read.insert(file.to_owned(), facts.clone());
        facts
    }
}

/// Whether the code starts files, named in string literals, in threads or processes.
fn starts_others(text: &str) -> bool {
    ["Worker(", "fork(", "spawn("].iter().any(|call| text.contains(call))
}

impl Facts {
    fn of(root: &Path, file: &Path) -> Facts {
        let path = root.join(file);
        let text = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let specifiers = imports::specifiers(&text);
        let has = |name: &str| specifiers.iter().any(|specifier| specifier == name);
        let library = [Flavour::Tinybench, Flavour::BenchmarkJs].into_iter().find(|it| has(it.library()));
        let started = if starts_others(&text) { imports::literals(&text) } else { Vec::new() };
        let started = started.iter().filter(|word| is_code(word)).map(|word| format!("./{word}"));
        let named = specifiers.iter().cloned().chain(started);
        let resolved = named.filter_map(|specifier| imports::resolve(&path, &specifier));
        let files = resolved.filter_map(|path| path.strip_prefix(root).map(Path::to_owned).ok());
        let is_inside = |path: &PathBuf| {
            let foreign = path.iter().any(|part| part == "node_modules");
            !foreign && path.file_name().is_some_and(|name| name != FILE)
        };
        Facts { library, files: files.filter(is_inside).collect(), is_running: text.contains(".run") }
    }
}

#[cfg(test)]
mod tests;
