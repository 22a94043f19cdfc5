//! Suspects are confirmed in random code layouts, with the real linkers.

use std::path::PathBuf;

use benchwright_model::Phase;
use serde_json::Value;

use crate::document::Document;
use crate::sandbox::{Answer, Sandbox, cache, finished};

/// The benchmark of the Go module that takes thirty times as long.
const WORK: &str = "BenchmarkWork/n=100";

/// Compares with so many layouts and returns the answer. Tests share builds, so each has a seed of its own.
fn compare(sandbox: &Sandbox, seed: u64, layouts: &str, env: &[(&str, &str)]) -> Answer {
    let arguments =
        ["compare", "base", "head", "--seed", &seed.to_string(), "--layouts", layouts, "--format", "json"];
    let shape = ["--iteration-time", "2ms", "--iterations", "2"];
    let mut command = sandbox.command(&[&arguments[..], &shape].concat());
    finished(command.envs(env.iter().copied()))
}

/// The finding about the time of this benchmark, which is a confirmed one.
fn confirmed<'a>(document: &'a Document, benchmark: &str) -> &'a Value {
    let findings = document.0["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| {
        finding["reason"]["code"] == "confirmed" && finding["benchmark"]["name"] == benchmark
    });
    found.unwrap_or_else(|| panic!("{:#}", document.0))
}

/// Layouts in the cache that were made for a run with this seed.
fn left_layouts(seed: u64) -> Vec<PathBuf> {
    let builds = std::fs::read_dir(cache().join("builds")).into_iter().flatten().flatten();
    let layouts = builds.map(|build| build.path().join(format!("out/layouts/{seed:016x}")));
    layouts.filter(|layouts| layouts.exists()).collect()
}

#[test]
fn a_go_suspect_is_confirmed_in_as_many_layouts_as_it_has_fresh_duets() {
    let Some(sandbox) = crate::go::sandbox() else { return };
    let answer = compare(&sandbox, 71, "40", &[]);
    let document = Document::of(&answer);
    let finding = confirmed(&document, WORK);
    let fresh = finding["fresh_duets"].as_u64().expect("a number");
    assert_eq!(finding["reason"]["numbers"]["layouts"].as_f64(), Some(fresh as f64), "{finding:#}");
    assert!(document.0["run"]["settings"]["layouts"] == "40" && fresh >= 5);
    let record = sandbox.stored("latest");
    let numbers: Vec<Option<u32>> = record
        .trials
        .iter()
        .filter(|trial| trial.phase == Phase::Confirmation && trial.benchmark.name == WORK)
        .map(|trial| trial.layout)
        .collect();
    let expected: Vec<Option<u32>> = (0..fresh as u32).flat_map(|number| [Some(number); 2]).collect();
    assert_eq!(numbers, expected);
    assert_eq!(left_layouts(71), Vec::<PathBuf>::new(), "what was made for the run is gone with it");
    sandbox.say("show latest").exits(0).prints(&["random code layouts per side"]);
    // Decided again from the raw values, it says the same.
    let again = Document::of(&sandbox.say("show latest --recompute --format json").exits(0));
    assert_eq!(confirmed(&again, WORK)["effect"], finding["effect"]);
    assert_eq!(confirmed(&again, WORK)["reason"], finding["reason"]);
}

#[test]
fn where_it_cannot_be_done_the_verdict_stands_and_the_reason_is_told() {
    let Some(sandbox) = crate::go::sandbox() else { return };
    let answer = compare(&sandbox, 72, "40", &[("GOFLAGS", "-ldflags=-s")]).exits(3);
    let document = Document::of(&answer);
    assert_eq!(confirmed(&document, WORK)["reason"]["numbers"]["layouts"].as_f64(), Some(0.0));
    let told = document.0["diagnostics"].as_array().expect("diagnostics");
    let told: Vec<&str> = told.iter().filter_map(|it| it["message"].as_str()).collect();
    let expected = "verdicts of its suspects rest on one code layout per side: GOFLAGS has linker flags";
    assert!(told.iter().any(|message| message.starts_with(expected)), "{told:?}");
}

#[test]
fn a_rust_suspect_is_confirmed_in_layouts_that_come_again() {
    let sandbox = Sandbox::new();
    sandbox.script.write("alpha", "head", "0 time 1300");
    let answer = compare(&sandbox, 73, "2", &[]).exits(3);
    let document = Document::of(&answer);
    let layouts = confirmed(&document, "alpha")["reason"]["numbers"]["layouts"].as_f64();
    let told = document.0["diagnostics"].as_array().expect("diagnostics");
    // Where rustc calls a linker that cannot, a diagnostic says so.
    assert!(layouts == Some(2.0) || !told.is_empty(), "{:#}", document.0);
}

/// Makes a library of C code, as Criterion 0.8 has one.
const BUILD_SCRIPT: &str = r#"
use std::process::Command;
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let run = |program: &str, args: &[&str]| {
        assert!(Command::new(program).args(args).current_dir(&out).status().unwrap().success());
    };
    std::fs::write(format!("{out}/native.c"), "int native(void) { return 7; }\n").unwrap();
    run("cc", &["-c", "-O1", "native.c", "-o", "native.o"]);
    run("ar", &["rcs", "libnative.a", "native.o"]);
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=native");
}
"#;

#[test]
fn a_rust_suspect_with_a_library_of_c_code_is_confirmed_in_layouts() {
    let has = |program: &str| std::process::Command::new(program).arg("--version").output().is_ok();
    if !has("cc") || !has("ar") {
        eprintln!("skipped: no C compiler");
        return;
    }
    let sandbox = Sandbox::empty();
    for version in ["base", "head"] {
        let mut files = crate::suite::files(version, &["alpha"]);
        files.push(("build.rs", BUILD_SCRIPT.to_owned()));
        sandbox.commit(&files, version);
    }
    sandbox.script.write("alpha", "head", "0 time 1300");
    let document = Document::of(&compare(&sandbox, 74, "2", &[]).exits(3));
    let layouts = confirmed(&document, "alpha")["reason"]["numbers"]["layouts"].as_f64();
    let told = document.0["diagnostics"].as_array().expect("diagnostics");
    let is_linker_unable = told.iter().any(|it| it["message"].to_string().contains("in random order"));
    assert!(layouts == Some(2.0) || is_linker_unable, "{:#}", document.0);
}

#[test]
fn fixed_sample_rules_link_nothing() {
    let Some(sandbox) = crate::go::sandbox() else { return };
    let rule = "compare base head --rule t-test --duets 5 --layouts 9 --iteration-time 2ms --format json";
    let document = Document::of(&sandbox.say(rule));
    assert_eq!(document.0["run"]["settings"]["layouts"], "0");
    let record = sandbox.stored("latest");
    assert!(record.trials.iter().all(|trial| trial.layout.is_none()));
}
