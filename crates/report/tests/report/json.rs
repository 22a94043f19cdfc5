use benchwright_model::{Trial, WarmupEnd};
use benchwright_report::json::{SCHEMA, SCHEMA_NAME, write};
use serde_json::Value;

use crate::sample;
use crate::schema::Checker;

fn document(comparison: &benchwright_model::Comparison) -> Value {
    written(comparison, &[])
}

fn written(comparison: &benchwright_model::Comparison, trials: &[Trial]) -> Value {
    let mut out = Vec::new();
    write(comparison, trials, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn documents_obey_the_published_schema() {
    let mut checker = Checker::new(SCHEMA);
    checker.document(&document(&sample::suite(41).0));
    checker.document(&document(&sample::rich()));
    checker.document(&document(&sample::apart()));
    let mut gated = sample::rich();
    gated.run.settings.insert("require-decided".into(), "90%".into());
    let document_of_gate = document(&gated);
    assert_eq!(document_of_gate["gate"]["is_blind"], true);
    checker.document(&document_of_gate);
    let mut accepted = sample::rich();
    accepted.findings[0].accepted = Some("checks its input now".into());
    accepted.findings[0].quartets = 7;
    let document_of_quartets = document(&accepted);
    assert_eq!(document_of_quartets["findings"][0]["quartets"], 7);
    assert_eq!(document_of_quartets["findings"][1]["quartets"], Value::Null);
    checker.document(&document_of_quartets);
    let (suite, mut trials) = sample::suite(41);
    trials[0] = sample::stopped(trials[0].clone(), WarmupEnd::Steady, 4, 6);
    let document = written(&suite, &trials);
    // One process of 10 s instead of one of 100 s.
    assert_eq!(document["stops"][0]["saved_ratio"], 0.9);
    assert_eq!(document["stops"].as_array().unwrap().len(), 1);
    checker.document(&document);
    checker.has_seen_everything();
}

#[test]
fn the_schema_forbids_what_it_does_not_know() {
    let mut checker = Checker::new(SCHEMA);
    let root = checker.root.clone();
    let mut bad = document(&sample::rich());
    bad["findings"][0]["verdict"] = "slowish".into();
    assert!(checker.check(&root, &bad, "$").unwrap_err().contains("findings[0].verdict"));
    let mut bad = document(&sample::rich());
    bad["findings"][0]["extra"] = 1.into();
    assert!(checker.check(&root, &bad, "$").unwrap_err().contains("`extra` is not in the schema"));
}

#[test]
fn changes_are_ratios_and_what_is_not_finite_is_null() {
    let document = document(&sample::rich());
    assert_eq!(document["schema"], SCHEMA_NAME);
    let first = &document["findings"][0];
    let ratio = first["effect"]["ratio"].as_f64().unwrap();
    assert!((ratio - 1.052).abs() < 1e-12, "{ratio}");
    assert_eq!(first["reason"]["numbers"]["evidence"], 812.4);
    assert_eq!(first["duet_ratios"].as_array().unwrap().len(), 12);
    assert_eq!(document["findings"][6]["effect"]["hi"], Value::Null);
    assert_eq!(document["findings"][6]["duet_ratios"][1], Value::Null);
    assert_eq!(document["findings"][7]["thresholds"]["hard"], Value::Null);
    assert_eq!(document["run"]["seed"], "42");
    assert_eq!(document["run"]["started_at"], "2026-03-01T12:00:00Z");
    assert_eq!(document["failures"][1]["number"], 2);
}
