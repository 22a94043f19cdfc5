//! The origin of samples, which determines the statistics.

use serde::{Deserialize, Serialize};

/// The kind of a measurement's samples. The harness states it, and it is stored with every measurement. It
/// determines, instead of the harness's name, the estimators of a trial's value, the usual length of trials
/// and number of duets, the stability metric, and the meaning of the stop rule `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleKind {
    /// Short iterations of code that was compiled beforehand, many in a process. A disturbance of some
    /// milliseconds affects some of them and leaves the others unchanged.
    Slices,
    /// Other iterations of code that was compiled beforehand.
    Native,
    /// Code that a Java virtual machine compiles while it runs. Trained stop rules were trained on such processes.
    Java,
    /// Code that another system compiles while it runs, such as an engine for JavaScript.
    Jit,
    /// Interpreted code, or code about which nothing is known: commands, programs that use the shim protocol.
    Other,
}

impl SampleKind {
    /// The kind of samples whose record does not state one: records from before store format 10, and results
    /// of other tools. This is the only place where the name of a harness determines the kind; a new harness
    /// needs no line here.
    pub fn of_unstated(harness: &str) -> SampleKind {
        match harness {
            "cargo" | "go" | "googlebench" => SampleKind::Slices,
            "jmh" => SampleKind::Java,
            "javascript" | "dotnet" => SampleKind::Jit,
            _ => SampleKind::Other,
        }
    }

    /// Every kind.
    const ALL: [SampleKind; 5] =
        [SampleKind::Slices, SampleKind::Native, SampleKind::Java, SampleKind::Jit, SampleKind::Other];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            SampleKind::Slices => "slices",
            SampleKind::Native => "native",
            SampleKind::Java => "java",
            SampleKind::Jit => "jit",
            SampleKind::Other => "other",
        }
    }

    /// The kind called `word` in files. `None` for kinds of later versions, as if none were stated.
    pub fn named(word: &str) -> Option<SampleKind> {
        SampleKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether all of the code was compiled before it ran, so that there is no warm-up.
    pub fn is_compiled_beforehand(self) -> bool {
        matches!(self, SampleKind::Slices | SampleKind::Native)
    }

    /// Whether the code is compiled while it runs, so that it warms up.
    pub fn is_compiled_while_running(self) -> bool {
        matches!(self, SampleKind::Java | SampleKind::Jit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BenchmarkId, Measurement};

    #[test]
    fn what_a_record_states_counts_more_than_its_harness() {
        let read = |json: &str| serde_json::from_str::<Measurement>(json).expect("a measurement");
        let kind = |harness: &str, measurement: &Measurement| {
            measurement.sample_kind(&BenchmarkId::new(harness, "p", "b"))
        };
        let old = read(r#"{"warmup":0,"operations":[],"series":[]}"#);
        assert_eq!((kind("go", &old), kind("toy", &old)), (SampleKind::Slices, SampleKind::Other));
        let new = read(r#"{"warmup":0,"operations":[],"series":[],"sample_kind":"slices"}"#);
        assert_eq!((kind("toy", &new), kind("jmh", &new)), (SampleKind::Slices, SampleKind::Slices));
    }

    #[test]
    fn kinds_have_names() {
        for kind in SampleKind::ALL {
            assert_eq!(SampleKind::named(kind.word()), Some(kind));
            assert_eq!(serde_json::to_string(&kind).expect("JSON"), format!("\"{}\"", kind.word()));
        }
        assert_eq!(SampleKind::named("quantum"), None);
    }

    #[test]
    fn measurements_of_before_are_written_as_they_were() {
        let old = r#"{"warmup":0,"operations":[],"series":[]}"#;
        let read: Measurement = serde_json::from_str(old).expect("a measurement");
        assert_eq!(serde_json::to_string(&read).expect("JSON"), old);
    }
}
