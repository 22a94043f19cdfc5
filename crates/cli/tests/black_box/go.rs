//! The same with a real Go module.

use benchwright_model::Position;

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;

const MODULE: &str = "module example.com/steps\n\ngo 1.21\n";

/// A package whose functions do `factor` times the work.
fn source(factor: u32) -> String {
    let text = "package steps\n\nvar Sink []byte\n\nfunc Work(n int) int {\n\tsum := 0\n\tfor i := 0; i < n*FACTOR; i++ {\n\t\tsum += i ^ sum\n\t}\n\treturn sum\n}\n\nfunc Fill(n int) {\n\tfor i := 0; i < FACTOR; i++ {\n\t\tSink = make([]byte, n)\n\t}\n}\n";
    text.replace("FACTOR", &factor.to_string())
}

const BENCHMARKS: &str = r#"package steps

import "testing"

var sink int

func BenchmarkWork(b *testing.B) {
	b.Run("n=100", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = Work(100)
		}
	})
}

func BenchmarkFill(b *testing.B) {
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		Fill(64)
	}
}
"#;

/// A repository with a version that does thirty times the work of the one before; none where there is no Go.
pub(crate) fn sandbox() -> Option<Sandbox> {
    benchwright_testkit::tool("go")?;
    let sandbox = Sandbox::empty();
    let fixed = [("go.mod", MODULE.to_owned()), ("steps_test.go", BENCHMARKS.to_owned())];
    sandbox.commit(&fixed, "start");
    sandbox.commit(&[("steps.go", source(1))], "base");
    sandbox.commit(&[("steps.go", source(30))], "head");
    Some(sandbox)
}

#[test]
fn a_stop_rule_has_nothing_to_end_where_nothing_warms_up() {
    let Some(sandbox) = sandbox() else { return };
    let short =
        "run --rev base --levels run=1,iteration=1,second=2 --iteration-time 2ms --filter Work --seed 7";
    sandbox
        .say(&format!("{short} --stop cv"))
        .exits(0)
        .tells(&["note: stop rule `cv` has no effect on go: its code is compiled beforehand"]);
    let told = sandbox.stored("latest");
    assert_eq!(told.trials.len(), 1);
    assert!(told.trials.iter().all(|trial| trial.stopped.is_none()));
    let auto = sandbox.say(short).exits(0);
    assert!(!auto.stderr.contains("stop rule"), "{}", auto.describe());
}

#[test]
fn a_go_module_is_compared_in_time_and_allocations() {
    let Some(sandbox) = sandbox() else { return };
    let short = "--iteration-time 2ms --iterations 2";
    let (document, _) = compared(&sandbox, &format!("base head {short}"), 3);
    assert_eq!(document.verdicts()["BenchmarkWork/n=100"], "slower", "{:#}", document.0);
    let counts = document.0["findings"].as_array().expect("findings").iter().find(|finding| {
        finding["metric"]["name"] == "allocs/op" && finding["benchmark"]["name"] == "BenchmarkFill"
    });
    let counts = counts.expect("allocations per operation");
    assert_eq!((&counts["verdict"], &counts["reason"]["code"]), (&"slower".into(), &"exact".into()));
    assert_eq!(counts["fails"], false, "counts fail only where a threshold is configured");

    // Arguments after two hyphens reach the harness: a benchmark per number of processors.
    let arguments = format!(
        "compare head head --filter Work --quick {short} --seed 7 --require-decided 0 --format json -- -cpu 1,2"
    );
    let document = Document::of(&sandbox.say(&arguments).exits(0));
    let names: Vec<String> = document.verdicts().into_keys().collect();
    assert_eq!(names, ["BenchmarkWork/n=100-1", "BenchmarkWork/n=100-2"]);
}

#[test]
fn a_run_of_a_go_module_has_a_sample_per_second_of_every_process() {
    let Some(sandbox) = sandbox() else { return };
    let levels =
        "run --rev base --levels run=2,iteration=2,second=3 --iteration-time 2ms --filter Work --seed 7";
    sandbox.say(levels).exits(0).prints(&["Work/n=100"]);
    let trials = sandbox.stored("latest").trials;
    let mut positions: Vec<Position> = trials.iter().map(|trial| trial.position).collect();
    positions.sort();
    let expected = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(suite_run, iteration)| Position::Levels {
        instance: 0,
        suite_run,
        iteration,
    });
    assert_eq!(positions, expected);
    for trial in &trials {
        let time = trial.outcome.measurement().and_then(|measurement| measurement.series("time"));
        assert_eq!(time.map(|series| series.values.len()), Some(3));
    }
    sandbox.say("export --format benchfmt --iterations").exits(0).prints(&["pkg: example.com/steps"]);
}
