//! Plans that are written and read again, and invalid plans.

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::BenchmarkId;
use proptest::prelude::*;

use super::write::significant;
use super::*;

fn small() -> Plan {
    let source = PlanSource {
        run: Some("20261115-100000-ab12".into()),
        version: "main (1f2e3d4c5)".into(),
        commit: Some("1f2e3d4c5b6a".into()),
        environment: BTreeMap::from([
            ("cpu".into(), "AMD EPYC 7B13".into()),
            ("go".into(), "go version go1.26.1".into()),
        ]),
        ..PlanSource::default()
    };
    let planned = PlannedBenchmark {
        source: "20261115-100000-ab12".into(),
        instances: 1,
        levels: Levels { run: 1, iteration: 3, second: 1 },
        metric: None,
        instability: Some(0.004_212_345),
        is_stable: true,
        seconds: 4.5,
        full_seconds: 75.0,
        code: Some("function:0123456789abcdef".into()),
        duets: None,
        iterations: None,
        iteration_time: None,
    };
    Plan {
        made: "2026-11-15T10:00:00Z".into(),
        by: "0.4.0".into(),
        goal: Goal::Stability { metric: "rmad".into(), threshold: 0.01, mode: "paper".into() },
        sources: BTreeMap::from([("20261115-100000-ab12".into(), source)]),
        benchmarks: BTreeMap::from([(
            BenchmarkId::new("go", "example.com/sum", "BenchmarkSum/n=10"),
            planned,
        )]),
    }
}

const SMALL: &str = r#"
format = 1
made = "2026-11-15T10:00:00Z"
by = "0.4.0"

[goal]
for = "stability"
metric = "rmad"
threshold = 0.01
mode = "paper"

[source.20261115-100000-ab12]
run = "20261115-100000-ab12"
version = "main (1f2e3d4c5)"
commit = "1f2e3d4c5b6a"

[source.20261115-100000-ab12.environment]
cpu = "AMD EPYC 7B13"
go = "go version go1.26.1"

[[benchmark]]
harness = "go"
package = "example.com/sum"
name = "BenchmarkSum/n=10"
source = "20261115-100000-ab12"
levels = { run = 1, iteration = 3, second = 1 }
instability = 0.004212
stable = true
seconds = 4.5
full-seconds = 75.0
code = "function:0123456789abcdef"
"#;

#[test]
fn the_text_has_a_heading_and_one_line_per_fact() {
    let text = small().to_string();
    let (heading, rest) = text.split_once("\n\n").expect("an empty line after the heading");
    assert!(heading.lines().all(|line| line.starts_with("# ")), "{heading}");
    assert!(heading.contains("benchwright reduce --refresh"), "{heading}");
    assert_eq!(format!("\n{rest}"), SMALL);
}

#[test]
fn a_plan_reads_back_as_it_was_but_for_digits_nobody_needs() {
    let (plan, diagnostics) = read_plan_text("p.toml", SMALL).expect("a plan");
    assert_eq!(diagnostics, []);
    assert_eq!(plan, rounded(small()));
}

/// Checks the warnings of a plan made from [`SMALL`] by a replacement, and its number of benchmarks.
fn check(from: &str, to: &str, benchmarks: usize, expected: &[&str]) {
    assert!(SMALL.contains(from), "{from}");
    let (plan, diagnostics) = read_plan_text("p.toml", &SMALL.replace(from, to)).expect("a plan");
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!((plan.benchmarks.len(), texts.iter().map(String::as_str).collect::<Vec<_>>()), {
        (benchmarks, expected.to_vec())
    });
}

#[test]
fn a_wrong_entry_loses_only_itself_and_is_named_with_its_place() {
    let left_out = |line_and_column: &str, what: &str| {
        format!(
            "warning: p.toml:{line_and_column}: the entry of `example.com/sum:BenchmarkSum/n=10` is left out: {what}\n  \
             hint: it runs in full until the entry is right"
        )
    };
    let one = |from: &str, to: &str, place: &str, what: &str| {
        check(from, to, 0, &[&left_out(place, what)]);
    };
    one("iteration = 3", "iteration = 0", "26:33", "expected a whole number from 1 to 100000, got `0`");
    one("iteration = 3, ", "", "26:12", "missing `iteration`");
    one("seconds = 4.5", "seconds = \"long\"", "29:11", "expected a number from 0, got `\"long\"`");
    one("stable = true", "stable = 1", "28:10", "expected `true` or `false`, got `1`");
    one(
        "stable = true",
        "stable = true\nduets = { floor = 9, cap = 5 }",
        "29:28",
        "expected a cap of at least the floor",
    );
    one(
        "stable = true",
        "stable = true\niteration-time = \"soon\"",
        "29:18",
        "expected a duration such as `100ms`, `90s` or `5m`, got `soon`",
    );
    let (_, entry) = SMALL.split_once("[[benchmark]]").expect("an entry");
    let other = format!("{SMALL}\n[[benchmark]]{}", entry.replace("n=10", "n=20").replace("4.5", "-1"));
    let (plan, diagnostics) = read_plan_text("p.toml", &other).expect("a plan");
    assert_eq!((plan.benchmarks.len(), diagnostics.len()), (1, 1));
    let twice = format!("{SMALL}\n[[benchmark]]{}", entry.replace("4.5", "9.0"));
    let (plan, diagnostics) = read_plan_text("p.toml", &twice).expect("a plan");
    assert_eq!(plan, rounded(small()));
    assert!(diagnostics[0].message.ends_with("`example.com/sum:BenchmarkSum/n=10` is there twice"));
}

#[test]
fn unknown_keys_and_missing_sources_are_warnings() {
    check(
        "stable = true",
        "stabel = true",
        1,
        &["warning: p.toml:28:1: unknown setting `stabel` is ignored\n  hint: did you mean `stable`?"],
    );
    check(
        "source = \"20261115-100000-ab12\"",
        "source = \"gone\"",
        1,
        &["warning: p.toml:25:10: there is no `[source.gone]`"],
    );
}

/// The text of the error, without the plan.
fn check_error(text: &str, expected: &str) {
    let error = read_plan_text("p.toml", text).expect_err("no plan").to_string();
    assert!(error.starts_with("use the plan `p.toml`"), "{error}");
    assert!(error.contains(expected), "{error}");
}

#[test]
fn what_concerns_the_whole_plan_is_an_error_in_its_line() {
    check_error("", "p.toml:1:1: missing `format`");
    check_error("format = 1\n", "p.toml:1:1: missing `goal`");
    check_error(
        &SMALL.replace("for = \"stability\"", "for = \"fun\""),
        "p.toml:7:7: expected one of `stability`, `compare`, got `\"fun\"`",
    );
    check_error(
        &SMALL.replace("threshold = 0.01", "threshold = -1.0"),
        "p.toml:9:13: expected a positive share such as `0.01`, got `-1.0`",
    );
    check_error("format = = 1", "p.toml:1:10: ");
    check_error(
        &format!("benchmark = 3\n{}", SMALL.split("\n[[benchmark]]").next().expect("a beginning")),
        "p.toml:1:13: expected a list of tables `[[benchmark]]`, got `3`",
    );
}

#[test]
fn a_newer_format_is_refused_with_a_hint() {
    let error = read_plan_text("p.toml", "format = 2\nlevels = 3\n").expect_err("a newer format");
    assert_eq!(error.to_string(), "use the plan `p.toml`: it has format 2, the newest known here is 1");
    assert!(error.hint().contains("install a newer benchwright"));
}

#[test]
fn sources_that_nobody_names_can_be_dropped() {
    let mut plan = small();
    plan.sources.insert("old".into(), PlanSource::default());
    plan.drop_unused_sources();
    assert_eq!(plan, small());
}

/// As it is after writing and reading.
fn rounded(mut plan: Plan) -> Plan {
    for planned in plan.benchmarks.values_mut() {
        planned.seconds = significant(planned.seconds);
        planned.full_seconds = significant(planned.full_seconds);
        planned.instability = planned.instability.map(significant);
    }
    plan
}

fn goals() -> impl Strategy<Value = Goal> {
    let share = || 1e-9..1.0f64;
    prop_oneof![
        ("\\PC{0,8}", share(), "[a-z]{1,9}").prop_map(|(metric, threshold, mode)| Goal::Stability {
            metric,
            threshold,
            mode
        }),
        (share(), share(), share()).prop_map(|(change, power, false_alarms)| Goal::Compare {
            change,
            power,
            false_alarms
        }),
    ]
}

fn sources() -> impl Strategy<Value = PlanSource> {
    let text = || "(?s).{0,12}";
    let facts = proptest::collection::btree_map(text(), text(), 0..3);
    let files = proptest::collection::vec(text(), 0..3);
    (proptest::option::of(text()), files, text(), proptest::option::of(text()), facts).prop_map(
        |(run, files, version, commit, environment)| PlanSource { run, files, version, commit, environment },
    )
}

fn benchmarks() -> impl Strategy<Value = PlannedBenchmark> {
    let size = || 1..=100_000u32;
    let levels =
        (size(), size(), size()).prop_map(|(run, iteration, second)| Levels { run, iteration, second });
    let duets = (2..1000u32, 0..1000u32).prop_map(|(floor, more)| DuetRange { floor, cap: floor + more });
    let time = (1..u64::MAX / 4).prop_map(Duration::from_nanos);
    let option = proptest::option::of::<BoxedStrategy<String>>;
    let texts = ("(?s).{0,12}", option("[a-z0-9]{1,6}".boxed()), option("(?s).{0,20}".boxed()));
    let numbers = (proptest::option::of(0.0..10.0f64), any::<bool>(), 0.0..1e6f64, 0.0..1e9f64);
    let shape = (proptest::option::of(duets), proptest::option::of(size()), proptest::option::of(time));
    (texts, size(), levels, numbers, shape).prop_map(|(texts, instances, levels, numbers, shape)| {
        PlannedBenchmark {
            source: texts.0,
            instances,
            levels,
            metric: texts.1,
            instability: numbers.0,
            is_stable: numbers.1,
            seconds: numbers.2,
            full_seconds: numbers.3,
            code: texts.2,
            duets: shape.0,
            iterations: shape.1,
            iteration_time: shape.2,
        }
    })
}

proptest! {
    #[test]
    fn whatever_is_written_reads_back_and_is_written_alike_again(
        (made, by, goal) in ("(?s).{0,12}", "(?s).{0,12}", goals()),
        sources in proptest::collection::btree_map("(?s).{0,9}", sources(), 0..3),
        benchmarks in proptest::collection::btree_map(
            ("(?s).{0,9}", "(?s).{0,9}", "(?s).{0,20}").prop_map(|(h, p, n)| BenchmarkId::new(h, p, n)),
            benchmarks(),
            0..4,
        ),
    ) {
        let plan = Plan { made, by, goal, sources, benchmarks };
        let text = plan.to_string();
        let (read, _) = read_plan_text("p.toml", &text).expect("what was written can be read");
        prop_assert_eq!(&read, &rounded(plan));
        prop_assert_eq!(read.to_string(), text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(cut in 0..SMALL.len(), junk in "(?s).{0,6}") {
        let start: String = SMALL.chars().take(cut).collect();
        let rest: String = SMALL.chars().skip(cut + 3).collect();
        let _ = read_plan_text("p.toml", &format!("{start}{junk}{rest}"));
        let _ = read_plan_text("p.toml", &junk);
    }
}
