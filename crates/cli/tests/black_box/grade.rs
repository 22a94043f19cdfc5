//! `benchwright grade` and `benchwright select` on a real Go module.

use std::fs;

use serde_json::Value;

use crate::results::{Spread, jmh};
use crate::sandbox::{Answer, Sandbox};

const MODULE: &str = "module example.com/shop\n\ngo 1.21\n";

const SHOP: &str = "package shop

// Total is called by tests and a benchmark.
func Total(prices []int) int {
	sum := 0
	for round := 0; round < 50; round++ {
		for _, price := range prices {
			sum += price ^ round
		}
	}
	return sum
}

// Sort is called by a benchmark alone.
func Sort(prices []int) []int {
	sorted := append([]int(nil), prices...)
	for at := range sorted {
		for other := at; other > 0 && sorted[other-1] > sorted[other]; other-- {
			sorted[other-1], sorted[other] = sorted[other], sorted[other-1]
		}
	}
	return sorted
}

// Unused is called by nobody.
func Unused() int { return 1 }
";

const TESTS: &str = r#"package shop

import "testing"

var sink int

func prices() []int {
	prices := make([]int, 200)
	for at := range prices {
		prices[at] = (at * 7919) % 1000
	}
	return prices
}

func TestTotal(t *testing.T) {
	if Total([]int{1, 2}) == 0 {
		t.Fatal("nothing")
	}
}

func BenchmarkTotal(b *testing.B) {
	prices := prices()
	for i := 0; i < b.N; i++ {
		sink = Total(prices)
	}
}

func BenchmarkSort(b *testing.B) {
	prices := prices()
	for i := 0; i < b.N; i++ {
		sink = Sort(prices)[0]
	}
}
"#;

/// A module with two functions that benchmarks call, and one that they do not; none where there is no Go.
fn sandbox() -> Option<Sandbox> {
    benchwright_testkit::tool("go")?;
    let sandbox = Sandbox::empty();
    let files = [("go.mod", MODULE), ("shop.go", SHOP), ("shop_test.go", TESTS)];
    sandbox.commit(&files.map(|(path, text)| (path, text.to_owned())), "base");
    Some(sandbox)
}

/// Short processes, the same in every test.
const SHORT: &str = "--iterations 2 --iteration-time 2ms --seed 7";

#[track_caller]
fn document(answer: &Answer) -> Value {
    let document: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {}", answer.describe()));
    assert_eq!(document["schema"], "benchwright.grade/1");
    document
}

#[test]
fn a_suite_is_measured_several_times() {
    let Some(sandbox) = sandbox() else { return };
    let found = document(&sandbox.say(&format!("grade --runs 3 {SHORT} --format json")).exits(0));
    assert_eq!(found["extent"]["benchmarks"], 2);
    assert_eq!(found["extent"]["run_seconds"].as_array().map(Vec::len), Some(3));
    let stability = &found["stability"][0];
    assert_eq!((&stability["runs"], &stability["duets"]), (&3.into(), &20.into()));
    assert_eq!(stability["benchmarks"].as_array().map(Vec::len), Some(2), "{found:#}");
    // The run is kept as any other, and can be graded again.
    let again = document(&sandbox.say("grade stability --from latest --format json").exits(0));
    assert_eq!(again["stability"][0]["benchmarks"], stability["benchmarks"]);
    assert_eq!(again["extent"], Value::Null);
}

#[test]
fn files_with_one_run_each_are_the_runs_of_one_suite() {
    let sandbox = Sandbox::empty();
    for (name, centre) in [("one.json", 1.0), ("two.json", 1.1), ("three.json", 1.05)] {
        let text = jmh("p.B.sort", "avgt", "ns/op", &Spread::of(centre, 1, 5));
        fs::write(sandbox.repository.join(name), text).expect("a file");
    }
    let answer = sandbox.say("grade stability --from one.json two.json three.json --format json").exits(0);
    let found = document(&answer);
    assert_eq!(found["stability"][0]["runs"], 3);
    let spread = found["stability"][0]["benchmarks"][0]["max_spread"].as_f64().expect("a number");
    // (1.1 - 1.0) / 1.05
    assert!((spread - 0.0952).abs() < 0.001, "{spread}");
    sandbox
        .say("grade stability --from one.json")
        .exits(1)
        .tells(&["no benchmark has results in two runs of the suite"]);
}

#[test]
fn slowed_functions_are_found_by_the_benchmarks_that_call_them() {
    let Some(sandbox) = sandbox() else { return };
    let arguments = format!(
        "grade api --slowdown 200% --runs 2 --function Total --function shop.Sort --function Unused --function Sum {SHORT} --format json"
    );
    let found = document(&sandbox.say(&arguments).exits(0));
    let api = &found["api"];
    let row = |name: &str| {
        let all = api["functions"].as_array().expect("functions").iter();
        let of = all.clone().find(|it| it["function"] == format!("shop.{name}"));
        of.unwrap_or_else(|| panic!("{name}: {api:#}")).clone()
    };
    let names: Vec<&str> = api["benchmarks"]
        .as_array()
        .expect("benchmarks")
        .iter()
        .filter_map(|it| it["benchmark"].as_str())
        .collect();
    assert_eq!(names, ["Sort", "Total"]);
    assert_eq!(row("Total")["benchmarks"], serde_json::json!(["not-called", "seen"]));
    assert_eq!(row("Sort")["benchmarks"], serde_json::json!(["seen", "not-called"]));
    assert_eq!(
        (&row("Unused")["covered"], &row("Unused")["benchmarks"][0]),
        (&false.into(), &"not-called".into())
    );
    let real = row("Total")["real_slowdown"].as_f64().expect("a number");
    // On a busy machine clocks take longer.
    assert!((1.0..20.0).contains(&real), "{real}");
    assert!((api["scores"]["total"].as_f64().expect("a score") - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!(api["groups"], 1, "no benchmark calls both");
    assert_eq!(api["skipped"][0]["function"], "Sum");
    assert_eq!(api["needed"], serde_json::json!(["Sort", "Total"]));

    // Neither the user's files nor the user's results know of it.
    assert_eq!(sandbox.git(&["status", "--porcelain", "--untracked-files=no"]), "");
    let runs = sandbox.say("show").exits(0);
    assert!(!runs.stdout.contains("slower:"), "{}", runs.describe());
    // What was compared before is not compared again.
    let again = sandbox.say(&arguments).exits(0);
    assert!(!again.stderr.contains("confirming"), "{}", again.describe());
    assert_eq!(document(&again)["api"]["cells"], api["cells"]);
}

#[test]
fn functions_that_nobody_benchmarks_get_a_skeleton_that_compiles() {
    let Some(sandbox) = sandbox() else { return };
    let more = "package shop

import \"io\"

// Cart has methods.
type Cart struct{ items []string }

// Add has a variadic parameter.
func (cart *Cart) Add(to io.Writer, items ...string) (int, error) {
	cart.items = append(cart.items, items...)
	return to.Write(nil)
}

// Price has an argument in a test.
func Price(name string, pieces int) int { return len(name) * pieces }
";
    let test = "package shop\n\nimport \"testing\"\n\nfunc TestPrice(t *testing.T) {\n\tif Price(\"apple\", 3) != 15 {\n\t\tt.Fatal()\n\t}\n}\n";
    sandbox.commit(&[("cart.go", more.to_owned()), ("cart_test.go", test.to_owned())], "head");
    let functions = "--function Unused --function Add --function Price";
    let arguments = format!("grade api --slowdown 200% --runs 2 {functions} {SHORT} --stubs . --format json");
    let answer = sandbox.say(&arguments).exits(0).tells(&["benchwright_stubs_test.go"]);
    assert_eq!(document(&answer)["api"]["scores"]["total"], 0.0);
    let text = fs::read_to_string(sandbox.repository.join("benchwright_stubs_test.go")).expect("skeletons");
    for part in
        ["Price(\"apple\", 3)", "receiver := new(Cart)", "var argument2 []string", "\"io\"", "Unused()"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    // They are benchmarks like others; those without arguments skip themselves.
    let listed = sandbox.say("list").exits(0);
    listed.prints(&["BenchmarkStub_Price", "BenchmarkTotal"]);
    // A file that is there is not overwritten.
    sandbox.say(&arguments).exits(1).tells(&["write skeletons to"]);
}

#[test]
fn functions_are_chosen_by_what_tests_call() {
    let Some(sandbox) = sandbox() else { return };
    let arguments = format!("grade api --slowdown 200% --runs 2 --count 5 {SHORT} --format json");
    let found = document(&sandbox.say(&arguments).exits(0));
    let functions = found["api"]["functions"].as_array().expect("functions");
    assert_eq!(functions.len(), 1, "{found:#}");
    assert_eq!((&functions[0]["function"], &functions[0]["weight"]), (&"shop.Total".into(), &1.0.into()));
}

#[test]
fn only_benchmarks_that_call_what_changed_are_selected() {
    let Some(sandbox) = sandbox() else { return };
    let changed = SHOP.replace("sorted[other-1] > sorted[other]", "sorted[other] < sorted[other-1]");
    sandbox.commit(&[("shop.go", changed)], "head");
    let arguments = format!("select --changed base --runs 3 {SHORT}");
    let found = document(&sandbox.say(&format!("{arguments} --format json")).exits(0));
    assert_eq!(found["selection"]["kept"], serde_json::json!(["example.com/shop:BenchmarkSort"]));
    let text = sandbox.say(&arguments).exits(0);
    text.prints(&["1 benchmark", r"--filter '^(example\.com/shop:BenchmarkSort)$'"]);
    // Both benchmarks are needed to call both functions.
    let all = document(&sandbox.say(&format!("select --runs 3 {SHORT} --format json")).exits(0));
    assert_eq!(
        (&all["selection"]["functions"], &all["selection"]["lost"]),
        (&2.into(), &serde_json::json!([]))
    );
}

#[test]
fn a_gate_fails_for_slowed_code_and_passes_unchanged_code() {
    let Some(sandbox) = sandbox() else { return };
    let arguments = format!(
        "grade gate --function Total --slowdown 200% --times 1 --threshold 50% --filter Total {SHORT} --format json"
    );
    let found = document(&sandbox.say(&arguments).exits(0));
    let gate = &found["gate"];
    assert_eq!(
        (&gate["unchanged"]["failed"], &gate["unchanged"]["tried"]),
        (&0.into(), &1.into()),
        "{found:#}"
    );
    assert_eq!(gate["slowdowns"][0]["failed"], 1, "{found:#}");
    assert!(gate["smallest_seen"].as_f64().is_some_and(|seen| (1.0..20.0).contains(&seen)), "{found:#}");
    sandbox
        .say(&format!("grade gate --function Total --fail-on never {SHORT}"))
        .exits(2)
        .tells(&["the gate passes whatever becomes slower"]);
}

#[test]
fn what_cannot_be_graded_is_said() {
    let Some(sandbox) = sandbox() else { return };
    let say = |arguments: &str, code: i32, told: &str| {
        sandbox.say(&format!("{arguments} {SHORT}")).exits(code).tells(&[told]);
    };
    say("grade api --function Totall", 2, "no function `Totall`; similar: `shop.Total`");
    say("grade gate --function Unused --times 1", 1, "no benchmark calls `Unused`");
    say("grade api --slowdown 0", 2, "`--slowdown` must be above 0");
    say("grade api --from latest", 2, "`--from` has no effect without `grade`");
    say("grade api --budget 5m", 2, "`--budget` has no effect without `grade`");
    say("grade --format junit", 2, "write a grade as junit");
    say("select --changed HEAD", 1, "no functions that changed since HEAD");
    // A function that does not compile when slowed down costs neither the others nor the command.
    let broken =
        SHOP.replace("func Unused() int { return 1 }", "func Unused() int { return 1 }\n\nfunc Syntax( {");
    sandbox.write("broken.go", &broken.replace("package shop", "//go:build ignore\n\npackage shop"));
    say("grade extent --runs 1", 0, "measuring 2 benchmarks");
}
