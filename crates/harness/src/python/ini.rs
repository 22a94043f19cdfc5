//! Reads `setup.cfg` and `tox.ini`: sections with names and values, where a value may continue in indented
//! lines.

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

/// Every entry of a text, in order. Other lines are ignored.
pub(super) fn entries(text: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let (mut section, mut is_open) = (String::new(), false);
    for line in text.lines() {
        let content = line.trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        let is_indented = line.starts_with([' ', '\t']);
        if let Some(last) = found.last_mut().filter(|_| is_indented && is_open) {
            last.lines.push(content.to_owned());
        } else if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.trim().to_owned();
            is_open = false;
        } else if let Some((name, value)) = content.split_once(['=', ':']) {
            let value = value.trim();
            let lines = if value.is_empty() { Vec::new() } else { vec![value.to_owned()] };
            found.push(Entry { section: section.clone(), name: name.trim().to_owned(), lines });
            is_open = true;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_have_many_lines() {
        let text = "lost\n[a b]\r\nx = 1\r\ny =\n    one\n\n    # comment\n\ttwo=2\n[c]\nz: 3\n  ; no\n";
        let found: Vec<(String, String, Vec<String>)> =
            entries(text).into_iter().map(|entry| (entry.section, entry.name, entry.lines)).collect();
        let check = |index: usize, section: &str, name: &str, lines: &[&str]| {
            let expected =
                (section.to_owned(), name.to_owned(), lines.iter().map(|line| line.to_string()).collect());
            assert_eq!(found[index], expected);
        };
        check(0, "a b", "x", &["1"]);
        check(1, "a b", "y", &["one", "two=2"]);
        check(2, "c", "z", &["3"]);
        assert_eq!(found.len(), 3);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\[\\]=:#; a\t\n]|\\PC){0,200}") {
            entries(&text);
        }
    }
}
