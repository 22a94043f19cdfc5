//! Documents against their published schemas.

use std::collections::BTreeSet;

use serde_json::Value;

/// The part of JSON Schema that our schema uses; anything else in it is a mistake.
pub(crate) struct Checker {
    pub(crate) root: Value,
    pub(crate) seen: BTreeSet<String>,
}

impl Checker {
    pub(crate) fn new(schema: &str) -> Checker {
        Checker { root: serde_json::from_str(schema).unwrap(), seen: BTreeSet::new() }
    }

    /// Checks a whole document.
    pub(crate) fn document(&mut self, value: &Value) {
        let root = self.root.clone();
        if let Err(message) = self.check(&root, value, "$") {
            panic!("{message}");
        }
    }

    /// Checks that every property of the schema was in some document.
    pub(crate) fn has_seen_everything(&self) {
        let mut described = BTreeSet::new();
        properties(&self.root, &mut described);
        let unseen: Vec<&String> = described.difference(&self.seen).collect();
        assert!(unseen.is_empty(), "in the schema, never written: {unseen:?}");
    }

    pub(crate) fn check(&mut self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (key, rule) in schema.as_object().unwrap() {
            let is_fine = match key.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "required" => true,
                // Fields are added within a version: who validates against an older schema must not stumble over them.
                "additionalProperties" => rule != false,
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
                "minimum" => !value.is_number() || value.as_f64() >= rule.as_f64(),
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
