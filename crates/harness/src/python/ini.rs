//! `setup.cfg` and `tox.ini`, as Python reads them.

use configparser::ini::Ini;

/// An entry of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The section's name.
    pub(super) section: String,
    /// The entry's name.
    pub(super) name: String,
    /// The lines of its value that are neither empty nor comments.
    pub(super) lines: Vec<String>,
}

/// Every entry of a text, in its order; none where Python could not read it either.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut ini = Ini::new_cs();
    ini.set_multiline(true);
    // A semicolon inside a requirement begins its condition.
    ini.set_inline_comment_symbols(Some(&[]));
    let mut found = Vec::new();
    for (section, entries) in ini.read(text.to_owned()).unwrap_or_default() {
        for (name, value) in entries {
            let lines = value.iter().flat_map(|value| value.lines()).map(str::trim);
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
            let lines = lines.map(str::to_owned).collect();
            found.push(Entry { section: section.clone(), name, lines });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_have_many_lines() {
        let text = "[a b]\r\nx = 1\r\ny =\n    one; a > '3'\n\n    # comment\n\ttwo=2\n[c]\nz: 3\n  ; no\n";
        let entry = |section: &str, name: &str, lines: &[&str]| Entry {
            section: section.to_owned(),
            name: name.to_owned(),
            lines: lines.iter().map(|line| line.to_string()).collect(),
        };
        let expected = [
            entry("a b", "x", &["1"]),
            entry("a b", "y", &["one; a > '3'", "two=2"]),
            entry("c", "z", &["3"]),
        ];
        assert_eq!(entries(text), expected);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\[\\]=:#; a\t\n]|\\PC){0,200}") {
            entries(&text);
        }
    }
}
