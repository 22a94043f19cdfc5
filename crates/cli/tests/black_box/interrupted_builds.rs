//! A build that is interrupted leaves no process and no temporary file, whatever tool builds.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{Sandbox, Started};
use crate::suite;

/// What the project's own part of the build does: it makes temporary files and never ends.
const HANG: &str = "echo $$ >> $SCRIPT/processes\nmktemp >/dev/null\nmktemp -d >/dev/null\necho x > $SCRIPT/waiting\nexec sleep 1000\n";

/// Interrupts a comparison of this project while it builds. `change` says how benchwright is started.
fn check(files: &[(&str, String)], change: impl FnOnce(&Sandbox, &mut Command)) {
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("hang.sh", HANG.to_owned())], "start");
    sandbox.commit(files, "base");
    let [temporary, cache] = ["tmp", "cache"].map(|name| sandbox.script.0.join(name));
    fs::create_dir(&temporary).expect("a directory");
    let mut command = sandbox.command(&["compare", "base", "base"]);
    command.env("TMPDIR", &temporary).env("BENCHWRIGHT_CACHE", &cache);
    change(&sandbox, &mut command);
    let mut started = Started::of(&command);
    sandbox.wait_for_gate(&mut started);
    let entries = |dir: &Path| fs::read_dir(dir).map_or(0, |entries| entries.count());
    assert!(entries(&cache.join("temporary")) > 0, "the tool writes into a directory of ours");
    started.signal("TERM");
    started.finish().exits(1).tells(&["interrupted"]);
    assert_eq!(entries(&temporary), 0);
    assert_eq!(entries(&cache.join("temporary")), 0);
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
}

#[test]
fn a_build_by_cargo_leaves_nothing() {
    let script = "fn main() { std::process::Command::new(\"sh\").arg(\"hang.sh\").status().unwrap(); }\n";
    let mut files = suite::files("base", &suite::NAMES);
    files.push(("build.rs", script.to_owned()));
    check(&files, |_, _| {});
}

#[test]
fn a_build_by_cmake_leaves_nothing() {
    let Some(_) = benchwright_testkit::tool("cmake") else { return };
    let manifest = "cmake_minimum_required(VERSION 3.15)\nproject(steps LANGUAGES CXX)\n\
                    execute_process(COMMAND sh ${CMAKE_SOURCE_DIR}/hang.sh)\n\
                    find_package(benchmark REQUIRED)\nadd_executable(b b.cc)\n\
                    target_link_libraries(b PRIVATE benchmark::benchmark_main)\n";
    let source = "#include <benchmark/benchmark.h>\nstatic void BM_A(benchmark::State& s) { for (auto _ : s) {} }\nBENCHMARK(BM_A);\n";
    check(&[("CMakeLists.txt", manifest.to_owned()), ("b.cc", source.to_owned())], |_, _| {});
}

#[test]
fn an_installation_by_npm_leaves_nothing() {
    let Some(_) = benchwright_testkit::tool("npm") else { return };
    let manifest = r#"{"name": "steps", "version": "1.0.0", "scripts": {"preinstall": "sh hang.sh"},
        "devDependencies": {"tinybench": "2.9.0"}}"#;
    let bench = "import { Bench } from 'tinybench';\nconst bench = new Bench();\nbench.add('a', () => 1);\nawait bench.run();\n";
    check(&[("package.json", manifest.to_owned()), ("bench/a.mjs", bench.to_owned())], |_, _| {});
}

#[test]
fn an_installation_by_pip_leaves_nothing() {
    let Some(_) = benchwright_testkit::tool("python3") else { return };
    let manifest = "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n\
                    [project]\nname = \"steps\"\nversion = \"1\"\n";
    let files = [
        ("pyproject.toml", manifest.to_owned()),
        ("backend.py", "import subprocess\nsubprocess.call([\"sh\", \"hang.sh\"])\n".to_owned()),
        ("requirements.txt", "pytest-benchmark\n".to_owned()),
        ("tests/test_a.py", "def test_a(benchmark):\n    benchmark(len, [])\n".to_owned()),
    ];
    check(&files, |_, _| {});
}

#[test]
fn a_build_by_maven_leaves_nothing() {
    let (Some(maven), Some(_)) = (benchwright_testkit::tool("mvn"), benchwright_testkit::tool("javac"))
    else {
        return;
    };
    // Maven itself needs plug-ins in order to come to anything of the project's; this is Java with what Maven gives it.
    let hang = "public class Hang {\n  public static void main(String[] a) throws Exception {\n    \
                java.io.File.createTempFile(System.getenv(\"LEFT\"), \"\");\n    \
                new ProcessBuilder(\"sh\", \"hang.sh\").inheritIO().start().waitFor();\n  }\n}\n";
    let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>b</artifactId>\
               <version>1</version><dependencies><dependency><groupId>org.openjdk.jmh</groupId>\
               <artifactId>jmh-core</artifactId><version>1.37</version></dependency></dependencies></project>";
    let name = format!("benchwright-left-{}-", std::process::id());
    check(&[("pom.xml", pom.to_owned()), ("Hang.java", hang.to_owned())], |sandbox, command| {
        let tools = sandbox.script.0.join("tools");
        fs::create_dir(&tools).expect("a directory");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *package*) exec java $MAVEN_OPTS Hang.java ;; esac\nexec {} \"$@\"\n",
            maven.display()
        );
        fs::write(tools.join("mvn"), script).expect("a script");
        fs::set_permissions(tools.join("mvn"), fs::Permissions::from_mode(0o755)).expect("it can run");
        let path = std::env::var("PATH").expect("a path");
        command.env("PATH", format!("{}:{path}", tools.display())).env("LEFT", &name);
    });
    let entries = fs::read_dir("/tmp").into_iter().flatten().flatten();
    let left = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&name));
    assert_eq!(left.count(), 0, "Java's own directory for temporary files");
}
