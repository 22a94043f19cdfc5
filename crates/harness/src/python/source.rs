//! Finds benchmarks in the text of a Python file, without running it.

use std::collections::BTreeSet;

/// Maximum length of a parameter list.
const LONGEST_PARAMETERS: usize = 8 << 10;

/// A function's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The names of its parameters.
    pub(super) parameters: Vec<&'a str>,
    /// Whether a decorator makes it a fixture of pytest.
    pub(super) is_fixture: bool,
}

/// The functions and methods of a file. Text in literals that looks like a function is included too, which
/// only causes an unnecessary search of the file.
pub(super) fn functions(text: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    let mut is_fixture = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let start = at + (line.len() - code.len());
        at += line.len();
        if code.starts_with('@') {
            is_fixture |= code.contains("fixture");
            continue;
        }
        let head = code.strip_prefix("async ").map_or(code, str::trim_start);
        if code.starts_with("class ") {
            is_fixture = false;
        }
        let Some(rest) = head.strip_prefix("def ") else { continue };
        let from = start + (code.len() - rest.len());
        if let Some((name, parameters)) = head_of(&text[from..]) {
            found.push(Function { name, parameters, is_fixture });
        }
        is_fixture = false;
    }
    found
}

/// Name and parameters from the text behind `def`.
fn head_of(text: &str) -> Option<(&str, Vec<&str>)> {
    let open = text.find('(')?;
    let name = text[..open].split('[').next()?.trim();
    if !is_identifier(name) {
        return None;
    }
    let limit = text.floor_char_boundary(text.len().min(open + LONGEST_PARAMETERS));
    let (mut depth, mut start, mut parameters) = (0usize, open + 1, Vec::new());
    for (at, letter) in text[..limit].char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || depth == 1 && letter == ',' {
            parameters.extend(parameter(&text[start..at]));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    Some((name, parameters))
}

/// The name of a parameter, without the text after it. `None` for `*` and `/`.
fn parameter(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches('*');
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(&text[..end]).filter(|name| is_identifier(name))
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Fixtures of the text that use one of `known`.
pub(super) fn fixtures_on(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    let uses = |function: &Function<'_>| function.parameters.iter().any(|name| known.contains(*name));
    let found = functions(text).into_iter().filter(|function| function.is_fixture && uses(function));
    found.map(|function| function.name.to_owned()).collect()
}

/// Whether a test of the text uses one of the fixtures.
pub(super) fn has_test_with(text: &str, fixtures: &BTreeSet<String>) -> bool {
    functions(text).iter().any(|function| {
        let is_test = function.name.starts_with("test") || function.name.starts_with("bench");
        is_test && !function.is_fixture && function.parameters.iter().any(|name| fixtures.contains(*name))
    })
}

/// Whether the text is a script that runs benchmarks with pyperf.
pub(super) fn is_pyperf_script(text: &str) -> bool {
    let is_import = |line: &str| {
        let line = line.trim_start();
        let names = line.strip_prefix("import ").unwrap_or_default();
        let is_among = names.split(',').any(|name| name.split_whitespace().next() == Some("pyperf"));
        is_among || line.starts_with("from pyperf import ")
    };
    text.contains("Runner(") && text.lines().any(is_import)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    fn check(text: &str, expected: bool) {
        assert_eq!(has_test_with(text, &names(&["benchmark"])), expected, "{text}");
    }

    #[test]
    fn a_test_that_takes_the_fixture_is_found_however_it_is_written() {
        check("def test_a(benchmark):\n    pass\n", true);
        check("class TestA:\n    def test_a(self, benchmark: BenchmarkFixture) -> None: ...\n", true);
        check(
            "async def test_a(\n    size: dict[str, int] = {'a': (1, 2)},\n    *,\n    benchmark,\n):\n",
            true,
        );
        check("@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n, benchmark): pass\r\n", true);
        check("def bench_a(benchmark): pass", true);
        check("def test_a(benchmarks, my_benchmark): pass", false);
        check("def test_a(n=benchmark): pass", false);
        check("def run(benchmark): pass", false);
        check("@pytest.fixture\ndef test_data(benchmark): pass", false);
        check("benchmark = 1\ndef test_a(): benchmark()", false);
        check("def test_a(benchmark", false);
        check("def test_größe[T](benchmark): pass", true);
    }

    #[test]
    fn fixtures_that_wrap_the_fixture_are_found() {
        let text = "@pytest.fixture(\n    scope='function',\n)\ndef timed(benchmark):\n    return benchmark\n\n\
                    @fixture\ndef other(request): ...\ndef helper(benchmark): ...\n";
        assert_eq!(fixtures_on(text, &names(&["benchmark"])), ["timed"]);
        assert!(has_test_with("def test_a(timed): ...", &names(&["benchmark", "timed"])));
    }

    #[test]
    fn a_pyperf_script_imports_it_and_makes_a_runner() {
        let check = |text: &str, expected: bool| assert_eq!(is_pyperf_script(text), expected, "{text}");
        check("import pyperf\nrunner = pyperf.Runner()\n", true);
        check("import os, pyperf as p\nrunner = p.Runner(metadata={})\n", true);
        check("if True:\n    from pyperf import Runner\n    Runner()\n", true);
        check("import pyperf\nsuite = pyperf.BenchmarkSuite.load('x')\n", false);
        check("import pyperformance\nRunner()\n", false);
        check("# import pyperf\nRunner()\n", false);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in ".*") {
            functions(&text);
            is_pyperf_script(&text);
        }

        #[test]
        fn any_function_like_text_is_read(text in "(@fixture|async |def |class |[a-zä(,)\\[\\]*=:\n ]){0,60}") {
            functions(&text);
        }
    }
}
