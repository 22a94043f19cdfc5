//! The steps of a build, with a CMake that only writes the files read by the harness.

use std::io;
use std::path::Path;

use super::*;
use crate::{Project, StepFailure};

/// A project as CMake would describe it.
#[derive(Default)]
struct FakeCMake {
    /// Names and contents of the programs. A program without contents does not compile. `{build}` is replaced
    /// by the directory.
    programs: Vec<(&'static str, Option<&'static str>)>,
    has_shared_library: bool,
    /// The switch that is needed to get programs.
    switch: Option<&'static str>,
    steps: Vec<String>,
}

impl FakeCMake {
    fn configure(&self, build: &Path, args: &[String]) -> io::Result<()> {
        let reply = build.join(".cmake/api/v1/reply");
        fs::create_dir_all(&reply)?;
        let is_on = self.switch.is_none_or(|name| args.contains(&format!("-D{name}=ON")));
        let mut references = Vec::new();
        for (name, _) in self.programs.iter().filter(|_| is_on) {
            let dependency = if self.has_shared_library { r#"{"id":"own"}"# } else { "" };
            let text = format!(
                r#"{{"name":"{name}","type":"EXECUTABLE","artifacts":[{{"path":"bench/{name}"}}],
                   "link":{{"commandFragments":[{{"fragment":"-lbenchmark"}}]}},"dependencies":[{dependency}]}}"#
            );
            fs::write(reply.join(format!("{name}.json")), text)?;
            references.push(format!(r#"{{"id":"{name}","directoryIndex":0,"jsonFile":"{name}.json"}}"#));
        }
        if self.has_shared_library {
            fs::write(reply.join("own.json"), r#"{"name":"own","type":"SHARED_LIBRARY"}"#)?;
            references.push(r#"{"id":"own","directoryIndex":0,"jsonFile":"own.json"}"#.into());
        }
        let model = format!(
            r#"{{"configurations":[{{"name":"Release","directories":[{{"source":"."}}],"targets":[{}]}}]}}"#,
            references.join(",")
        );
        fs::write(reply.join("model.json"), model)?;
        fs::write(
            reply.join("index-1.json"),
            r#"{"objects":[{"kind":"codemodel","jsonFile":"model.json"}]}"#,
        )?;
        let switch = self.switch.map(|name| format!("{name}:BOOL={}\n", if is_on { "ON" } else { "OFF" }));
        let cache = format!("CMAKE_GENERATOR:INTERNAL=Ninja\n{}", switch.unwrap_or_default());
        fs::write(build.join("CMakeCache.txt"), cache)
    }

    fn compile(&self, build: &Path) -> io::Result<i32> {
        fs::create_dir_all(build.join("bench"))?;
        for (name, contents) in &self.programs {
            if let Some(contents) = contents {
                let contents = contents.replace("{build}", &build.display().to_string());
                fs::write(build.join("bench").join(name), contents)?;
            }
        }
        Ok(i32::from(self.programs.iter().any(|(_, contents)| contents.is_none())))
    }
}

impl StepRunner for FakeCMake {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let args: Vec<String> = step.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let after =
            |name: &str| args.iter().position(|arg| arg == name).map(|at| PathBuf::from(&args[at + 1]));
        self.steps.push(args.join(" "));
        let status = match (after("-B"), after("--build")) {
            (Some(build), _) => self.configure(&build, &args).map(|()| 0)?,
            (None, Some(build)) => self.compile(&build)?,
            _ => 2,
        };
        let stdout = "[1/2] Building\na.cc:1:1: error: no such thing\n".to_owned();
        Ok(StepOutput { status, stdout, stderr: String::new(), log: "x.log".into() })
    }
}

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn build(&self, cmake: &mut FakeCMake, args: &[&str]) -> Result<Built, HarnessError> {
        let project = Project { harness: NAME.into(), dir: "cpp".into() };
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let (root, out, intermediate) = (self.path("root"), self.path("out"), self.path("intermediate"));
        let request = BuildRequest {
            root: &root,
            project: &project,
            out: &out,
            intermediate: &intermediate,
            shared: &intermediate,
            args: &args,
        };
        build(&request, cmake)
    }
}

fn paths(built: &Built) -> Vec<String> {
    built.executables.iter().map(|executable| executable.path.display().to_string()).collect()
}

#[test]
fn programs_are_built_in_the_common_directory_and_copied() {
    let place = Place::new();
    let mut cmake =
        FakeCMake { programs: vec![("sort", Some("code")), ("find", Some("code"))], ..FakeCMake::default() };
    let built = place.build(&mut cmake, &[]).expect("a build");
    assert_eq!(paths(&built), ["bin/cpp+find", "bin/cpp+sort"]);
    assert_eq!(built.executables[0].package, "cpp/find");
    assert_eq!(built.executables[0].dir, Path::new("cpp"));
    assert!(built.executables[0].env.is_empty());
    assert_eq!(built.diagnostics, []);
    assert_eq!(fs::read_to_string(place.path("out/bin/cpp+sort")).expect("a copy"), "code");
    let common = place.path("intermediate/build");
    let source = place.path("root/cpp");
    assert_eq!(
        cmake.steps[0],
        format!("-S {} -B {} -DCMAKE_BUILD_TYPE=Release", source.display(), common.display())
    );
    assert!(cmake.steps[1].ends_with("--config Release --target find sort -- -k 0"), "{}", cmake.steps[1]);
}

#[test]
fn the_users_definitions_and_targets_win() {
    let place = Place::new();
    let mut cmake =
        FakeCMake { programs: vec![("sort", Some("x")), ("find", Some("x"))], ..FakeCMake::default() };
    let args = ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "--target", "sort", "--target", "gone"];
    let built = place.build(&mut cmake, &args).expect("a build");
    assert!(cmake.steps[0].ends_with("build -DCMAKE_BUILD_TYPE=RelWithDebInfo"), "{}", cmake.steps[0]);
    assert!(cmake.steps[1].contains("--target sort --"), "{}", cmake.steps[1]);
    assert_eq!(paths(&built), ["bin/cpp+sort"]);
    assert_eq!(built.diagnostics[0].subject, "cpp/gone");
}

#[test]
fn programs_that_need_the_build_directory_get_one_of_their_own() {
    for (contents, has_shared_library, steps) in [("data in {build}/data\0", false, 4), ("plain", true, 3)] {
        let place = Place::new();
        let mut cmake = FakeCMake {
            programs: vec![("sort", Some(contents))],
            has_shared_library,
            ..FakeCMake::default()
        };
        let built = place.build(&mut cmake, &[]).expect("a build");
        assert_eq!(paths(&built), ["build/bench/sort"]);
        // The files it loads are not in its bytes, so the program of another build counts as different.
        assert_eq!(built.executables[0].env[0].1, place.path("out").display().to_string());
        let program = fs::read_to_string(place.path("out/build/bench/sort")).expect("a program");
        assert!(!program.contains("intermediate"), "{program}");
        assert_eq!(cmake.steps.len(), steps);
    }
    let place = Place::new();
    let mut cmake =
        FakeCMake { programs: vec![("sort", Some("{build}/gen/table.cc\0"))], ..FakeCMake::default() };
    assert_eq!(paths(&place.build(&mut cmake, &[]).expect("a build")), ["bin/cpp+sort"]);
}

#[test]
fn a_switch_that_adds_benchmarks_is_tried_and_told() {
    let place = Place::new();
    let switched = || FakeCMake {
        programs: vec![("sort", Some("x"))],
        switch: Some("P_BUILD_BENCHMARKS"),
        ..FakeCMake::default()
    };
    let built = place.build(&mut switched(), &[]).expect("a build");
    assert_eq!(paths(&built), ["bin/cpp+sort"]);
    assert_eq!(built.diagnostics[0].severity, Severity::Note);
    assert!(built.diagnostics[0].message.contains("-DP_BUILD_BENCHMARKS=ON"));
    // A switch that the user turned off stays off.
    let built = place.build(&mut switched(), &["-DP_BUILD_BENCHMARKS=OFF"]).expect("a build");
    assert_eq!(built.executables, []);
    assert!(built.diagnostics[0].hint.contains("-DP_BUILD_BENCHMARKS=ON"), "{:?}", built.diagnostics);
    let built = place.build(&mut FakeCMake::default(), &[]).expect("a build");
    assert_eq!((built.executables.len(), built.diagnostics.len()), (0, 1));
}

#[test]
fn one_that_does_not_compile_does_not_keep_the_others() {
    let place = Place::new();
    let mut cmake = FakeCMake { programs: vec![("bad", None), ("sort", Some("x"))], ..FakeCMake::default() };
    let built = place.build(&mut cmake, &[]).expect("a build");
    assert_eq!(paths(&built), ["bin/cpp+sort"]);
    assert_eq!(built.diagnostics[0].subject, "cpp/bad");
    assert_eq!(built.diagnostics[0].message, "does not build:\na.cc:1:1: error: no such thing");
    let mut cmake = FakeCMake { programs: vec![("bad", None)], ..FakeCMake::default() };
    let error = place.build(&mut cmake, &[]).expect_err("nothing compiles");
    assert!(
        matches!(&error, HarnessError::Tool { message, .. } if message == "a.cc:1:1: error: no such thing"),
        "{error:?}"
    );
}

#[test]
fn given_programs_need_no_cmake() {
    let place = Place::new();
    fs::create_dir_all(place.path("root/cpp/bin")).expect("a directory");
    fs::write(place.path("root/cpp/bin/suite"), "x").expect("a program");
    let mut cmake = FakeCMake::default();
    let built = place.build(&mut cmake, &["--program", "bin/suite", "--program=gone"]).expect("a build");
    assert_eq!(paths(&built), ["bin/cpp+bin+suite"]);
    assert_eq!(built.diagnostics[0].subject, "cpp/gone");
    assert_eq!(cmake.steps.len(), 0);
    let error = place.build(&mut cmake, &["--program", "gone"]).expect_err("no program");
    assert!(matches!(error, HarnessError::File { .. }));
    let error =
        place.build(&mut cmake, &["--program", "bin/suite", "--make", "false"]).expect_err("a failure");
    assert!(matches!(error, HarnessError::Tool { status: 2, .. }));
    assert_eq!(cmake.steps, ["-c false"]);
}
