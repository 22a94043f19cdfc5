//! Projects whose tests say which functions are used.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;
use benchwright_probe::Language;

use super::calls::Client;
use super::source::{Source, module_of};
use crate::problem::{Problem, because};
use crate::project::Project;

/// The project itself, with its tests in the edited version at `root`, and the clients that are named by their directories.
pub(super) fn of(
    project: &Project,
    source: &Source,
    root: &Path,
    (here, directories): (&Path, &[String]),
) -> Result<(Vec<Client>, Vec<Diagnostic>), Problem> {
    let mut clients = Vec::new();
    let mut diagnostics = Vec::new();
    let mut languages: Vec<Language> = source.functions.iter().map(|it| it.language).collect();
    languages.sort();
    languages.dedup();
    for language in &languages {
        match own_tests(project, *language, root) {
            Some(client) => clients.push(client),
            None => diagnostics.push(Diagnostic::warning(
                "",
                "the project's own tests were not run: no known build file at its root",
            )),
        }
    }
    for directory in directories {
        let named = here.join(directory);
        let is_module = directory.contains('@') && !named.exists();
        let downloaded = if is_module { Some(download(project, directory)?) } else { None };
        let dir = fs::canonicalize(downloaded.as_deref().unwrap_or(&named)).map_err(|error| {
            Problem::misuse(
                because(format!("enter the directory of the client `{directory}`"), error),
                "--client takes a directory",
            )
        })?;
        match languages.iter().find_map(|language| client(project, *language, root, &dir)) {
            Some(client) => clients.push(client?),
            None => {
                let hint = "clients are Go modules or Cargo packages; a Java client needs the edited library in its build";
                diagnostics.push(
                    Diagnostic::warning(
                        directory,
                        "is left out: its tests cannot be run with the edited library",
                    )
                    .hint(hint),
                );
            }
        }
    }
    Ok((clients, diagnostics))
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// The directory for what Cargo builds of edited versions.
fn cargo_target(project: &Project) -> (String, PathBuf) {
    ("CARGO_TARGET_DIR".to_owned(), project.cache.dir().join("probe-target"))
}

fn own_tests(project: &Project, language: Language, root: &Path) -> Option<Client> {
    let has = |name: &str| root.join(name).is_file();
    let (command, environment) = match language {
        Language::Go if has("go.mod") => (words("go test -count=1 ./..."), Vec::new()),
        Language::Rust if has("Cargo.toml") => {
            (words("cargo test --workspace --no-fail-fast"), vec![cargo_target(project)])
        }
        Language::Java if has("pom.xml") => {
            (words("mvn -q -B -o test -Dmaven.test.failure.ignore=true"), Vec::new())
        }
        Language::Java if has("gradlew") => (words("./gradlew -q --offline test --continue"), Vec::new()),
        _ => return None,
    };
    Some(Client { name: "the project itself".to_owned(), dir: root.to_owned(), command, environment })
}

/// The client in `dir`, which uses the edited library at `root` instead of the published one.
fn client(project: &Project, language: Language, root: &Path, dir: &Path) -> Option<Result<Client, Problem>> {
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match language {
        Language::Go if dir.join("go.mod").is_file() => {
            Some(go_client(project, root, dir).map(|command| Client {
                name,
                dir: dir.to_owned(),
                command,
                environment: Vec::new(),
            }))
        }
        Language::Rust if dir.join("Cargo.toml").is_file() => {
            let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).ok()?.parse().ok()?;
            let package = manifest.get("package")?.get("name")?.as_str()?.to_owned();
            let patch = format!("patch.crates-io.{package}.path={:?}", root.display().to_string());
            let mut command = words("cargo test --no-fail-fast --config");
            command.push(patch);
            Some(Ok(Client { name, dir: dir.to_owned(), command, environment: vec![cargo_target(project)] }))
        }
        _ => None,
    }
}

/// The sources of a Go module, such as `example.com/shop@v1.2.3`, in a directory that its tests may write to.
fn download(project: &Project, module: &str) -> Result<PathBuf, Problem> {
    let failed = |reason: String| {
        Problem::failed(
            format!("download the client `{module}`: {reason}"),
            "--client takes a directory or a Go module with its version",
        )
    };
    let name = benchwright_runner::short_hash(&[module.as_bytes()]);
    let place = project.cache.dir().join("probe-clients").join(name);
    fs::create_dir_all(&place).map_err(|error| failed(error.to_string()))?;
    let command = benchwright_process::Command::new("go", &place).args(["mod", "download", "-json", module]);
    let (_, told, errors) = benchwright_process::capture(&command, &project.interrupt)
        .map_err(|error| failed(error.to_string()))?;
    let told: serde_json::Value = serde_json::from_slice(&told).unwrap_or_default();
    let Some(dir) = told["Dir"].as_str() else {
        let reason = told["Error"]
            .as_str()
            .map_or_else(|| String::from_utf8_lossy(&errors).into_owned(), str::to_owned);
        return Err(failed(reason.trim().to_owned()));
    };
    let sources = place.join("sources");
    let _ = fs::remove_dir_all(&sources);
    copy(Path::new(dir), &sources).map_err(|error| failed(error.to_string()))?;
    Ok(sources)
}

/// Copies a directory. The module cache is read-only, so the copies get permissions of their own.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::write(&target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

/// The command that runs a Go client's tests with a `go.mod` of its own in which the library is replaced.
fn go_client(project: &Project, root: &Path, dir: &Path) -> Result<Vec<String>, Problem> {
    let failed = |what: &str, error: std::io::Error| {
        Problem::failed(because(format!("{what} of the client `{}`", dir.display()), error), "")
    };
    let library = fs::read_to_string(root.join("go.mod"))
        .map_err(|error| failed("read the library's go.mod", error))?;
    let module = module_of(&library).unwrap_or_default();
    let manifest = fs::read_to_string(dir.join("go.mod")).map_err(|error| failed("read go.mod", error))?;
    let name = benchwright_runner::short_hash(&[dir.as_os_str().as_encoded_bytes()]);
    let place = project.cache.dir().join("probe-clients").join(name);
    fs::create_dir_all(&place).map_err(|error| failed("make a directory", error))?;
    let replaced = format!("{manifest}\nreplace {module} => {}\n", root.display());
    fs::write(place.join("go.mod"), replaced).map_err(|error| failed("write go.mod", error))?;
    let sums = fs::read(dir.join("go.sum")).unwrap_or_default();
    fs::write(place.join("go.sum"), sums).map_err(|error| failed("write go.sum", error))?;
    let mut command = words("go test -count=1 -mod=mod");
    command.push(format!("-modfile={}", place.join("go.mod").display()));
    command.push("./...".to_owned());
    Ok(command)
}
