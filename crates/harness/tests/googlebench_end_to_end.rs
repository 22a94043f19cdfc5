//! The Google Benchmark harness with the real CMake, compiler and library, on the bundled suite and on small projects made
//! on the spot. `cargo xtask setup` installs what they need.

mod version;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use benchwright_harness::{Executable, HarnessError, Reading};
use benchwright_model::{BenchmarkId, Measurement, Severity};
use version::{Version, copy, names, shape};

/// The version `name` of the repository in a directory.
fn version_of(repository: &Path, name: &str) -> Version {
    Version::of("googlebench", repository, name)
}

/// The same with the bundled suite in it.
fn example_of(repository: &Path, name: &str) -> Version {
    let version = version_of(repository, name);
    copy(&version::example("cpp"), &version.root);
    version
}

/// Runs a trial of two short iterations; returns its reading and the table it printed.
fn trial(version: &Version, executable: &Executable, benchmark: &BenchmarkId) -> (Reading, String) {
    let short = Duration::from_micros(10);
    let ended = version.trial(executable, benchmark, &shape(2, short, short));
    assert!(ended.output.status.success(), "{benchmark}: {}", ended.said());
    let table = ended.said();
    (ended.reading, table)
}

/// The measurement of the benchmark `name`, which must be without doubts.
fn measure(version: &Version, executable: &Executable, name: &str) -> Measurement {
    let benchmark = BenchmarkId::new("googlebench", &executable.package, name);
    let (reading, table) = trial(version, executable, &benchmark);
    assert_eq!(reading.diagnostics, [], "{benchmark}:\n{table}");
    reading.measurement
}

/// The bundled suite, built once for all tests that only run it.
fn example() -> &'static (Version, Vec<Executable>) {
    static EXAMPLE: OnceLock<(Version, Vec<Executable>)> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let repository = Path::new(env!("CARGO_TARGET_TMPDIR")).join("googlebench-example");
        let _ = fs::remove_dir_all(&repository);
        let version = example_of(&repository, "a");
        let executables = version.build("", &[]);
        // Programs do not need the directory they were built in.
        fs::remove_dir_all(&version.shared).expect("a directory");
        (version, executables)
    })
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let (version, executables) = example();
    let projects = version.harness.recognise(&version.root);
    assert_eq!(projects, [version.project("")]);
    let text = version.harness.toolchain(&projects[0], &[], &mut version.processes()).unwrap();
    assert!(text.starts_with("CMake 3.") || text.starts_with("CMake 4."), "{text}");

    let packages: Vec<_> = executables.iter().map(|executable| executable.package.as_str()).collect();
    assert_eq!(packages, ["odd_bench", "shelf_bench"]);
    assert!(executables[0].flavour_version.starts_with("1."), "{:?}", executables[0]);
    let listing = version.list(&executables[1], &[]);
    assert_eq!(listing.diagnostics, []);
    assert_eq!(
        names(&listing),
        [
            "BM_Checksum/8",
            "BM_Checksum/64",
            "BM_Checksum/512",
            "BM_Put/books:16/step:1",
            "BM_Put/books:64/step:3",
            "BM_Insert<std::set<int>>/32",
            "BM_Insert<std::vector<char>>/32",
            "ShelfFixture/Find/256",
            "BM_Together/real_time/threads:1",
            "BM_Together/real_time/threads:2",
            "BM_Manual/manual_time",
            "BM_Words/few/iterations:10",
            "BM_Words/often/min_time:0.001/repeats:2",
        ]
    );
    for benchmark in &listing.benchmarks {
        let measurement = measure(version, &executables[1], &benchmark.name);
        assert_eq!(measurement.operations.len(), 2, "{benchmark}");
        let time = measurement.main().unwrap();
        assert!(
            time.metric.is_time() && time.values.iter().all(|value| *value > 0.0),
            "{benchmark}: {time:?}"
        );
        assert!(measurement.series("cpu-time").is_some(), "{benchmark}");
    }
    let filtered = version.list(&executables[1], &["--benchmark_filter=Insert"]);
    assert_eq!(names(&filtered).len(), 2);
}

#[test]
fn counters_units_and_manual_time_of_the_example_are_read() {
    let (version, executables) = example();
    let program = &executables[1];
    let manual = measure(version, program, "BM_Manual/manual_time");
    for value in &manual.main().unwrap().values {
        assert!((value / 2e-6 - 1.0).abs() < 1e-9, "{value}");
    }
    let words = measure(version, program, "BM_Words/few/iterations:10");
    assert_eq!(words.operations, [10, 10]);
    assert!(words.main().unwrap().values[0] < 1e-3, "milliseconds become seconds");
    let put = measure(version, program, "BM_Put/books:64/step:3");
    let series: Vec<_> = put.series.iter().map(|series| series.metric.name.as_str()).collect();
    assert_eq!(series, ["time", "cpu-time", "books", "items/s", "put_per_second", "room"]);
    assert_eq!(put.series("books").unwrap().values, [65.0, 65.0]);
    let checksum = measure(version, program, "BM_Checksum/512");
    assert!(checksum.series("B/s").unwrap().values[0] > 1e6);
}

#[test]
fn awkward_names_select_exactly_one_benchmark() {
    let (version, executables) = example();
    let listing = version.list(&executables[0], &[]);
    let found = names(&listing);
    assert_eq!(found.len(), 17, "{found:?}");
    assert!(
        found.contains(&"odd/[a]{2}^$") && found.contains(&"odd/größe") && found.contains(&"-odd"),
        "{found:?}"
    );
    assert_eq!(listing.diagnostics.len(), 1);
    assert_eq!(listing.diagnostics[0].subject, "odd_bench:odd/twice");
    for benchmark in &listing.benchmarks {
        let (reading, table) = trial(version, &executables[0], benchmark);
        let values = reading.measurement.main().map_or(0, |series| series.values.len());
        let doubts: Vec<_> =
            reading.diagnostics.iter().map(|doubt| (doubt.severity, doubt.message.as_str())).collect();
        match benchmark.name.as_str() {
            "odd/fails" => {
                assert_eq!(values, 0);
                assert_eq!(doubts, [(Severity::Error, "failed: the \"catalogue\" is missing")]);
            }
            "odd/secretive/repeats:3" => {
                assert_eq!((values, doubts[0].0), (1, Severity::Note));
            }
            "odd/counters" => {
                assert_eq!((values, doubts.len()), (2, 2), "{doubts:?}");
                assert_eq!(reading.measurement.series("reported:time").unwrap().values, [3.0, 3.0]);
            }
            _ => assert_eq!((values, doubts.len()), (2, 0), "{benchmark}: {doubts:?}\n{table}"),
        }
    }
}

#[test]
fn identical_code_gives_identical_programs_whatever_the_version() {
    let repository = tempfile::tempdir().unwrap();
    let program = |name: &str| {
        let version = example_of(repository.path(), name);
        let executables =
            version.build("", &["--target", "odd_bench", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--build-id=none"]);
        assert_eq!(executables.len(), 1);
        fs::read(version.out.join(&executables[0].path)).unwrap()
    };
    let (one, other) = (program("a"), program("b"));
    assert!(one == other, "{} and {} bytes", one.len(), other.len());
}

#[test]
fn each_version_loads_its_own_shared_library() {
    let repository = tempfile::tempdir().unwrap();
    let mut versions = Vec::new();
    for (name, seed) in [("a", "0xcbf29ce484222325u"), ("b", "0xcbf29ce484222327u")] {
        let version = example_of(repository.path(), name);
        let source = version.root.join("src/shelf.cc");
        let text = fs::read_to_string(&source).unwrap();
        fs::write(&source, text.replace("0xcbf29ce484222325u", seed)).unwrap();
        let executables = version.build("", &["-DBUILD_SHARED_LIBS=ON", "--target", "shelf_bench"]);
        versions.push((version, executables));
    }
    let _ = fs::remove_dir_all(&versions[0].0.shared);
    for (version, executables) in &versions {
        let program = version.out.join(&executables[0].path);
        let output = Command::new("ldd").arg(&program).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let library = text.lines().find(|line| line.contains("libshelf.so")).unwrap();
        assert!(library.contains(&version.out.display().to_string()), "{text}");
        assert_eq!(measure(version, &executables[0], "BM_Checksum/64").operations.len(), 2);
    }
}

const MANIFEST: &str = "cmake_minimum_required(VERSION 3.15)\nproject(p CXX)\noption(P_BENCHMARKS \"\" OFF)\n\
    if(P_BENCHMARKS)\n  find_package(benchmark REQUIRED)\n  file(WRITE ${CMAKE_BINARY_DIR}/n.txt \"7\")\n  \
    add_executable(p_bench bench.cc)\n  target_compile_definitions(p_bench PRIVATE DATA=\"${CMAKE_BINARY_DIR}/n.txt\")\n  \
    target_link_libraries(p_bench benchmark::benchmark_main)\nendif()\n";

const READING: &str = "#include <benchmark/benchmark.h>\n#include <fstream>\nstatic void Read(benchmark::State& state) {\n  \
    std::ifstream file(DATA);\n  int number = 0;\n  if (!(file >> number)) state.SkipWithError(\"no data\");\n  \
    for (auto _ : state) benchmark::DoNotOptimize(number);\n  state.counters[\"number\"] = number;\n}\nBENCHMARK(Read);\n";

#[test]
fn data_of_the_build_directory_stays_with_the_version_and_a_switch_is_found() {
    let repository = tempfile::tempdir().unwrap();
    let version = version_of(repository.path(), "a");
    version.write(&[("CMakeLists.txt", MANIFEST), ("bench.cc", READING)]);
    let built = version.try_build("", &[]).unwrap();
    assert!(built.diagnostics[0].message.contains("-DP_BENCHMARKS=ON"), "{:?}", built.diagnostics);
    fs::remove_dir_all(&version.shared).unwrap();
    let measurement = measure(&version, &built.executables[0], "Read");
    assert_eq!(measurement.series("number").unwrap().values, [7.0, 7.0]);
}

#[test]
fn what_the_compiler_and_cmake_say_is_shown() {
    let repository = tempfile::tempdir().unwrap();
    let version = version_of(repository.path(), "a");
    let broken = READING.replace("int number = 0;", "int number = nonsense;");
    version.write(&[("CMakeLists.txt", MANIFEST), ("bench.cc", &broken)]);
    let message = |args: &[&str]| match version.try_build("", args) {
        Err(HarnessError::Tool { message, .. }) => message,
        other => panic!("{other:?}"),
    };
    let said = message(&["-DP_BENCHMARKS=ON"]);
    assert!(said.contains("bench.cc:5:16: error: ") && said.contains("nonsense"), "{said}");
    assert!(!said.contains("Building CXX object"), "{said}");
    version.write(&[(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.15)\nproject(p CXX)\nmessage(FATAL_ERROR \"never\")\n",
    )]);
    let said = message(&[]);
    assert!(said.contains("CMake Error at CMakeLists.txt:3") && said.contains("never"), "{said}");
}

#[test]
fn a_program_of_another_build_tool_can_be_named() {
    let repository = tempfile::tempdir().unwrap();
    let version = version_of(repository.path(), "a");
    let source = "#include <benchmark/benchmark.h>\nstatic void One(benchmark::State& s) { for (auto _ : s) benchmark::ClobberMemory(); }\n\
                  BENCHMARK(One);\nBENCHMARK_MAIN();\n";
    let command = "c++ -O1 one.cc -o one -lbenchmark -lpthread";
    let settings =
        format!("[googlebench]\nbuild-args = [\"--make\", \"{command}\", \"--program\", \"one\"]\n");
    version.write(&[("one.cc", source), ("benchwright.toml", &settings)]);
    assert_eq!(version.harness.recognise(&version.root).len(), 1);
    let executables = version.build("", &["--make", command, "--program", "one"]);
    assert_eq!(names(&version.list(&executables[0], &[])), ["One"]);
    assert_eq!(measure(&version, &executables[0], "One").operations.len(), 2);
}
