//! Installs what a fresh machine needs.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{find_program, run, shown};

/// A program, or a header of a C++ library, that building or testing needs.
struct Need {
    /// Any one of these is enough. A header is a path that ends in `.h`.
    programs: &'static [&'static str],
    /// What it is needed for.
    reason: &'static str,
    /// How it is installed.
    source: Source,
    /// Whether nothing works without it. Otherwise the tests that need it are skipped, and `cargo xtask ci`
    /// fails.
    is_essential: bool,
}

/// How a program is installed.
enum Source {
    /// As a Debian package of this name.
    Package(&'static str),
    /// As a component of the Rust tool chain of this name.
    Component(&'static str),
}

const NEEDS: [Need; 17] = [
    Need {
        programs: &["git"],
        reason: "versions are compared through it, and tests make repositories",
        source: Source::Package("git"),
        is_essential: true,
    },
    Need {
        programs: &["cc", "gcc", "clang"],
        reason: "SQLite is compiled from its source",
        source: Source::Package("build-essential"),
        is_essential: true,
    },
    Need {
        programs: &["go"],
        reason: "tests build and measure Go benchmarks",
        source: Source::Package("golang-go"),
        is_essential: false,
    },
    Need {
        programs: &["cmake"],
        reason: "tests build and measure C++ benchmarks",
        source: Source::Package("cmake"),
        is_essential: true,
    },
    Need {
        programs: &["benchmark/benchmark.h"],
        reason: "the C++ benchmarks are written for Google Benchmark",
        source: Source::Package("libbenchmark-dev"),
        is_essential: true,
    },
    Need {
        programs: &["python3"],
        reason: "tests build and measure Python benchmarks in virtual environments",
        source: Source::Package("python3-venv"),
        is_essential: false,
    },
    Need {
        programs: &["javac"],
        reason: "tests build and measure Java benchmarks",
        source: Source::Package("default-jdk-headless"),
        is_essential: false,
    },
    Need {
        programs: &["mvn"],
        reason: "the Java benchmarks are built with Maven",
        source: Source::Package("maven"),
        is_essential: false,
    },
    Need {
        programs: &["node"],
        reason: "tests measure JavaScript benchmarks",
        source: Source::Package("nodejs"),
        is_essential: false,
    },
    Need {
        programs: &["npm"],
        reason: "the JavaScript benchmarks are installed with it",
        source: Source::Package("npm"),
        is_essential: false,
    },
    Need {
        programs: &["hyperfine"],
        reason: "a test reads what it writes, and `cargo xtask bench` compares with it",
        source: Source::Package("hyperfine"),
        is_essential: false,
    },
    Need {
        programs: &["pypy3"],
        reason: "tests measure a Python that compiles what it runs",
        source: Source::Package("pypy3-venv"),
        is_essential: false,
    },
    Need {
        programs: &["slurmctld", "/usr/sbin/slurmctld"],
        reason: "tests measure on the nodes of a small Slurm cluster",
        source: Source::Package("slurm-wlm"),
        is_essential: false,
    },
    Need {
        programs: &["munged", "/usr/sbin/munged"],
        reason: "the parts of a Slurm cluster know each other by it",
        source: Source::Package("munge"),
        is_essential: false,
    },
    Need {
        programs: &["strace"],
        reason: "`cargo xtask faults` lets system calls fail with it",
        source: Source::Package("strace"),
        is_essential: false,
    },
    Need {
        programs: &["cargo-clippy"],
        reason: "`cargo xtask ci` runs it",
        source: Source::Component("clippy"),
        is_essential: true,
    },
    Need {
        programs: &["rustfmt"],
        reason: "`cargo xtask ci` checks the format",
        source: Source::Component("rustfmt"),
        is_essential: true,
    },
];

/// benchstat reads our benchmark format in a test. The version is fixed so that the result of the test does
/// not change.
const BENCHSTAT: &str = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da";

/// Tools for tests of AWS Lambda: an emulator of functions, and a mock of the rest of the platform.
const PYTHON_TOOLS: [&[&str]; 2] = [
    // Its only dependency is a compiler for cross builds, which is not needed here.
    &["--no-deps", "cargo-lambda==1.9.2"],
    // The server's dependencies are listed here, because those that moto declares are ten times as large.
    &["moto[awslambda,s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"],
];

/// Installs and prints what is missing. Fails only if something essential is still missing.
pub(crate) fn setup(root: &Path) -> Result<()> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| is_missing(need)).collect();
    for need in &missing {
        println!("missing: {} ({})", need.programs[0], need.reason);
    }
    let packages: Vec<&str> = missing.iter().filter_map(|need| need.package()).collect();
    if !packages.is_empty() {
        install_packages(&packages);
    }
    for component in missing.iter().filter_map(|need| need.component()) {
        try_run(
            "a component of the Rust tool chain",
            Command::new("rustup").args(["component", "add", component]),
        );
    }
    install_benchstat(root);
    install_python_tools(root);
    build_parser(root);
    let still: Vec<&Need> = missing.into_iter().filter(|need| is_missing(need)).collect();
    for need in still.iter().filter(|need| !need.is_essential) {
        println!("without {} some tests are skipped, and `cargo xtask ci` fails", need.programs[0]);
    }
    let essential: Vec<&str> =
        still.iter().filter(|need| need.is_essential).map(|need| need.programs[0]).collect();
    if !essential.is_empty() {
        bail!("install {}: see above for the commands", essential.join(", "));
    }
    if still.is_empty() {
        println!("everything that is needed is there");
    }
    Ok(())
}

impl Need {
    fn package(&self) -> Option<&'static str> {
        match self.source {
            Source::Package(name) => Some(name),
            Source::Component(_) => None,
        }
    }

    fn component(&self) -> Option<&'static str> {
        match self.source {
            Source::Component(name) => Some(name),
            Source::Package(_) => None,
        }
    }
}

fn is_missing(need: &Need) -> bool {
    !need.programs.iter().any(|program| find_program(program).is_some() || is_header(program))
}

/// Whether this is a header that the system's compiler finds.
fn is_header(name: &str) -> bool {
    let directories = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"];
    name.ends_with(".h") && directories.iter().any(|directory| Path::new(directory).join(name).is_file())
}

/// Installs packages with apt if the user is root, and prints the command otherwise.
fn install_packages(packages: &[&str]) {
    if find_program("apt-get").is_none() {
        println!("install with your system's package manager: {}", packages.join(" "));
        return;
    }
    if !is_root() {
        println!("run: sudo apt-get update && sudo apt-get install --yes {}", packages.join(" "));
        return;
    }
    try_run("the list of packages", Command::new("apt-get").args(["update", "--quiet"]));
    let mut install = Command::new("apt-get");
    install.env("DEBIAN_FRONTEND", "noninteractive");
    try_run(
        "packages",
        install.args(["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages),
    );
}

/// Whether the user is root, according to `id`.
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Installs benchstat into `.tools/bin`, which git ignores. Without it, the test that needs it is skipped.
fn install_benchstat(root: &Path) {
    let tools = root.join(".tools");
    let note = tools.join("benchstat.version");
    let program = tools.join("bin/benchstat");
    if program.is_file() && fs::read_to_string(&note).is_ok_and(|version| version == BENCHSTAT) {
        return;
    }
    if find_program("go").is_none() {
        println!("skipped: benchstat, which needs go");
        return;
    }
    let mut command = Command::new("go");
    command.args(["install", BENCHSTAT]).env("GOBIN", tools.join("bin"));
    if try_run("benchstat, which a test reads our benchmark format with", &mut command)
        && let Err(error) = fs::write(&note, BENCHSTAT).context("remember the version of benchstat")
    {
        println!("{error:#}");
    }
}

/// Installs the emulators into a virtual environment in `.tools/python`, which git ignores. Without them, the
/// tests that need them are skipped.
fn install_python_tools(root: &Path) {
    let environment = root.join(".tools/python");
    let note = root.join(".tools/python.version");
    let wanted = PYTHON_TOOLS.concat().join(" ");
    if fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return;
    }
    if find_program("python3").is_none() {
        println!("skipped: the emulators of AWS Lambda, which need python3");
        return;
    }
    let made = try_run(
        "a virtual environment for emulators",
        Command::new("python3").args(["-m", "venv"]).arg(&environment),
    );
    let installed = made
        && PYTHON_TOOLS.iter().all(|packages| {
            let mut pip = Command::new(environment.join("bin/pip"));
            pip.args(["install", "--quiet", "--disable-pip-version-check"]).args(*packages);
            try_run("an emulator for tests of AWS Lambda", &mut pip)
        });
    if installed && let Err(error) = fs::write(&note, wanted).context("remember the versions of emulators") {
        println!("{error:#}");
    }
}

/// Builds the parser of benchstat as a separate program, with which our parser is compared.
fn build_parser(root: &Path) {
    let source = root.join("crates/formats/benches/benchfmt-parser");
    let program = root.join(".tools/bin/benchfmt-parser");
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let is_current = ["main.go", "go.mod"].iter().all(|name| changed(&program) > changed(&source.join(name)));
    if is_current || find_program("go").is_none() {
        return;
    }
    let mut command = Command::new("go");
    command.current_dir(source).args(["build", "-trimpath", "-o"]).arg(program).arg(".");
    try_run("the parser of benchstat, which `cargo xtask bench exchange` compares with", &mut command);
}

/// Runs an installation. A failure (no network, no permission) is printed and is not fatal here.
fn try_run(what: &str, command: &mut Command) -> bool {
    println!("installing {what}: {}", shown(command));
    match run(command) {
        Ok(()) => true,
        Err(error) => {
            println!("could not install {what}: {error:#}");
            println!("  hint: without a network, install it by hand and repeat `cargo xtask setup`");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_nowhere_is_missing_and_one_of_several_is_enough() {
        let need = |programs| Need { programs, reason: "", source: Source::Package("x"), is_essential: true };
        assert!(is_missing(&need(&["no-such-program-anywhere"])));
        assert!(!is_missing(&need(&["no-such-program-anywhere", "sh"])));
        assert!(is_missing(&need(&["no/such/header.h"])));
    }

    #[test]
    fn a_failing_installation_is_told_and_does_not_stop() {
        assert!(!try_run("nothing", &mut Command::new("no-such-program-anywhere")));
        assert!(!try_run("nothing", &mut Command::new("false")));
        assert!(try_run("nothing", &mut Command::new("true")));
    }
}
