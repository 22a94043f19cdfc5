use benchwright_model::Measurement;
use proptest::prelude::*;

use super::*;

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cargo").join(path)
}

fn read(name: &str, home: &Path) -> Reading {
    Box::new(SampleReader::new(&BenchmarkId::new("cargo", "p/bench", name))).finish(home)
}

fn shape(iterations: u32) -> TrialShape {
    TrialShape {
        warmup_time: Duration::from_millis(50),
        ..TrialShape::fixed(iterations, Duration::from_millis(100))
    }
}

fn args(version: &str, name: &str, shape: &TrialShape) -> String {
    let command = command(version, name, shape, Path::new("/scratch"));
    assert_eq!(command.env, [("CRITERION_HOME".to_owned(), OsString::from("/scratch"))]);
    command.args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

const VERSIONS: [&str; 3] = ["criterion-0.3.6", "criterion-0.5.1", "criterion-0.8.2"];

#[test]
fn a_modern_version_selects_exactly_and_takes_fractions_of_seconds() {
    let common = "--bench --noplot --nresamples 10 --sample-size";
    assert_eq!(
        args("0.7.0", "a (b)", &shape(20)),
        format!("{common} 20 --warm-up-time 0.05 --measurement-time 2 --exact a (b)")
    );
    assert_eq!(
        args("0.5.1", "-x", &shape(3)),
        format!("{common} 10 --warm-up-time 0.05 --measurement-time 0.3 --exact -- -x")
    );
}

#[test]
fn an_old_or_unknown_version_gets_an_anchored_escaped_expression() {
    let check = |version: &str, expected: &str| {
        let args = args(version, "odd (a+b)*[c] $1.50|x^2", &shape(10));
        assert!(args.ends_with(expected), "{version}: {args}");
    };
    let pattern = r"^odd \(a\+b\)\*\[c\] \$1\.50\|x\^2$";
    check("0.3.6", &format!("--warm-up-time 1 --measurement-time 1 {pattern}"));
    check("0.4.0", &format!("--warm-up-time 0.05 --measurement-time 1 {pattern}"));
    check("", &format!("--warm-up-time 0.05 --measurement-time 1 {pattern}"));
}

#[test]
fn a_suite_that_insists_on_longer_times_is_measured_in_the_quick_mode() {
    let overruled = TrialShape { is_overruled: true, ..shape(10) };
    for version in ["0.4.0", "0.8.2"] {
        let args = args(version, "x", &overruled);
        let expected =
            "--nresamples 10 --quick --significance-level 0.99 --warm-up-time 0.05 --measurement-time 1 ";
        assert!(args.contains(expected), "{args}");
    }
    let own = TrialShape { args: vec!["--sample-size=20".into()], ..overruled.clone() };
    assert!(!args("0.5.1", "x", &own).contains("--quick"), "Criterion refuses both");
    for version in ["0.3.6", ""] {
        assert_eq!(args(version, "x", &overruled), args(version, "x", &shape(10)));
    }
}

#[test]
fn no_warm_up_at_all_is_asked_for_as_very_little() {
    let shape = TrialShape { warmup_time: Duration::ZERO, iteration_time: Duration::ZERO, ..shape(0) };
    let args = args("0.8.2", "x", &shape);
    assert!(args.contains("--sample-size 10 --warm-up-time 0.001 --measurement-time 0.001"), "{args}");
}

#[test]
fn a_cut_name_is_selected_by_its_beginning() {
    let beginning = format!("long {}", "x".repeat(95));
    for name in [format!("{beginning}..."), format!("{beginning}... #2")] {
        let args = args("0.8.2", &name, &shape(10));
        assert!(args.ends_with(&format!(" ^{beginning}")), "{args}");
    }
    assert!(args("0.8.2", "and so on...", &shape(10)).ends_with("--exact and so on..."));
}

#[test]
fn lists_of_all_versions_name_the_same_benchmarks() {
    let cut = format!("long {}...", "x".repeat(95));
    let expected = [
        "plain",
        "odd (a+b)*[c] $1.50|x^2",
        "plain #2",
        &cut,
        "group/sum of/1",
        "group/sum of/10",
        "configured/slow",
    ];
    for version in VERSIONS {
        let text = fs::read_to_string(fixture(version).join("list.txt")).expect("the fixture");
        assert_eq!(listed(&text).collect::<Vec<_>>(), expected, "{version}");
    }
}

#[test]
fn only_a_numbered_name_whose_plain_form_is_known_repeats_it() {
    let earlier = [BenchmarkId::new("cargo", "p", "plain")];
    assert!(repeats("plain #2", &earlier));
    assert!(!repeats("other #2", &earlier));
    assert!(!repeats("plain #", &earlier));
    assert!(!repeats("plain", &earlier));
}

#[test]
fn samples_of_all_versions_are_read_in_seconds() {
    for version in VERSIONS {
        let reading = read("group/sum of/10", &fixture(version).join("group"));
        assert_eq!(reading.diagnostics, [], "{version}");
        let time = reading.measurement.series("time").expect("times");
        assert_eq!((time.values.len(), time.resolution), (10, 0.0), "{version}");
        assert_eq!(reading.measurement.operations.len(), 10, "{version}");
        assert!(time.values.iter().all(|value| (1e-9..1e-6).contains(value)), "{version}: {time:?}");
    }
    // 190704 ns in 35208 iterations, by hand from the fixture.
    let reading = read("group/sum of/10", &fixture("criterion-0.8.2/group"));
    let expected = 190_704.0 / 35_208.0 * 1e-9;
    assert!((reading.measurement.series[0].values[0] / expected - 1.0).abs() < 1e-12);
    assert_eq!(reading.measurement.operations[0], 35_208);
}

#[test]
fn of_two_benchmarks_with_one_name_the_titles_tell_which_is_which() {
    let home = fixture("criterion-0.8.2/plain");
    let first = read("plain", &home).measurement;
    let second = read("plain #2", &home).measurement;
    assert_eq!(first.operations[0], 4243);
    assert!(second.operations[0] > 100_000, "{second:?}");
}

#[test]
fn samples_of_other_benchmarks_do_not_count() {
    let reading = read("group/sum of/1", &fixture("criterion-0.8.2/group"));
    assert_eq!(reading.measurement, Measurement::default());
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn an_empty_or_absent_home_has_no_values_and_no_doubts() {
    let home = tempfile::tempdir().expect("a temporary directory");
    assert_eq!(read("x", home.path()), Reading::default());
    assert_eq!(read("x", &home.path().join("absent")), Reading::default());
}

fn read_text(sample: &str) -> Reading {
    let home = tempfile::tempdir().expect("a temporary directory");
    let new = home.path().join("x/new");
    fs::create_dir_all(&new).expect("a directory");
    fs::write(new.join("sample.json"), sample).expect("a file");
    read("x", home.path())
}

#[test]
fn a_truncated_or_foreign_sample_is_a_diagnostic() {
    let whole =
        fs::read_to_string(fixture("criterion-0.8.2/plain/plain/new/sample.json")).expect("the fixture");
    for text in [&whole[..whole.len() / 2], "", "BenchmarkX 1 2 ns/op", r#"{"iters":[1.0],"times":[null]}"#] {
        let reading = read_text(text);
        assert_eq!(reading.measurement, Measurement::default(), "{text}");
        assert_eq!(reading.diagnostics.len(), 1, "{text}");
    }
}

#[test]
fn impossible_samples_are_left_out_and_zero_is_kept_for_the_judge() {
    let reading = read_text(r#"{"iters":[0.0,2.0,1.0,5.0],"times":[7.0,0.0,1e-400]}"#);
    assert_eq!(reading.measurement.series[0].values, [0.0, 0.0]);
    assert_eq!(reading.measurement.operations, [2, 1]);
    assert_eq!(reading.diagnostics.len(), 2, "{:?}", reading.diagnostics);
}

proptest! {
    #[test]
    fn no_sample_makes_the_reader_panic(text in ".{0,200}", iters in proptest::collection::vec(any::<f64>(), 0..4),
                                        times in proptest::collection::vec(any::<f64>(), 0..4)) {
        read_text(&text);
        read_text(&format!(r#"{{"iters":{iters:?},"times":{times:?}}}"#));
    }

    #[test]
    fn no_name_or_list_makes_the_command_panic(name in ".{0,120}", list in ".{0,300}") {
        for version in ["", "0.3.6", "0.8.2", "x.y"] {
            args(version, &name, &shape(1));
        }
        let known: Vec<BenchmarkId> = listed(&list).map(|name| BenchmarkId::new("cargo", "p", name)).collect();
        repeats(&name, &known);
    }
}
