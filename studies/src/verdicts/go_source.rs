//! A simple parser for Go, just enough to find the functions that a benchmark calls, and to insert a loop
//! into one.

/// The function whose call is inserted into slowed code. It is never inlined. The compiler keeps the call
/// although its result is unused. There is no shared variable, so parallel code is only slowed down by the
/// time of the loop.
pub(crate) const SPIN: &str = "benchwrightTrialSpin";

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The type it is a method of, without type parameters.
    pub(crate) receiver: Option<String>,
    /// Start of its body, after the opening brace.
    pub(crate) start: usize,
    /// End of its body, at the closing brace.
    pub(crate) end: usize,
}

impl Function {
    /// The name as `Type.name` or `name`.
    pub(crate) fn label(&self) -> String {
        match &self.receiver {
            Some(receiver) => format!("{receiver}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

/// A call, `qualifier.name(`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// A package or a value. `None` for a plain call.
    pub(crate) qualifier: Option<String>,
    pub(crate) name: String,
}

/// The text of a file that defines [`SPIN`] in a package.
pub(crate) fn spin_file(package: &str) -> String {
    format!(
        "package {package}\n\n//go:noinline\nfunc {SPIN}(rounds int) uint64 {{\n\tvalue := uint64(rounds)\n\
         \tfor i := 0; i < rounds; i++ {{\n\t\tvalue ^= value + uint64(i)\n\t}}\n\treturn value\n}}\n"
    )
}

/// The source with a loop of `rounds` rounds at the start of the function.
pub(crate) fn slowed(source: &str, function: &Function, rounds: u32) -> String {
    let (before, after) = source.split_at(function.start);
    format!("{before} _ = {SPIN}({rounds}); {after}")
}

/// Replaces every byte of comments and literals by a blank. Line breaks and offsets are preserved.
pub(crate) fn blanked(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut result = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let length = skipped(&bytes[at..]);
        for byte in &mut result[at..at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at += length.max(1);
    }
    // Characters outside ASCII in identifiers are still valid, because only whole literals and comments were
    // replaced.
    String::from_utf8_lossy(&result).into_owned()
}

/// The length of the comment or literal that begins here, in bytes. 0 if none begins here.
fn skipped(rest: &[u8]) -> usize {
    let until = |end: &[u8], from: usize| {
        let found = rest.windows(end.len()).skip(from).position(|window| window == end);
        found.map_or(rest.len(), |position| from + position + end.len())
    };
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => until(b"*/", 2),
        [b'`', ..] => until(b"`", 1),
        [quote @ (b'"' | b'\''), ..] => quoted(rest, *quote),
        _ => 0,
    }
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The package's name.
pub(crate) fn package(blanked: &str) -> Option<&str> {
    let line = blanked.lines().find_map(|line| line.strip_prefix("package "))?;
    line.split_whitespace().next()
}

/// The functions of a file, in the same order.
pub(crate) fn functions(blanked: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut offset = 0;
    for line in blanked.split_inclusive('\n') {
        if let Some(head) = line.strip_prefix("func ") {
            functions.extend(function(blanked, offset, head));
        }
        offset += line.len();
    }
    functions
}

fn function(blanked: &str, offset: usize, head: &str) -> Option<Function> {
    let (receiver, named) = match head.strip_prefix('(') {
        Some(_) => {
            let end = closing(head, 0)?;
            (Some(receiver(&head[1..end])), head[end + 1..].trim_start())
        }
        None => (None, head),
    };
    let name = identifier(named);
    if name.is_empty() {
        return None;
    }
    // The body begins with the first brace that is outside brackets and does not belong to a type such as
    // `interface{` or `struct {`.
    let rest = &blanked[offset..];
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '\n' if depth == 0 => return None,
            '{' if depth == 0 && !begins_type(&rest[..at]) => {
                let end = offset + closing(rest, at)?;
                return Some(Function { name: name.into(), receiver, start: offset + at + 1, end });
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The type's name: `Tree` for `t *Tree[T]`.
fn receiver(text: &str) -> String {
    let text = text.split('[').next().unwrap_or_default();
    text.rsplit([' ', '*']).find(|word| !word.is_empty()).unwrap_or_default().into()
}

fn begins_type(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with("interface") || before.ends_with("struct")
}

/// The position of the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + at);
                }
            }
            _ => {}
        }
    }
    None
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !is_letter(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words before a bracket that do not call a function of the project.
const NO_CALLS: [&str; 30] = [
    "func", "if", "for", "switch", "return", "go", "defer", "select", "range", "len", "cap", "make", "new",
    "append", "copy", "panic", "print", "println", "recover", "close", "delete", "min", "max", "clear",
    "string", "byte", "int", "uint64", "float64", "int64",
];

/// The calls in a function's body, in order and without duplicates. If the body has a measured part, only
/// calls after its start count.
pub(crate) fn calls(blanked: &str) -> Vec<Call> {
    let begins = ["b.N", ".Loop()", "RunParallel", "ResetTimer()"];
    let first = begins.iter().filter_map(|word| Some(blanked.find(word)? + word.len())).min().unwrap_or(0);
    let mut found: Vec<Call> = Vec::new();
    for call in calls_in(&blanked[first..]) {
        if !found.contains(&call) {
            found.push(call);
        }
    }
    found
}

fn calls_in(code: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    for (at, _) in code.match_indices('(') {
        let name = word_before(&code[..at]);
        if name.is_empty() || NO_CALLS.contains(&name) || name.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let before = &code[..at - name.len()];
        let qualifier = before.strip_suffix('.').map(|before| word_before(before).to_string());
        // Calls of the benchmark's own argument and of assertions are not measured.
        if !matches!(qualifier.as_deref(), Some("b" | "tb" | "pb" | "assert" | "require")) {
            calls.push(Call { qualifier, name: name.into() });
        }
    }
    calls
}

/// The identifier that ends here.
fn word_before(text: &str) -> &str {
    let start = text.char_indices().rev().take_while(|(_, c)| is_letter(*c)).last().map(|(at, _)| at);
    start.map_or("", |start| &text[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
// Package p has func Wrong() {
package p // comment

func Plain(a int) int { return a }

func (t *Tree[T]) Method(f func(x interface{}) bool) (err error) {
\ts := \"func Not() {\" + `}` + string('}')
\treturn f(s)
}

func external(x int)

func Generic[T interface{ ~int }](x T) struct{ a int } {
\treturn struct{ a int }{1}
}
";

    #[test]
    fn functions_with_bodies_are_found_and_texts_are_not() {
        let code = blanked(SOURCE);
        assert_eq!(code.len(), SOURCE.len());
        assert_eq!(package(&code), Some("p"));
        let found: Vec<(String, &str)> =
            functions(&code).into_iter().map(|f| (f.label(), SOURCE[f.start..f.end].trim())).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!((found[0].0.as_str(), found[0].1), ("Plain", "return a"));
        assert_eq!(found[1].0.as_str(), "Tree.Method");
        assert!(found[1].1.ends_with("return f(s)"));
        assert_eq!(found[2].1, "return struct{ a int }{1}");
    }

    #[test]
    fn a_loop_goes_to_the_entry_of_one_line_functions_too() {
        let code = blanked(SOURCE);
        let text = slowed(SOURCE, &functions(&code)[0], 12);
        assert!(text.contains("func Plain(a int) int { _ = benchwrightTrialSpin(12);  return a }"), "{text}");
        assert_eq!(functions(&blanked(&text)).len(), 3);
        assert_eq!(functions(&spin_file("p"))[0].name, SPIN);
    }

    #[test]
    fn only_calls_that_are_measured_count() {
        let code = blanked(
            "tr := New(*degree)\nb.ResetTimer()\nfor i := 0; i < b.N; i++ {\n\ttr.Insert(Int(i))\n\ttr.Insert(len(x))\n\tjson.Marshal(\"f(x)\")\n}\n",
        );
        let call = |qualifier: &str, name: &str| Call {
            qualifier: (!qualifier.is_empty()).then(|| qualifier.into()),
            name: name.into(),
        };
        assert_eq!(calls(&code), [call("tr", "Insert"), call("", "Int"), call("json", "Marshal")]);
        assert_eq!(calls("with(b, func() { log.Info(1) })"), [call("", "with"), call("log", "Info")]);
    }
}
