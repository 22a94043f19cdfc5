//! Makes the archive of a release, with the program and the files that belong to it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{EVERYTHING, cargo, find_program, run};

/// The product's program, and the program for function instances.
const PROGRAM: &str = "benchwright";
const FUNCTION: &str = "benchwright-function";
/// Text files that every archive contains.
const TEXTS: [&str; 5] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "Containerfile"];
/// Processors of function instances: their names in Rust and on the platform.
const PROCESSORS: [(&str, &str); 2] = [("x86_64", "x86_64"), ("aarch64", "arm64")];
/// The profile that archives are built with: smaller programs, and a longer build.
const PROFILE: &str = "archive";
const SHELLS: [&str; 3] = ["bash", "fish", "zsh"];

/// Makes `target/dist/benchwright-VERSION-TARGET.tar.gz`.
pub(crate) fn dist(root: &Path) -> Result<()> {
    ensure!(find_program("strip").is_some(), "`strip` is missing; it comes with binutils");
    run(cargo(root).args(["build", "--profile", PROFILE, "--bins"]).args(EVERYTHING))?;
    let built = target_dir(root).join(PROFILE);
    let name = format!("{PROGRAM}-{}-{}", env!("CARGO_PKG_VERSION"), host()?);
    let dist = root.join("target/dist");
    let dir = dist.join(&name);
    if dir.exists() {
        fs::remove_dir_all(&dir).context("remove the archive's files of last time")?;
    }
    fs::create_dir_all(dir.join("completions")).context("make the archive's directory")?;
    let program = stripped(&built.join(PROGRAM), &dir.join(PROGRAM))?;
    for (processor, title) in PROCESSORS {
        function(root, &built, processor, &dir.join(format!("{FUNCTION}-{title}")))?;
    }
    write_output(Command::new(&program).arg("man"), &dir.join("benchwright.1"))?;
    for shell in SHELLS {
        let path = dir.join("completions").join(format!("benchwright.{shell}"));
        write_output(Command::new(&program).args(["completions", shell]), &path)?;
    }
    for text in TEXTS {
        fs::copy(root.join(text), dir.join(text)).with_context(|| format!("copy `{text}`"))?;
    }
    let archive = dist.join(format!("{name}.tar.gz"));
    // Without these options, owners and times would make each archive different.
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    run(Command::new("tar").arg("-C").arg(&dist).args(same).arg("-czf").arg(&archive).arg(&name))?;
    println!("{} ({} MB)", archive.display(), megabytes(&archive)?);
    println!("program: {} MB", megabytes(&program)?);
    Ok(())
}

/// Copies the function's program for a processor to `to`, if this machine can build it.
fn function(root: &Path, built: &Path, processor: &str, to: &Path) -> Result<()> {
    if processor == std::env::consts::ARCH {
        return stripped(&built.join(FUNCTION), to).map(drop);
    }
    let target = format!("{processor}-unknown-linux-gnu");
    let linker = format!("{processor}-linux-gnu-gcc");
    if !sysroot()?.join("lib/rustlib").join(&target).is_dir() || find_program(&linker).is_none() {
        println!(
            "left out: {FUNCTION} for {processor}; it needs `rustup target add {target}` and the linker {linker}"
        );
        return Ok(());
    }
    let variable = format!("CARGO_TARGET_{}_LINKER", target.to_uppercase().replace('-', "_"));
    let mut command = cargo(root);
    let of_function = ["--package", FUNCTION, "--target", &target];
    run(command.args(["build", "--profile", PROFILE]).args(of_function).env(variable, linker))?;
    fs::copy(target_dir(root).join(target).join(PROFILE).join(FUNCTION), to)
        .context("copy the function's program")?;
    run(Command::new(format!("{processor}-linux-gnu-strip")).arg(to))
}

/// Copies a program without its symbols.
fn stripped(from: &Path, to: &Path) -> Result<PathBuf> {
    fs::copy(from, to).with_context(|| format!("copy `{}`", from.display()))?;
    run(Command::new("strip").arg(to))?;
    Ok(to.to_owned())
}

fn write_output(command: &mut Command, to: &Path) -> Result<()> {
    let output = command.output().context("start the program")?;
    ensure!(output.status.success() && !output.stdout.is_empty(), "no text for `{}`", to.display());
    fs::write(to, output.stdout).with_context(|| format!("write `{}`", to.display()))
}

fn target_dir(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// The directory with the compiler and its targets.
fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("start `rustc`")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The target of a plain build, such as `x86_64-unknown-linux-gnu`.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("start `rustc`")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().find_map(|line| line.strip_prefix("host: ")) {
        Some(host) => Ok(host.to_owned()),
        None => bail!("`rustc -vV` names no host"),
    }
}

fn megabytes(path: &Path) -> Result<u64> {
    let size = fs::metadata(path).with_context(|| format!("look at `{}`", path.display()))?.len();
    Ok(size.div_ceil(1_000_000))
}
