//! Java: edited sources compiled with a warning being an error.

use std::fs;
use std::path::Path;
use std::process::Command;

use benchwright_probe::*;

use crate::program::*;

const KNOWN: [Known; 24] = [
    known("tricky.Tricky.<init>(int)", 10, 10),
    known("tricky.Tricky.<init>(int,java.lang.String[])", 20, 0),
    known("empty", 4000, 0),
    known("oneLine", 10, 10),
    known("earlyReturn(int,int[][],List)", 20, 10),
    known("fails", 10, 10),
    known("recursive", 210, 10),
    known("even", 50, 10),
    known("odd", 50, 10),
    known("lambdas", 10, 10),
    known("switches", 10, 10),
    known("generic", 10, 10),
    known("Tricky.get", 10, 0),
    known("forever", 10, 10),
    known("Colour.<init>", 2, 0),
    known("Colour.twice", 10, 0),
    known("Colour.any", 10, 10),
    known("Pair.<init>(int,List)", 10, 10),
    known("Pair.sum", 10, 0),
    known("Shape.twice", 10, 10),
    known("Shape.helper", 10, 10),
    known("Shape.unit", 10, 0),
    known("main", 1, 0),
    known("Hidden.notPublic", 0, 0),
];

fn compile(javac: &Path, root: &Path, sources: &[&str]) {
    let mut command = Command::new(javac);
    command.args(["-Xlint:all", "-Werror", "-d", "classes"]).args(sources).current_dir(root);
    let built = command.output().expect("javac starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

fn java(java: &Path, root: &Path) -> Command {
    let mut command = Command::new(java);
    command.args(["-XX:+UseSerialGC", "-Xss512k", "-cp", "classes", "tricky.Tricky"]).current_dir(root);
    command
}

fn build_edited(
    javac: &Path,
    program: &Program,
    texts: &[(String, String)],
    count: u32,
) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a directory");
    let Support::Files(support) = support(&program.target, count) else { panic!("files") };
    let support = support.into_iter().map(|file| (file.path, file.text));
    for (path, text) in texts.iter().cloned().chain(support) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    compile(javac, root.path(), &["tricky/Tricky.java", "benchwright/Probe.java"]);
    root
}

#[test]
fn an_edited_program_counts_and_slows_down_as_known() {
    let Some(javac) = benchwright_testkit::tool("javac") else { return };
    let Some(jvm) = benchwright_testkit::tool("java") else { return };
    let directory = sources().join("java");
    let program = Program { target: Target::Java, directory, files: vec!["tricky/Tricky.java".into()] };
    let plain_root = tempfile::tempdir().expect("a directory");
    let source = program.directory.join("tricky/Tricky.java");
    compile(&javac, plain_root.path(), &[source.to_str().expect("a plain path")]);
    let plain = java(&jvm, plain_root.path()).output().expect("it starts");

    let (texts, functions) = program.edited(|_| true, Change::Count);
    let root = build_edited(&javac, &program, &texts, functions.len() as u32);
    let (output, records, _) = run(&mut java(&jvm, root.path()));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    assert!(records.iter().all(|record| record.own_ns == 0 && record.added_ns == 0));

    let (texts, functions) = program.edited(|one| one.name != "work", Change::SlowDown { factor: FACTOR });
    let root = build_edited(&javac, &program, &texts, functions.len() as u32);
    let (output, records, wall) = run(&mut java(&jvm, root.path()));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    check_slowdown(&functions, &records, &KNOWN, wall);

    let (texts, functions) = program.edited(|one| one.name == "empty", Change::Busy { ns: BUSY_NS });
    let root = build_edited(&javac, &program, &texts, 1);
    let (output, records, wall) = run(&mut java(&jvm, root.path()));
    assert_eq!(output.stdout, plain.stdout);
    check_busy(&functions, &records, 4000, 4, wall);
}

#[test]
fn the_support_code_is_java_8() {
    let Some(javac) = benchwright_testkit::tool("javac") else { return };
    let Support::Files(files) = support(&Target::Java, 3) else { panic!("files") };
    let root = tempfile::tempdir().expect("a directory");
    fs::write(root.path().join("Probe.java"), &files[0].text).expect("a file");
    let mut command = Command::new(javac);
    command
        .args(["--release", "8", "-Xlint:all,-options", "-Werror", "-d", ".", "Probe.java"])
        .current_dir(root.path());
    let built = command.output().expect("javac starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}
