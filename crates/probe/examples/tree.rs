//! Edits a whole directory of sources, measures how fast it is indexed, or shows what edited programs counted.
//!
//! ```sh
//! cargo run --release -p benchwright-probe --example tree -- index LANGUAGE DIRECTORY [LINES]
//! cargo run --release -p benchwright-probe --example tree -- edit TARGET CHANGE DIRECTORY
//! cargo run --release -p benchwright-probe --example tree -- read DIRECTORY COUNTERS
//! ```
//!
//! `index` repeats the files until there are as many lines. `edit` changes the files in place: work on a copy. TARGET
//! is `go:MODULE`, `java:DIRECTORY OF SOURCES` or `rust:CRATE ROOT,CRATE ROOT…` with paths below the directory, CHANGE
//! `count`, `slow=FACTOR` or `busy=NANOSECONDS`. The addresses of the functions go to `benchwright-functions.txt`,
//! where `read` finds them.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use benchwright_probe::*;

const LIST: &str = "benchwright-functions.txt";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["index", language, directory] => measure(language, directory, "0"),
        ["index", language, directory, lines] => measure(language, directory, lines),
        ["edit", target, change, directory] => edit_all(target, change, Path::new(directory)),
        ["read", directory, counters] => read(directory, counters),
        _ => Err("expected `index`, `edit` or `read`; see the first lines of this program".into()),
    }
}

fn language(name: &str) -> Result<Language, Box<dyn Error>> {
    Language::of_path(&format!(".{}", name.replace("rust", "rs"))).ok_or_else(|| "unknown language".into())
}

/// The files of the language below a directory, with their paths below it.
fn sources(language: Language, directory: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(current) = waiting.pop() {
        for entry in fs::read_dir(&current)? {
            let path: PathBuf = entry?.path();
            let name = path.strip_prefix(directory)?.to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if Language::of_path(&name) == Some(language)
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push((name, text));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn measure(name: &str, directory: &str, lines: &str) -> Result<(), Box<dyn Error>> {
    let language = language(name)?;
    let files = sources(language, Path::new(directory))?;
    let wanted: usize = lines.parse()?;
    let (mut lines, mut bytes, mut functions, mut editable, mut public) = (0, 0, 0, 0, 0);
    let start = Instant::now();
    loop {
        for (path, text) in &files {
            let Index { functions: listed, left_alone: None } = index(language, path, text) else { continue };
            lines += text.lines().count();
            bytes += text.len();
            functions += listed.len();
            editable += listed.iter().filter(|function| function.problem.is_none()).count();
            public += listed.iter().filter(|function| function.is_public).count();
        }
        if lines == 0 || lines >= wanted {
            break;
        }
    }
    let taken = start.elapsed().as_secs_f64();
    println!("{} files, {lines} lines, {bytes} bytes in {taken:.2} s", files.len());
    println!("{functions} functions, {editable} editable, {public} public");
    Ok(())
}

fn target(text: &str) -> Result<(Target, String), Box<dyn Error>> {
    let (name, place) = text.split_once(':').ok_or("expected `LANGUAGE:PLACE`")?;
    let target = match language(name)? {
        Language::Go => Target::Go { module: place.to_owned() },
        Language::Java => Target::Java,
        Language::Rust => Target::Rust,
    };
    Ok((target, place.to_owned()))
}

fn change(text: &str) -> Result<Change, Box<dyn Error>> {
    match text.split_once('=') {
        None if text == "count" => Ok(Change::Count),
        Some(("slow", factor)) => Ok(Change::SlowDown { factor: factor.parse()? }),
        Some(("busy", ns)) => Ok(Change::Busy { ns: ns.parse()? }),
        _ => Err("expected `count`, `slow=FACTOR` or `busy=NANOSECONDS`".into()),
    }
}

fn edit_all(target_text: &str, change_text: &str, directory: &Path) -> Result<(), Box<dyn Error>> {
    let (target, place) = target(target_text)?;
    let change = change(change_text)?;
    let mut addresses = String::new();
    let mut id = 0;
    let mut problems = 0;
    for (path, text) in sources(target.language(), directory)? {
        let functions = index(target.language(), &path, &text).functions;
        let editable: Vec<&Function> = functions.iter().filter(|one| one.problem.is_none()).collect();
        problems += functions.len() - editable.len();
        let numbered: Vec<(&Function, u32)> = editable.into_iter().zip(id..).collect();
        let edited = edit(&target, &text, &numbered, change)?;
        let is_same = edit(&target, &edited.text, &numbered, change)?.text == edited.text;
        assert!(is_same && edited.text.lines().count() == text.lines().count(), "{path}");
        for (function, _) in &numbered {
            addresses.push_str(&format!("{function}\n"));
            id += 1;
        }
        fs::write(directory.join(path), edited.text)?;
    }
    match support(&target, id) {
        Support::Files(files) => {
            let below = if target == Target::Java { directory.join(place) } else { directory.to_owned() };
            for file in files {
                let path = below.join(file.path);
                fs::create_dir_all(path.parent().ok_or("a path without directory")?)?;
                fs::write(path, file.text)?;
            }
        }
        Support::EndOfCrateRoot(text) => {
            for root in place.split(',') {
                let path = directory.join(root);
                fs::write(&path, fs::read_to_string(&path)? + &text)?;
            }
        }
    }
    fs::write(directory.join(LIST), addresses)?;
    println!("{id} functions edited, {problems} not editable");
    Ok(())
}

fn read(directory: &str, counters: &str) -> Result<(), Box<dyn Error>> {
    let mut processes = Vec::new();
    for entry in fs::read_dir(counters)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "probe") {
            processes.push(read_records(&fs::read(path)?)?);
        }
    }
    let addresses = fs::read_to_string(Path::new(directory).join(LIST))?;
    let records = sum(&processes);
    let called = addresses.lines().zip(&records).filter(|(_, record)| record.calls > 0);
    for (address, record) in called {
        println!("{}\t{}\t{}\t{address}", record.calls, record.own_ns, record.added_ns);
    }
    println!("{} processes", processes.len());
    Ok(())
}
