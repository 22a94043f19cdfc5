//! Two ways of reading must give the same result: lines with a known layout compared with reading every line,
//! and the whole reader compared with a simple one that uses words, maps and the number parser of the
//! standard library.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::sample::Index;

use super::layout::Layout;
use super::{Reader, read, read_with};
use crate::Imported;
use crate::reading::diagnostics::Diagnostics;
use crate::reading::input::Input;

/// Lines in which each `#` is replaced by any digit.
const LINES: [&str; 18] = [
    "BenchmarkA-8   \t ####### \t  ###.## ns/op\t  ## B/op\t # allocs/op",
    "BenchmarkA-8   \t ####### \t  ###.## ns/op",
    "BenchmarkB/n=1#-8 \t#### \t#### ns/op\t#.### p9#-ns",
    "BenchmarkB/n=10-8 \t#### \t#### ns/op\t#.### p99-ns",
    "BenchmarkC ################### 1 ns/op",
    "BenchmarkC ######### #########.###### ns/op -#.# x",
    "BenchmarkC ######### ##########.###### ns/op",
    "BenchmarkD ## .## ns/op #. y 1e# z",
    "BenchmarkD ## ## ns/op ## ns/op",
    "BenchmarkD ## #.#.# ns/op",
    "pkg: p#",
    "PASS",
    "note # 1 ns/op",
    "BenchmarkE",
    "BenchmarkE log ##\t## ns/op",
    " ##\t ## ns/op",
    "commit: #",
    "",
];

fn fill(line: &str, digits: &mut impl Iterator<Item = u8>) -> String {
    let digit = |letter| match letter {
        '#' => char::from(b'0' + digits.next().unwrap_or(0) % 10),
        other => other,
    };
    line.chars().map(digit).collect()
}

fn every_line_for_itself(bytes: &[u8]) -> Vec<Imported> {
    read_with(Input::new("file", Box::new(bytes), crate::Limits::default()), Layout::off())
}

fn both_ways(bytes: &[u8]) -> Vec<Imported> {
    let found = read(Input::new("file", Box::new(bytes), crate::Limits::default()));
    assert_eq!(found, every_line_for_itself(bytes));
    found
}

#[test]
fn lines_that_look_like_the_one_before_are_taken_without_being_read() {
    let line =
        |operations: u32, time: &str| format!("BenchmarkX-8 \t {operations} \t {time} ns/op\t 8 B/op\n");
    let first = line(1000, "12.50");
    let text = [line(1001, "12.75"), line(9999, "99.99"), line(1000, "9.999")].concat();
    let mut reader = Reader::default();
    reader.line(first.trim_end().as_bytes(), 1, &mut Diagnostics::new("file", crate::Limits::default()));
    let (bytes, lines) = reader.repeated(text.as_bytes());
    assert_eq!((bytes, lines), (2 * first.len(), 2), "the third has its point elsewhere");
    reader.line(b"PASS", 4, &mut Diagnostics::new("file", crate::Limits::default()));
    assert_eq!(reader.repeated(text.as_bytes()), (0, 0), "another program may follow");
}

#[test]
fn names_and_units_are_compared_with_their_digits() {
    let list =
        both_ways("BenchmarkX/1 1 1 p1\nBenchmarkX/2 1 2 p1\nBenchmarkX/1 1 3 p1\n".repeat(3).as_bytes());
    let found = |index: usize| {
        let benchmark = &list[0].benchmarks[index];
        (benchmark.id.name.as_str(), benchmark.processes[0].series[0].values.clone())
    };
    assert_eq!(found(0), ("BenchmarkX/1", vec![1.0, 3.0, 1.0, 3.0, 1.0, 3.0]));
    assert_eq!(found(1), ("BenchmarkX/2", vec![2.0, 2.0, 2.0]));
    let list = both_ways("BenchmarkX 1 1 p1\nBenchmarkX 1 1 p2\n".repeat(3).as_bytes());
    assert!(list[0].benchmarks.is_empty() && !list[0].diagnostics.is_empty(), "neither is in every line");
}

#[test]
fn both_ways_agree_over_chunks_and_with_other_line_ends() {
    let mut text = String::from("goos: linux\npkg: p\n");
    for number in 0..12_000 {
        writeln!(
            text,
            "BenchmarkX/{}-8 \t{number:>8}\t{:>10} ns/op\t{:>8} B/op",
            number / 500,
            number + 1,
            number % 97
        )
        .unwrap();
    }
    assert!(text.len() > 2 * 256 * 1024, "several chunks");
    let values = |list: &[Imported]| -> usize {
        list[0].benchmarks.iter().map(|known| known.processes[0].operations.len()).sum()
    };
    assert_eq!(values(&both_ways(text.as_bytes())), 12_000);
    assert_eq!(values(&both_ways(text.replace('\n', "\r\n").as_bytes())), 12_000);
}

/// One line of a generated file: a benchmark, operations, and values as digits with this many of them after
/// the point.
type Row = (u8, u64, Vec<(u64, usize)>);

/// Units by position. Only `ns/op` is converted, by the documented factor.
const UNITS: [&str; 4] = ["ns/op", "widgets", "p99", "hits"];

fn decimal(digits: u64, decimals: usize) -> String {
    let text = format!("{digits:0width$}", width = decimals + 1);
    let (whole, part) = text.split_at(text.len() - decimals);
    if decimals == 0 { whole.to_owned() } else { format!("{whole}.{part}") }
}

fn written(programs: &[Vec<(Row, u8)>]) -> String {
    let mut text = String::new();
    for program in programs {
        text.push_str("pkg: p\n");
        for ((name, operations, values), times) in program {
            for time in 0..=u64::from(*times) {
                write!(text, "Benchmark{name:<12}\t{:>8}", operations + time).unwrap();
                for ((digits, decimals), unit) in values.iter().zip(UNITS) {
                    write!(text, "\t{:>10} {unit}", decimal(digits + time, *decimals)).unwrap();
                }
                text.push('\n');
            }
        }
        text.push_str("PASS\n");
    }
    text
}

/// Operations and values by unit of one process.
type Columns = (Vec<u64>, BTreeMap<String, Vec<u64>>);

/// The simplest reader of the output of [`written`]: processes by name, values by their bits.
fn plainly(text: &str) -> BTreeMap<String, Vec<Columns>> {
    let mut found: BTreeMap<String, Vec<(usize, Columns)>> = BTreeMap::new();
    let mut program = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["PASS"] => program += 1,
            ["pkg:", _] => {}
            [name, operations, values @ ..] => {
                let processes = found.entry((*name).to_owned()).or_default();
                if processes.last().is_none_or(|(number, _)| *number != program) {
                    processes.push((program, Columns::default()));
                }
                let (_, columns) = processes.last_mut().unwrap();
                columns.0.push(operations.parse().unwrap());
                for pair in values.chunks(2) {
                    let value: f64 = pair[0].parse().unwrap();
                    let (unit, value) =
                        if pair[1] == "ns/op" { ("time", value / 1e9) } else { (pair[1], value) };
                    columns.1.entry(unit.to_owned()).or_default().push(value.to_bits());
                }
            }
            other => panic!("{other:?}"),
        }
    }
    let without_number = |list: Vec<(usize, Columns)>| list.into_iter().map(|(_, columns)| columns).collect();
    found.into_iter().map(|(name, list)| (name, without_number(list))).collect()
}

fn accounted(list: &[Imported]) -> BTreeMap<String, Vec<Columns>> {
    let columns = |process: &benchwright_model::Measurement| {
        let series = process.series.iter().map(|series| {
            (series.metric.name.clone(), series.values.iter().map(|value| value.to_bits()).collect())
        });
        (process.operations.clone(), series.collect())
    };
    let benchmarks = list.iter().flat_map(|imported| &imported.benchmarks);
    benchmarks.map(|known| (known.id.name.clone(), known.processes.iter().map(columns).collect())).collect()
}

fn rows() -> impl Strategy<Value = Vec<Vec<(Row, u8)>>> {
    // All lines of a name have the same units. Otherwise units would be left out.
    let value = (1_u64..10_u64.pow(14), 0_usize..10);
    let row = (0_u8..4, 1_u64..10_u64.pow(12), proptest::collection::vec(value, 4));
    proptest::collection::vec(proptest::collection::vec((row, 0_u8..5), 1..6), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn both_ways_give_the_same_results_and_diagnostics(
        parts in proptest::collection::vec((any::<Index>(), 1_usize..8), 1..12),
        mut digits in proptest::collection::vec(any::<u8>(), 600),
        changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        is_windows in any::<bool>(),
    ) {
        let mut digits = digits.drain(..);
        let mut text = String::new();
        for (which, times) in parts {
            for _ in 0..times {
                text.push_str(&fill(LINES[which.index(LINES.len())], &mut digits));
                text.push_str(if is_windows { "\r\n" } else { "\n" });
            }
        }
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let found = read(Input::new("file", Box::new(bytes.as_slice()), crate::Limits::default()));
        prop_assert_eq!(found, every_line_for_itself(&bytes));
    }

    #[test]
    fn results_are_what_a_plain_reader_finds(programs in rows()) {
        let text = written(&programs);
        let found = both_ways(text.as_bytes());
        prop_assert_eq!(accounted(&found), plainly(&text));
        prop_assert!(found[0].diagnostics.is_empty());
    }
}
