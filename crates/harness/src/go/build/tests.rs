use super::*;
use crate::{Project, Step, StepFailure};

/// Simulates the go command: answers by subcommand.
struct Scripted {
    settings: &'static str,
    packages: String,
    broken: &'static [&'static str],
    steps: Vec<Step>,
}

impl StepRunner for Scripted {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        self.steps.push(step.clone());
        let last = step.args.last().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default();
        let mut output = StepOutput { log: "the.log".into(), ..StepOutput::default() };
        match step.args[0].to_str() {
            Some("env") => output.stdout = self.settings.into(),
            Some("list") => output.stdout = self.packages.clone(),
            _ if self.broken.contains(&last.as_str()) => {
                output.status = 1;
                output.stderr = format!("# {last}\n./a_test.go:3:1: undefined: x\n");
            }
            _ => {}
        }
        Ok(output)
    }
}

const SETTINGS: &str = r#"{"GOVERSION": "go1.26.8", "GOFLAGS": "-buildvcs=false", "GOROOT": "/nowhere"}"#;

fn try_build(
    settings: &'static str,
    broken: &'static [&'static str],
    args: &[&str],
) -> (Result<Built, HarnessError>, Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let mut packages = String::new();
    for (name, text) in
        [("a", "func BenchmarkA() {}"), ("b", "func BenchmarkB() {}"), ("c", "func TestC() {}")]
    {
        fs::create_dir_all(root.join("m").join(name)).unwrap();
        fs::write(root.join("m").join(name).join("x_test.go"), text).unwrap();
        let place = root.join("m").join(name);
        packages.push_str(&format!(
            "{{\"ImportPath\": \"example.com/{name}\", \"Dir\": {place:?}, \"XTestGoFiles\": [\"x_test.go\"]}}\n"
        ));
    }
    packages.push_str(
        "{\"ImportPath\": \"example.com/none\", \"Dir\": \"/\", \"Error\": {\"Err\": \"build constraints exclude all\"}}",
    );
    let project = Project { harness: "go".into(), dir: "m".into() };
    let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
    let request = BuildRequest {
        root,
        project: &project,
        out: Path::new("/out"),
        intermediate: root,
        shared: root,
        args: &args,
    };
    let mut run = Scripted { settings, packages, broken, steps: Vec::new() };
    (build(&request, None, None, &mut run), run.steps)
}

fn compile_args(settings: &'static str, args: &[&str]) -> Vec<String> {
    let (_, steps) = try_build(settings, &[], args);
    let compile = steps.iter().find(|step| step.args[0] == "test").unwrap();
    compile.args[4..].iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

#[test]
fn only_packages_with_benchmarks_are_built() {
    let (built, _) = try_build(SETTINGS, &[], &[]);
    let built = built.unwrap();
    assert_eq!(built.diagnostics, []);
    let found: Vec<_> = built
        .executables
        .iter()
        .map(|one| (one.package.as_str(), one.path.display().to_string(), one.dir.display().to_string()))
        .collect();
    assert_eq!(
        found,
        [
            ("example.com/a", "example.com@a.test".into(), "m/a".into()),
            ("example.com/b", "example.com@b.test".into(), "m/b".into()),
        ]
    );
    assert_eq!(built.executables[0].env, [("PWD".to_owned(), "{root}/m/a".to_owned())]);
    assert_eq!(built.executables[0].flavour_version, "1.26.8");
}

#[test]
fn the_users_flags_reach_compiler_and_package_list() {
    let ours = "-ldflags=-buildid= -compressdwarf=false -B none";
    assert_eq!(compile_args(SETTINGS, &[]), ["-buildvcs=false", "-vet=off", ours, "example.com/a"]);
    assert_eq!(
        compile_args(SETTINGS, &["-tags", "x", "-ldflags", "-s", "-buildvcs=true", "-vet=all", "-cpu=3"]),
        [
            "-vet=off",
            "-tags=x",
            "-buildvcs=true",
            "-vet=all",
            "-ldflags=-s -buildid= -compressdwarf=false -B none",
            "example.com/a"
        ],
        "a flag of the user comes later and wins"
    );
    let older = r#"{"GOVERSION": "go1.23.4"}"#;
    assert_eq!(compile_args(older, &[])[2], "-ldflags=-buildid= -compressdwarf=false");
    let linking = r#"{"GOVERSION": "go1.17", "GOFLAGS": "-ldflags=-s"}"#;
    assert_eq!(
        compile_args(linking, &[]),
        ["-vet=off", "example.com/a"],
        "flags of the environment are not replaced"
    );
    let (_, steps) = try_build(SETTINGS, &[], &["-tags=x", "./a"]);
    let list: Vec<_> = steps[1].args.iter().map(|arg| arg.to_string_lossy()).collect();
    assert_eq!((&*list[0], &list[3..]), ("list", &["-tags=x".into(), "./a".into()][..]));
}

#[test]
fn a_package_that_does_not_compile_leaves_the_others() {
    let (built, _) = try_build(SETTINGS, &["example.com/a"], &[]);
    let built = built.unwrap();
    assert_eq!(built.executables.len(), 1);
    assert_eq!(
        built.diagnostics[0].to_string(),
        "error: example.com/a: does not build:\n  # example.com/a\n  ./a_test.go:3:1: undefined: x\n  \
         hint: the whole output is in the.log"
    );
}

#[test]
fn if_nothing_compiles_the_compilers_message_is_the_error() {
    let (built, _) = try_build(SETTINGS, &["example.com/a", "example.com/b"], &[]);
    match built {
        Err(HarnessError::Tool { purpose, message, .. }) => {
            assert_eq!(purpose, "build package example.com/a");
            assert!(message.contains("undefined: x"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn file_names_are_distinct_and_short() {
    assert_ne!(file_name("a/b_c"), file_name("a_b/c"));
    let long = "x/".repeat(300);
    assert!(file_name(&long).len() < 100);
    assert_ne!(file_name(&long), file_name(&format!("y/{long}")));
}
