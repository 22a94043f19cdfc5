//! What travels to AWS Lambda, and to which function: programs for another processor, Java with JMH benchmarks, memory by benchmark.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::document::Document;
use crate::lambda::{check_all_slower, command, compared, deploying, emulator, function, platform};
use crate::sandbox::{Sandbox, finished};
use crate::stub::{Fate, Stub};
use crate::{go, java};

/// The processor that this machine does not have, and what the headers of its programs say.
const FOREIGN: (&str, u16) = if cfg!(target_arch = "x86_64") { ("arm64", 183) } else { ("x86_64", 62) };

/// Unpacks what was sent along, each package in a directory of its own.
fn unpacked(stub: &Stub, dir: &Path) -> Vec<PathBuf> {
    let unpack = |(id, bytes): (String, Vec<u8>)| {
        let (archive, target) = (dir.join(format!("{id}.tar.gz")), dir.join(id));
        fs::write(&archive, bytes).expect("an archive");
        fs::create_dir(&target).expect("a directory");
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(&archive).arg("-C").arg(&target);
        assert!(tar.status().expect("tar starts").success(), "{}", archive.display());
        target
    };
    stub.archives().into_iter().map(unpack).collect()
}

/// The processor in the header of a program.
fn machine(program: &Path) -> u16 {
    let bytes = fs::read(program).expect("a program");
    assert_eq!(bytes[..4], *b"\x7fELF", "{}", program.display());
    u16::from_le_bytes([bytes[18], bytes[19]])
}

#[test]
fn go_programs_are_built_for_the_processor_of_the_functions() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|_| Fate::Unpack);
    let answer = compared(&sandbox, stub.address, &format!("--architecture {}", FOREIGN.0));
    check_all_slower(&answer);
    let dir = tempfile::tempdir().expect("a directory");
    let packages = unpacked(&stub, dir.path());
    assert_eq!(packages.len(), 2, "{packages:?}");
    for package in packages {
        assert_eq!(machine(&package.join("out/example.com@steps.test")), FOREIGN.1);
    }
    let settings = sandbox.stored("latest").run.settings;
    assert_eq!(settings["architecture"], FOREIGN.0);
}

/// What differs for the other processor alone is measured there, although this machine's programs are the same.
#[test]
fn code_for_another_processor_is_not_taken_for_identical() {
    let Some(sandbox) = go::sandbox() else { return };
    let name = if FOREIGN.0 == "arm64" { "extra_arm64.go" } else { "extra_amd64.go" };
    let text = "package steps\n\nfunc init() { Work(1) }\n";
    sandbox.commit(&[(name, text.to_owned())], "elsewhere");
    let stub = Stub::start(|_| Fate::Answer);
    let measured = |more: &str| {
        let line = format!("compare head elsewhere --on lambda --format json {more}");
        finished(&mut command(&sandbox, stub.address, &line))
    };
    let here = measured("").exits(0);
    assert_eq!(stub.requests(), 0, "{}", here.describe());
    measured(&format!("--architecture {}", FOREIGN.0)).exits(3);
    assert!(stub.requests() > 0);
}

#[test]
fn what_builds_for_this_processor_alone_is_named_or_runs_here() {
    let Some(sandbox) = go::sandbox() else { return };
    // A package that has nothing to compile on the other processor.
    let guard = format!("//go:build {}\n\n", if FOREIGN.0 == "arm64" { "amd64" } else { "arm64" });
    let test = "package narrow\n\nimport \"testing\"\n\nfunc BenchmarkNarrow(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tnarrow()\n\t}\n}\n";
    let code = |n: u32| {
        format!(
            "{guard}package narrow\n\nvar sink int\n\nfunc narrow() {{\n\tfor i := 0; i < {n}; i++ {{\n\t\tsink += i\n\t}}\n}}\n"
        )
    };
    sandbox.commit(&[("narrow/narrow.go", code(10)), ("narrow/narrow_test.go", test.into())], "first");
    sandbox.commit(&[("narrow/narrow.go", code(500))], "second");
    let stub = Stub::start(|_| Fate::Answer);
    let compare = |more: &str| {
        let line = format!(
            "compare first second --on lambda --architecture {} --filter Narrow --iteration-time 2ms --format json {more}",
            FOREIGN.0
        );
        finished(&mut command(&sandbox, stub.address, &line))
    };
    let built_for = format!("it is built for {}", if FOREIGN.0 == "arm64" { "x86_64" } else { "arm64" });
    compare("").exits(1).tells(&["does not build", &built_for, "--fallback local"]);
    let answer = compare("--fallback local").exits(3);
    assert_eq!(Document::of(&answer).verdicts()["BenchmarkNarrow"], "slower", "{}", answer.describe());
    assert_eq!(stub.requests(), 0);
}

#[test]
fn rust_programs_without_the_target_are_named_with_the_remedy() {
    let sandbox = Sandbox::new();
    let target = if FOREIGN.0 == "arm64" { "aarch64" } else { "x86_64" };
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    if installed.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).contains(&format!("{target}-unknown-linux"))
    }) {
        benchwright_testkit::skip(&format!("a Rust target for {} is installed", FOREIGN.0));
        return;
    }
    let stub = Stub::start(|_| Fate::Answer);
    let line = format!("compare base head --on lambda --all --architecture {}", FOREIGN.0);
    let answer = finished(&mut command(&sandbox, stub.address, &line)).exits(1);
    answer.tells(&[
        &format!(
            "build for {}: neither {target}-unknown-linux-gnu nor {target}-unknown-linux-musl is installed",
            FOREIGN.0
        ),
        &format!("`rustup target add {target}-unknown-linux-musl`"),
    ]);
    assert_eq!(stub.requests(), 0);
}

/// Functions by benchmark, as calls went.
fn functions(stub: &Stub) -> BTreeMap<String, BTreeSet<String>> {
    let mut functions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (function, benchmark) in stub.calls() {
        functions.entry(benchmark).or_default().insert(function);
    }
    functions
}

#[test]
fn every_benchmark_goes_to_the_function_of_its_memory() {
    let Some(sandbox) = go::sandbox() else { return };
    sandbox.write("benchwright.toml", "[lambda.memory-for]\n\"*\" = 1024\n\"*Fill*\" = 4096\n");
    let stub = Stub::start(|_| Fate::Answer);
    let sized = |line: &str| {
        let mut command = command(&sandbox, stub.address, line);
        command.env("BENCHWRIGHT_LAMBDA_FUNCTION", "f-{memory}");
        finished(&mut command)
    };
    let answer = sized("compare base head --on lambda --format json --seed 1");
    check_all_slower(&answer);
    let of = |function: &str| BTreeSet::from([function.to_owned()]);
    let expected = [("BenchmarkFill", of("f-4096")), ("BenchmarkWork/n=100", of("f-1024"))];
    assert_eq!(functions(&stub), expected.map(|(name, it)| (name.to_owned(), it)).into());
    // Half a processor is worth a warning, and so are sizes that differ.
    let told =
        ["with 1024 MB the platform gives 58 % of a processor to 1 of", "1 with 1024 MB, 1 with 4096 MB"];
    told.iter().for_each(|words| assert!(answer.stdout.contains(words), "{words}: {}", answer.describe()));
    let record = sandbox.stored("latest");
    assert_eq!(record.run.settings["memory"], "2048, *: 1024, *Fill*: 4096");
    let sizes: BTreeSet<u64> = record.instances.iter().map(|instance| instance.memory_bytes >> 20).collect();
    assert_eq!(sizes, BTreeSet::from([1024, 4096]));
    // Twice as much memory costs more.
    let cost = |memory: u32| {
        let line = format!("compare base head --on lambda --dry-run --config {memory}.toml");
        sandbox.write(&format!("{memory}.toml"), &format!("[lambda.memory-for]\n\"*Fill*\" = {memory}\n"));
        let text = sized(&line).exits(0).stdout;
        let gigabytes = text.split(" GB-seconds").next().and_then(|text| text.rsplit(' ').next());
        gigabytes.and_then(|number| number.parse::<f64>().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    let (small, large) = (cost(2048), cost(10_240));
    assert!(large > 2.0 * small, "{small} {large}");
}

#[test]
fn sizes_are_not_mixed() {
    let Some(sandbox) = go::sandbox() else { return };
    sandbox.write("benchwright.toml", "[lambda.memory-for]\n\"*Fill*\" = 4096\n");
    let stub = Stub::start(|_| Fate::Answer);
    let named = |name: &str| {
        let line = "compare base head --on lambda --format json --seed 1";
        let mut command = command(&sandbox, stub.address, line);
        finished(command.env("BENCHWRIGHT_LAMBDA_FUNCTION", name))
    };
    // One function cannot have two sizes.
    named("f").exits(2).tells(&["call the function `f` for 2048 and 4096 MB", "`{memory}`"]);
    assert_eq!(stub.requests(), 0);
    // One that has another size than it should has measured something else: instances of this one say 2048 MB.
    let answer = named("{memory}-f").exits(3);
    let words = "its duets are dropped: it has 2048 MB, the benchmark needs 4096 MB";
    assert!(answer.stdout.contains(words), "{}", answer.describe());
    let trials = sandbox.stored("latest").trials;
    assert!(
        trials.iter().all(|trial| trial.benchmark.name == "BenchmarkWork/n=100"),
        "{}",
        answer.describe()
    );
}

#[test]
fn a_run_does_not_go_on_with_another_memory() {
    let Some(sandbox) = go::sandbox() else { return };
    // Nothing can be paid for beyond the first call.
    let stub = Stub::start(|_| Fate::Answer);
    let with = |memory: &str, line: &str| {
        let mut command = command(&sandbox, stub.address, line);
        finished(command.env("BENCHWRIGHT_LAMBDA_MEMORY", memory))
    };
    let partial = with("2048", "compare base head --on lambda --seed 1 --max-cost 0.0001");
    assert_eq!(partial.code, Some(1), "{}", partial.describe());
    with("4096", "compare --resume").exits(2).tells(&["settings or benchmarks have changed since it began"]);
}

#[test]
fn deploying_makes_a_function_per_size() {
    let Some((address, _guard)) = platform() else { return };
    let sandbox = Sandbox::empty();
    sandbox.write("benchwright.toml", "[lambda.memory-for]\n\"*Large*\" = 4096\n\"*Small*\" = 512\n");
    let deployed = deploying(&sandbox, address, &format!("deploy --function {}", function().display()));
    let printed: Vec<&str> = deployed.stdout.lines().collect();
    assert_eq!((deployed.code, printed.len()), (Some(0), 3), "{}", deployed.describe());
    let listed = deploying(&sandbox, address, "deploy --list").stdout;
    for size in [512, 2048, 4096] {
        assert!(listed.contains(&format!("{size} MB, at most 150 s")), "{listed}");
    }
    let removed = deploying(&sandbox, address, "teardown");
    assert!(removed.stdout.contains("removed 5"), "{}", removed.describe());
}

/// JMH benchmarks run with the Java that travels with them: one that runs with another one fails.
#[test]
fn jmh_benchmarks_run_with_the_java_they_bring() {
    let (Some(_), Some(_)) = (benchwright_testkit::tool("jlink"), benchwright_testkit::tool("mvn")) else {
        return;
    };
    let Some((platform, _guard)) = platform() else { return };
    let Some((functions, _guards)) = emulator(1) else { return };
    let check = "if (!System.getProperty(\"java.home\").endsWith(\"/equipment\")) {\n                throw new IllegalStateException(System.getProperty(\"java.home\"));\n            }\n            for (int i = 0; i < 100; i++) {";
    let sandbox = java::sandbox_with(|text| text.replace("for (int i = 0; i < 100; i++) {", check));
    let deployed = deploying(&sandbox, platform, &format!("deploy --function {}", function().display()));
    assert_eq!(deployed.code, Some(0), "{}", deployed.describe());
    let line = "compare base head --on lambda --format json --seed 1 --stop fixed --rule t-test --duets 3 --filter avgt";
    let mut command = command(&sandbox, platform, line);
    command.env_remove("BENCHWRIGHT_LAMBDA_BUCKET").env_remove("BENCHWRIGHT_LAMBDA_ENDPOINT");
    command.env("AWS_ENDPOINT_URL", format!("http://{platform}"));
    command.env("AWS_ENDPOINT_URL_LAMBDA", format!("http://{functions}"));
    let answer = finished(&mut command);
    // Three duets on a busy machine may say anything; that Java measured is what matters here.
    assert!(matches!(answer.code, Some(0 | 3)), "{}", answer.describe());
    assert!(Document::of(&answer).verdicts().contains_key("Modes.sum/avgt"), "{}", answer.describe());
    let trials = sandbox.stored("latest").trials;
    assert_eq!(trials.len(), 6);
    assert!(trials.iter().all(|trial| trial.instance.is_some() && trial.outcome.measurement().is_some()));
    // Java is stored once for both versions.
    assert!(answer.stderr.contains("3 packages, "), "{}", answer.stderr);
}

#[test]
fn without_jlink_jmh_benchmarks_are_named_with_the_remedy() {
    let Some(_) = benchwright_testkit::tool("mvn") else { return };
    let sandbox = java::sandbox_with(|text| text);
    // A Java that runs and compiles, but does not link.
    let home = sandbox.repository.with_file_name("java");
    let real = fs::canonicalize(benchwright_testkit::tool("javac").expect("a JDK")).expect("a path");
    let real = real.parent().and_then(Path::parent).expect("its home");
    fs::create_dir_all(home.join("bin")).expect("a directory");
    for entry in fs::read_dir(real).expect("a JDK").flatten() {
        if entry.file_name() != "bin" {
            std::os::unix::fs::symlink(entry.path(), home.join(entry.file_name())).expect("a link");
        }
    }
    for name in ["java", "javac", "jdeps"] {
        std::os::unix::fs::symlink(real.join("bin").join(name), home.join("bin").join(name)).expect("a link");
    }
    let stub = Stub::start(|_| Fate::Answer);
    let mut command = command(&sandbox, stub.address, "compare base head --on lambda --filter avgt");
    let answer = finished(command.env("JAVA_HOME", &home)).exits(1);
    answer.tells(&["jlink", "comes with a JDK, not with a JRE"]);
    assert_eq!(stub.requests(), 0);
}

/// A version with two commands: one is a program of its own, the other one is installed on this machine.
fn commands(rounds: u32) -> [(&'static str, String); 3] {
    let configuration = "[[command]]
name = \"count\"
build = \"mkdir -p target && cc -static -O1 -o target/count count.c\"
run = \"target/count {n}\"
parameters = { n = [1, 2] }
input = \"words.txt\"

[[command]]
name = \"sorted\"
run = \"sort words.txt\"
";
    let program = format!(
        "#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {{
    volatile unsigned long sum = 0;
    if (getchar() != 'w' || count != 2) return 9;
    for (unsigned long i = 0; i < {rounds}UL * atoi(words[1]); i++) sum += i;
    return 0;
}}
"
    );
    [("benchwright.toml", configuration.into()), ("count.c", program), ("words.txt", "words\n".into())]
}

#[test]
fn commands_travel_where_their_program_is_the_versions_own() {
    let Some((address, guards)) = emulator(2) else { return };
    let sandbox = Sandbox::empty();
    sandbox.commit(&commands(1000), "base");
    sandbox.commit(&commands(20_000_000), "head");
    let line = "compare base head --on lambda --iteration-time 2ms --iterations 2 --seed 1";
    let stays = "`sort` is a program of this machine";

    let planned = finished(&mut command(&sandbox, address, &format!("{line} --dry-run"))).exits(0);
    planned.tells(&["sorted: cannot run on AWS Lambda", stays, "--fallback local"]);

    let answer = finished(&mut command(&sandbox, address, &format!("{line} --format json"))).exits(3);
    let document = Document::of(&answer);
    let verdicts = document.verdicts();
    assert_eq!(verdicts.keys().collect::<Vec<_>>(), ["count(n=1)", "count(n=2)"], "{}", answer.describe());
    assert!(verdicts.values().all(|verdict| verdict == "slower"), "{:#}", document.0);
    assert!(document.0["diagnostics"].to_string().contains(stays), "{:#}", document.0);
    let stored = sandbox.stored("latest");
    assert!(stored.trials.iter().all(|trial| trial.instance.is_some()), "all ran in instances");
    drop(guards);
}
