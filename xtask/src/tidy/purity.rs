//! Checks that pure crates do not use files, processes or the network.

use super::Fault;
use super::code::{blanked, test_lines};
use super::files::File;

/// What each pure crate must not use from the standard library.
const FORBIDDEN: [(&str, &[&str]); 9] = [
    ("model", &["fs", "process", "net"]),
    ("stats", &["fs", "process", "net"]),
    ("analysis", &["fs", "process", "net"]),
    ("steady", &["fs", "process", "net"]),
    ("probe", &["fs", "process", "net"]),
    ("harness", &["process", "net"]),
    ("formats", &["process", "net"]),
    ("report", &["process", "net"]),
    ("config", &["process", "net"]),
];

/// Finds uses of files, processes and the network in crates that must not use them. Tests may use them.
pub(crate) fn faults(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (room, forbidden) in FORBIDDEN {
        let prefix = format!("crates/{room}/src/");
        for file in
            files.iter().filter(|file| file.path.starts_with(&prefix) && file.is_rust() && !file.is_test())
        {
            faults.extend(file_faults(file, room, forbidden));
        }
    }
    faults
}

fn file_faults(file: &File, room: &str, forbidden: &[&str]) -> Vec<Fault> {
    let code = blanked(&file.text);
    let tests = test_lines(&code);
    let used = standard_modules(&code).into_iter();
    used.filter(|(line, _)| !tests.iter().any(|range| range.contains(line)))
        .filter(|(_, module)| forbidden.contains(&module.as_str()))
        .map(|(line, module)| {
            Fault::new(&file.path, line + 1, format!("the crate `{room}` must not use `std::{module}`"))
        })
        .collect()
}

/// Modules of the standard library that the code names, with their lines counted from 0.
fn standard_modules(code: &str) -> Vec<(usize, String)> {
    const START: &str = "std::";
    let name =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = Vec::new();
    for (at, _) in code.match_indices(START) {
        let line = code[..at].matches('\n').count();
        let rest = &code[at + START.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_items(group).iter().map(|item| (line, name(item)))),
            None => found.push((line, name(rest))),
        }
    }
    found
}

/// The items directly inside a group `{a, b::{c, d}}`. The text begins after the opening brace.
fn group_items(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut start = 0;
    let mut items = Vec::new();
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(group[start..at].trim());
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(group[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::super::files::file;
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let found: Vec<String> = faults(&[file(path, text)]).iter().map(Fault::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_pure_room_uses_no_files_and_no_processes() {
        let path = "crates/stats/src/a.rs";
        check(path, "use std::fs;\n", &["crates/stats/src/a.rs:1: the crate `stats` must not use `std::fs`"]);
        check(
            path,
            "use std::{fmt, collections::{A, B}, process::Command};\n",
            &["crates/stats/src/a.rs:1: the crate `stats` must not use `std::process`"],
        );
        check(
            path,
            "\nlet x = ::std::net::lookup();\n",
            &["crates/stats/src/a.rs:2: the crate `stats` must not use `std::net`"],
        );
        check(path, "use std::fmt; // std::fs\nuse std::{fmt::{self, Write}, ops::Range};\n", &[]);
    }

    #[test]
    fn tests_and_other_rooms_may() {
        check("crates/stats/src/a.rs", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n", &[]);
        check("crates/stats/src/tests.rs", "use std::fs;\n", &[]);
        check("crates/config/src/a.rs", "use std::fs;\n", &[]);
        check("crates/process/src/a.rs", "use std::process::Command;\n", &[]);
    }
}
