//! The limits on reading a file of results.

use crate::setting::Setting;
use crate::value::Value;

/// The limits on reading a file of results. `None` means the reader's own limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileSettings {
    /// Maximum number of benchmarks of a file.
    pub max_benchmarks: Option<u64>,
    /// Maximum number of values of a benchmark, in all its processes and metrics together.
    pub max_values: Option<u64>,
    /// Maximum number of bytes of a file after unpacking.
    pub max_size: Option<u64>,
}

impl FileSettings {
    pub(crate) fn over(self, weaker: Self) -> Self {
        FileSettings {
            max_benchmarks: self.max_benchmarks.or(weaker.max_benchmarks),
            max_values: self.max_values.or(weaker.max_values),
            max_size: self.max_size.or(weaker.max_size),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "max-benchmarks",
        apply: |layer, value, remarks| layer.files.max_benchmarks = remarks.keep(count(value)),
    },
    Setting {
        key: "max-values",
        apply: |layer, value, remarks| layer.files.max_values = remarks.keep(count(value)),
    },
    Setting {
        key: "max-file-size",
        apply: |layer, value, remarks| {
            layer.files.max_size = remarks.keep(value.size("a size such as `512MiB`"));
        },
    },
];

fn count(value: &Value) -> Result<u64, crate::problem::Remark> {
    value.count("a whole number from 1 on", 1..)
}
