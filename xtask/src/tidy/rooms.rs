//! Checks dependencies between crates against the table in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use super::Fault;
use crate::metadata::Package;

/// The heading above the table.
const HEADING: &str = "## Dependency table";

/// The crate that every crate may use, but only in tests.
const TESTKIT: &str = "testkit";

/// Finds dependencies that a crate's row does not list, and crates without a row.
pub(crate) fn faults(architecture: &str, packages: &[Package]) -> Vec<Fault> {
    let table = parse(architecture);
    let fault = |message: String| Fault::new("ARCHITECTURE.md", 0, message);
    if table.is_empty() {
        return vec![fault(format!("the table below `{HEADING}` is missing"))];
    }
    let mut faults = Vec::new();
    for package in packages {
        let room = room_of(&package.name);
        let Some(allowed) = table.get(room) else {
            faults.push(fault(format!("the dependency table has no row for `{room}`")));
            continue;
        };
        for dependency in &package.uses {
            let used = room_of(&dependency.name);
            let is_allowed = allowed.contains(used) || (used == TESTKIT && dependency.is_for_tests);
            if !is_allowed {
                let how = if dependency.is_for_tests { " in tests" } else { "" };
                faults.push(fault(format!("`{room}` uses `{used}`{how}, which its row does not list")));
            }
        }
    }
    faults
}

/// The name of the crate in the table: `model` for `benchwright-model`.
fn room_of(package: &str) -> &str {
    package.strip_prefix("benchwright-").unwrap_or(package)
}

/// Parses the rows of the table: a crate and the crates that it may use, all in backticks.
fn parse(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lines = text.lines().skip_while(|line| !line.starts_with(HEADING)).skip(1);
    let rows = lines.take_while(|line| !line.starts_with("## ")).filter_map(|line| {
        let mut cells = line.trim().strip_prefix('|')?.split('|');
        let room = names(cells.next()?).into_iter().next()?;
        Some((room, names(cells.next()?)))
    });
    rows.collect()
}

/// The names in backticks in a cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    const TABLE: &str = "\
# Title

| `model` | `wrong table` |

## Dependency table

Text with a | bar.

| crate | may use |
|---|---|
| `model` | nothing |
| `analysis` | `model`, `stats` |
| `stats` | |

## Next

| `model` | `stats` |
";

    fn check(room: &str, used: &str, is_for_tests: bool, expected: &[&str]) {
        let name = |room: &str| format!("benchwright-{room}");
        let uses = vec![Dependency { name: name(used), is_for_tests }];
        let package = Package { name: name(room), uses, benches: Vec::new() };
        let found: Vec<String> = faults(TABLE, &[package]).iter().map(Fault::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn listed_uses_are_allowed_and_others_are_not() {
        check("analysis", "stats", false, &[]);
        check("analysis", "model", true, &[]);
        check(
            "model",
            "stats",
            false,
            &["ARCHITECTURE.md: `model` uses `stats`, which its row does not list"],
        );
        check(
            "stats",
            "model",
            true,
            &["ARCHITECTURE.md: `stats` uses `model` in tests, which its row does not list"],
        );
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        check("stats", "testkit", true, &[]);
        check(
            "stats",
            "testkit",
            false,
            &["ARCHITECTURE.md: `stats` uses `testkit`, which its row does not list"],
        );
    }

    #[test]
    fn a_new_room_needs_a_row_and_the_table_must_be_there() {
        check("web", "model", false, &["ARCHITECTURE.md: the dependency table has no row for `web`"]);
        assert_eq!(faults("# Nothing here\n", &[]).len(), 1);
    }
}
