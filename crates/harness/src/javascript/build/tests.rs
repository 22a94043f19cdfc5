use super::*;
use crate::test_files::tree;
use crate::{Project, Step, StepFailure, StepOutput};

/// Simulates node, and an npm that installs these packages, given by name and version.
struct Installed {
    node: &'static str,
    packages: &'static [(&'static str, &'static str)],
    commands: Vec<String>,
}

impl StepRunner for Installed {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let args: Vec<_> = step.args.iter().map(|arg| arg.to_string_lossy()).collect();
        let command = format!("{} {}", step.program.to_string_lossy(), args.join(" "));
        if command.starts_with("npm ci") || command.starts_with("npm install") {
            for (name, version) in self.packages {
                let dir = step.dir.join("node_modules").join(name);
                fs::create_dir_all(&dir)?;
                fs::write(dir.join("package.json"), format!(r#"{{"version": "{version}"}}"#))?;
                fs::write(dir.join("vitest.mjs"), "")?;
            }
        }
        let stdout = if command == "node --version" { self.node } else { "1.0.0" };
        self.commands.push(command);
        Ok(StepOutput { stdout: stdout.into(), ..StepOutput::default() })
    }
}

/// A version on disk, built.
struct Outcome {
    built: Built,
    commands: Vec<String>,
    out: tempfile::TempDir,
}

impl Outcome {
    fn description(&self, index: usize) -> Description {
        Description::read(&self.out.path().join(&self.built.executables[index].path)).unwrap()
    }
}

fn build_with(
    files: &[(&str, &str)],
    dir: &str,
    node: &'static str,
    packages: &'static [(&'static str, &'static str)],
) -> Outcome {
    let root = tree(files);
    let (out, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let project = Project { harness: NAME.into(), dir: dir.into() };
    let request = BuildRequest {
        root: root.path(),
        project: &project,
        out: out.path(),
        intermediate: out.path(),
        shared: shared.path(),
        args: &[],
    };
    let mut run = Installed { node, packages, commands: Vec::new() };
    let built = build(&request, &mut run).unwrap();
    assert!(!root.path().join("node_modules").exists(), "the version's own files stay as they are");
    Outcome { built, commands: run.commands, out }
}

const TINY: &str = r#"{"name": "p", "devDependencies": {"tinybench": "2", "vitest": "3"}}"#;
const BENCH: &str = "import { Bench } from 'tinybench'";

#[test]
fn without_benchmark_files_nothing_is_installed() {
    let outcome = build_with(&[("package.json", TINY), ("bench/data.js", "")], "", "v20.20.2", &[]);
    assert_eq!((outcome.built, outcome.commands), (Built::default(), Vec::new()));
}

#[test]
fn a_benchmark_file_becomes_an_executable_with_everything_to_run_it() {
    let files =
        [("package.json", TINY), ("package-lock.json", "{}"), ("bench/a.mjs", BENCH), ("README.md", "x")];
    let outcome = build_with(&files, "", "v20.20.2", &[("tinybench", "2.9.0")]);
    let executable = &outcome.built.executables[0];
    assert_eq!(executable.package, "p/bench/a.mjs");
    assert_eq!((executable.flavour.as_str(), executable.flavour_version.as_str()), ("tinybench", "2.9.0"));
    let description = outcome.description(0);
    assert_eq!(
        (description.script.as_str(), description.dir.as_str(), description.vitest),
        ("bench/a.mjs", "", None)
    );
    for path in ["tree/bench/a.mjs", "tree/README.md", "tree.files", "shim/shim.mjs", "shim/tinybench.mjs"] {
        assert!(outcome.out.path().join(path).is_file(), "{path}");
    }
    assert_eq!(outcome.built.diagnostics, []);
}

#[test]
fn typescript_is_run_by_tsx_or_by_node_or_not_at_all() {
    let check = |node, packages, expected: Option<&[&str]>| {
        let outcome = build_with(&[("package.json", TINY), ("bench/a.ts", BENCH)], "", node, packages);
        match expected {
            Some(args) => assert_eq!(outcome.description(0).node_args, args),
            None => {
                assert!(outcome.built.diagnostics[0].message.contains("TypeScript"));
                assert!(outcome.built.diagnostics[0].hint.contains("tsx"));
                assert_eq!(outcome.built.diagnostics[0].subject, "p/bench/a.ts");
            }
        }
    };
    check("v20.20.2", &[("tsx", "4.0.0")], Some(&["--import", "tsx"]));
    check("v20.20.2", &[], None);
    check("v22.7.0", &[], Some(&["--experimental-strip-types"]));
    check("v24.1.0", &[], Some(&[]));
}

#[test]
fn vitest_is_started_where_its_configuration_is() {
    let bench = "import { bench } from 'vitest'";
    let check = |files: &[(&str, &str)], expected: &str| {
        let root = r#"{"workspaces": ["packages/*"], "devDependencies": {"vitest": "3"}}"#;
        let own =
            [("package.json", root), ("packages/a/package.json", "{}"), ("packages/a/x.bench.ts", bench)];
        let all: Vec<(&str, &str)> = own.iter().chain(files).copied().collect();
        let outcome = build_with(&all, "", "v20.20.2", &[("vitest", "3.2.4")]);
        let description = outcome.description(0);
        assert_eq!(description.dir, expected);
        assert_eq!(description.vitest.as_deref(), Some("node_modules/vitest/vitest.mjs"));
        assert_eq!(outcome.built.executables[0].package, "a/x.bench.ts");
    };
    check(&[], "packages/a");
    check(&[("vitest.config.ts", "")], "");
    check(&[("vitest.config.ts", ""), ("packages/a/vite.config.js", "")], "packages/a");
    let files = [("package.json", TINY), ("a.bench.js", bench)];
    let missing = build_with(&files, "", "v20.20.2", &[]);
    assert!(missing.built.diagnostics[0].message.contains("vitest is not among"));
}

#[test]
fn a_nested_project_is_installed_with_the_package_around_it() {
    let files = [
        ("package.json", r#"{"dependencies": {"x": "1"}}"#),
        ("package-lock.json", "{}"),
        ("benchmarks/package.json", r#"{"name": "b", "dependencies": {"benchmark": "2"}}"#),
        ("benchmarks/run.js", "require('benchmark'); require('..')"),
    ];
    let outcome = build_with(&files, "benchmarks", "v20.20.2", &[("benchmark", "2.1.4")]);
    let installs: Vec<&String> =
        outcome.commands.iter().filter(|command| command.contains("--no-audit")).collect();
    assert_eq!(
        installs,
        ["npm ci --no-audit --no-fund --omit=dev", "npm install --no-audit --no-fund --include=dev"]
    );
    let executable = &outcome.built.executables[0];
    assert_eq!(
        (executable.package.as_str(), executable.dir.as_path()),
        ("b/run.js", Path::new("benchmarks"))
    );
    assert_eq!(outcome.description(0).script, "benchmarks/run.js");
}
