use std::collections::BTreeSet;

use benchwright_report::json::{SCHEMA, SCHEMA_NAME, write};
use serde_json::Value;

use crate::sample;

fn document(comparison: &benchwright_model::Comparison) -> Value {
    let mut out = Vec::new();
    write(comparison, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// The part of JSON Schema that our schema uses; anything else in it is a mistake.
struct Checker {
    root: Value,
    seen: BTreeSet<String>,
}

impl Checker {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (key, rule) in schema.as_object().unwrap() {
            let is_fine = match key.as_str() {
                "$schema"
                | "$id"
                | "$defs"
                | "title"
                | "description"
                | "required"
                | "additionalProperties" => true,
                "$ref" => {
                    let pointer = rule.as_str().unwrap().trim_start_matches('#');
                    let target = self.root.pointer(pointer).unwrap().clone();
                    self.check(&target, value, at)?;
                    true
                }
                "anyOf" => rule.as_array().unwrap().iter().any(|one| self.check(one, value, at).is_ok()),
                "type" => {
                    let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                    names.iter().any(|name| has_type(value, name.as_str().unwrap()))
                }
                "enum" => rule.as_array().unwrap().contains(value),
                "const" => rule == value,
                "minimum" => value.as_f64() >= rule.as_f64(),
                "pattern" => value.as_str().unwrap().bytes().all(|byte| byte.is_ascii_digit()),
                "items" => {
                    for (index, item) in value.as_array().unwrap().iter().enumerate() {
                        self.check(rule, item, &format!("{at}[{index}]"))?;
                    }
                    true
                }
                "properties" => {
                    self.check_object(schema, value, at)?;
                    true
                }
                other => panic!("the schema uses `{other}`, which this test does not check"),
            };
            if !is_fine {
                return Err(format!("{at}: {value} is against {key}: {rule}"));
            }
        }
        Ok(())
    }

    fn check_object(&mut self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let object = value.as_object().ok_or_else(|| format!("{at}: not an object"))?;
        let properties = schema["properties"].as_object().unwrap();
        for (key, inner) in object {
            let rule = properties.get(key).ok_or_else(|| format!("{at}: `{key}` is not in the schema"))?;
            let title = schema["description"].as_str().unwrap_or_default();
            self.seen.insert(format!("{title} / {key}"));
            self.check(rule, inner, &format!("{at}.{key}"))?;
        }
        for key in schema["required"].as_array().unwrap() {
            if !object.contains_key(key.as_str().unwrap()) {
                return Err(format!("{at}: {key} is missing"));
            }
        }
        Ok(())
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    }
}

/// Every property that a schema describes, by the description of its object.
fn properties(schema: &Value, found: &mut BTreeSet<String>) {
    if let Some(list) = schema.get("properties").and_then(Value::as_object) {
        let title = schema["description"].as_str().unwrap_or_default();
        found.extend(list.keys().map(|key| format!("{title} / {key}")));
    }
    match schema {
        Value::Object(object) => object.values().for_each(|inner| properties(inner, found)),
        Value::Array(list) => list.iter().for_each(|inner| properties(inner, found)),
        _ => {}
    }
}

fn check(comparison: &benchwright_model::Comparison) -> Checker {
    let root: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut checker = Checker { root: root.clone(), seen: BTreeSet::new() };
    if let Err(message) = checker.check(&root, &document(comparison), "$") {
        panic!("{message}");
    }
    checker
}

#[test]
fn documents_obey_the_published_schema() {
    check(&sample::suite(41).0);
    let checker = check(&sample::rich());
    let mut described = BTreeSet::new();
    properties(&checker.root, &mut described);
    let unseen: Vec<&String> = described.difference(&checker.seen).collect();
    assert!(unseen.is_empty(), "in the schema, never written: {unseen:?}");
}

#[test]
fn the_schema_forbids_what_it_does_not_know() {
    let root: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut checker = Checker { root: root.clone(), seen: BTreeSet::new() };
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
