//! Benchmarks whose names hold characters that control terminals and the direction of writing: measured as others, never shown raw.

use crate::sandbox::{Answer, Sandbox};

/// Names as JSON has them: an escape sequence, a reversal, and two lines of which the second looks like an error.
const NAMES: [&str; 3] = [r"red\u001b[31m", r"turned\u202eback", r"two\nerror: lines"];

/// A shim that measures all of them at once, whichever it is asked for.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    let lines = |line: fn(&str) -> String| NAMES.map(line).join("\n");
    let listed = lines(|name| format!("##benchwright {{\"benchmark\": \"{name}\"}}"));
    let measured = lines(|name| {
        format!("##benchwright {{\"sample\": {{\"benchmark\": \"{name}\", \"seconds\": 1e-3}}}}")
    });
    let script = format!(
        "#!/bin/sh\nif [ $1 = list ]; then cat <<'END'\n{listed}\nEND\nexit 0; fi\ncat <<'END'\n{measured}\nEND\n"
    );
    let configuration =
        "[[shim]]\nname = \"own\"\nrun = \"./it.sh\"\nbuild = \"chmod +x it.sh\"\n".to_owned();
    sandbox.commit(&[("it.sh", script.clone()), ("benchwright.toml", configuration)], "base");
    sandbox.commit(&[("it.sh", format!("{script}# other\n"))], "head");
    sandbox
}

#[track_caller]
fn check(answer: &Answer, is_json: bool) {
    let is_raw = |c: char| match c {
        '\n' | '\r' | '\t' => false,
        // Programs read JSON; control characters it forbids itself.
        '\u{202e}' => !is_json,
        c => c.is_control(),
    };
    assert!(!answer.stdout.contains(is_raw), "{}", answer.describe());
    assert!(!answer.stderr.contains(|c| is_raw(c) || c == '\u{202e}'), "{}", answer.describe());
    assert!(!answer.stderr.lines().any(|line| line.starts_with("error: lines")), "{}", answer.describe());
}

#[test]
fn hostile_names_are_measured_and_shown_escaped_in_every_format() {
    let sandbox = sandbox();
    let list = sandbox.say("list base").exits(0);
    assert_eq!(list.stdout, "own:red\\u{1b}[31m\nown:turned\\u{202e}back\nown:two\\nerror: lines\n");
    check(&sandbox.say("compare base head --dry-run").exits(0), false);
    check(&sandbox.say("compare base head --all --iteration-time 1ms --seed 7").exits(0), false);
    let measured = sandbox.stored("latest").trials;
    assert!(measured.iter().all(|trial| trial.outcome.measurement().is_some()), "{measured:?}");
    let mut names: Vec<&str> = measured.iter().map(|trial| trial.benchmark.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["red\u{1b}[31m", "turned\u{202e}back", "two\nerror: lines"]);
    for format in ["text", "json", "markdown", "csv", "benchfmt", "junit", "html"] {
        let answer = sandbox.say(&format!("show latest --all --format {format}")).exits(0);
        check(&answer, format == "json");
        let escaped = match format {
            "benchfmt" => "Red_[31m",
            "json" => r"red\u001b[31m",
            "markdown" => r"red\\u\{1b\}\[31m",
            _ => r"red\u{1b}[31m",
        };
        assert!(answer.stdout.contains(escaped), "{format}: {}", answer.describe());
    }
    check(
        &sandbox.say("run --rev head --levels run=1,iteration=2,second=1 --iteration-time 1ms").exits(0),
        false,
    );
    check(&sandbox.say("show latest").exits(0), false);
}

#[test]
fn hostile_names_in_files_are_shown_escaped() {
    let sandbox = Sandbox::empty();
    let row = |name: &str, time: &str| {
        format!(
            r#"{{"name": "{name}", "run_name": "{name}", "run_type": "iteration", "iterations": 1, {time}, "time_unit": "ns"}}"#
        )
    };
    let file = |time: &str| {
        let rows = NAMES.map(|name| row(name, time)).join(", ");
        format!(r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{rows}]}}"#)
    };
    sandbox.write("old.json", &file(r#""real_time": 2, "cpu_time": 2"#));
    sandbox.write("new.json", &file(r#""real_time": -2, "cpu_time": 2"#));
    for format in ["text", "json", "markdown", "csv", "junit", "html"] {
        check(
            &sandbox.say(&format!("compare old.json new.json --format {format}")).exits(1),
            format == "json",
        );
        check(
            &sandbox.say(&format!("compare old.json old.json --format {format}")).exits(0),
            format == "json",
        );
    }
    check(&sandbox.say("import old.json new.json").exits(1), false);
}
