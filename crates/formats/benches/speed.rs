//! How fast large files are read, and with how much memory. Prints `name value unit` lines. Every file is read by a process of its own, so
//! that its CPU time and its largest resident set are those of the import alone; beside it benchstat reads the same benchfmt files, and so
//! does the parser inside benchstat alone.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is a program of its own")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Sizes of the files, bytes.
const JMH_BYTES: usize = 200_000_000;
const BENCHFMT_BYTES: usize = 60_000_000;

/// How often each file is read; the least time counts, since everything else on the machine only adds.
const TIMES: usize = 5;

/// The kernel's unit of CPU time.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["import", file] => return import(Path::new(file)),
        ["parse", file] => return parse(Path::new(file)),
        _ => {}
    }
    let directory = tempfile::tempdir().unwrap();
    for (name, write) in [
        ("jmh", write_jmh as fn(&Path)),
        ("jmh_one_line", write_one_line),
        ("jmh_histogram", write_histograms),
    ] {
        let file = directory.path().join(format!("{name}.json"));
        write(&file);
        report(&format!("import_{name}"), &file);
        fs::remove_file(file).unwrap();
    }
    for (name, write) in [("benchfmt", write_benchfmt as fn(&Path)), ("benchfmt_mixed", write_mixed_benchfmt)]
    {
        let file = directory.path().join(format!("{name}.txt"));
        write(&file);
        let ours = report(&format!("import_{name}"), &file);
        against(name, &file, ours);
        fs::remove_file(file).unwrap();
    }
}

/// What Go's own programs need for a file that took us `ours` CPU seconds: benchstat's reading, parser and keys, over bytes in memory; its
/// parser alone, which keeps nothing, in memory and as a process that reads the file; and all of benchstat.
fn against(name: &str, file: &Path, ours: f64) {
    match tool("benchfmt-parser") {
        None => println!("skipped: benchfmt-parser is not there; `cargo xtask setup` builds it"),
        Some(program) => {
            let all: Vec<Vec<f64>> = (0..TIMES).map(|_| figures(command(&program, &[], file))).collect();
            let theirs = |which: usize| all.iter().map(|run| run[which]).fold(f64::INFINITY, f64::min);
            print(&format!("{name}_parser_process"), theirs(0) * 1e3, "ms");
            print(&format!("{name}_parser_process_ratio"), theirs(0) / ours, "times");
            let own = std::env::current_exe().unwrap();
            let parsed = least(|| figures(command(&own, &["parse"], file))[0]);
            print(&format!("{name}_parse"), parsed * 1e3, "ms");
            print(&format!("{name}_reader"), theirs(3) * 1e3, "ms");
            print(&format!("{name}_reader_ratio"), theirs(3) / parsed, "times");
            print(&format!("{name}_parser"), theirs(2) * 1e3, "ms");
            print(&format!("{name}_parser_ratio"), theirs(2) / parsed, "times");
        }
    }
    match tool("benchstat") {
        None => println!("skipped: benchstat is not there; `cargo xtask setup` installs it"),
        Some(program) => {
            let theirs = least(|| cpu_until_end(command(&program, &[], file).spawn().unwrap()));
            print(&format!("{name}_benchstat"), theirs * 1e3, "ms");
            print(&format!("{name}_ratio"), theirs / ours, "times");
        }
    }
}

/// The process that reads one file. Prints its CPU seconds, the number of values and its largest resident set.
fn import(file: &Path) {
    let began = Instant::now();
    let list = benchwright_formats::read_path(file).unwrap();
    let elapsed = began.elapsed().as_secs_f64();
    let benchmarks = list.iter().flat_map(|imported| &imported.benchmarks);
    let processes = benchmarks.flat_map(|benchmark| &benchmark.processes);
    let values: usize = processes.flat_map(|process| &process.series).map(|series| series.values.len()).sum();
    assert!(list[0].diagnostics.is_empty() && values > 0, "{:?}", list[0].diagnostics);
    println!("{} {values} {}", cpu_so_far().unwrap_or(elapsed), high_water_mark());
    // The process ends here, and nobody waits for memory to be given back piece by piece.
    std::mem::forget(list);
}

/// The process that reads the same bytes in memory several times. Prints the least CPU seconds of a time; giving results back is
/// not part of reading.
fn parse(file: &Path) {
    let bytes = fs::read(file).unwrap();
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let (began, before) = (Instant::now(), cpu_so_far());
        let list = benchwright_formats::read("memory", &bytes).unwrap();
        let elapsed = began.elapsed().as_secs_f64();
        let cpu = before.zip(cpu_so_far()).map_or(elapsed, |(before, after)| after - before);
        assert!(!list[0].benchmarks.is_empty());
        least = least.min(cpu);
    }
    println!("{least}");
}

/// CPU seconds of this process, which has one thread, since it was started. None where the kernel does not count them.
fn cpu_so_far() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
}

/// The largest resident set of this process, bytes.
fn high_water_mark() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

/// Prints everything about reading one file and returns the CPU seconds it took.
fn report(name: &str, file: &Path) -> f64 {
    let bytes = fs::metadata(file).unwrap().len() as f64;
    let program = std::env::current_exe().unwrap();
    let import = || figures(command(&program, &["import"], file));
    let [_, values, memory] = import()[..] else { panic!("three figures") };
    let cpu = least(|| import()[0]);
    print(&format!("{name}_size"), bytes / 1e6, "MB");
    print(&format!("{name}_values"), values / 1e6, "million");
    print(&format!("{name}_speed"), bytes / 1e6 / cpu, "MB/s");
    print(&format!("{name}_memory"), memory / 1e6, "MB");
    cpu
}

fn command(program: &Path, arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The numbers a program prints.
fn figures(mut command: Command) -> Vec<f64> {
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// The least of several measurements.
fn least(measure: impl Fn() -> f64) -> f64 {
    (0..TIMES).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

/// CPU seconds of a program, user and system. The kernel keeps the account of a process that ended until somebody asks how.
fn cpu_until_end(mut child: Child) -> f64 {
    let path = format!("/proc/{}/stat", child.id());
    loop {
        let text = fs::read_to_string(&path).unwrap();
        // The name in parentheses may have blanks in it.
        let fields: Vec<&str> = text[text.rfind(')').unwrap() + 1..].split_whitespace().collect();
        if fields[0] == "Z" {
            assert!(child.wait().unwrap().success());
            let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
            return ticks / TICKS_PER_SECOND;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A program that `cargo xtask setup` installs.
fn tool(name: &str) -> Option<PathBuf> {
    let local = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::iter::once(local).chain(std::env::split_paths(&path));
    directories.map(|directory| directory.join(name)).find(|file| file.is_file())
}

fn print(name: &str, value: f64, unit: &str) {
    println!("{name} {value:.2} {unit}");
}

/// Numbers that look measured.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        100.0 + (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Writes results until the file is large enough; `result` adds one.
fn write_array(file: &Path, result: impl Fn(&mut String, usize, &mut Numbers)) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let (mut text, mut numbers, mut written) = (String::new(), Numbers(1), 0);
    out.write_all(b"[\n").unwrap();
    for index in 0.. {
        text.clear();
        if index > 0 {
            text.push_str(",\n");
        }
        result(&mut text, index, &mut numbers);
        out.write_all(text.as_bytes()).unwrap();
        written += text.len();
        if written >= JMH_BYTES {
            break;
        }
    }
    out.write_all(b"\n]\n").unwrap();
}

/// What JMH writes around the values.
fn around(text: &mut String, index: usize, data: impl FnOnce(&mut String)) {
    write!(
        text,
        "    {{\n        \"jmhVersion\" : \"1.37\",\n        \"benchmark\" : \"org.acme.Sort.run{index}\",\n        \"mode\" : \"avgt\",\n        \
         \"threads\" : 1,\n        \"forks\" : 10,\n        \"jvmArgs\" : [\n        ],\n        \"jdkVersion\" : \"17.0.15\",\n        \
         \"params\" : {{\n            \"size\" : \"{index}\"\n        }},\n        \"primaryMetric\" : {{\n            \
         \"score\" : 100.5,\n            \"scoreError\" : \"NaN\",\n            \"scoreUnit\" : \"ns/op\",\n"
    )
    .unwrap();
    data(text);
    text.push_str("\n        },\n        \"secondaryMetrics\" : {\n        }\n    }");
}

/// As JMH indents it: ten forks of 3000 iterations per benchmark.
fn write_jmh(file: &Path) {
    write_array(file, |text, index, numbers| {
        around(text, index, |text| {
            text.push_str("            \"rawData\" : [\n");
            for fork in 0..10 {
                text.push_str(if fork == 0 { "                [\n" } else { ",\n                [\n" });
                for iteration in 0..3000 {
                    let comma = if iteration == 0 { "" } else { ",\n" };
                    write!(text, "{comma}                    {}", numbers.next()).unwrap();
                }
                text.push_str("\n                ]");
            }
            text.push_str("\n            ]");
        });
    });
}

/// Without any white space between values.
fn write_one_line(file: &Path) {
    write_array(file, |text, index, numbers| {
        around(text, index, |text| {
            text.push_str("\"rawData\":[");
            for fork in 0..10 {
                text.push_str(if fork == 0 { "[" } else { ",[" });
                for iteration in 0..3000 {
                    let comma = if iteration == 0 { "" } else { "," };
                    write!(text, "{comma}{}", numbers.next()).unwrap();
                }
                text.push(']');
            }
            text.push(']');
        });
    });
}

/// Sample mode: lists of values with how often they were seen.
fn write_histograms(file: &Path) {
    write_array(file, |text, index, numbers| {
        around(text, index, |text| {
            text.push_str("            \"rawDataHistogram\" : [\n                [\n");
            for iteration in 0..20 {
                text.push_str(if iteration == 0 {
                    "                    [\n"
                } else {
                    ",\n                    [\n"
                });
                for value in 0..500 {
                    let comma = if value == 0 { "" } else { ",\n" };
                    write!(text, "{comma}                        [ {:.3}, {value} ]", numbers.next())
                        .unwrap();
                }
                text.push_str("\n                    ]");
            }
            text.push_str("\n                ]\n            ]");
        });
    });
}

/// What `go test -bench` prints: 50 packages of 200 benchmarks, `-count` as large as needed.
fn write_benchfmt(file: &Path) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let mut numbers = Numbers(2);
    let line = 95;
    let count = BENCHFMT_BYTES / line / (50 * 200);
    for package in 0..50 {
        write!(out, "goos: linux\ngoarch: amd64\npkg: example.com/p{package}\ncpu: AMD EPYC\n").unwrap();
        for benchmark in 0..200 {
            for _ in 0..count {
                let time = numbers.next();
                writeln!(
                    out,
                    "BenchmarkSort/size={benchmark}-8         \t {} \t     {time:.2} ns/op\t     {benchmark} B/op\t       1 allocs/op",
                    (1e9 / time) as u64
                )
                .unwrap();
            }
        }
        write!(out, "PASS\nok  \texample.com/p{package}\t12.345s\n").unwrap();
    }
}

/// The same with `-count 10`, and times of every magnitude with noise, of which Go prints four digits: names change often, and lines
/// do not always look alike.
fn write_mixed_benchfmt(file: &Path) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let mut numbers = Numbers(3);
    let benchmarks = BENCHFMT_BYTES / 95 / 50 / 10;
    for package in 0..50 {
        write!(out, "goos: linux\ngoarch: amd64\npkg: example.com/p{package}\ncpu: AMD EPYC\n").unwrap();
        for benchmark in 0..benchmarks {
            let usual = 10_f64.powf((numbers.next() - 100.0) * 8.0);
            let bytes = (usual * 3.0) as u64;
            for _ in 0..10 {
                let time = usual * (0.98 + 0.04 * (numbers.next() - 100.0));
                let decimals = (3 - time.log10().floor() as i32).clamp(0, 4) as usize;
                writeln!(
                    out,
                    "BenchmarkSort/size={benchmark}-8         \t{:>8}\t{time:>10.decimals$} ns/op\t{bytes:>8} B/op\t{:>8} allocs/op",
                    (1e9 / time) as u64 + 1,
                    bytes / 100
                )
                .unwrap();
            }
        }
        write!(out, "PASS\nok  \texample.com/p{package}\t12.345s\n").unwrap();
    }
}
