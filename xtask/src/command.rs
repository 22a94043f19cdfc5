//! Starts other programs.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Arguments of Cargo for all packages and the optional feature of the product. Every command uses the same
/// arguments, so that everything is compiled only once.
pub const EVERYTHING: [&str; 3] = ["--workspace", "--features", "benchwright-cli/lambda"];

/// A command for the Cargo that started this program.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root);
    // Cargo sets these variables for the package that it runs. Build scripts of dependencies would be
    // repeated because of them.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// A Cargo command for the workspace `studies/`, in the current directory. It uses the same target directory
/// as the product.
pub fn studies(root: &Path, name: &str) -> Command {
    let here = std::env::current_dir().unwrap_or_else(|_| root.to_owned());
    let mut command = cargo(&here);
    command.arg(name).arg("--manifest-path").arg(root.join("studies/Cargo.toml"));
    if name != "fmt" && std::env::var_os("CARGO_TARGET_DIR").is_none() {
        command.arg("--target-dir").arg(root.join("target"));
    }
    command
}

/// Runs a program to its end and shows its output. Returns an error if the program fails.
pub fn run(command: &mut Command) -> Result<()> {
    let text = shown(command);
    let status = command.status().with_context(|| format!("start `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// Runs a program, prints every line of its standard output and calls `see` with it.
pub fn run_watched(command: &mut Command, mut see: impl FnMut(&str)) -> Result<()> {
    let text = shown(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("start `{text}`"))?;
    let stdout = child.stdout.take().context("take the output that was asked for")?;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.with_context(|| format!("read the output of `{text}`"))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        see(&line);
    }
    let status = child.wait().with_context(|| format!("wait for `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// The command line as one would type it.
pub fn shown(command: &Command) -> String {
    let program =
        Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
}

/// A git command in a repository that needs no configured name or email address.
pub fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository);
    command.args(["-c", "user.name=trial", "-c", "user.email=trial@localhost", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "core.autocrlf=false", "-c", "core.excludesFile="]);
    command
}

/// The path of a program, searched in `PATH` as a shell does.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}
