//! Programs linked again in another order with the real tools: Go, also with C code, and Cargo.

#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

mod version;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use benchwright_harness::{Executable, RelinkRequest, Relinked};
use version::Version;

/// The version `name` of these files; versions below one directory share their intermediate files.
fn version_of(harness: &str, dir: &Path, name: &str, files: &[(&str, &str)]) -> Version {
    let version = Version::of(harness, dir, name);
    version.write(files);
    version
}

fn build(version: &Version) -> Executable {
    let executables = version.build("", &[]);
    assert_eq!(executables.len(), 1);
    executables.into_iter().next().unwrap()
}

/// Links with this seed; returns what became of it, the program and the purposes of all steps.
fn relink(version: &Version, executable: &Executable, seed: u64) -> (Relinked, PathBuf, Vec<String>) {
    let dir = version.out.join(format!("layouts/{seed}"));
    fs::create_dir_all(&dir).unwrap();
    let target = dir.join(executable.path.file_name().unwrap());
    let project = version.project("");
    let request = RelinkRequest {
        build: version.request(&project, &[]),
        executable,
        target: &target,
        keep: &version.out.join("layouts/shared"),
        seed,
    };
    let mut run = version.processes();
    let relinked = version.harness.relink(&request, &mut run).unwrap();
    (relinked, target, run.steps.into_iter().map(|step| step.purpose).collect())
}

/// Names of a program's functions by address, as Go's tool for symbols tells.
fn functions(program: &Path) -> Vec<String> {
    let output = Command::new("go").args(["tool", "nm", "-sort", "address"]).arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let code = text.lines().filter_map(|line| line.split_whitespace().collect::<Vec<_>>().try_into().ok());
    let code = code.filter(|[_, kind, _]: &[&str; 3]| kind.eq_ignore_ascii_case("t"));
    code.map(|[_, _, name]| name.to_owned()).collect()
}

#[track_caller]
fn check_orders(programs: &[&Path]) {
    let orders: Vec<Vec<String>> = programs.iter().map(|program| functions(program)).collect();
    assert!(orders[0].len() > 300, "{}", orders[0].len());
    for (place, order) in orders.iter().enumerate() {
        assert!(
            orders[..place].iter().all(|other| other != order),
            "two of {programs:?} are in the same order"
        );
    }
}

fn printed(program: &Path, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

const MODULE: (&str, &str) = ("go.mod", "module example.com/moved\n\ngo 1.21\n");
const BENCHMARK: (&str, &str) = (
    "moved_test.go",
    "package moved\n\nimport \"testing\"\n\nfunc BenchmarkTwice(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tTwice(i)\n\t}\n}\n",
);
const GO: (&str, &str) = ("moved.go", "package moved\n\nfunc Twice(n int) int { return 2 * n }\n");

#[test]
fn a_go_program_has_another_order_for_each_seed() {
    let dir = tempfile::tempdir().unwrap();
    let version = version_of("go", dir.path(), "a", &[MODULE, BENCHMARK, GO]);
    let executable = build(&version);
    let (first, one, purposes) = relink(&version, &executable, 1 << 40);
    let (second, two, repeated) = relink(&version, &executable, u64::MAX);
    assert_eq!((first, second), (Relinked::Done, Relinked::Done));
    let link = "link package example.com/moved in another order";
    assert_eq!(purposes.last().map(String::as_str), Some(link));
    assert_eq!(repeated, [link], "the linker's call alone");
    check_orders(&[&version.out.join(&executable.path), &one, &two]);
    assert!(printed(&one, &["-test.list", "."]).contains("BenchmarkTwice"));
    let bytes = fs::read(&one).unwrap();
    let (_, again, _) = relink(&version, &executable, 1 << 40);
    assert!(bytes == fs::read(again).unwrap(), "the same seed gives the same program, however it was linked");
}

#[test]
fn a_go_program_is_linked_all_the_same_when_what_was_kept_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let version = version_of("go", dir.path(), "a", &[MODULE, BENCHMARK, GO]);
    let executable = build(&version);
    let (_, one, first) = relink(&version, &executable, 1);
    let kept = fs::read_dir(version.out.join("layouts/shared")).unwrap().map(|entry| entry.unwrap().path());
    kept.filter(|path| path.is_dir()).for_each(|work| fs::remove_dir_all(work).unwrap());
    let (relinked, two, steps) = relink(&version, &executable, 40);
    assert_eq!((relinked, steps.len()), (Relinked::Done, first.len() + 1));
    check_orders(&[&one, &two]);
    assert_eq!(relink(&version, &executable, 80).2.len(), 1, "it is kept anew");
}

#[test]
fn go_with_c_code_moves_too() {
    let dir = tempfile::tempdir().unwrap();
    let c = "package moved\n\n// static int twice(int n) { return 2 * n; }\nimport \"C\"\n\nfunc Twice(n int) int { return int(C.twice(C.int(n))) }\n";
    let mut version = version_of("go", dir.path(), "a", &[MODULE, BENCHMARK, ("moved.go", c)]);
    version.env = vec![("CGO_ENABLED", "1")];
    let executable = build(&version);
    let (relinked, program, _) = relink(&version, &executable, 7);
    assert_eq!(relinked, Relinked::Done);
    check_orders(&[&version.out.join(&executable.path), &program]);
    assert!(printed(&program, &["-test.bench", ".", "-test.benchtime", "1x"]).contains("BenchmarkTwice"));
}

#[test]
fn linker_flags_of_the_environment_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let mut version = version_of("go", dir.path(), "a", &[MODULE, BENCHMARK, GO]);
    version.env = vec![("GOFLAGS", "-ldflags=-s")];
    let executable = build(&version);
    let (relinked, program, _) = relink(&version, &executable, 7);
    assert!(matches!(&relinked, Relinked::Cannot(why) if why.contains("GOFLAGS")), "{relinked:?}");
    assert!(!program.exists());
}

const MANIFEST: &str = "[package]\nname = \"moved\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[[bench]]\nname = \"all-words\"\nharness = false\n\n[profile.bench]\nopt-level = 0\n\n[workspace]\n";
const RUST_BENCH: &str = "fn main() {\n    println!(\"version {}\", moved::version());\n}\n";

/// A crate whose bench program prints the version.
fn crate_files(version: &str) -> [(&'static str, String); 4] {
    [
        ("Cargo.toml", MANIFEST.to_owned()),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"moved\"\nversion = \"0.1.0\"\n".to_owned()),
        ("src/lib.rs", format!("#[inline(never)]\npub fn version() -> u32 {{\n    {version}\n}}\n")),
        ("benches/all-words.rs", RUST_BENCH.to_owned()),
    ]
}

fn crate_version(dir: &Path, name: &str, version: &str) -> Version {
    let files = crate_files(version);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    version_of("cargo", dir, name, &files)
}

#[test]
fn a_rust_program_has_another_order_for_each_seed_and_is_compiled_once() {
    let dir = tempfile::tempdir().unwrap();
    let (base, head) = (crate_version(dir.path(), "a", "1"), crate_version(dir.path(), "b", "2"));
    let (old, new) = (build(&base), build(&head));
    let (first, one, purposes) = relink(&base, &old, 1);
    if let Relinked::Cannot(why) = &first {
        // Where rustc calls the system's linker; named, and nothing else to see.
        assert!(why.contains("cannot put functions in random order"), "{why}");
        benchwright_testkit::skip("the linker that rustc calls cannot put functions in random order");
        return;
    }
    assert_eq!(purposes.len(), 4, "{purposes:?}");
    // The other version's files now lie in the shared target directory.
    let (_, other, _) = relink(&head, &new, 1);
    let (second, two, purposes) = relink(&base, &old, 2);
    assert_eq!((first, second), (Relinked::Done, Relinked::Done));
    assert_eq!(purposes, ["link moved/all-words in another order"]);
    check_orders(&[&base.out.join(&old.path), &one, &two]);
    for (program, expected) in [(&one, "version 1\n"), (&two, "version 1\n"), (&other, "version 2\n")] {
        assert_eq!(printed(program, &[]), expected);
    }
    // A build after that is as it should be.
    let again = build(&base);
    assert_eq!(printed(&base.out.join(&again.path), &[]), "version 1\n");
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn the_systems_linker_is_named_as_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let version = crate_version(dir.path(), "a", "1");
    fs::create_dir_all(version.root.join(".cargo")).unwrap();
    let config = "[build]\nrustflags = [\"-Clinker-features=-lld\"]\n";
    fs::write(version.root.join(".cargo/config.toml"), config).unwrap();
    let executable = build(&version);
    let (relinked, ..) = relink(&version, &executable, 1);
    assert!(matches!(&relinked, Relinked::Cannot(why) if why.contains("its linker (GNU ld")), "{relinked:?}");
}
