//! Files without end are read in bounded memory. A test program of its own, since the kernel accounts for whole processes.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use benchwright_formats::{Imported, Limits, read_path};

/// Size of each file, bytes: far above the bound below.
const SIZE: usize = 100_000_000;

/// What reading may need beside what it found.
const MOST_BYTES: u64 = 16_000_000;

/// The largest resident set of this process so far, bytes.
fn high_water_mark() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
}

/// Writes `beginning`, then `filler` until the file is large, then `end`.
fn write(path: &Path, beginning: &str, filler: &str, end: &str) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    out.write_all(beginning.as_bytes()).unwrap();
    for _ in 0..SIZE / filler.len() {
        out.write_all(filler.as_bytes()).unwrap();
    }
    out.write_all(end.as_bytes()).unwrap();
}

#[test]
fn large_files_are_read_in_bounded_memory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let letters = "x".repeat(1000);
    let jmh = "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"a.B.c\", \"mode\": \"avgt\", \"primaryMetric\": {\"scoreUnit\": \"s/op\", \"rawData\": [[1]]}, \"x\": ";
    let fact = format!("key: {letters}\n");
    let bad_line = "BenchmarkX 1 2 ns/op oops\n";
    let cases: [(&str, &str, &str, &str, usize); 8] = [
        ("one line", "BenchmarkX 1 2 ns/op\n", &letters, "\nBenchmarkY 1 2 ns/op\n", 2),
        ("bad lines", "BenchmarkX 1 2 ns/op\n", bad_line, "BenchmarkY 1 2 ns/op\n", 2),
        ("long facts", "BenchmarkX 1 2 ns/op\n", &fact, "\nBenchmarkY 1 2 ns/op\n", 1),
        ("a long text", &format!("{jmh}\""), &letters, "\"}]", 1),
        ("a long number", jmh, "1234567890", "}]", 0),
        ("many brackets", jmh, "[[[[[[[[[[", "", 0),
        ("many unknown things", &format!("{jmh}["), "{\"a\": [1, 2.5, null, \"text\"]},\n", "0]}]", 1),
        ("blanks", &jmh[..jmh.len() - 5], " \n \n \n \n ", "}]", 1),
    ];
    let before = high_water_mark();
    for (name, beginning, filler, end, expected) in cases {
        write(&file, beginning, filler, end);
        let list = read_path(&file).unwrap();
        assert_eq!(list[0].benchmarks.len(), expected, "{name}: {:?}", list[0].diagnostics);
        assert!(list[0].diagnostics.len() <= 102, "{name}");
        let grown = high_water_mark() - before;
        assert!(grown < MOST_BYTES, "{name}: {grown} bytes");
    }
    // Values and names are kept, up to a number that no suite has.
    let said =
        |list: &[Imported]| list[0].diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    write(&file, &format!("{}[1", &jmh[..jmh.len() - 12]), ",1,1,1,1,1,1,1,1,1,1", "]]}}]");
    let list = read_path(&file).unwrap();
    assert!(
        list[0].benchmarks.is_empty() && said(&list).contains("more than 10000000 values"),
        "{}",
        said(&list)
    );
    let grown = high_water_mark() - before;
    assert!(grown < 200_000_000, "{grown} bytes");
    // Names cost more than their text: they are counted while they are read.
    let mut out = BufWriter::new(File::create(&file).unwrap());
    (0..1_000_000).for_each(|number| writeln!(out, "BenchmarkN{number} 1 2 ns/op").unwrap());
    out.flush().unwrap();
    let list = Limits { benchmarks: 50_000, ..Limits::default() }.read_path(&file).unwrap();
    assert!(list[0].benchmarks.len() == 50_000, "{}", said(&list));
    assert!(said(&list).contains("more than 50000 benchmarks"), "{}", said(&list));
    let grown = high_water_mark() - before;
    assert!(grown < 200_000_000, "{grown} bytes");
}
