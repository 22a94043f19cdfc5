//! The lines in which the shim tells what it finds and measures.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What begins such a line; nobody else prints it.
const PREFIX: &str = "##benchwright ";

/// One thing told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// There is a benchmark of this name.
    Benchmark(String),
    /// One timed batch.
    Sample(Sample),
    /// Why there are no values.
    Error(String),
}

/// One timed batch.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Sample {
    pub(super) benchmark: String,
    /// Per operation.
    pub(super) seconds: f64,
    #[serde(default = "one")]
    pub(super) operations: f64,
    #[serde(default)]
    pub(super) warmup: bool,
    #[serde(default)]
    pub(super) metrics: BTreeMap<String, f64>,
}

fn one() -> f64 {
    1.0
}

/// Why a line makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nonsense {
    pub(super) message: String,
    /// Where in the line, from 1.
    pub(super) column: u32,
}

#[derive(Deserialize)]
struct Wire {
    benchmark: Option<String>,
    sample: Option<Sample>,
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(default)]
    message: String,
}

/// What a line of standard output tells; `None` if it is not the shim's.
pub(super) fn fact(line: &str) -> Option<Result<Fact, Nonsense>> {
    let json = line.trim_end_matches('\r').strip_prefix(PREFIX)?;
    let nonsense = |message: String, column: usize| Nonsense {
        message,
        column: u32::try_from(PREFIX.len() + column.max(1)).unwrap_or(u32::MAX),
    };
    Some(match serde_json::from_str::<Wire>(json) {
        Ok(Wire { sample: Some(sample), .. }) => Ok(Fact::Sample(sample)),
        Ok(Wire { error: Some(error), .. }) => Ok(Fact::Error(error.message)),
        Ok(Wire { benchmark: Some(name), .. }) => Ok(Fact::Benchmark(name)),
        Ok(_) => Err(nonsense("expected `benchmark`, `sample` or `error`".into(), 1)),
        Err(error) => Err(nonsense(format!("not a line of the protocol: {error}"), error.column())),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_of_line_is_understood() {
        let fact = |json: &str| fact(&format!("##benchwright {json}"));
        assert_eq!(fact(r#"{"benchmark": "a"}"#), Some(Ok(Fact::Benchmark("a".into()))));
        let sample = Sample {
            benchmark: "a".into(),
            seconds: 1.5e-6,
            operations: 1000.0,
            warmup: true,
            metrics: BTreeMap::from([("bytes".to_owned(), 3.0)]),
        };
        let line = r#"{"sample": {"benchmark": "a", "seconds": 1.5e-6, "operations": 1000, "warmup": true, "metrics": {"bytes": 3}}}"#;
        assert_eq!(fact(line), Some(Ok(Fact::Sample(sample))));
        let short = r#"{"sample": {"benchmark": "a", "seconds": 2}}"#;
        assert!(matches!(fact(short), Some(Ok(Fact::Sample(Sample { operations: 1.0, warmup: false, .. })))));
        assert_eq!(
            fact(r#"{"error": {"benchmark": "a", "message": "boom"}}"#),
            Some(Ok(Fact::Error("boom".into())))
        );
    }

    #[test]
    fn other_lines_are_nobodys_and_broken_ones_have_a_column() {
        assert_eq!(fact("x ##benchwright {}"), None);
        assert_eq!(fact("##benchwrigh"), None);
        let error = fact("##benchwright {\"benchmark\": 7}\r").expect("ours").unwrap_err();
        assert!(error.column > 14 && error.message.contains("expected a string"), "{error:?}");
        assert_eq!(fact("##benchwright {}").expect("ours").unwrap_err().column, 15);
    }

    proptest! {
        #[test]
        fn any_line_can_be_read(rest in "\\PC*") {
            let _ = fact(&rest);
            let _ = fact(&format!("##benchwright {rest}"));
        }

        #[test]
        fn any_change_of_a_real_line_can_be_read(at in 0_usize..120, byte in any::<u8>()) {
            let line = r#"##benchwright {"sample":{"benchmark":"a","seconds":1e-7,"operations":9,"warmup":false}}"#;
            let mut bytes = line.as_bytes().to_vec();
            if let Some(changed) = bytes.get_mut(at) {
                *changed = byte;
            }
            let _ = fact(&String::from_utf8_lossy(&bytes));
        }
    }
}
