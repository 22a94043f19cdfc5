//! A harness written in another language: the example in Perl.

use benchwright_model::Outcome;

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;

const BENCH: &str = include_str!("../../../../examples/shim/bench.pl");
const WORDS: &str = include_str!("../../../../examples/shim/Words.pm");
const CONFIGURATION: &str = include_str!("../../../../examples/shim/benchwright.toml");

/// The example, and a version in which `count` does forty times the work.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    let fixed = [("bench.pl", BENCH.to_owned()), ("benchwright.toml", CONFIGURATION.to_owned())];
    sandbox.commit(&fixed, "start");
    sandbox.commit(&[("Words.pm", WORDS.to_owned())], "base");
    let work = "$seen{ lc $_ }++ for split ' ', $text;";
    assert!(WORDS.contains(work));
    let slow = WORDS.replace(work, &format!("for my $turn (1 .. 40) {{ {work} }}"));
    sandbox.commit(&[("Words.pm", slow)], "head");
    sandbox
}

#[test]
fn the_example_is_listed_run_and_compared() {
    let sandbox = sandbox();
    let listed = sandbox.say("list base").exits(0).stdout;
    assert_eq!(listed, "words:count\nwords:longest\n");
    let short = "--iteration-time 2ms --iterations 2 --warmup-time 1ms";
    let (document, _) = compared(&sandbox, &format!("base head {short}"), 3);
    assert_eq!(document.verdicts()["count"], "slower", "{:#}", document.0);
    assert_ne!(document.verdicts()["longest"], "slower", "{:#}", document.0);
    sandbox.say(&format!("run --rev base --filter longest {short} --seed 7")).exits(0).prints(&["longest"]);
    for trial in sandbox.stored("latest").trials {
        let Outcome::Measured(measurement) = &trial.outcome else { panic!("{trial:?}") };
        assert_eq!((measurement.series[0].values.len(), measurement.operations.len()), (2, 2));
        assert!(measurement.operations[0] > 1, "an iteration is a batch");
    }
}

/// A shim that is a shell script, and what a run of its benchmark says.
#[track_caller]
fn check(script: &str, code: i32, words: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let configuration = "[[shim]]\nname = \"own\"\nrun = \"./it.sh\"\nbuild = \"chmod +x it.sh\"\nenv = { HOME_OF = '{root}' }\n";
    let script = format!(
        "#!/bin/sh\nif [ $1 = list ]; then echo '##benchwright {{\"benchmark\": \"a b\"}}'; exit 0; fi\n{script}\n"
    );
    sandbox.commit(&[("it.sh", script), ("benchwright.toml", configuration.to_owned())], "base");
    let run = "run --rev base --levels run=1,iteration=1,second=1 --iteration-time 1ms --seed 7";
    sandbox.say(run).exits(code).tells(words);
    sandbox
}

#[test]
fn a_shim_says_itself_what_went_wrong() {
    let error = "echo '##benchwright {\"error\": {\"benchmark\": \"a b\", \"message\": \"out of cheese\"}}'";
    check(&format!("{error}; exit 1"), 1, &["exited with status 1", "out of cheese"]);
    check(error, 1, &["printed no result", "out of cheese"]);
    check("echo nothing of the kind", 1, &["printed no result", "nothing of the kind"]);
    check(
        "echo '##benchwright {\"sample\": {\"seconds\": 1}}'",
        1,
        &["standard output:1:", "missing field `benchmark`"],
    );
}

#[test]
fn a_shim_is_told_what_to_measure_and_how_long() {
    let sample = "echo '##benchwright {\"sample\": {\"benchmark\": \"a b\", \"seconds\": 1e-3, \"metrics\": {\"B/op\": 12, \"rows/s\": 5}}}'";
    let told = "test \"$*\" = 'run a b --iterations 1 --iteration-time 0.001 --warmup-time 0.1' || exit 9";
    let sandbox = check(&format!("{told}; test \"$HOME_OF\" = \"$PWD\" || exit 8; {sample}"), 0, &[]);
    let trials = sandbox.stored("latest").trials;
    let measurement = trials[0].outcome.measurement().expect("values");
    let names: Vec<&str> = measurement.series.iter().map(|series| series.metric.name.as_str()).collect();
    assert_eq!(names, ["time", "B/op", "rows/s"]);
}

#[test]
fn a_program_that_does_not_speak_the_protocol_is_named() {
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("benchwright.toml", "[[shim]]\nname = \"mute\"\nrun = \"true\"\n".to_owned())], "base");
    let answer = sandbox.say("list base").exits(1);
    answer.tells(&["list the benchmarks of the shim `mute`", "##benchwright", "shim-protocol.md"]);
}

#[test]
fn identical_versions_of_a_shim_need_no_measuring() {
    let sandbox = sandbox();
    sandbox.commit(&[("README.md", "Words.\n".to_owned())], "documented");
    let answer = sandbox.say("compare head documented --format json").exits(0);
    assert!(
        Document::of(&answer).reasons().values().all(|reason| reason == "identical build"),
        "{}",
        answer.describe()
    );
}
