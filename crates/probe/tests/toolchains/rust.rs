//! Rust: every edition, and a crate that allows nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use benchwright_probe::*;

use crate::program::*;

const KNOWN: [Known; 25] = [
    known("empty", 4000, 0),
    known("one_line", 10, 10),
    known("question", 20, 20),
    known("tricky::early", 20, 10),
    known("panics", 10, 10),
    known("recursive", 210, 10),
    known("even", 50, 10),
    known("odd", 50, 10),
    known("generic", 10, 10),
    known("closure", 10, 10),
    known("waits", 20, 40),
    known("borrows", 10, 20),
    known("foreign", 10, 0),
    known("never", 1, 0),
    known("Type::new", 20, 20),
    known("Type::get", 30, 0),
    known("tricky::<Type as Drop>::drop", 20, 0),
    known("Shape::twice", 10, 10),
    known("<Type as Shape>::area", 10, 0),
    known("<u32 as From<Type<u32>>>::from", 10, 0),
    known("<u64 as From<Type<u32>>>::from", 10, 0),
    known("inner::visible", 10, 0),
    known("tricky::inner::system", 10, 0),
    known("tricky::inner::system#2", 0, 0),
    known("main", 1, 0),
];

fn program(file: &str) -> Program {
    Program { target: Target::Rust, directory: sources().join("rust"), files: vec![file.into()] }
}

fn compile(rustc: &Path, directory: &Path, text: &str, options: &[&str]) -> PathBuf {
    let source = directory.join("source.rs");
    fs::write(&source, text).expect("a file");
    let output = directory.join("program");
    let mut command = Command::new(rustc);
    command.args(options).args(["-O", "--cap-lints", "forbid", "-o"]).arg(&output).arg(&source);
    let built = command.output().expect("rustc starts");
    assert!(built.status.success(), "{options:?}: {}", String::from_utf8_lossy(&built.stderr));
    output
}

fn with_support(texts: &[(String, String)], count: usize) -> String {
    let Support::EndOfCrateRoot(tail) = support(&Target::Rust, count as u32) else { panic!("text") };
    format!("{}{tail}", texts[0].1)
}

#[test]
fn an_edited_program_counts_and_slows_down_as_known() {
    let Some(rustc) = benchwright_testkit::tool("rustc") else { return };
    let program = program("tricky.rs");
    let place = tempfile::tempdir().expect("a directory");
    let original = fs::read_to_string(sources().join("rust/tricky.rs")).expect("a source file");
    let executable = compile(&rustc, place.path(), &original, &["--edition=2021"]);
    let plain = Command::new(executable).output().expect("it starts");

    let (texts, functions) = program.edited(|one| one.name != "a_test", Change::Count);
    let executable =
        compile(&rustc, place.path(), &with_support(&texts, functions.len()), &["--edition=2021"]);
    let (output, records, _) = run(&mut Command::new(executable));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    assert!(records.iter().all(|record| record.own_ns == 0 && record.added_ns == 0));

    let slow = Change::SlowDown { factor: FACTOR };
    let (texts, functions) = program.edited(|one| one.name != "work", slow);
    let executable =
        compile(&rustc, place.path(), &with_support(&texts, functions.len()), &["--edition=2024"]);
    let (output, records, wall) = run(&mut Command::new(&executable));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    check_slowdown(&functions, &records, &KNOWN, wall);

    // With `main`, because only the main thread writes times at its end for certain.
    let is_chosen = |one: &Function| one.name == "empty" || one.name == "main";
    let (texts, functions) = program.edited(is_chosen, Change::Busy { ns: BUSY_NS });
    let executable = compile(&rustc, place.path(), &with_support(&texts, 2), &["--edition=2021"]);
    let (output, records, wall) = run(&mut Command::new(executable));
    assert_eq!(output.stdout, plain.stdout);
    check_busy(&functions[..1], &records[..1], 4000, 4, wall);
    assert_eq!(records[1].calls, 1);
}

#[test]
fn a_crate_that_allows_nothing_compiles_in_every_edition() {
    let Some(rustc) = benchwright_testkit::tool("rustc") else { return };
    let program = program("strict.rs");
    let place = tempfile::tempdir().expect("a directory");
    let original = fs::read_to_string(sources().join("rust/strict.rs")).expect("a source file");
    for (edition, change) in [
        ("--edition=2015", Change::Count),
        ("--edition=2018", Change::SlowDown { factor: 1e-7 }),
        ("--edition=2021", Change::Busy { ns: 50 }),
        ("--edition=2024", Change::SlowDown { factor: 1e20 }),
    ] {
        let (texts, functions) = program.edited(|_| true, change);
        assert_eq!(functions.len(), 4);
        let text = with_support(&texts, 4);
        compile(&rustc, place.path(), &text, &[edition, "--crate-type=rlib"]);
        assert!(text.starts_with(original.lines().next().expect("a line")));
    }
}
