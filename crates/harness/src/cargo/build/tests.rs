use std::collections::VecDeque;

use super::*;
use crate::{Project, StepFailure};

/// Answers steps from a script and records them.
struct Script {
    answers: VecDeque<(i32, String, String)>,
    steps: Vec<Step>,
    /// A file that is looked for at every step, and whether it existed.
    witness: PathBuf,
    seen: Vec<bool>,
}

impl StepRunner for Script {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        self.seen.push(self.witness.exists());
        let (status, stdout, stderr) = self.answers.pop_front().expect("no more steps than answers");
        Ok(StepOutput { status, stdout, stderr, log: PathBuf::from("/log") })
    }
}

/// A version for which Cargo prints what the test needs.
struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene { directory: tempfile::tempdir().expect("a temporary directory") };
        for name in ["root/p/benches", "out", "intermediate/release/deps"] {
            fs::create_dir_all(scene.path(name)).expect("a directory");
        }
        fs::write(scene.path("root/p/benches/speed.rs"), "fn main() {}").expect("a file");
        fs::write(scene.path("program"), "a program").expect("a file");
        fs::write(scene.path("intermediate/old"), "").expect("a file");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn metadata(&self) -> String {
        let root = self.path("root");
        let root = root.display();
        format!(
            r#"{{"packages":[{{"name":"p","version":"1.2.3-rc.1+b","manifest_path":"{root}/p/Cargo.toml","targets":[{{"kind":["bench"],"name":"speed","src_path":"{root}/p/benches/speed.rs"}}]}}],"workspace_root":"{root}"}}"#
        )
    }

    fn artefact(&self, program: &str, fresh: bool) -> String {
        let (root, program) = (self.path("root"), self.path(program));
        let (root, program) = (root.display(), program.display());
        format!(
            r#"{{"reason":"compiler-artifact","package_id":"path+file://{root}/p#1.2.3","manifest_path":"{root}/p/Cargo.toml","target":{{"kind":["bench"],"name":"speed","src_path":"{root}/p/benches/speed.rs"}},"profile":{{"test":true}},"filenames":["{program}"],"executable":"{program}","fresh":{fresh}}}"#
        )
    }

    fn build(
        &self,
        answers: Vec<(i32, String, String)>,
        args: &[&str],
    ) -> (Result<Built, HarnessError>, Script) {
        let mut answers = VecDeque::from(answers);
        answers.push_front((0, self.metadata(), String::new()));
        let witness = self.path("intermediate/old");
        let mut script = Script { answers, steps: Vec::new(), witness, seen: Vec::new() };
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let request = BuildRequest {
            root: &self.path("root"),
            project: &Project { harness: "cargo".into(), dir: PathBuf::new() },
            out: &self.path("out"),
            intermediate: &self.path("intermediate"),
            shared: &self.path("shared"),
            args: &args,
        };
        let built = build(&request, None, &mut script);
        assert!(script.answers.is_empty(), "steps: {:#?}", script.steps);
        (built, script)
    }
}

fn fine(stdout: String) -> (i32, String, String) {
    (0, stdout, String::new())
}

fn words(step: &Step) -> String {
    step.args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_unit_taken_over_from_another_version_empties_the_target_directory() {
    let scene = Scene::new();
    let answers = vec![fine(scene.artefact("program", true)), fine(scene.artefact("program", false))];
    let (built, script) = scene.build(answers, &[]);
    assert_eq!(built.expect("a build").executables.len(), 1);
    assert_eq!(script.seen, [true, true, false], "the old file is gone before Cargo runs again");
}

#[test]
fn a_program_that_knows_the_target_directory_gets_one_of_its_own() {
    let scene = Scene::new();
    let knows = format!("xx{}/release/build/p-1/out/data\0", scene.path("intermediate").display());
    fs::write(scene.path("program"), knows).expect("a file");
    fs::write(scene.path("private"), "the private program").expect("a file");
    let answers = vec![fine(scene.artefact("program", false)), fine(scene.artefact("private", false))];
    let (built, script) = scene.build(answers, &[]);
    let executable = &built.expect("a build").executables[0];
    let bytes = fs::read(scene.path("out").join(&executable.path)).expect("the program");
    assert_eq!(bytes, b"the private program");
    let own = scene.path("out/target").display().to_string();
    assert!(script.steps[2].env.contains(&("CARGO_TARGET_DIR".into(), own)), "{:?}", script.steps[2].env);
}

#[test]
fn the_output_of_a_foreign_build_script_may_be_known() {
    let scene = Scene::new();
    let out_dir = scene.path("intermediate/release/build/serde-1/out").display().to_string();
    fs::write(scene.path("program"), format!("xx{out_dir}/private.rs\0")).expect("a file");
    let script = format!(
        r#"{{"reason":"build-script-executed","package_id":"registry+https://example.org#serde@1.0.0","out_dir":"{out_dir}","env":[]}}"#
    );
    let answers = vec![fine(format!("{script}\n{}", scene.artefact("program", false)))];
    assert_eq!(scene.build(answers, &[]).0.expect("a build").executables.len(), 1);
}

#[test]
fn the_executable_has_cargos_variables_and_the_packages_directory() {
    let scene = Scene::new();
    let (built, script) = scene.build(vec![fine(scene.artefact("program", false))], &[]);
    let executable = &built.expect("a build").executables[0];
    assert_eq!((executable.package.as_str(), executable.dir.as_path()), ("p/speed", Path::new("p")));
    let variable =
        |name: &str| executable.env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(variable("CARGO_MANIFEST_DIR"), Some("{root}/p"));
    assert_eq!(variable("CARGO_PKG_VERSION"), Some("1.2.3-rc.1+b"));
    assert_eq!(variable("CARGO_PKG_VERSION_PATCH"), Some("3"));
    assert_eq!(variable("CARGO_PKG_VERSION_PRE"), Some("rc.1"));
    assert_eq!(words(&script.steps[1]), "bench --no-run --message-format=json --workspace --bench *");
}

#[test]
fn arguments_of_the_user_select_instead_of_ours() {
    let scene = Scene::new();
    let args = ["-p", "p", "--bench=speed", "--features", "x"];
    let (_, script) = scene.build(vec![fine(scene.artefact("program", false))], &args);
    assert_eq!(
        words(&script.steps[1]),
        "bench --no-run --message-format=json -p p --bench=speed --features x"
    );
}

#[test]
fn an_error_of_cargo_itself_is_shown_as_it_is() {
    let scene = Scene::new();
    let refusal = || (101, String::new(), "error: no matching package named `x` found\n".to_owned());
    match scene.build(vec![refusal(), refusal()], &[]).0 {
        Err(HarnessError::Tool { message, status: 101, log, .. }) => {
            assert_eq!(message, "error: no matching package named `x` found");
            assert_eq!(log, Path::new("/log"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bench_attribute_on_a_stable_compiler_gets_a_hint() {
    let scene = Scene::new();
    let root = scene.path("root").display().to_string();
    let error = format!(
        r#"{{"reason":"compiler-message","package_id":"x","manifest_path":"{root}/p/Cargo.toml","target":{{"kind":["bench"],"name":"speed","src_path":"{root}/p/benches/speed.rs"}},"message":{{"rendered":"error[E0554]: `#![feature]` may not be used on the stable release channel\n","level":"error","message":""}}}}"#
    );
    let answers = vec![(101, error.clone(), String::new()), (101, error, String::new())];
    match scene.build(answers, &[]).0 {
        Err(HarnessError::Tool { message, .. }) => {
            assert!(message.contains("E0554") && message.contains("nightly compiler"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}
