//! Benchmarks that one version does not list because they skip themselves, fail, or do not build there. They
//! were neither added nor removed.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Severity, Side};
use benchwright_runner::{Build, BuiltExecutable, project_title};

/// Maximum number of benchmarks that one diagnostic names.
const NAMED: usize = 3;

/// Removes benchmarks from `lost` whose absence from `side` is explained by a diagnostic of its build, and
/// names them there. `lister` is the build that has them.
pub(crate) fn explain(
    lost: &mut Vec<BenchmarkId>,
    lister: &Build,
    diagnostics: &mut [Diagnostic],
    side: Side,
) {
    let builds: BTreeMap<&BenchmarkId, &BuiltExecutable> = lister.benchmarks().collect();
    let mut explained: BTreeMap<usize, Vec<BenchmarkId>> = BTreeMap::new();
    lost.retain(|id| {
        let project = builds.get(id).map(|built| project_title(&built.project)).unwrap_or_default();
        let found = cause(id, &project, diagnostics);
        found.into_iter().for_each(|at| explained.entry(at).or_default().push(id.clone()));
        found.is_none()
    });
    for (at, ids) in explained {
        let diagnostic = &mut diagnostics[at];
        let what = match ids.as_slice() {
            [id] if id.to_string() == diagnostic.subject => String::new(),
            ids => {
                let noun = if ids.len() == 1 { "benchmark" } else { "benchmarks" };
                format!("{} {noun} ({}) ", ids.len(), named(&ids.iter().collect::<Vec<_>>(), NAMED))
            }
        };
        diagnostic.message = format!("{what}not listed in {side}: {}", diagnostic.message);
    }
}

/// The short names of the first of these benchmarks, and how many more there are.
fn named(ids: &[&BenchmarkId], most: usize) -> String {
    let shown: Vec<&str> = ids.iter().take(most).map(|id| id.short_name()).collect();
    match ids.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The diagnostic that best explains why a benchmark is not listed.
fn cause(id: &BenchmarkId, project: &str, diagnostics: &[Diagnostic]) -> Option<usize> {
    let name = id.to_string();
    let parent = |d: &Diagnostic| name.strip_prefix(&d.subject).is_some_and(|rest| rest.starts_with('/'));
    let is_function = |d: &Diagnostic| d.subject.contains(':') && top(&d.subject, id) == top(&name, id);
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let is_bad = |d: &Diagnostic| d.severity >= Severity::Warning;
    let causes: [&dyn Fn(&Diagnostic) -> bool; 6] = [
        &|d| d.subject == name,
        &|d| d.subject.contains(':') && parent(d),
        // If a benchmark ends the process, those after it are not listed.
        &|d| is_error(d) && is_function(d),
        &|d| is_error(d) && d.subject == id.package,
        &|d| is_bad(d) && d.subject == id.package,
        &|d| is_error(d) && d.subject == project,
    ];
    causes.iter().find_map(|is_cause| diagnostics.iter().position(is_cause))
}

/// The name up to the first part of a benchmark of this package.
fn top<'a>(name: &'a str, id: &BenchmarkId) -> &'a str {
    let inner = name.strip_prefix(&id.package).unwrap_or_default();
    inner.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, diagnostics: &[(&str, Severity)], expected: Option<usize>) {
        let of = |(subject, severity): &(&str, Severity)| Diagnostic {
            severity: *severity,
            ..Diagnostic::warning(*subject, "says something")
        };
        let diagnostics: Vec<Diagnostic> = diagnostics.iter().map(of).collect();
        let id = BenchmarkId::new("go", "example.com/p", name);
        assert_eq!(cause(&id, "go project `sub`", &diagnostics), expected, "{name}: {diagnostics:?}");
    }

    #[test]
    fn the_nearest_diagnostic_is_the_cause() {
        use Severity::{Error, Note, Warning};
        check("BenchmarkA", &[("example.com/p:BenchmarkA", Note)], Some(0));
        check("BenchmarkA/b", &[("example.com/p", Error), ("example.com/p:BenchmarkA", Note)], Some(1));
        check("BenchmarkA/b", &[("example.com/p:BenchmarkA/a", Error)], Some(0));
        check("BenchmarkA/b", &[("example.com/p:BenchmarkA/a", Note)], None);
        check("BenchmarkA", &[("example.com/p", Warning), ("example.com/p", Error)], Some(1));
        check("BenchmarkA", &[("go project `sub`", Error)], Some(0));
        check("BenchmarkA", &[("example.com/p:BenchmarkAB", Note), ("example.com/pq", Error)], None);
        check("BenchmarkA", &[("example.com/p", Note), ("", Error)], None);
    }

    #[test]
    fn only_the_first_names_are_listed() {
        let ids: Vec<BenchmarkId> =
            ["A", "B", "C", "D", "E"].iter().map(|name| BenchmarkId::new("go", "p", *name)).collect();
        let ids: Vec<&BenchmarkId> = ids.iter().collect();
        assert_eq!(named(&ids[..2], 3), "A, B");
        assert_eq!(named(&ids, 3), "A, B, C and 2 more");
    }
}
