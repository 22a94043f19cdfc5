//! The JMH harness with the real Maven and Java, on the bundled suite and on a module made on the spot.

#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

mod version;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use benchwright_harness::{Executable, HarnessError, Reading, Stop, StopBy, TrialShape};
use benchwright_model::{BenchmarkId, Configured, Nature, Severity};
use version::{Version, names, owned};

/// Runs a trial to the end that JMH gives it; returns its reading, its exit status and all it said.
fn trial(
    version: &Version,
    executable: &Executable,
    benchmark: &BenchmarkId,
    args: &[&str],
) -> (Reading, i32, String) {
    let ended = version.trial(executable, benchmark, &shape(Stop::Fixed, args));
    let (status, said) = (ended.output.status.code().unwrap_or(-1), ended.said());
    (ended.reading, status, said)
}

fn shape(stop: Stop, args: &[&str]) -> TrialShape {
    TrialShape { args: owned(args), stop, ..version::shape(2, Duration::from_millis(10), Duration::ZERO) }
}

fn values<'a>(reading: &'a Reading, metric: &str) -> &'a [f64] {
    let series = reading.measurement.series(metric);
    &series.unwrap_or_else(|| panic!("no `{metric}` in {reading:?}")).values
}

fn example() -> Version {
    Version::of_example("jmh", "java")
}

/// All names of the bundled suite. Modes are in the name where there are several.
const NAMES: [&str; 16] = [
    "Broken.take/fails=no",
    "Counted.aside",
    "Counted.both",
    "Modes.sum/thrpt",
    "Modes.sum/avgt",
    "Modes.sum/sample",
    "Modes.sum/ss",
    "Sorting.fill/order=RISING/size=10",
    "Sorting.fill/order=FALLING/size=10",
    "Sorting.fill/order=RISING/size=100",
    "Sorting.fill/order=FALLING/size=100",
    "Talking.add",
    "Texts.hash/title=plain",
    "Texts.hash/title=a,b",
    "Texts.hash/title=x%2Fy=z",
    "Texts.hash/title=Größe%2010%20%25",
];

#[test]
fn the_example_is_recognised_built_listed_and_measured() {
    let Some(_) = benchwright_testkit::tool("mvn") else { return };
    let version = example();
    let projects = version.harness.recognise(&version.root);
    assert_eq!(projects, [version.project("")]);
    let toolchain = version.harness.toolchain(&projects[0], &[], &mut version.processes()).unwrap();
    assert!(toolchain.contains("version \"") && toolchain.contains("Apache Maven"), "{toolchain}");
    let built = version.build("", &[]);
    let [executable] = built.as_slice() else { panic!("{built:?}") };
    assert_eq!(
        (executable.package.as_str(), executable.flavour_version.as_str()),
        ("shelf-benchmarks", "1.37")
    );

    let listing = version.list(executable, &[]);
    assert_eq!(listing.diagnostics, []);
    let mut expected = NAMES.to_vec();
    expected.push("Texts.hash/title=");
    assert_eq!(names(&listing), expected);
    assert!(listing.benchmarks.iter().all(|id| id.package == "org.example.shelf"));
    let by_name: BTreeMap<&str, &BenchmarkId> =
        listing.benchmarks.iter().map(|id| (id.name.as_str(), id)).collect();

    modes_have_their_metrics(&version, executable, &by_name);
    trials_run_what_their_names_say(&version, executable, &by_name);
    failures_are_told_in_their_own_words(&version, executable);
    arguments_change_what_is_listed(&version, executable);
    a_watched_trial_streams(&version, executable, by_name["Sorting.fill/order=RISING/size=10"]);
}

/// Every mode, with the suite's own numbers of iterations.
fn modes_have_their_metrics(version: &Version, executable: &Executable, all: &BTreeMap<&str, &BenchmarkId>) {
    for (mode, metric, warmup, iterations) in [
        ("thrpt", "throughput", 1, 4),
        ("avgt", "time", 1, 4),
        ("sample", "time", 1, 4),
        ("ss", "time", 1, 4),
    ] {
        let id = all[format!("Modes.sum/{mode}").as_str()];
        let args: &[&str] = if mode == "avgt" { &["-prof", "gc"] } else { &[] };
        let (reading, status, output) = trial(version, executable, id, args);
        assert_eq!((status, reading.diagnostics.as_slice()), (0, [].as_slice()), "{output}");
        assert_eq!(reading.measurement.warmup, warmup, "{mode}: {output}");
        assert_eq!(values(&reading, metric).len(), iterations, "{mode}: {output}");
        assert!(values(&reading, metric).iter().all(|value| *value > 0.0), "{mode}: {output}");
        match mode {
            "sample" => {
                assert_eq!(reading.measurement.series("p99").unwrap().metric.nature, Nature::Derived);
            }
            "avgt" => {
                let bytes = values(&reading, "B/op");
                assert!(bytes.iter().all(|value| value.fract() == 0.0), "{bytes:?}");
                assert_eq!(reading.measurement.operations.len(), iterations, "{output}");
            }
            _ => {}
        }
    }
}

/// Awkward parameters, output that looks like results, groups and counters.
fn trials_run_what_their_names_say(
    version: &Version,
    executable: &Executable,
    all: &BTreeMap<&str, &BenchmarkId>,
) {
    let quick = ["-i", "1", "-wi", "0", "-r", "10ms"];
    for name in
        ["Texts.hash/title=a,b", "Texts.hash/title=Größe%2010%20%25", "Texts.hash/title=", "Talking.add"]
    {
        let (reading, status, output) = trial(version, executable, all[name], &quick);
        assert_eq!((status, reading.diagnostics.as_slice()), (0, [].as_slice()), "{name}: {output}");
        let [time] = values(&reading, "time") else { panic!("{name}: {output}") };
        assert!(*time < 9e-4, "{name}: took its own output for a result: {output}");
    }
    let both = trial(version, executable, all["Counted.both"], &quick).0;
    assert_eq!((values(&both, "read").len(), values(&both, "write").len()), (1, 1));
    let aside = trial(version, executable, all["Counted.aside"], &quick).0;
    assert!(values(&aside, "even")[0] < values(&aside, "throughput")[0]);
}

fn failures_are_told_in_their_own_words(version: &Version, executable: &Executable) {
    for (fails, words) in
        [("throws", "java.lang.IllegalStateException: the shelf is empty"), ("leaves", "System.exit")]
    {
        let id = BenchmarkId::new("jmh", "org.example.shelf", format!("Broken.take/fails={fails}"));
        let (reading, status, output) = trial(version, executable, &id, &["-i", "1", "-wi", "0"]);
        assert_eq!((status, reading.measurement.series.len()), (1, 0), "{output}");
        let error = reading.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        assert!(error.is_some_and(|error| error.message.contains(words)), "{:?}", reading.diagnostics);
    }
}

fn arguments_change_what_is_listed(version: &Version, executable: &Executable) {
    let listing = version.list(executable, &["-p", "size=7", "-bm", "thrpt", "-e", "Texts|Counted|Talking"]);
    let expected = [
        "Broken.take/fails=no",
        "Modes.sum",
        "Sorting.fill/order=RISING/size=7",
        "Sorting.fill/order=FALLING/size=7",
    ];
    assert_eq!(names(&listing), expected);
}

/// With our rule, JMH runs far longer than needed; every iteration is there at once, and killing the group ends both VMs.
fn a_watched_trial_streams(version: &Version, executable: &Executable, id: &BenchmarkId) {
    use std::os::unix::process::CommandExt;
    let half_a_minute = Duration::from_secs(30);
    let by = StopBy {
        rule: "steady".into(),
        processes: None,
        is_live: true,
        longest_warmup: half_a_minute,
        usual: half_a_minute,
        longest: half_a_minute,
        seed: 0,
    };
    let shape = shape(Stop::Rule(by), &[]);
    let scratch = tempfile::tempdir().unwrap();
    let mut command = version.command(executable, id, &shape, scratch.path());
    let mut child = command.stdout(Stdio::piped()).process_group(0).spawn().unwrap();
    let group = child.id();
    let mut reader = version.harness.reader(executable, id, &shape);
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        seen = reader.line(&line.unwrap());
        if seen == 20 {
            break;
        }
    }
    assert_eq!(seen, 20);
    assert!(reader.latest().is_some_and(|value| value > 0.0));
    // The suite's annotations: what is saved is told against them.
    let configured = Configured { time: Duration::from_millis(300), processes: 3 };
    assert_eq!(reader.configured(), Some(configured));
    let vms = || processes_of(scratch.path());
    assert_eq!(vms(), 2, "the host and its fork");
    // The shell's own: the program `kill` of some systems takes -123 for -1, all processes.
    let killed = Command::new("sh").args(["-c", &format!("kill -KILL -{group}")]).status().unwrap();
    assert!(killed.success());
    child.wait().unwrap();
    let is_over = (0..200).any(|_| {
        vms() == 0 || {
            std::thread::sleep(Duration::from_millis(10));
            false
        }
    });
    assert!(is_over, "a VM outlives its group");
    assert_eq!(reader.finish(scratch.path()).measurement.series[0].values.len(), 20);
}

/// Processes whose arguments name the directory.
fn processes_of(dir: &Path) -> usize {
    let text = dir.display().to_string();
    let lines = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&text)).count()
}

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.example</groupId><artifactId>shelf-parent</artifactId><version>1</version></parent>
  <artifactId>scattered</artifactId>
  <dependencies><dependency>
    <groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><scope>test</scope>
  </dependency></dependencies>
  <build><plugins><plugin>
    <artifactId>maven-compiler-plugin</artifactId>
    <configuration><annotationProcessorPaths><path>
      <groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId><version>${jmh.version}</version>
    </path></annotationProcessorPaths></configuration>
  </plugin></plugins></build>
</project>"#;

/// Benchmarks among the tests, no jar that holds everything, an older JMH: the class path is used. Then one that does
/// not compile.
#[test]
fn benchmarks_among_the_tests_run_from_a_class_path_and_errors_are_mavens() {
    let Some(_) = benchwright_testkit::tool("mvn") else { return };
    let version = example();
    let module = version.root.join("benchmarks");
    let source = "src/main/java/org/example/shelf/Broken.java";
    let text = fs::read_to_string(module.join(source)).unwrap();
    fs::remove_dir_all(module.join("src")).unwrap();
    let test = module.join("src/test/java/org/example/shelf/Broken.java");
    fs::create_dir_all(test.parent().unwrap()).unwrap();
    fs::write(&test, &text).unwrap();
    fs::write(module.join("pom.xml"), POM).unwrap();

    let built = version.build("", &["-Djmh.version=1.21"]);
    let [executable] = built.as_slice() else { panic!("{built:?}") };
    assert_eq!(executable.path, Path::new("scattered.classpath"));
    assert_eq!(executable.flavour_version, "1.21");
    let listing = version.list(executable, &[]);
    assert_eq!(names(&listing), ["Broken.take/fails=no"]);
    let quick = ["-i", "2", "-wi", "1", "-r", "10ms", "-w", "10ms", "-prof", "gc"];
    for flavour in ["jmh", "jmh-text"] {
        let executable = Executable { flavour: flavour.into(), ..executable.clone() };
        let (reading, status, output) = trial(&version, &executable, &listing.benchmarks[0], &quick);
        assert_eq!((status, reading.measurement.warmup), (0, 1), "{output}");
        assert_eq!(values(&reading, "time").len(), 3, "{output}");
    }
    let as_text = Executable { flavour: "jmh-text".into(), ..executable.clone() };
    assert_eq!(version.list(&as_text, &[]), listing);

    fs::write(&test, text.replace("return fails.length();", "return fails")).unwrap();
    match version.try_build("", &["-Djmh.version=1.21"]) {
        Err(HarnessError::Tool { message, .. }) => {
            assert!(message.contains("Broken.java:[") && message.contains("';' expected"), "{message}");
            assert!(!message.contains("[Help 1]"), "{message}");
        }
        other => panic!("{other:?}"),
    }
}
