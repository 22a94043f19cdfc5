//! The same with a real Maven build and JMH.

use std::fs;

use benchwright_model::{Measurement, Trial};
use benchwright_testkit::repository;
use serde_json::Value;

use crate::document::Document;
use crate::sandbox::Sandbox;

/// What is taken over from the bundled suite: both modules, one class of benchmarks.
const FILES: [&str; 6] = [
    ".gitignore",
    "pom.xml",
    "shelf/pom.xml",
    "benchmarks/pom.xml",
    "shelf/src/main/java/org/example/shelf/Shelf.java",
    "benchmarks/src/main/java/org/example/shelf/Modes.java",
];

/// A repository with two versions of the bundled suite, the second of which sums up thirty times.
fn sandbox() -> Sandbox {
    sandbox_with(|text| text)
}

/// The same with its files changed.
pub(crate) fn sandbox_with(change: impl Fn(String) -> String) -> Sandbox {
    let sandbox = Sandbox::empty();
    let text = |path: &str| {
        let text = fs::read_to_string(repository().join("examples/java").join(path));
        change(text.expect("a file of the example"))
    };
    sandbox.commit(&FILES.map(|path| (path, text(path))), "base");
    let shelf = FILES[4];
    let slow = text(shelf).replace(
        "sum += book;",
        "for (int i = 0; i < 30; i++) {\n                sum += book ^ i;\n            }",
    );
    sandbox.commit(&[(shelf, slow)], "head");
    sandbox
}

fn measurement(trial: &Trial) -> &Measurement {
    trial.outcome.measurement().unwrap_or_else(|| panic!("{:?}", trial.outcome))
}

#[test]
fn a_maven_module_is_listed_measured_and_compared() {
    let Some(_) = benchwright_testkit::tool("mvn") else { return };
    let sandbox = sandbox();
    let listed = sandbox.say("list base").exits(0);
    for mode in ["thrpt", "avgt", "sample", "ss"] {
        assert!(listed.stdout.contains(&format!("Modes.sum/{mode}")), "{}", listed.describe());
    }

    // With a stop rule: the first second is warm-up, kept and marked; the process is ended after the measured iterations.
    let short = "--iteration-time 20ms --max-warmup 1s --seed 7";
    let run =
        format!("run --rev base --stop steady --levels run=1,iteration=1,second=2 {short} --filter avgt|ss");
    sandbox.say(&run).exits(0).prints(&["Modes.sum/avgt"]);
    for trial in &sandbox.stored("latest").trials {
        let measured = measurement(trial);
        let count = measured.series("time").map_or(0, |series| series.values.len());
        match trial.benchmark.name.ends_with("/ss") {
            // Single shots are the suite's own: one to warm up, three that count.
            true => assert_eq!((measured.warmup, count, trial.stopped.is_none()), (1, 4, true)),
            false => assert!(measured.warmup >= 15 && count >= measured.warmup as usize + 2, "{measured:?}"),
        }
    }
    a_quick_look_stops_by_itself(&sandbox);

    // As the suite says: one iteration to warm up and three measured; throughput decides where that is the mode.
    let compare = format!("compare base head {short} --stop fixed --filter thrpt|avgt --format json");
    let document = Document::of(&sandbox.say(&compare).exits(3));
    let findings = document.0["findings"].as_array().expect("findings");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<[String; 3]> = findings
        .iter()
        .map(|finding| {
            [&finding["benchmark"]["name"], &finding["metric"]["name"], &finding["verdict"]].map(text)
        })
        .collect();
    found.sort_unstable();
    let expected = [["Modes.sum/avgt", "time", "slower"], ["Modes.sum/thrpt", "throughput", "slower"]];
    assert_eq!(found, expected, "{:#}", document.0);
    for trial in &sandbox.stored("latest").trials {
        let measured = measurement(trial);
        assert_eq!((measured.warmup, measured.main().map_or(0, |series| series.values.len())), (1, 4));
    }
}

/// The default rule ends processes, the number of processes is decided too, and the report tells what that saved.
fn a_quick_look_stops_by_itself(sandbox: &Sandbox) {
    let quick = "run --rev base --max-warmup 1s --seed 7 --filter thrpt";
    let answer = sandbox.say(&format!("{quick} --format json")).exits(0);
    let document: Value = serde_json::from_str(&answer.stdout).expect("a document");
    let [stop] = document["stops"].as_array().expect("stops").as_slice() else { panic!("{document:#}") };
    assert_eq!((&stop["name"], &stop["rule"]), (&Value::from("Modes.sum/thrpt"), &Value::from("learned")));
    // The suite's annotations: one iteration to warm up and three measured, 50 ms each, in one process.
    assert_eq!(stop["configured_secs"], 0.2, "{stop:#}");
    let trials = sandbox.stored("latest").trials;
    assert!((2..=5).contains(&trials.len()), "{}", trials.len());
    for (index, trial) in trials.iter().enumerate() {
        let stopped = trial.stopped.as_ref().expect("a rule watched");
        let count = measurement(trial).main().map_or(0, |series| series.values.len());
        assert!(stopped.after.is_some_and(|after| after as usize <= count), "{stopped:?}");
        assert_eq!(stopped.enough.is_some(), index + 1 == trials.len(), "{stopped:?}");
    }
    sandbox.say("show latest").exits(0).prints(&["stopped", "learned", "processes: "]);
    // Trained rules want 0.1 s; the reason comes before anything is measured.
    sandbox.say("run --rev base --stop learned --iteration-time 1s --filter thrpt").exits(2).tells(&[
        "Modes.sum/thrpt",
        "iterations take 1 s, and it was trained on 0.1 s",
        "such as `steady`",
    ]);
    let models = benchwright_testkit::repository().join("crates/steady/weights/rule.bin");
    let own = format!("--max-warmup 1s --iteration-time 100ms --stop-models {}", models.display());
    let levels = "--levels run=1,iteration=1,second=1 --filter avgt";
    sandbox
        .say(&format!("run --rev base --stop learned {own} {levels}"))
        .exits(0)
        .tells(&["rule.bin` is used by the stop rule `learned`"]);
    assert!(sandbox.stored("latest").run.settings["stop-models"].starts_with("rule.bin "));
    sandbox
        .say(&format!("run --rev base --stop cv {own} {levels}"))
        .exits(0)
        .tells(&["rule.bin` has no effect: no process is ended by the stop rule `learned`"]);
    sandbox
        .say("run --rev base --stop-models nowhere.bin")
        .exits(1)
        .tells(&["read the models `", "nowhere.bin"]);
    sandbox
        .say("run --rev base --stop-models pom.xml")
        .exits(2)
        .tells(&["pom.xml", "`steady train` writes such"]);
    // A typed path counts from where one stands.
    sandbox
        .say("-C benchmarks/src run --rev base --stop-models ../../shelf/pom.xml")
        .exits(2)
        .tells(&["`steady train` writes such"]);
    sandbox
        .say(&format!("compare base head {own} --on slurm"))
        .exits(2)
        .tells(&["use `stop-models` with `--on slurm`", "measure on this machine"]);
    sandbox.say("run --rev base --stop guess").exits(2).tells(&["guess", "classifier"]);
}
