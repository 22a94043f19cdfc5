//! Patterns for `-test.bench` and `-test.skip` that match exactly one benchmark.

/// A pattern for exactly the benchmark `name`. Package `testing` splits pattern and name at `/` and matches
/// part by part, so each part is escaped and anchored separately. Names are used as printed: white space and
/// unprintable characters are already rewritten there, and rewriting them again in the pattern changes
/// nothing.
pub(super) fn exactly(name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(|part| format!("^{}$", escape(part))).collect();
    parts.join("/")
}

/// A pattern for all functions with these names, with everything below them.
pub(super) fn any_of(functions: &[String]) -> String {
    let names: Vec<String> = functions.iter().map(|name| escape(name)).collect();
    format!("^({})$", names.join("|"))
}

/// A pattern for everything below the benchmark `name`, but not `name` itself. A pattern with fewer parts
/// than a name matches the beginning of the name, so without skipping these, `a` would also run a sibling
/// called `a/b`.
pub(super) fn below(name: &str) -> String {
    format!("{}/", exactly(name))
}

fn escape(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    for c in part.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_escaped_and_anchored() {
        let check = |name: &str, expected: &str| assert_eq!(exactly(name), expected);
        check("BenchmarkA", "^BenchmarkA$");
        check("BenchmarkA/n=1/k-2", "^BenchmarkA$/^n=1$/^k-2$");
        check("BenchmarkA/a.b*(c|d)[e]{2}?+^$", r"^BenchmarkA$/^a\.b\*\(c\|d\)\[e\]\{2\}\?\+\^\$$");
        check(r"BenchmarkA/nul\x00", r"^BenchmarkA$/^nul\\x00$");
        check("BenchmarkA/größe_日本#01", "^BenchmarkA$/^größe_日本#01$");
        check("BenchmarkA//x/", "^BenchmarkA$/^$/^x$/^$");
    }
}
