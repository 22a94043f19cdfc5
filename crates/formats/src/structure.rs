//! What is known about the processes of a benchmark that another tool measured.

use std::collections::BTreeMap;

use benchwright_model::BenchmarkId;

/// What is known about a benchmark's processes. The settings of an imported run list the benchmarks for which
/// this is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Structure {
    /// It is known which process measured which value.
    #[default]
    Known,
    /// Values may be of several processes.
    Unknown,
    /// There is only a summary.
    Summary,
}

/// The list of all benchmarks.
const ALL: &str = "all";

impl Structure {
    /// The word in rows of samples.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Structure::Known => "known",
            Structure::Unknown => "unknown",
            Structure::Summary => "summary",
        }
    }

    /// The structure for `word` in rows. Any other word means that processes are known.
    pub(crate) fn named(word: &str) -> Structure {
        match word {
            "unknown" => Structure::Unknown,
            "summary" => Structure::Summary,
            _ => Structure::Known,
        }
    }

    /// The structure of a benchmark in the settings of a run.
    pub fn of(settings: &BTreeMap<String, String>, id: &BenchmarkId) -> Structure {
        let lists = |structure: Structure| {
            let line = line_of(id);
            let list = settings.get(structure.setting());
            list.is_some_and(|list| list == ALL || list.lines().any(|listed| listed == line))
        };
        [Structure::Summary, Structure::Unknown].into_iter().find(|it| lists(*it)).unwrap_or_default()
    }

    /// The setting that lists the benchmarks of a run with this structure. `None` if there are none.
    pub fn list(self, benchmarks: &[(&BenchmarkId, Structure)]) -> Option<(String, String)> {
        let is_listed = |(_, structure): &&(&BenchmarkId, Structure)| *structure >= self;
        let lines: Vec<String> = benchmarks.iter().filter(is_listed).map(|(id, _)| line_of(id)).collect();
        let list = match lines.len() {
            0 => return None,
            n if n == benchmarks.len() => ALL.to_owned(),
            _ => lines.join("\n"),
        };
        Some((self.setting().to_owned(), list))
    }

    fn setting(self) -> &'static str {
        match self {
            Structure::Known => "known-structure",
            Structure::Unknown => "unknown-structure",
            Structure::Summary => "summary-only",
        }
    }
}

/// A line of a list, in which names with line ends are escaped.
fn line_of(id: &BenchmarkId) -> String {
    id.to_string().replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_lists_is_read_back() {
        use Structure::{Known, Summary, Unknown};
        let ids = ["A", "B\nC", "D"].map(|name| BenchmarkId::new("go", "p", name));
        for structures in [[Known, Unknown, Summary], [Unknown; 3], [Summary; 3], [Known; 3]] {
            let benchmarks: Vec<_> = ids.iter().zip(structures).collect();
            let settings = [Unknown, Summary].iter().filter_map(|one| one.list(&benchmarks)).collect();
            for (id, structure) in benchmarks {
                assert_eq!(Structure::of(&settings, id), structure, "{id}: {settings:?}");
                assert_eq!(Structure::named(structure.word()), structure);
            }
        }
    }
}
