//! Measures what edits cost, and how exact slowdowns and waits are, in a tight loop in all three languages.
//!
//! ```sh
//! cargo run --release -p benchwright-probe --example overhead
//! ```
//!
//! For calls of several lengths it prints nanoseconds per call without edit (the lower decile of many short rounds, which
//! other processes do not disturb), what counting adds, what a wait of 50 ns
//! adds, the factor that a slowdown by 0.5 reaches in the program's own time, and the factor that it recorded.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use benchwright_probe::*;

const PROGRAMS: [(&str, &str, Target, &str); 3] = [
    ("Go", "main.go", Target::Go { module: String::new() }, include_str!("step.go.txt")),
    ("Java", "Step.java", Target::Java, include_str!("Step.java.txt")),
    ("Rust", "main.rs", Target::Rust, include_str!("step.rs.txt")),
];

/// A case of the program and its nanoseconds per call.
type Times = Vec<(String, f64)>;

fn main() -> Result<(), Box<dyn Error>> {
    println!("language  case        plain ns   count +ns   busy 50 +ns   slow 0.5 factor   recorded");
    for (name, file, target, source) in PROGRAMS {
        let target = match target {
            Target::Go { .. } => Target::Go { module: "example.org/step".to_owned() },
            other => other,
        };
        let changes = [
            None,
            Some(Change::Count),
            Some(Change::Busy { ns: 50 }),
            Some(Change::SlowDown { factor: 0.5 }),
        ];
        let mut results = Vec::new();
        for change in changes {
            results.push(measured(&target, file, source, change)?);
        }
        let [(plain, _), (count, _), (busy, _), (slow, records)] = &results[..] else {
            unreachable!("four changes")
        };
        for (i, (case, ns)) in plain.iter().enumerate() {
            let record = records.get(i).copied().unwrap_or_default();
            let recorded = record.added_ns as f64 / record.own_ns.max(1) as f64;
            let added = |times: &Times| times[i].1 - ns;
            let (count, busy, factor) = (added(count), added(busy), added(slow) / ns);
            println!("{name:9} {case:9} {ns:10.1} {count:11.1} {busy:13.1} {factor:17.3} {recorded:10.3}");
        }
    }
    Ok(())
}

/// What the program prints, and what it recorded. The functions of its cases come first in the file.
fn measured(
    target: &Target,
    file: &str,
    source: &str,
    change: Option<Change>,
) -> Result<(Times, Vec<Record>), Box<dyn Error>> {
    let place = tempfile::tempdir()?;
    let functions = index(target.language(), file, source).functions;
    let cases: Vec<(&Function, u32)> =
        functions.iter().filter(|one| one.name.starts_with("step")).zip(0..).collect();
    let mut text = source.to_owned();
    if let Some(change) = change {
        text = edit(target, source, &cases, change)?.text;
    }
    match support(target, cases.len() as u32) {
        Support::EndOfCrateRoot(tail) => text += &tail,
        Support::Files(files) => {
            for support in files {
                let path = place.path().join(support.path);
                fs::create_dir_all(path.parent().ok_or("a path without directory")?)?;
                fs::write(path, support.text)?;
            }
        }
    }
    fs::write(place.path().join(file), text)?;
    let counters = place.path().join("counters");
    fs::create_dir(&counters)?;
    let output = build(target, place.path())?.env(DIRECTORY_VARIABLE, &counters).output()?;
    let printed = String::from_utf8(output.stdout)?;
    let times = printed.lines().filter_map(|line| line.split_once(' '));
    let times: Result<Times, Box<dyn Error>> =
        times.map(|(case, ns)| Ok((case.to_owned(), ns.parse::<f64>()?))).collect();
    let mut processes = Vec::new();
    for entry in fs::read_dir(counters)? {
        processes.push(read_records(&fs::read(entry?.path())?)?);
    }
    Ok((times?, sum(&processes)))
}

/// Builds the program and gives the command that runs it.
fn build(target: &Target, place: &Path) -> Result<Command, Box<dyn Error>> {
    let (build, run): (&[&str], &[&str]) = match target {
        Target::Go { .. } => (&["go", "build", "-o", "program", "."], &["./program"]),
        Target::Java => {
            (&["javac", "-d", ".", "Step.java", "benchwright/Probe.java"], &["java", "-cp", ".", "Step"])
        }
        Target::Rust => (&["rustc", "--edition=2021", "-O", "-o", "program", "main.rs"], &["./program"]),
    };
    if let Target::Go { module } = target {
        fs::write(place.join("go.mod"), format!("module {module}\n\ngo 1.20\n"))?;
    }
    if !Command::new(build[0]).args(&build[1..]).current_dir(place).status()?.success() {
        return Err("the program does not compile".into());
    }
    let program = if run[0] == "./program" { place.join("program") } else { run[0].into() };
    let mut command = Command::new(program);
    command.args(&run[1..]).current_dir(place);
    Ok(command)
}
