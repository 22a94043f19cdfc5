//! Edits a program, runs it and reads its counters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use benchwright_probe::*;

/// How much longer slowed functions take.
pub(crate) const FACTOR: f64 = 0.5;

/// What one call to `work` of the programs takes at least.
const WORK_NS: u64 = 200_000;

/// What a function of a program is known to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    pub(crate) function: &'static str,
    pub(crate) calls: u64,
    /// How often `work` runs in its outermost calls.
    pub(crate) works: u64,
}

pub(crate) const fn known(function: &'static str, calls: u64, works: u64) -> Known {
    Known { function, calls, works }
}

/// A program in a directory of its own, unpacked from `tests/sources`.
pub(crate) struct Program {
    pub(crate) target: Target,
    pub(crate) directory: PathBuf,
    /// The source files, relative to the directory.
    pub(crate) files: Vec<String>,
}

pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

impl Program {
    /// The functions of all files, each with its file.
    pub(crate) fn functions(&self) -> Vec<(String, Function)> {
        let listed = self.files.iter().map(|file| {
            let text = fs::read_to_string(self.directory.join(file)).expect("a source file");
            let functions = index(self.target.language(), file, &text).functions;
            functions.into_iter().map(|function| (file.clone(), function)).collect::<Vec<_>>()
        });
        listed.flatten().collect()
    }

    /// The edited files, by their paths, with the numbers that the functions to be edited have.
    pub(crate) fn edited(
        &self,
        chosen: impl Fn(&Function) -> bool,
        change: Change,
    ) -> (Vec<(String, String)>, Vec<Function>) {
        let functions = self.functions();
        let chosen: Vec<&(String, Function)> =
            functions.iter().filter(|(_, function)| function.problem.is_none() && chosen(function)).collect();
        let mut texts = Vec::new();
        for file in &self.files {
            let text = fs::read_to_string(self.directory.join(file)).expect("a source file");
            let own = (0_u32..).zip(&chosen).filter(|(_, (of, _))| of == file);
            let own: Vec<(&Function, u32)> = own.map(|(id, (_, function))| (function, id)).collect();
            let edited = edit(&self.target, &text, &own, change).expect("an edit");
            assert_eq!(edited.skipped, []);
            check_text(&self.target, file, &text, &edited.text, &own, change);
            texts.push((file.clone(), edited.text));
        }
        (texts, chosen.into_iter().map(|(_, function)| function.clone()).collect())
    }
}

/// Lines without edited functions stay as they are, the text has no new syntax errors, and editing it again changes nothing.
pub(crate) fn check_text(
    target: &Target,
    file: &str,
    before: &str,
    after: &str,
    own: &[(&Function, u32)],
    change: Change,
) {
    assert_eq!(before.lines().count(), after.lines().count(), "{file}");
    for (n, (old, new)) in (1..).zip(before.lines().zip(after.lines())) {
        let is_inside = own.iter().any(|(function, _)| function.lines.contains(&n));
        let is_import = new.contains("; import benchwrightprobe ");
        assert!(old == new || is_inside || is_import, "{file}:{n}: {new}");
    }
    let language = target.language();
    let (old, new) = (index(language, file, before), index(language, file, after));
    assert_eq!(old.left_alone, new.left_alone, "{file}");
    let described = |index: &Index| -> Vec<String> {
        let line = |one: &Function| format!("{one} {:?} {:?} {:?}", one.lines, one.problem, one.is_public);
        index.functions.iter().map(line).collect()
    };
    assert_eq!(described(&old), described(&new), "{file}");
    let again = edit(target, after, own, change).expect("the same edit");
    assert_eq!(again.text, after, "{file}");
    if !own.is_empty() {
        let other = edit(target, after, own, Change::Busy { ns: 4711 });
        assert_eq!(other, Err(EditError::AlreadyEdited), "{file}");
    }
}

/// Runs a program that has to end with status 3, and reads its counters.
pub(crate) fn run(command: &mut Command) -> (Output, Vec<Record>, Duration) {
    let records = tempfile::tempdir().expect("a directory");
    let start = Instant::now();
    let output = command.env(DIRECTORY_VARIABLE, records.path()).output().expect("the program starts");
    let wall = start.elapsed();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let files =
        fs::read_dir(records.path()).expect("a directory").map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> = files.collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].extension().is_some_and(|end| end == "probe"), "{files:?}");
    let read = |file: &PathBuf| read_records(&fs::read(file).expect("counters")).expect("complete counters");
    let processes: Vec<Vec<Record>> = files.iter().map(read).collect();
    (output, sum(&processes), wall)
}

pub(crate) fn check_calls(functions: &[Function], records: &[Record], known: &[Known]) {
    assert_eq!(functions.len(), records.len());
    for Known { function, calls, .. } in known {
        let found = find(functions, function).unwrap_or_else(|error| panic!("{error}"));
        let id = functions.iter().position(|one| one == found).expect("it is among them");
        assert_eq!(records[id].calls, *calls, "{function}");
    }
}

/// Times of functions that were slowed down.
pub(crate) fn check_slowdown(functions: &[Function], records: &[Record], known: &[Known], wall: Duration) {
    for Known { function, works, .. } in known.iter().filter(|known| known.works > 0) {
        let found = find(functions, function).unwrap_or_else(|error| panic!("{error}"));
        let record = records[functions.iter().position(|one| one == found).expect("it is among them")];
        let (own, added) = (record.own_ns as f64, record.added_ns as f64);
        let least = works * WORK_NS;
        assert!(own > least as f64 * 0.995, "{function}: {own} ns of at least {least}");
        // Each nested call measured for itself would add up to a multiple of this.
        let in_all = wall.as_nanos() as f64;
        assert!(own < in_all, "{function}: {own} ns in a program of {in_all}");
        // The smallest debt that is paid, and what counts against later calls.
        let missing = own * FACTOR - added;
        assert!(missing.abs() < 15_000.0 + own * 0.005, "{function}: {added} ns added to {own}");
    }
}

/// Counters of the function `empty`, alone slowed down by two microseconds in each of its calls in so many threads.
pub(crate) fn check_busy(
    functions: &[Function],
    records: &[Record],
    calls: u64,
    threads: u64,
    wall: Duration,
) {
    assert_eq!((functions.len(), records.len()), (1, 1));
    assert_eq!((records[0].calls, records[0].own_ns), (calls, 0));
    let added = records[0].added_ns;
    assert!(added >= calls * BUSY_NS && added < threads * wall.as_nanos() as u64, "{added} ns in {wall:?}");
}

/// How long those waits are.
pub(crate) const BUSY_NS: u64 = 2000;
