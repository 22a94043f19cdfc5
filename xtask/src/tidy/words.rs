//! Finds words that must not be committed.

use super::Fault;
use super::code::{blanked, test_lines};
use super::files::File;

/// Marks of unfinished work in code. Concatenated so that this file does not contain them.
const UNFINISHED: [&str; 3] = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!(")];

/// Marks of unfinished work in comments.
const NOTES: [&str; 3] = [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X")];

/// Beginnings of paths that exist only on one person's machine.
const MACHINE_PATHS: [&str; 4] = [HOMES[0], HOMES[1], concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// Those that tests may use as examples.
const HOMES: [&str; 2] = [concat!("/ho", "me/"), concat!("/Us", "ers/")];

/// Files that may name such paths, each with the reason.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// Finds unfinished work, and paths of one person's machine.
pub(crate) fn faults(files: &[File]) -> Vec<Fault> {
    let ours = files.iter().filter(|file| !file.is_captured());
    ours.flat_map(|file| unfinished(file).into_iter().chain(machine_paths(file))).collect()
}

fn unfinished(file: &File) -> Vec<Fault> {
    if !file.is_rust() {
        return Vec::new();
    }
    let code = blanked(&file.text);
    let in_code = numbered(&code).filter_map(|(n, line)| Some((n, first(line, &UNFINISHED)?)));
    let in_text = numbered(&file.text).filter_map(|(n, line)| Some((n, whole_word(line, &NOTES)?)));
    let fault =
        |(line, word): (usize, &str)| Fault::new(&file.path, line, format!("`{word}` marks unfinished work"));
    in_code.chain(in_text).map(fault).collect()
}

fn machine_paths(file: &File) -> Vec<Fault> {
    if EXCEPTIONS.iter().any(|(path, _)| *path == file.path) {
        return Vec::new();
    }
    let tests = if file.is_rust() { test_lines(&blanked(&file.text)) } else { Vec::new() };
    let is_test = |n: usize| file.is_test() || tests.iter().any(|range| range.contains(&(n - 1)));
    let found = numbered(&file.text).filter_map(|(n, line)| {
        // In the middle of a longer path, the same letters do not begin such a path.
        let begins = |prefix: &&&str| {
            line.match_indices(**prefix)
                .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}>)".contains(c)))
        };
        let prefix = MACHINE_PATHS.iter().find(begins)?;
        (!(is_test(n) && HOMES.contains(prefix))).then_some((n, prefix))
    });
    found
        .map(|(n, prefix)| Fault::new(&file.path, n, format!("a path of one machine (`{prefix}…`)")))
        .collect()
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line))
}

fn first(line: &str, words: &[&'static str]) -> Option<&'static str> {
    words.iter().copied().find(|word| line.contains(word))
}

/// The first of the words that occurs as a whole word in the line.
fn whole_word(line: &str, words: &[&'static str]) -> Option<&'static str> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    words.iter().copied().find(|word| {
        line.match_indices(word).any(|(at, _)| {
            !line[..at].ends_with(is_letter) && !line[at + word.len()..].starts_with(is_letter)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::files::file;
    use super::*;

    fn check(path: &str, text: &str, lines: &[usize]) {
        let found: Vec<usize> = faults(&[file(path, text)]).iter().map(|fault| fault.line).collect();
        assert_eq!(found, lines, "{text}");
    }

    #[test]
    fn unfinished_work_is_found_in_code_and_comments() {
        let [stub, _, debug] = UNFINISHED;
        let [fix, later, _] = NOTES;
        check("crates/a/src/b.rs", &format!("//! B.\nfn a() {{ {stub}) }}\n"), &[2]);
        check("crates/a/src/b.rs", &format!("a();\n{debug}x);\n"), &[2]);
        check("crates/a/src/b.rs", &format!("// {fix}: wrong\n// {later} better\n"), &[1, 2]);
        check(
            "crates/a/src/b.rs",
            &format!("// {stub}) is mentioned\nlet MAS{later}N = \"{debug}\";\n"),
            &[],
        );
    }

    #[test]
    fn paths_of_a_machine_are_found_in_every_text_but_fixtures() {
        let [home, _, other, _] = MACHINE_PATHS;
        check("README.md", &format!("see {home}me/x\n"), &[1]);
        check("crates/a/src/b.rs", &format!("let a = \"{home}me\";\n"), &[1]);
        check("README.md", &format!("see target{home}x and {{root}}{home}x\n"), &[]);
        check("crates/a/src/tests.rs", &format!("let a = \"{home}me\";\nlet a = \"{other}x\";\n"), &[2]);
        check("crates/a/src/b.rs", &format!("#[cfg(test)]\nmod tests {{\n    \"{home}me\"\n}}\n"), &[]);
        check("fixtures/go/out.txt", &format!("at {home}me/x\n"), &[]);
    }
}
