//! Go: edited in an overlay, as the module is on the disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use benchwright_probe::*;
use tempfile::TempDir;

use crate::program::*;

const KNOWN: [Known; 19] = [
    known("main.once", 10, 0),
    known("main.main", 1, 0),
    known("lib.init", 1, 0),
    known("lib.init#2", 1, 0),
    known("lib.initial", 1, 0),
    known("Empty", 8000, 0),
    known("OneLine", 10, 10),
    known("EarlyReturn", 20, 10),
    known("Panics", 10, 10),
    known("Recovers", 10, 10),
    known("Handler", 10, 0),
    known("Recursive", 210, 10),
    known("Even", 50, 10),
    known("Odd", 50, 10),
    known("Spreads", 30, 60),
    known("Closure", 10, 10),
    known("lib.(*Type).Pointer", 10, 10),
    known("Type.Value", 10, 10),
    known("Leaf", 10, 0),
];

/// A copy, since the assembler wants to run in the directory of its package, which an overlay cannot make.
fn program(directory: &Path) -> Program {
    for part in ["lib", "internal/benchwrightprobe"] {
        fs::create_dir_all(directory.join(part)).expect("a directory");
    }
    for file in ["go.mod", "lib/lib.go", "main.go"] {
        fs::copy(sources().join("go").join(file), directory.join(file)).expect("a file");
    }
    Program {
        target: Target::Go { module: "example.org/tricky".into() },
        directory: directory.to_owned(),
        files: vec!["lib/lib.go".into(), "main.go".into()],
    }
}

/// An overlay with the edited files; the module itself stays as it is.
fn overlay(program: &Program, texts: &[(String, String)], count: u32) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let Support::Files(support) = support(&program.target, count) else { panic!("files") };
    let support = support.into_iter().map(|file| (file.path, file.text));
    let mut entries = Vec::new();
    for (n, (path, text)) in texts.iter().cloned().chain(support).enumerate() {
        let replacement = directory.path().join(format!("{n}-{}", path.replace('/', "-")));
        fs::write(&replacement, text).expect("a file");
        entries.push(format!("{:?}: {replacement:?}", program.directory.join(path)));
    }
    let overlay = format!("{{\"Replace\": {{{}}}}}", entries.join(","));
    fs::write(directory.path().join("overlay.json"), overlay).expect("a file");
    directory
}

fn build(go: &Path, program: &Program, overlay: Option<&Path>, output: &Path) {
    let mut command = Command::new(go);
    command.args(["build", "-o"]).arg(output).current_dir(&program.directory);
    if let Some(overlay) = overlay {
        command.arg("-overlay").arg(overlay.join("overlay.json"));
    }
    let built = command.arg(".").output().expect("go starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

#[test]
fn an_edited_program_counts_and_slows_down_as_known() {
    let Some(go) = benchwright_testkit::tool("go") else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let program = program(directory.path());
    let plain_program = directory.path().join("plain");
    build(&go, &program, None, &plain_program);
    let plain = Command::new(&plain_program).output().expect("it starts");

    let (texts, functions) = program.edited(|_| true, Change::Count);
    let place = overlay(&program, &texts, functions.len() as u32);
    let executable = place.path().join("counting");
    build(&go, &program, Some(place.path()), &executable);
    let (output, records, _) = run(&mut Command::new(&executable));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    assert!(records.iter().all(|record| record.own_ns == 0 && record.added_ns == 0));

    let (texts, functions) = program.edited(|one| one.name != "Work", Change::SlowDown { factor: FACTOR });
    let place = overlay(&program, &texts, functions.len() as u32);
    let executable = place.path().join("slow");
    build(&go, &program, Some(place.path()), &executable);
    let (output, records, wall) = run(&mut Command::new(&executable));
    assert_eq!(output.stdout, plain.stdout);
    check_calls(&functions, &records, &KNOWN);
    check_slowdown(&functions, &records, &KNOWN, wall);

    let (texts, functions) = program.edited(|one| one.name == "Empty", Change::Busy { ns: BUSY_NS });
    let place = overlay(&program, &texts, 1);
    let executable = place.path().join("busy");
    build(&go, &program, Some(place.path()), &executable);
    let (output, records, wall) = run(&mut Command::new(&executable));
    assert_eq!(output.stdout, plain.stdout);
    check_busy(&functions, &records, 8000, 8, wall);
}
