//! Intermediate files shared between versions, with a real Cargo.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

mod versions_sandbox;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reader, Step,
    StepRunner, TrialCommand, TrialRequest, TrialShape,
};
use benchwright_model::{BenchmarkId, SampleKind};
use benchwright_process::Interrupt;
use benchwright_runner::{Build, Checkout, PrepareRequest, Repository, prepare};
use benchwright_worker::TrialLimits;
use versions_sandbox::{Sandbox, Tree};

/// Builds the program `tiny`, as a harness for Cargo does.
struct TinyCargo;

impl Harness for TinyCargo {
    fn name(&self) -> &'static str {
        "tiny"
    }

    fn samples(&self) -> SampleKind {
        SampleKind::Slices
    }

    fn recognise(&self, _: &Path) -> Vec<Project> {
        vec![Project { harness: "tiny".into(), dir: "".into() }]
    }

    fn toolchain(&self, _: &Project, _: &[String], _: &mut dyn StepRunner) -> Result<String, HarnessError> {
        Ok("cargo".into())
    }

    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError> {
        let purpose = "build tiny".to_owned();
        let step = Step {
            purpose: purpose.clone(),
            program: "cargo".into(),
            args: ["build", "--release", "--offline", "--target-dir"].map(Into::into).to_vec(),
            dir: request.root.to_owned(),
            env: Vec::new(),
            timeout: Duration::from_secs(300),
        };
        let step = Step { args: [step.args, vec![request.intermediate.into()]].concat(), ..step };
        let output = run.run(&step).map_err(|source| HarnessError::Step { purpose, source })?;
        assert_eq!(output.status, 0, "{}", output.stderr);
        std::fs::copy(request.intermediate.join("release/tiny"), request.out.join("tiny")).unwrap();
        let executable = Executable {
            harness: "tiny".into(),
            package: "tiny".into(),
            flavour: String::new(),
            flavour_version: String::new(),
            path: "tiny".into(),
            dir: "".into(),
            env: Vec::new(),
        };
        Ok(Built { executables: vec![executable], diagnostics: Vec::new() })
    }

    fn list(&self, _: &ListRequest<'_>, _: &mut dyn StepRunner) -> Result<Listing, HarnessError> {
        Ok(Listing::default())
    }

    fn command(&self, _: &TrialRequest<'_>) -> TrialCommand {
        unreachable!("this test runs no trials")
    }

    fn reader(&self, _: &Executable, _: &BenchmarkId, _: &TrialShape) -> Box<dyn Reader> {
        unreachable!("this test runs no trials")
    }

    fn is_source(&self, path: &str) -> bool {
        path.ends_with(".rs")
    }
}

fn build(sandbox: &Sandbox, repository: &Repository, checkout: &Checkout) -> Build {
    let request = PrepareRequest {
        cache: &sandbox.cache,
        repository,
        checkout,
        harnesses: &[Box::new(TinyCargo)],
        arguments: &HashMap::new(),
        architecture: None,
        filter: None,
        limits: TrialLimits::NONE,
        interrupt: &Interrupt::new(),
    };
    prepare(&request, &mut |_| {}).unwrap()
}

fn says(build: &Build) -> String {
    let output = Command::new(build.executables[0].program()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn write_program(tree: &Tree, word: &str) {
    tree.write("src/main.rs", &format!("fn main() {{\n    print!(\"{word}\");\n}}\n"));
}

#[test]
fn shared_intermediate_files_never_bring_one_versions_code_into_the_other() {
    let sandbox = Sandbox::new();
    let tree = sandbox.init("tiny");
    tree.write(
        "Cargo.toml",
        "[package]\nname = \"tiny\"\nedition = \"2021\"\n[workspace]\n[profile.release]\ndebug = true\n",
    );
    tree.write("README.md", "words\n");
    write_program(&tree, "old");
    tree.commit("old");
    write_program(&tree, "new");
    tree.commit("new");
    tree.write("README.md", "other words\n");
    tree.commit("new, with other words");
    let repository = tree.open();
    // All of them are on disk before the first is built: each looks older than the others' intermediate files.
    let checkouts = ["HEAD~2", "HEAD~1", "HEAD"].map(|revision| sandbox.checkout(&repository, revision));
    let builds = checkouts.each_ref().map(|checkout| build(&sandbox, &repository, checkout));
    assert_eq!(builds.each_ref().map(says), ["old", "new", "new"]);
    let digests = builds.each_ref().map(|build| build.executables[0].digest.clone());
    assert_ne!(digests[0], digests[1]);
    assert_eq!(digests[1], digests[2], "the same code in two directories");
}
