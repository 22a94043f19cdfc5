//! The functions of a version, and the version with some of them edited.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::Version;
use benchwright_probe::{Change, Function, Language, Support, Target};
use benchwright_runner::{Checkout, EditedFile};

use crate::problem::{Problem, because};
use crate::project::Project;

/// A larger file is no code that somebody wrote.
const LARGEST: u64 = 4 << 20;

/// The code of a version as far as its functions can be edited.
pub(super) struct Source {
    pub(super) version: Version,
    /// Where its files are.
    pub(super) root: PathBuf,
    files: Vec<SourceFile>,
    /// All functions, in the order of the files.
    pub(super) functions: Vec<Function>,
}

struct SourceFile {
    path: PathBuf,
    text: String,
    program: Program,
    /// Its functions, as numbers in [`Source::functions`].
    functions: std::ops::Range<usize>,
}

/// The program that a file belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Program {
    /// Below this directory, with this path.
    GoModule(PathBuf, String),
    /// Sources below this directory.
    JavaSources(PathBuf),
    /// The crate with these roots.
    Crate(Vec<PathBuf>),
}

impl Program {
    fn target(&self) -> Target {
        match self {
            Program::GoModule(_, module) => Target::Go { module: module.clone() },
            Program::JavaSources(_) => Target::Java,
            Program::Crate(_) => Target::Rust,
        }
    }
}

impl Source {
    /// Reads the functions of a version whose benchmarks are of these harnesses.
    pub(super) fn read(project: &Project, version: &Version) -> Result<Source, Problem> {
        let checkout = project.cache.checkout(&project.repository, version)?;
        let languages: Vec<Language> =
            project.harnesses.iter().filter_map(|it| language_of(it.name())).collect();
        let mut source = Source {
            version: version.clone(),
            root: checkout.root.clone(),
            files: Vec::new(),
            functions: Vec::new(),
        };
        for path in paths(&checkout)? {
            let shown = path.to_string_lossy().replace('\\', "/");
            let Some(language) = Language::of_path(&shown).filter(|it| languages.contains(it)) else {
                continue;
            };
            let Ok(text) = fs::read_to_string(checkout.root.join(&path)) else { continue };
            let Some(program) = program_of(&checkout.root, &path, language, &text) else { continue };
            let mut index = benchwright_probe::index(language, &shown, &text);
            let first = source.functions.len();
            source.functions.append(&mut index.functions);
            let functions = first..source.functions.len();
            if !functions.is_empty() {
                source.files.push(SourceFile { path, text, program, functions });
            }
        }
        Ok(source)
    }

    /// The numbers of the functions that users can call and that can be edited.
    pub(super) fn public(&self) -> Vec<usize> {
        let is_wanted = |it: &Function| it.is_public && it.problem.is_none();
        (0..self.functions.len()).filter(|at| is_wanted(&self.functions[*at])).collect()
    }

    /// The number of the function with this address, or the only one whose address ends like this.
    pub(super) fn find(&self, text: &str) -> Result<usize, Problem> {
        const HINT: &str = "an address, or the end of one: `Parser.parse`";
        let found = benchwright_probe::find(&self.functions, text)
            .map_err(|error| Problem::misuse(error.to_string(), HINT))?;
        match &found.problem {
            Some(problem) => Err(Problem::misuse(format!("slow `{found}` down: {problem}"), "name another")),
            None => Ok(self.functions.iter().position(|it| std::ptr::eq(it, found)).unwrap_or_default()),
        }
    }

    /// The path and the text of a function's file.
    pub(super) fn file_of(&self, function: usize) -> (&Path, &str) {
        let file = self.files.iter().find(|file| file.functions.contains(&function));
        file.map_or((Path::new(""), ""), |file| (&file.path, &file.text))
    }

    /// The texts of the Go tests in the directory of a file.
    pub(super) fn tests_beside(&self, path: &Path) -> Vec<String> {
        let dir = path.parent().map(|dir| self.root.join(dir)).unwrap_or_default();
        let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut tests: Vec<PathBuf> =
            entries.filter(|path| path.to_string_lossy().ends_with("_test.go")).collect();
        tests.sort();
        tests.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
    }

    /// The text of a function.
    pub(super) fn text_of(&self, function: usize) -> &str {
        let file = self.files.iter().find(|file| file.functions.contains(&function));
        let body = self.functions[function].body.clone();
        file.zip(body).and_then(|(file, body)| file.text.get(body)).unwrap_or_default()
    }

    /// The version with these functions edited; the n-th of them has the number n in the counters.
    pub(super) fn edited(
        &self,
        project: &Project,
        functions: &[usize],
        change: Change,
        label: &str,
    ) -> Result<(Version, Vec<(String, String)>), Problem> {
        let count = u32::try_from(functions.len()).unwrap_or(u32::MAX);
        let mut changed: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut programs: Vec<&Program> = Vec::new();
        let mut skipped = Vec::new();
        for file in &self.files {
            let wanted: Vec<(&Function, u32)> = (0..count)
                .zip(functions)
                .filter(|(_, function)| file.functions.contains(function))
                .map(|(id, function)| (&self.functions[*function], id))
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let edited = benchwright_probe::edit(&file.program.target(), &file.text, &wanted, change);
            match edited {
                Ok(edited) => {
                    skipped.extend(edited.skipped.into_iter().map(|it| (it.function, it.reason)));
                    changed.insert(file.path.clone(), edited.text);
                    programs.push(&file.program);
                }
                Err(error) => {
                    let reason = error.to_string();
                    skipped.extend(wanted.iter().map(|(function, _)| (function.address(), reason.clone())));
                }
            }
        }
        programs.sort();
        programs.dedup();
        for program in programs {
            self.add_support(program, count, &mut changed)?;
        }
        let files: Vec<EditedFile> =
            changed.into_iter().map(|(path, text)| EditedFile { path, content: text.into_bytes() }).collect();
        let version = project.repository.edited(&project.cache, &self.version, &files, label)?;
        Ok((version, skipped))
    }

    /// Adds the code that edited functions of a program call.
    fn add_support(
        &self,
        program: &Program,
        count: u32,
        changed: &mut BTreeMap<PathBuf, String>,
    ) -> Result<(), Problem> {
        match (benchwright_probe::support(&program.target(), count), program) {
            (Support::Files(files), Program::GoModule(dir, _) | Program::JavaSources(dir)) => {
                changed.extend(files.into_iter().map(|file| (dir.join(file.path), file.text)));
            }
            (Support::EndOfCrateRoot(text), Program::Crate(roots)) => {
                for root in roots {
                    let whole = match changed.remove(root) {
                        Some(text) => text,
                        None => fs::read_to_string(self.root.join(root)).map_err(|error| {
                            Problem::failed(because(format!("read `{}`", root.display()), error), "")
                        })?,
                    };
                    changed.insert(root.clone(), whole + &text);
                }
            }
            (Support::Files(_), Program::Crate(_)) | (Support::EndOfCrateRoot(_), _) => {}
        }
        Ok(())
    }
}

/// The language whose functions the benchmarks of a harness call.
fn language_of(harness: &str) -> Option<Language> {
    match harness {
        "go" => Some(Language::Go),
        "jmh" => Some(Language::Java),
        "cargo" => Some(Language::Rust),
        _ => None,
    }
}

fn paths(checkout: &Checkout) -> Result<Vec<PathBuf>, Problem> {
    let files = checkout.files().ok_or_else(|| {
        let error = format!("the list of files of `{}` is damaged", checkout.root.display());
        Problem::failed(error, "run the command again; the check-out is made anew")
    })?;
    let is_file = |mode: &str| mode.starts_with("100");
    Ok(files.into_iter().filter(|it| is_file(&it.mode) && it.size <= LARGEST).map(|it| it.path).collect())
}

/// The program that a file belongs to.
fn program_of(root: &Path, path: &Path, language: Language, text: &str) -> Option<Program> {
    match language {
        Language::Go => {
            let (dir, manifest) = nearest(root, path, "go.mod")?;
            Some(Program::GoModule(dir, module_of(&manifest)?))
        }
        Language::Java => {
            let package = text.lines().find_map(|line| line.trim().strip_prefix("package "))?;
            let package: PathBuf = package.split(';').next()?.trim().split('.').collect();
            let dir = path.parent()?;
            let sources = dir.to_str()?.strip_suffix(package.to_str()?)?.trim_end_matches('/');
            Some(Program::JavaSources(PathBuf::from(sources)))
        }
        Language::Rust => {
            let (dir, manifest) = nearest(root, path, "Cargo.toml")?;
            let manifest: toml::Table = manifest.parse().ok()?;
            manifest.get("package")?;
            let lib = manifest.get("lib").and_then(|lib| lib.get("path")).and_then(|path| path.as_str());
            let usual = ["src/lib.rs", "src/main.rs"];
            let roots: Vec<PathBuf> = lib
                .into_iter()
                .chain(usual.into_iter().filter(|it| lib.is_none() || *it == "src/main.rs"))
                .map(|path| dir.join(path))
                .filter(|path| root.join(path).is_file())
                .collect();
            // Programs below `src/bin` are crates of their own, which no benchmark calls.
            let is_bin = path.strip_prefix(&dir).is_ok_and(|rest| rest.starts_with("src/bin"));
            (!roots.is_empty() && !is_bin).then_some(Program::Crate(roots))
        }
    }
}

/// The path of the module that a `go.mod` describes.
pub(super) fn module_of(manifest: &str) -> Option<String> {
    let line = manifest.lines().find_map(|line| line.trim().strip_prefix("module"))?;
    let module = line.split("//").next()?.trim().trim_matches('"');
    (!module.is_empty()).then(|| module.to_owned())
}

/// The nearest file of this name above a path, with its directory.
fn nearest(root: &Path, path: &Path, name: &str) -> Option<(PathBuf, String)> {
    path.ancestors().skip(1).find_map(|dir| {
        let text = fs::read_to_string(root.join(dir).join(name)).ok()?;
        Some((dir.to_owned(), text))
    })
}
