//! Extra arguments for the benchmark tools.

use crate::problem::Remarks;
use crate::setting::Setting;
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

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "go.build-args",
        apply: |layer, value, remarks| layer.go.build_args = arguments(value, remarks),
    },
    Setting { key: "go.args", apply: |layer, value, remarks| layer.go.args = arguments(value, remarks) },
    Setting {
        key: "cargo.build-args",
        apply: |layer, value, remarks| layer.cargo.build_args = arguments(value, remarks),
    },
    Setting {
        key: "cargo.args",
        apply: |layer, value, remarks| layer.cargo.args = arguments(value, remarks),
    },
];

/// A list of texts; a variable is split at blanks.
fn arguments(value: &Value, remarks: &mut Remarks) -> Option<Vec<String>> {
    let list = remarks.keep(value.list("a list of texts such as `[\"-tags\", \"x\"]`", &[' ']))?;
    let texts: Result<Vec<String>, _> = list.iter().map(|item| item.text("a text in quotes")).collect();
    remarks.keep(texts)
}
