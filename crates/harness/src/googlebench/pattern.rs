//! Patterns for `--benchmark_filter` that match exactly one benchmark.

/// The special characters of POSIX extended regular expressions, the grammar of every version. Other
/// characters must not be escaped: `\<` or `\b` would be operators, and the C++ library may refuse them.
const SPECIAL: &str = r".[\()*+?{|^$";

/// Replaces bytes that are not valid text.
const REPLACEMENT: char = '\u{fffd}';

/// A pattern for exactly the benchmark `name`, in the form in which the program lists it.
pub(super) fn exactly(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len() + 8);
    pattern.push('^');
    for letter in name.chars() {
        match letter {
            REPLACEMENT => pattern.push_str(".+"),
            _ => {
                if SPECIAL.contains(letter) {
                    pattern.push('\\');
                }
                pattern.push(letter);
            }
        }
    }
    pattern.push('$');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_anchored() {
        let check = |name: &str, expected: &str| assert_eq!(exactly(name), expected);
        check("BM_Sort/8", "^BM_Sort/8$");
        check("BM_Map<std::map<int, char*>>/8/threads:4", r"^BM_Map<std::map<int, char\*>>/8/threads:4$");
        check("Fixture/Case/real_time", "^Fixture/Case/real_time$");
        check(r"a.b+c?(d|e)[f]{2}^$\w", r"^a\.b\+c\?\(d\|e\)\[f]\{2}\^\$\\w$");
        check("-negative", "^-negative$");
        check("größe/日本", "^größe/日本$");
        check("bad\u{fffd}byte", "^bad.+byte$");
    }
}
