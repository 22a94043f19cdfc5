//! Go's benchmark text, which `go test -bench` prints and benchstat reads.
//!
//! Lines `key: value` are the configuration of the following results, and lines `Unit …` describe a unit.
//! Several results of one name up to the end of a test program (`PASS`, `ok`) come from one process, because
//! `-count` repeats inside it.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{Direction, Metric};

use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::head::Head;
use crate::reading::input::{Input, Line};
use crate::{Format, Imported, Scaled};

mod layout;
mod line;
mod names;
mod result;
mod table;
mod write;

use layout::Layout;
pub use result::{ResultLine, Sighting, Value, any, sight, tail};
pub use write::{TrialLine, TrialLines, write};

use table::{Package, Part, Process, Units};

/// Limits on the number of configurations, and on the number and length of their facts. Real files have
/// fewer. They are stored once per set of results, so without limits a malicious file could use any amount of
/// memory.
const MOST_PARTS: usize = 4096;
const MOST_KEYS: usize = 64;
const LONGEST_FACT: usize = 256;

/// Words before a colon that programs print and that are not keys of a configuration.
const NO_KEYS: [&str; 7] = ["panic", "testing", "warning", "error", "fatal", "note", "exit"];

/// The beginnings of results, and of lines before results.
const BEGINNINGS: [&[u8]; 5] = [b"Benchmark", b"goos: ", b"goarch: ", b"pkg: ", b"cpu: "];

/// The metric for values with this unit.
pub fn metric(unit: &str) -> Scaled {
    match unit {
        "ns/op" => Scaled::new(Metric::time(), 1e-9),
        "MB/s" => Scaled::new(Metric::bytes_per_second(), 1e6),
        "B/op" => Scaled::new(Metric::bytes_per_op(), 1.0),
        "allocs/op" => Scaled::new(Metric::allocations_per_op(), 1.0),
        // These names have another meaning in benchwright.
        "time" | "B/s" | "throughput" => Scaled::new(Metric::custom(&format!("reported:{unit}")), 1.0),
        _ => Scaled::new(Metric::custom(unit), 1.0),
    }
}

/// Units that Go prints itself.
const USUAL_UNITS: [&[u8]; 4] = [b"ns/op", b"B/op", b"allocs/op", b"MB/s"];

/// Whether the beginning contains a result, or lines that `go test` prints before results.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_header = |line: &[u8]| [&b"goos: "[..], b"pkg: "].iter().any(|key| line.starts_with(key));
    head.lines().any(|line| is_header(line) || line::is_result(line))
}

/// Reads everything: one set of results per configuration.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    read_with(input, Layout::default())
}

fn read_with(mut input: Input<'_>, layout: Layout) -> Vec<Imported> {
    let mut reader = Reader { layout, ..Reader::default() };
    // This does not use `lines` like other formats: names and numbers are processed as bytes, for speed.
    input.forget_places();
    let mut diagnostics = input.take_diagnostics();
    let mut number = 0_u32;
    loop {
        let (bytes, lines) = reader.repeated(input.rest());
        input.advance(bytes);
        number = number.saturating_add(lines).saturating_add(1);
        let more = input.with_line(|line| match line {
            Line::Whole(line) => reader.line(line, number, &mut diagnostics),
            Line::Last(line) if reader.is_cut(line) => {
                diagnostics.error(at(number, 1), "ends in the middle of a line, which is left out");
            }
            Line::Last(line) => reader.line(line, number, &mut diagnostics),
            Line::TooLong => diagnostics.warn(at(number, 1), "left out a line longer than 1 MiB"),
        });
        if more.is_none() {
            break;
        }
        // Names take far more memory than text, and the collector below would notice too late.
        if !diagnostics.admits_benchmarks(reader.names, at(number, 1)) {
            break;
        }
    }
    if let Some(error) = input.take_error() {
        diagnostics.error(at(number, 1), format!("cannot be read further: {error}"));
    }
    reader.finish(diagnostics)
}

fn at(line: u32, column: usize) -> Place {
    Place { line, column: u32::try_from(column).unwrap_or(u32::MAX) }
}

/// Circumstances of results, `pkg` not among them.
type Configuration = BTreeMap<String, String>;

#[derive(Default)]
struct Reader {
    configuration: Configuration,
    package: String,
    units: Units,
    parts: Vec<Part>,
    part_index: HashMap<Configuration, usize>,
    /// Index of the part for the present configuration. `None` after a change of the configuration.
    part: Option<usize>,
    /// The package's index within the part. `None` after a change.
    package_index: Option<usize>,
    /// Whether there were more configurations than can be distinguished.
    is_over_full: bool,
    /// Counts names of benchmarks.
    names: u64,
    /// Counts test programs.
    process: u32,
    /// Whether there was a result since the last end of a test program.
    has_results: bool,
    /// Whether a failure of this test program was reported.
    has_failed: bool,
    /// A line that looks like the death of the test program, with its number. A benchmark may print such a
    /// line too.
    death: Option<(String, u32)>,
    /// The benchmark that failed last. Functions fail with their sub-benchmarks and are not reported again.
    failed: Vec<u8>,
    /// Whether a test program ended normally.
    has_ended: bool,
    /// A name without numbers, with its line number: the benchmark printed something itself.
    waiting: Option<(Vec<u8>, u32)>,
    /// The layout of the last line, if it was a result.
    layout: Layout,
}

impl Reader {
    /// Takes lines with the same layout as the last one. Returns the number of their bytes and lines.
    fn repeated(&mut self, text: &[u8]) -> (usize, u32) {
        let process = Reader::process(&mut self.parts, self.part, self.package_index);
        process.map_or((0, 0), |process| self.layout.take(text, process))
    }

    /// The process that the last result was added to, unless the configuration has changed.
    fn process(parts: &mut [Part], part: Option<usize>, package: Option<usize>) -> Option<&mut Process> {
        parts.get_mut(part?)?.packages.get_mut(package?)?.last_process()
    }

    fn line(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        self.layout.forget();
        match line.first() {
            Some(b'B') if line::has_name(line) => return self.result(line, number, diagnostics),
            Some(b'-' | b'p' | b'f') if self.failure(line, number, diagnostics) => {}
            Some(b'a'..=b'z') if self.configure(line) => {}
            Some(b'P' | b'F' | b'o') if is_program_end(line) => {
                let death = self.death.take();
                if let (true, Some((words, number))) = (line.starts_with(b"FAIL"), death) {
                    self.has_failed = true;
                    diagnostics.error(at(number, 1), format!("a test program died: {words}"));
                }
                if line.starts_with(b"FAIL") && !std::mem::take(&mut self.has_failed) {
                    let message = format!("a test program failed: `{}`", String::from_utf8_lossy(line));
                    diagnostics.error(at(number, 1), message);
                }
                self.has_failed |= line == b"FAIL";
                self.has_ended = true;
                self.end_of_program();
            }
            Some(b'U') if line.starts_with(b"Unit ") => self.unit_line(line, number, diagnostics),
            _ => return self.rest_of_result(line),
        }
        self.waiting = None;
    }

    fn result(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        self.waiting = None;
        let (name, rest) = line::name(line);
        match self.take(name, rest, number) {
            Ok(true) => {
                if let Some(process) = Reader::process(&mut self.parts, self.part, self.package_index) {
                    self.layout.learn(line, name.len(), process);
                }
            }
            // Go prints the name before the benchmark runs.
            Ok(false) => self.waiting = Some((name.to_vec(), number)),
            Err(offset) => match line::tail(rest) {
                Some(numbers) => {
                    // Numbers in the right positions count.
                    let _ = self.take(name, numbers, number);
                }
                None if line::looks_like_numbers(rest) => {
                    let place = at(number, name.len() + offset + 1);
                    diagnostics.warn(place, "left out a result that is not `name count value unit …`");
                }
                None if self.failure(rest.trim_ascii_start(), number, diagnostics) => {}
                None => self.waiting = Some((name.to_vec(), number)),
            },
        }
    }

    /// Whether the line reports that a benchmark failed or the test program died.
    fn failure(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) -> bool {
        let dies = line.starts_with(b"panic: ") || line.starts_with(b"fatal error: ");
        let name = line.strip_prefix(b"--- FAIL: ").map(|rest| line::name(rest).0);
        let what = String::from_utf8_lossy(name.unwrap_or(line));
        if dies {
            self.death.get_or_insert((what.into_owned(), number));
        } else if let Some(name) = name {
            let is_parent = self.failed.strip_prefix(name).is_some_and(|rest| rest.starts_with(b"/"));
            if !is_parent {
                diagnostics.error(at(number, 1), format!("`{what}` failed"));
            }
            self.failed = name.to_vec();
        }
        self.has_failed |= name.is_some();
        dies || name.is_some()
    }

    /// Takes the numbers of a result. Returns false if there are none. On an error it returns the offset and
    /// takes nothing.
    fn take(&mut self, name: &[u8], text: &[u8], number: u32) -> Result<bool, usize> {
        let Some((operations, rest)) = line::operations(text)? else { return Ok(false) };
        let process = self.process;
        let before = self.package().len();
        let (process, shared) = self.package().process(name, process, number);
        process.begin(operations);
        let read = line::values(rest, |index, printed, unit| process.value(index, printed, unit, shared));
        if read.is_err() {
            process.take_back();
        }
        // The name is stored even if the line is not a result.
        self.names += (self.package().len() - before) as u64;
        read.map_err(|offset| text.len() - rest.len() + offset)?;
        self.has_results = true;
        Ok(true)
    }

    /// Whether the last line of a file may be cut: it is the beginning of a result or of a line before
    /// results, or its last unit was not at the end of any earlier line, or, if there was no result, is the
    /// beginning of a usual unit.
    fn is_cut(&self, line: &[u8]) -> bool {
        let behind = line::tail(line).filter(|_| self.waiting.is_some());
        let numbers = match (line::is_result(line), behind) {
            (true, _) => line::name(line).1,
            (false, Some(numbers)) => numbers,
            (false, None) => {
                let is_piece = |of: &&[u8]| of.starts_with(line) || line.starts_with(of);
                // A complete name without numbers is reported at the end instead: its benchmark was running.
                let (name, rest) = line::name(line);
                let is_running =
                    line::has_name(name) && rest.ends_with(b"\t") && rest.trim_ascii().is_empty();
                // Go ends each of its lines, and so do benchmarks; behind `ok` somebody may have written a note.
                let is_inside = self.is_of_go() && self.has_results && !is_program_end(line);
                return !(is_running && self.is_of_go()) && (is_inside || BEGINNINGS.iter().any(is_piece));
            }
        };
        if line.ends_with(b" ") || line.ends_with(b"\t") {
            return true;
        }
        let mut last = None;
        if let Ok(Some((_, rest))) = line::operations(numbers) {
            let _ = line::values(rest, |_, _, unit| last = Some(unit));
        }
        let Some(last) = last else { return true };
        let mut known = self.parts.iter().filter_map(|part| part.has_last_unit(last)).peekable();
        match known.peek() {
            Some(_) => !known.any(|is_known| is_known),
            None => USUAL_UNITS.iter().any(|unit| unit.len() > last.len() && unit.starts_with(last)),
        }
    }

    /// Takes numbers on a later line than the name, after the output of the benchmark.
    fn rest_of_result(&mut self, line: &[u8]) {
        if self.waiting.is_none() {
            return;
        }
        if let Some(numbers) = line::tail(line)
            && let Some((name, number)) = self.waiting.take()
        {
            let _ = self.take(&name, numbers, number);
        }
    }

    /// Takes a line `key: value`. Returns false if it is not one.
    fn configure(&mut self, line: &[u8]) -> bool {
        let Some(colon) = memchr::memchr(b':', line) else { return false };
        let key = &line[..colon];
        let is_key = key.iter().all(|byte| !byte.is_ascii_uppercase() && !byte.is_ascii_whitespace());
        let value = &line[colon + 1..];
        let (Ok(key), true) = (std::str::from_utf8(key), is_key) else { return false };
        if NO_KEYS.contains(&key)
            || !(value.is_empty() || value.starts_with(b" ") || value.starts_with(b"\t"))
        {
            return false;
        }
        let value = String::from_utf8_lossy(value.trim_ascii());
        if key == "pkg" {
            let value = value.into_owned();
            self.end_of_program();
            if self.package != value {
                self.package = value;
                self.package_index = None;
            }
            return true;
        }
        if key == "goos" {
            self.end_of_program();
        }
        let value: String = value.chars().take(LONGEST_FACT).collect();
        let is_changed =
            if value.is_empty() { self.configuration.remove(key).is_some() } else { self.set(key, value) };
        if is_changed {
            self.part = None;
            self.package_index = None;
        }
        true
    }

    fn set(&mut self, key: &str, value: String) -> bool {
        let has_room = self.configuration.len() < MOST_KEYS && key.len() <= LONGEST_FACT;
        match self.configuration.get_mut(key) {
            Some(known) if *known == value => false,
            Some(known) => {
                *known = value;
                true
            }
            None if has_room => {
                self.configuration.insert(key.into(), value);
                true
            }
            None => false,
        }
    }

    /// A test program has ended, or another one begins.
    fn end_of_program(&mut self) {
        if self.has_results {
            self.process += 1;
            self.has_results = false;
        }
        if let Some(part) = self.part {
            self.parts[part].is_structure_known = true;
        }
    }

    fn unit_line(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_ascii_whitespace().skip(1);
        let Some(unit) = words.next() else { return };
        let mut known = self.units.get(unit).copied().unwrap_or_default();
        for word in words {
            match word {
                "better=higher" => known.direction = Some(Direction::HigherIsBetter),
                "better=lower" => known.direction = Some(Direction::LowerIsBetter),
                "assume=exact" => known.is_exact = true,
                "assume=nothing" => known.is_exact = false,
                _ if word.contains('=') => {}
                _ => diagnostics
                    .warn(at(number, 1), format!("`{word}` is not a `key=value` pair about a unit")),
            }
        }
        self.units.insert(unit.into(), known);
    }

    /// The package that results belong to now.
    fn package(&mut self) -> &mut Package {
        let part = match self.part {
            Some(part) => part,
            None => self.find_part(),
        };
        self.part = Some(part);
        let part = &mut self.parts[part];
        let index = match self.package_index {
            Some(index) => index,
            None => part.find_package(&self.package),
        };
        self.package_index = Some(index);
        &mut part.packages[index]
    }

    fn find_part(&mut self) -> usize {
        if let Some(&known) = self.part_index.get(&self.configuration) {
            return known;
        }
        if self.parts.len() >= MOST_PARTS {
            self.is_over_full = true;
            return self.parts.len() - 1;
        }
        let part = Part {
            configuration: self.configuration.clone(),
            packages: Vec::new(),
            index: HashMap::new(),
            is_structure_known: self.configuration.contains_key("goos") || !self.package.is_empty(),
        };
        self.parts.push(part);
        self.part_index.insert(self.configuration.clone(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// Whether `go test` printed this, and not another tool with the same format.
    fn is_of_go(&self) -> bool {
        !self.package.is_empty() || self.configuration.contains_key("goos")
    }

    /// Reports what is missing at the end of a file that was cut off.
    fn check_end(&self, diagnostics: &mut Diagnostics) {
        if let Some((words, number)) = &self.death {
            diagnostics.error(at(*number, 1), format!("a test program died: {words}"));
        } else if let Some((name, number)) = self.waiting.as_ref().filter(|_| self.is_of_go()) {
            let name = String::from_utf8_lossy(name);
            diagnostics.error(at(*number, 1), format!("ends before the result of `{name}`"));
        } else if self.has_results && self.has_ended {
            diagnostics.error_all("ends before the last test program does (PASS, ok or FAIL)");
        }
    }

    fn finish(self, mut diagnostics: Diagnostics) -> Vec<Imported> {
        self.check_end(&mut diagnostics);
        let mut list: Vec<Imported> = Vec::new();
        for part in self.parts {
            list.push(part.finish(&self.units, &mut diagnostics));
        }
        if self.is_over_full {
            let message =
                format!("has more than {MOST_PARTS} different circumstances; the last of them are mixed");
            diagnostics.warn_all(message);
        }
        if list.is_empty() {
            diagnostics.warn_all("has no results of benchmarks");
            list.push(Format::Benchfmt.nothing(Vec::new()));
        }
        list[0].diagnostics = diagnostics.into_list();
        list
    }
}

/// Whether `go test` prints the line at the end of a test program.
fn is_program_end(line: &[u8]) -> bool {
    line == b"PASS"
        || line == b"FAIL"
        || [&b"ok  \t"[..], b"FAIL\t", b"ok "].iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod test_ways;
#[cfg(test)]
mod tests;
