//! Extra arguments for the benchmark tools.

use crate::Layer;
use crate::problem::Remarks;
use crate::value::Value;

/// Extra arguments for one harness.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HarnessArguments {
    /// For the build tool: `-tags x`, `--features y`.
    pub build_args: Vec<String>,
    /// For the benchmark program: `-cpu 1,4`.
    pub args: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HarnessArgumentsLayer {
    build_args: Option<Vec<String>>,
    args: Option<Vec<String>>,
}

impl HarnessArgumentsLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        HarnessArgumentsLayer {
            build_args: self.build_args.or(weaker.build_args),
            args: self.args.or(weaker.args),
        }
    }

    pub(crate) fn resolve(self) -> HarnessArguments {
        HarnessArguments {
            build_args: self.build_args.unwrap_or_default(),
            args: self.args.unwrap_or_default(),
        }
    }
}

/// The last parts of the names: `go.build-args`, `go.args`.
const PARTS: [&str; 2] = ["build-args", "args"];

/// The names of these settings for all harnesses.
pub(crate) fn keys() -> impl Iterator<Item = String> {
    benchwright_harness::names().flat_map(|name| PARTS.map(|part| format!("{name}.{part}")))
}

/// Puts the value of the setting called `key` into a layer. Returns false if it is not one of these.
pub(crate) fn apply(layer: &mut Layer, key: &str, value: &Value, remarks: &mut Remarks) -> bool {
    let Some((name, part)) = key.split_once('.') else { return false };
    if !benchwright_harness::names().any(|known| known == name) || !PARTS.contains(&part) {
        return false;
    }
    let given = arguments(value, remarks);
    let of_harness = layer.harnesses.entry(name.to_owned()).or_default();
    match part {
        "args" => of_harness.args = given,
        _ => of_harness.build_args = given,
    }
    true
}

/// A list of texts. An environment variable is split at blanks.
fn arguments(value: &Value, remarks: &mut Remarks) -> Option<Vec<String>> {
    let list = remarks.keep(value.list("a list of texts such as `[\"-tags\", \"x\"]`", &[' ']))?;
    let texts: Result<Vec<String>, _> = list.iter().map(|item| item.text("a text in quotes")).collect();
    remarks.keep(texts)
}
