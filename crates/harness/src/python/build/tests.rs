use std::fs;

use super::*;
use crate::test_files::write;
use crate::{Project, Step, StepFailure, StepOutput};

const FACTS: &str = r#"{"implementation":"CPython","version":"3.11.7","series":"3.11","platform":"linux-x86_64","compiler":"GCC","abi":"x","wanted":""}"#;

/// Answers every step as Python would, without one.
#[derive(Default)]
struct Script {
    /// The output of pip, call by call. Later calls succeed.
    pip: Vec<(i32, String)>,
    packages: String,
    steps: Vec<Step>,
}

impl StepRunner for Script {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        let has = |word: &str| step.args.iter().any(|arg| arg.to_string_lossy().ends_with(word));
        let mut output = StepOutput::default();
        if has("-c") && step.purpose.contains("version") {
            output.stdout = FACTS.into();
        } else if has("inspect_environment.py") {
            let out = Path::new(&step.args[0]).parent().expect("a directory");
            let site = out.join("venv/lib/python3.11/site-packages");
            output.stdout = format!(
                "{{\"packages\": {{{}}}, \"own\": [\"tally\"], \"directory\": \"{}\"}}\n",
                self.packages,
                site.display()
            );
        } else if has("pip") && !self.pip.is_empty() {
            (output.status, output.stderr) = self.pip.remove(0);
        }
        Ok(output)
    }
}

impl Script {
    /// The calls of pip, each with its arguments after `install`.
    fn pip_calls(&self) -> Vec<Vec<String>> {
        let calls = self.steps.iter().filter(|step| step.purpose.starts_with("install"));
        calls
            .map(|step| step.args.iter().skip(3).map(|arg| arg.to_string_lossy().into_owned()).collect())
            .collect()
    }
}

/// A version of a project, and the directory in which it is built.
struct Version {
    dir: tempfile::TempDir,
}

impl Version {
    fn new(files: &[(&str, &str)]) -> Version {
        let dir = tempfile::tempdir().expect("a temporary directory");
        write(&dir.path().join("root"), files);
        for name in ["out", "shared"] {
            fs::create_dir_all(dir.path().join(name)).expect("a directory");
        }
        Version { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn build(&self, args: &[&str], script: &mut Script) -> Result<Built, HarnessError> {
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let project = Project { harness: NAME.into(), dir: PathBuf::new() };
        let (root, out, shared) = (self.path("root"), self.path("out"), self.path("shared"));
        let request = BuildRequest {
            root: &root,
            project: &project,
            out: &out,
            intermediate: &shared,
            shared: &shared,
            args: &args,
        };
        build(&request, script)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

const PACKAGE: &str = "[build-system]\nrequires = ['flit_core']\n[project]\nname = 'tally'\n\
                       [project.optional-dependencies]\nbench = ['pytest-benchmark']\n";
const TEST: &str = "def test_a(benchmark): ...\n";

#[test]
fn a_package_is_installed_with_its_extras_and_described_by_file() {
    let version = Version::new(&[
        ("pyproject.toml", PACKAGE),
        ("tests/test_a.py", TEST),
        ("bench.py", "import pyperf\npyperf.Runner()\n"),
    ]);
    let packages =
        r#""pytest-benchmark": "5.1.0", "pyperf": "2.8.1", "pytest-cov": "6.0", "Py_CpuInfo": "9""#;
    let mut script = Script { packages: packages.into(), ..Script::default() };
    let built = version.build(&["--pre"], &mut script).expect("a build");
    assert_eq!(built.diagnostics, []);
    let facts: Vec<(&str, &str, &str, &str)> = built
        .executables
        .iter()
        .map(|exe| {
            (
                exe.package.as_str(),
                exe.flavour.as_str(),
                exe.flavour_version.as_str(),
                exe.path.to_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("bench.py", "pyperf", "2.8.1", "bench.py.json"),
        ("tests/test_a.py", "pytest-benchmark", "5.1.0", "tests@test_a.py.json"),
    ];
    assert_eq!(facts, expected);
    let [call] = script.pip_calls().try_into().expect("one call of pip");
    let constraints = version.path("out/constraints.txt").display().to_string();
    let project = format!("{}[bench]", version.path("root").display());
    assert_eq!(call, ["--pre", "-c", &constraints, "pytest", "pytest-benchmark", "pyperf", &project]);
    let text = version.read("out/tests@test_a.py.json");
    let description: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(description["options"], serde_json::json!(["--no-cov"]));
    assert_eq!(description["own_directory"], "venv/lib/python3.11/site-packages");
    assert_eq!(description["packages"]["py-cpuinfo"], "9");
    assert!(
        !text.contains(version.dir.path().to_str().unwrap()),
        "a description names no absolute path: {text}"
    );
    assert!(version.read("out/launch.py").contains("def main()"));
}

#[test]
fn the_first_versions_dependencies_are_asked_for_in_the_second() {
    let version = Version::new(&[("pyproject.toml", PACKAGE), ("tests/test_a.py", TEST)]);
    let mut first = Script { packages: r#""pluggy": "1.5.0""#.into(), ..Script::default() };
    version.build(&[], &mut first).expect("a build");
    assert_eq!(version.read("out/constraints.txt"), "");
    let mut second =
        Script { packages: r#""pluggy": "1.6.0", "iniconfig": "2.0""#.into(), ..Script::default() };
    let built = version.build(&[], &mut second).expect("a build");
    assert_eq!(version.read("out/constraints.txt"), "pluggy==1.5.0\n");
    let [doubt] = built.diagnostics.as_slice() else { panic!("{:?}", built.diagnostics) };
    assert!(doubt.message.ends_with("pluggy 1.6.0 (1.5.0)"), "{doubt}");
    assert_eq!(version.read("shared/python-3.11-constraints.txt"), "iniconfig==2.0\npluggy==1.5.0\n");
}

#[test]
fn constraints_that_do_not_fit_are_dropped_and_other_failures_are_told() {
    let files = [
        ("pyproject.toml", PACKAGE),
        ("tests/test_a.py", TEST),
        ("uv.lock", "[[package]]\nname = 'a'\nversion = '1'\n"),
    ];
    let version = Version::new(&files);
    let conflict = "    The user requested a>=2\n    The user requested (constraint) a==1\n";
    let mut script = Script { pip: vec![(1, conflict.into())], ..Script::default() };
    version.build(&[], &mut script).expect("a build");
    assert_eq!(script.pip_calls().len(), 2);
    assert_eq!(version.read("out/constraints.txt"), "");
    let mut script = Script { pip: vec![(1, "ERROR: no compiler\n".into())], ..Script::default() };
    let error = version.build(&[], &mut script).expect_err("pip failed");
    let HarnessError::Tool { message, status: 1, .. } = error else { panic!("{error:?}") };
    assert_eq!(message, "ERROR: no compiler");
}

#[test]
fn requirement_files_are_copied_and_those_with_hashes_come_first() {
    let version = Version::new(&[
        ("requirements.txt", "pytest-benchmark==4.0.0 --hash=sha256:00\n"),
        ("requirements-test.txt", "-e .\npytest==8.0\n"),
        ("test_a.py", TEST),
    ]);
    let mut script = Script::default();
    fs::write(
        version.path("shared/python-3.11-constraints.txt"),
        "pytest==7\npytest-benchmark==5\npluggy==1\n",
    )
    .expect("a file");
    version.build(&[], &mut script).expect("a build");
    let [hashed, rest] = script.pip_calls().try_into().expect("two calls of pip");
    assert_eq!(hashed.len(), 2, "{hashed:?}");
    assert!(version.read("out/requirements-1.txt").contains("--hash="));
    assert!(hashed[1].ends_with("requirements-1.txt") && rest[3].ends_with("requirements-0.txt"), "{rest:?}");
    assert_eq!(version.read("out/requirements-0.txt"), "pytest==8.0\n");
    assert_eq!(version.read("out/constraints.txt"), "pluggy==1\npytest-benchmark==4.0.0\n");
    assert!(!rest.iter().any(|arg| arg.ends_with("root")), "there is nothing to install: {rest:?}");
}

#[test]
fn requirements_beside_benchmarks_may_fail_one_by_one() {
    let version = Version::new(&[
        ("pyproject.toml", PACKAGE),
        ("a/bench.py", "import pyperf\npyperf.Runner()\n"),
        ("a/requirements.txt", "old\n"),
        ("b/bench.py", "import pyperf\npyperf.Runner()\n"),
        ("b/requirements.txt", "new\n"),
    ]);
    let pip = [(0, ""), (1, "ERROR: conflict\n"), (1, "words\nERROR: does not compile\nmore\n"), (0, "")];
    let pip = pip.map(|(status, words)| (status, words.to_owned())).to_vec();
    let mut script = Script { pip, ..Script::default() };
    let built = version.build(&[], &mut script).expect("a build");
    assert_eq!((built.executables.len(), script.pip_calls().len()), (2, 4));
    let [doubt] = built.diagnostics.as_slice() else { panic!("{:?}", built.diagnostics) };
    assert_eq!(
        doubt.to_string(),
        "warning: a/requirements.txt: could not be installed: ERROR: does not compile"
    );
}

#[test]
fn the_chosen_interpreter_makes_the_environment() {
    let version = Version::new(&[("pyproject.toml", PACKAGE), ("test_a.py", TEST)]);
    let mut script = Script::default();
    version.build(&["--python", "python3.12"], &mut script).expect("a build");
    let programs: Vec<String> =
        script.steps.iter().map(|step| step.program.to_string_lossy().into_owned()).collect();
    let own = version.path("out/venv/bin/python").display().to_string();
    assert_eq!(programs, ["python3.12", "python3.12", &own, &own]);
    assert!(script.pip_calls().iter().flatten().all(|arg| !arg.contains("python3.12")));
}

#[test]
fn a_project_without_files_is_not_installed() {
    let version = Version::new(&[("requirements.txt", "pytest-benchmark\n")]);
    let mut script = Script::default();
    let built = version.build(&[], &mut script).expect("a build");
    assert_eq!((built.executables.len(), built.diagnostics.len(), script.steps.len()), (0, 1, 0));
}
