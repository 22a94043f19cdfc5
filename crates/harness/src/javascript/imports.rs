//! Finds the imports in the text of a source file.

use std::path::{Path, PathBuf};

/// Endings that are tried for an import without one, in the order of node and the compilers.
const ENDINGS: [&str; 8] = ["js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx"];

/// The specifiers of all imports in `text`: static, dynamic and required ones, in order and without
/// duplicates. Comments are ignored. Computed specifiers cannot be found.
pub(super) fn specifiers(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut scan = Scan { rest: text, before: String::new() };
    while let Some(literal) = scan.next_literal() {
        if is_import(&scan.before) && !found.contains(&literal) {
            found.push(literal);
        }
        scan.before.clear();
    }
    found
}

/// The string literals in `text`, each once.
pub(super) fn literals(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut scan = Scan { rest: text, before: String::new() };
    while let Some(literal) = scan.next_literal() {
        if !found.contains(&literal) {
            found.push(literal);
        }
    }
    found
}

/// Whether a string literal after this code is the specifier of an import.
fn is_import(before: &str) -> bool {
    let before = before.trim_end();
    if let Some(call) = before.strip_suffix('(').map(str::trim_end) {
        return ends_with_word(call, "require")
            || ends_with_word(call, "import")
            || call.ends_with("require.resolve");
    }
    ends_with_word(before, "from") || ends_with_word(before, "import")
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(before) = text.strip_suffix(word) else { return false };
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '.')
}

/// Scans code, comments and string literals. Regular expressions are treated as code. A quote inside one can
/// mislead the scan at most until the end of the line, where a plain string ends.
struct Scan<'a> {
    rest: &'a str,
    /// The code since the last literal, limited to what [`is_import`] needs.
    before: String,
}

impl Scan<'_> {
    fn next_literal(&mut self) -> Option<String> {
        loop {
            let mut chars = self.rest.chars();
            let first = chars.next()?;
            let after = chars.as_str();
            if first == '/' && after.starts_with('/') {
                self.rest = after.find('\n').map_or("", |end| &after[end..]);
            } else if first == '/' && after.starts_with('*') {
                self.rest = after.find("*/").map_or("", |end| &after[end + 2..]);
            } else if matches!(first, '\'' | '"' | '`') {
                let (literal, rest) = literal(after, first);
                self.rest = rest;
                return Some(literal);
            } else {
                self.keep(first);
                self.rest = after;
            }
        }
    }

    fn keep(&mut self, c: char) {
        const KEPT: usize = 64;
        if self.before.len() > 2 * KEPT {
            let cut = self.before.ceil_char_boundary(self.before.len() - KEPT);
            self.before.drain(..cut);
        }
        self.before.push(c);
    }
}

/// The literal up to its closing quote, and the text after it.
fn literal(text: &str, quote: char) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return (value, &text[at + c.len_utf8()..]),
            '\n' if quote != '`' => return (value, &text[at..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(c),
        }
    }
    (value, "")
}

/// The file of the project that a relative specifier in `importer` refers to. `None` if there is none.
pub(super) fn resolve(importer: &Path, specifier: &str) -> Option<PathBuf> {
    if !is_relative(specifier) {
        return None;
    }
    let target = plain(&importer.parent()?.join(specifier));
    candidates(&target).into_iter().find(|path| path.is_file())
}

/// Whether a specifier names a file by its path.
pub(super) fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

fn candidates(target: &Path) -> Vec<PathBuf> {
    let mut all = vec![target.to_owned()];
    let with = |ending: &str| {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".{ending}"));
        PathBuf::from(name)
    };
    all.extend(ENDINGS.iter().map(|ending| with(ending)));
    // In TypeScript, `x.ts` is imported as `./x.js`.
    let of_types = match target.extension().and_then(|ending| ending.to_str()) {
        Some("js") => &["ts", "tsx"][..],
        Some("mjs") => &["mts"],
        Some("cjs") => &["cts"],
        _ => &[],
    };
    all.extend(of_types.iter().map(|ending| target.with_extension(ending)));
    all.extend(ENDINGS.iter().map(|ending| target.join(format!("index.{ending}"))));
    all
}

/// The path without `.` and `..`.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(specifiers(text), expected, "{text}");
    }

    #[test]
    fn every_form_of_import_is_found() {
        check("import { Bench } from 'tinybench';\nimport \"./setup.js\"", &["tinybench", "./setup.js"]);
        check("const Benchmark = require('benchmark');", &["benchmark"]);
        check("export * from \"./a\"; const b = await import(`./b`)", &["./a", "./b"]);
        check("import a, {\n  b,\n} from\n  'benchmark'", &["benchmark"]);
        check("require ( 'x' ); require.resolve('y'); require('x')", &["x", "y"]);
        check("import type { T } from './types'", &["./types"]);
    }

    #[test]
    fn comments_strings_and_other_calls_are_no_imports() {
        check("// require('benchmark')\n/* import 'tinybench' */", &[]);
        check("console.log('from', 'benchmark'); load('x'); import.meta.url", &[]);
        check("const s = \"require('benchmark')\"; myrequire('a'); x.require('b')", &[]);
        check("const r = /'/; \nrequire('found')", &["found"]);
        check("'it\\'s' + require('a\\'b')", &["a'b"]);
        check("require('open", &["open"]);
    }

    #[test]
    fn relative_specifiers_find_files_as_node_and_typescript_do() {
        let files = ["lib/index.js", "bench/a.ts", "bench/b.mjs", "x.js"];
        let root = crate::test_files::tree(&files.map(|path| (path, "")));
        let check = |specifier: &str, expected: Option<&str>| {
            let found = resolve(&root.path().join("bench/main.js"), specifier);
            assert_eq!(found, expected.map(|path| root.path().join(path)), "{specifier}");
        };
        check("../lib", Some("lib/index.js"));
        check("./a", Some("bench/a.ts"));
        check("./a.js", Some("bench/a.ts"));
        check("./b.mjs", Some("bench/b.mjs"));
        check("../x", Some("x.js"));
        check("../missing", None);
        check("benchmark", None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_scanned(text in "\\PC*") {
            specifiers(&text);
        }

        #[test]
        fn any_mixture_of_quotes_and_comments_can_be_scanned(text in "['\"`/*\\\\\na(ä]{0,200}") {
            specifiers(&text);
        }
    }
}
