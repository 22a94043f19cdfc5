//! Which files of a module matter to its benchmarks.

/// Whether a file is compiled in, or certainly not read by a benchmark (documents, files of other tools).
pub(super) fn is_compiled_in(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let file = parts.pop().unwrap_or_default();
    if parts.contains(&"testdata") {
        return false;
    }
    let is_hidden = |part: &&str| part.starts_with('.');
    if parts.iter().any(is_hidden) || is_hidden(&file) {
        return true;
    }
    if matches!(file, "go.mod" | "go.sum" | "go.work" | "go.work.sum") || path.ends_with("vendor/modules.txt")
    {
        return true;
    }
    let is_code = file.rsplit_once('.').is_some_and(|(_, extension)| COMPILED.contains(&extension));
    is_code || crate::document::is_document(path)
}

/// File endings that the go command (`go help packages`) and cgo compile.
const COMPILED: [&str; 13] = ["go", "s", "S", "h", "hh", "hpp", "hxx", "c", "cc", "cpp", "cxx", "m", "syso"];

/// The functions in the text of a test file whose names begin with `Benchmark`. Comments, literals and
/// methods do not count. A helper with such a name counts, which only costs an unnecessary build.
pub(super) fn benchmarks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut is_after_func = false;
    while let Some(c) = rest.chars().next() {
        if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if is_after_func && word.starts_with("Benchmark") {
                found.push(word.to_owned());
            }
            is_after_func = word == "func";
            rest = after;
            continue;
        }
        let skipped = comment_or_literal(rest);
        if skipped > 0 && !rest.starts_with('/') || skipped == 0 && !c.is_whitespace() {
            is_after_func = false;
        }
        rest = &rest[if skipped > 0 { skipped } else { c.len_utf8() }..];
    }
    found
}

/// The length of the comment or literal at the start of `text`; 0 if there is none.
fn comment_or_literal(text: &str) -> usize {
    let after =
        |mark: &str, from: usize| text[from..].find(mark).map_or(text.len(), |at| from + at + mark.len());
    match text.as_bytes() {
        [b'/', b'/', ..] => after("\n", 2),
        [b'/', b'*', ..] => after("*/", 2),
        [b'`', ..] => after("`", 1),
        [quote @ (b'"' | b'\''), ..] => {
            let mut is_escaped = false;
            for (at, byte) in text.bytes().enumerate().skip(1) {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' => is_escaped = true,
                    // A literal never spans lines. In broken code the next line is code again.
                    b'\n' => return at,
                    _ if byte == *quote => return at + 1,
                    _ => {}
                }
            }
            text.len()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_documents_are_no_data() {
        let check = |path: &str, expected| assert_eq!(is_compiled_in(path), expected, "{path}");
        check("a.go", true);
        check("pkg/a_test.go", true);
        check("go.mod", true);
        check("sub/go.sum", true);
        check("go.work", true);
        check("asm_amd64.s", true);
        check("cgo/x.h", true);
        check("cgo/x.c", true);
        check("vendor/modules.txt", true);
        check("README.md", true);
        check(".github/workflows/ci.yml", true);
        check("pkg/.golangci.yml", true);
        check("testdata/a.go", false);
        check("pkg/testdata/deep/readme.md", false);
        check("testdata/.hidden/x", false);
        check("pkg/words.txt", false);
        check("data.json", false);
        check("Makefile", false);
        check("go", false);
    }

    #[test]
    fn benchmarks_are_found_in_code_only() {
        let check = |text: &str, expected| assert_eq!(!benchmarks(text).is_empty(), expected, "{text}");
        check("package a\nfunc BenchmarkX(b *testing.B) {}", true);
        check("func\n\tBenchmarkX(b *testing.B) {}", true);
        check("func /* why */ BenchmarkX(b *testing.B) {}", true);
        check("func BenchmarkX[T any](b *testing.B) {}", true);
        check("func BenchmarkGröße(b *testing.B) {}", true);
        check("// func BenchmarkX(b *testing.B) {}", false);
        check("/* func BenchmarkX() */ func TestX() {}", false);
        check("var s = `func BenchmarkX()`", false);
        check(r#"var s = "\"func BenchmarkX()""#, false);
        check("func (s suite) BenchmarkX(b *testing.B) {}", false);
        check("func benchmarkX(b *testing.B) {}", false);
        check("var r = '\\''; func BenchmarkX() {}", true);
        check("var r = \"unclosed\nfunc BenchmarkX() {}", true);
        check("var f = func() { BenchmarkX(nil) }", false);
        check("func", false);
        check("", false);
    }
}
