//! The Google Benchmark harness with the real CMake, compiler and library, on the bundled suite and on small projects made
//! on the spot. `cargo xtask setup` installs what they need.

#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::Duration;

use benchwright_harness::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Project, Reading, Step,
    StepFailure, StepOutput, StepRunner, TrialRequest, TrialShape, by_name,
};
use benchwright_model::{BenchmarkId, Measurement, Severity};

/// Runs steps as plain child processes. Relative directories are below the version's root.
struct Processes(PathBuf);

impl StepRunner for Processes {
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
        let mut command = Command::new(&step.program);
        command.args(&step.args).current_dir(self.0.join(&step.dir)).envs(step.env.iter().cloned());
        match command.output() {
            Ok(output) => Ok(printed(&output)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StepFailure::NoProgram(step.program.to_string_lossy().into_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn printed(output: &Output) -> StepOutput {
    StepOutput {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        log: "step.log".into(),
    }
}

/// A version on disk with its build directory and the directory it shares with other versions.
struct Version {
    harness: Box<dyn Harness>,
    root: PathBuf,
    out: PathBuf,
    intermediate: PathBuf,
    scratch: tempfile::TempDir,
}

impl Version {
    /// The version `name` in a repository's directory.
    fn of(repository: &Path, name: &str) -> Version {
        let [root, out] = ["tree", "out"].map(|part| repository.join(format!("{part}-{name}")));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&out).unwrap();
        Version {
            harness: by_name("googlebench").expect("the harness is registered"),
            root,
            out,
            intermediate: repository.join("intermediate"),
            scratch: tempfile::tempdir().unwrap(),
        }
    }

    /// The same with the bundled suite in it.
    fn of_example(repository: &Path, name: &str) -> Version {
        let version = Version::of(repository, name);
        copy_directory(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cpp"), &version.root);
        version
    }

    fn write(&self, files: &[(&str, &str)]) -> &Self {
        for (path, text) in files {
            let path = self.root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        self
    }

    fn try_build(&self, args: &[&str]) -> Result<Built, HarnessError> {
        let project = Project { harness: "googlebench".into(), dir: "".into() };
        let args = owned(args);
        let request = BuildRequest {
            root: &self.root,
            project: &project,
            out: &self.out,
            intermediate: &self.intermediate,
            shared: &self.intermediate,
            args: &args,
        };
        self.harness.build(&request, &mut Processes(self.root.clone()))
    }

    fn build(&self, args: &[&str]) -> Vec<Executable> {
        let built = self.try_build(args).unwrap();
        assert_eq!(built.diagnostics, []);
        built.executables
    }

    fn list(&self, executable: &Executable, args: &[&str]) -> Listing {
        let args = owned(args);
        let request = ListRequest {
            root: &self.root,
            out: &self.out,
            executable,
            scratch: self.scratch.path(),
            args: &args,
        };
        self.harness.list(&request, &mut Processes(self.root.clone())).unwrap()
    }

    /// Runs a trial of two short iterations; returns its reading and the table it printed.
    fn trial(&self, executable: &Executable, benchmark: &BenchmarkId) -> (Reading, String) {
        let shape = TrialShape {
            iterations: 2,
            iteration_time: Duration::from_micros(10),
            warmup_time: Duration::from_micros(10),
            stop: benchwright_harness::Stop::Fixed,
            args: Vec::new(),
        };
        let scratch = tempfile::tempdir().unwrap();
        let command = self.harness.command(&TrialRequest {
            root: &self.root,
            out: &self.out,
            executable,
            benchmark,
            shape: &shape,
            scratch: scratch.path(),
        });
        let output = Command::new(self.out.join(&executable.path))
            .args(&command.args)
            .current_dir(self.root.join(&executable.dir))
            .output()
            .unwrap();
        assert!(output.status.success(), "{benchmark}: {output:?}");
        let reader = self.harness.reader(executable, benchmark, &shape);
        (reader.finish(scratch.path()), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The measurement of the benchmark `name`, which must be without doubts.
    fn measure(&self, executable: &Executable, name: &str) -> Measurement {
        let benchmark = BenchmarkId::new("googlebench", &executable.package, name);
        let (reading, table) = self.trial(executable, &benchmark);
        assert_eq!(reading.diagnostics, [], "{benchmark}:\n{table}");
        reading.measurement
    }
}

/// The bundled suite, built once for all tests that only run it.
fn example() -> &'static (Version, Vec<Executable>) {
    static EXAMPLE: OnceLock<(Version, Vec<Executable>)> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let repository = Path::new(env!("CARGO_TARGET_TMPDIR")).join("googlebench-example");
        let _ = fs::remove_dir_all(&repository);
        let version = Version::of_example(&repository, "a");
        let executables = version.build(&[]);
        // Programs do not need the directory they were built in.
        fs::remove_dir_all(&version.intermediate).unwrap();
        (version, executables)
    })
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| arg.to_string()).collect()
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.benchmarks.iter().map(|id| id.name.as_str()).collect()
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_directory(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let (version, executables) = example();
    let projects = version.harness.recognise(&version.root);
    assert_eq!(projects, [Project { harness: "googlebench".into(), dir: "".into() }]);
    let text = version.harness.toolchain(&projects[0], &mut Processes(version.root.clone())).unwrap();
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
        let measurement = version.measure(&executables[1], &benchmark.name);
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
    let manual = version.measure(program, "BM_Manual/manual_time");
    for value in &manual.main().unwrap().values {
        assert!((value / 2e-6 - 1.0).abs() < 1e-9, "{value}");
    }
    let words = version.measure(program, "BM_Words/few/iterations:10");
    assert_eq!(words.operations, [10, 10]);
    assert!(words.main().unwrap().values[0] < 1e-3, "milliseconds become seconds");
    let put = version.measure(program, "BM_Put/books:64/step:3");
    let series: Vec<_> = put.series.iter().map(|series| series.metric.name.as_str()).collect();
    assert_eq!(series, ["time", "cpu-time", "books", "items/s", "put_per_second", "room"]);
    assert_eq!(put.series("books").unwrap().values, [65.0, 65.0]);
    let checksum = version.measure(program, "BM_Checksum/512");
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
        let (reading, table) = version.trial(&executables[0], benchmark);
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
        let version = Version::of_example(repository.path(), name);
        let executables =
            version.build(&["--target", "odd_bench", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--build-id=none"]);
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
        let version = Version::of_example(repository.path(), name);
        let source = version.root.join("src/shelf.cc");
        let text = fs::read_to_string(&source).unwrap();
        fs::write(&source, text.replace("0xcbf29ce484222325u", seed)).unwrap();
        let executables = version.build(&["-DBUILD_SHARED_LIBS=ON", "--target", "shelf_bench"]);
        versions.push((version, executables));
    }
    let _ = fs::remove_dir_all(&versions[0].0.intermediate);
    for (version, executables) in &versions {
        let program = version.out.join(&executables[0].path);
        let output = Command::new("ldd").arg(&program).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let library = text.lines().find(|line| line.contains("libshelf.so")).unwrap();
        assert!(library.contains(&version.out.display().to_string()), "{text}");
        assert_eq!(version.measure(&executables[0], "BM_Checksum/64").operations.len(), 2);
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
    let version = Version::of(repository.path(), "a");
    version.write(&[("CMakeLists.txt", MANIFEST), ("bench.cc", READING)]);
    let built = version.try_build(&[]).unwrap();
    assert!(built.diagnostics[0].message.contains("-DP_BENCHMARKS=ON"), "{:?}", built.diagnostics);
    fs::remove_dir_all(&version.intermediate).unwrap();
    let measurement = version.measure(&built.executables[0], "Read");
    assert_eq!(measurement.series("number").unwrap().values, [7.0, 7.0]);
}

#[test]
fn what_the_compiler_and_cmake_say_is_shown() {
    let repository = tempfile::tempdir().unwrap();
    let version = Version::of(repository.path(), "a");
    let broken = READING.replace("int number = 0;", "int number = nonsense;");
    version.write(&[("CMakeLists.txt", MANIFEST), ("bench.cc", &broken)]);
    let message = |args: &[&str]| match version.try_build(args) {
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
    let version = Version::of(repository.path(), "a");
    let source = "#include <benchmark/benchmark.h>\nstatic void One(benchmark::State& s) { for (auto _ : s) benchmark::ClobberMemory(); }\n\
                  BENCHMARK(One);\nBENCHMARK_MAIN();\n";
    let command = "c++ -O1 one.cc -o one -lbenchmark -lpthread";
    let settings =
        format!("[googlebench]\nbuild-args = [\"--make\", \"{command}\", \"--program\", \"one\"]\n");
    version.write(&[("one.cc", source), ("benchwright.toml", &settings)]);
    assert_eq!(version.harness.recognise(&version.root).len(), 1);
    let executables = version.build(&["--make", command, "--program", "one"]);
    assert_eq!(names(&version.list(&executables[0], &[])), ["One"]);
    assert_eq!(version.measure(&executables[0], "One").operations.len(), 2);
}
