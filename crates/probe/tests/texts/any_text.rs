//! Texts that nobody would write, and real ones with pieces missing.

use std::fs;
use std::path::Path;

use benchwright_probe::*;
use proptest::prelude::*;

use crate::target;

const FILES: [(&str, &str); 4] = [
    ("x/lib.go", "go/lib/lib.go"),
    ("x/main.go", "go/main.go"),
    ("T.java", "java/tricky/Tricky.java"),
    ("src/tricky.rs", "rust/tricky.rs"),
];

/// Pieces of source that begin, end or hide something.
const PIECES: [&str; 34] = [
    "func ",
    "fn a",
    "class B ",
    "package x",
    "{",
    "}",
    "(",
    ")",
    ";",
    "\n",
    "\r\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "`",
    "pub ",
    "impl T for U ",
    "mod m ",
    "#[cfg(test)]",
    "#![a]",
    "//! x",
    "record R(int a) ",
    "this(1);",
    "super();",
    "/*benchwright<*/",
    "/*>benchwright*/",
    "/*benchwright support*/",
    "\u{feff}",
    "ä",
    "\0",
    "<T>",
    "r#\"",
];

fn check(path: &str, text: &str, change: Change) {
    let language = Language::of_path(path).expect("a known ending");
    let target = target(language);
    let functions = index(language, path, text).functions;
    let all: Vec<(&Function, u32)> = functions.iter().zip(0..).collect();
    let edited = match edit(&target, text, &all, change) {
        Ok(edited) => edited,
        Err(EditError::AlreadyEdited | EditError::NoPackageClause) => return,
        Err(error) => panic!("{error}"),
    };
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<String>>();
    let (before, after) = (lines(text), lines(&edited.text));
    assert_eq!(before.len(), after.len());
    for (n, (old, new)) in (1..).zip(before.iter().zip(&after)) {
        let is_inside = functions.iter().any(|one| one.problem.is_none() && one.lines.contains(&n));
        assert!(old == new || is_inside || new.contains("; import benchwrightprobe "), "line {n}: {new}");
    }
    let again = edit(&target, &edited.text, &all, change).expect("the same edit");
    assert_eq!(again.text, edited.text);
}

fn change() -> impl Strategy<Value = Change> {
    let changes = vec![Change::Count, Change::SlowDown { factor: 0.25 }, Change::Busy { ns: 3 }];
    proptest::sample::select(changes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nonsense_is_edited_in_its_own_lines(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60),
        file in proptest::sample::select(&FILES[..]),
        change in change(),
    ) {
        check(file.0, &pieces.concat(), change);
    }

    #[test]
    fn damaged_sources_are_edited_in_their_own_lines(
        file in proptest::sample::select(&FILES[..]),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        piece in proptest::sample::select(&PIECES[..]),
        change in change(),
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources").join(file.1);
        let text: Vec<char> = fs::read_to_string(path).expect("a source file").chars().collect();
        let start = cut.0.index(text.len());
        let end = (start + cut.1.index(40)).min(text.len());
        let damaged: String = text[..start].iter().copied().chain(piece.chars()).chain(text[end..].iter().copied()).collect();
        check(file.0, &damaged, change);
    }
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let deep =
        |opening: &str, inner: &str| format!("{}{inner}{}", opening.repeat(20_000), "}".repeat(20_000));
    check("T.java", &deep("class A {", "void b() {}"), Change::Count);
    check("src/lib.rs", &deep("mod a {", "fn b() {}"), Change::Count);
    check("x/a.go", &format!("package x\nfunc A() {}", deep("{", "a()")), Change::Count);
}
