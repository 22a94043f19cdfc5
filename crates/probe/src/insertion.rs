//! What is inserted into a text, so marked that it can be taken out again.

use std::ops::Range;

/// Where the insertions of a function go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// The byte before which its first statement may stand.
    pub(crate) start: usize,
    /// The byte of its closing brace.
    pub(crate) end: usize,
    /// Whether it may go on in another thread (`async fn` of Rust).
    pub(crate) is_async: bool,
}

/// A text that goes before a byte of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Insertion {
    pub(crate) at: usize,
    pub(crate) text: String,
}

// Comments in all three languages.
const OPENING: &str = "/*benchwright<*/";
const CLOSING: &str = "/*>benchwright*/";

/// The line before the code that is put at the end of a Rust crate.
pub(crate) const TAIL_MARK: &str = "/*benchwright support*/";

/// The text with the insertions, which are sorted by place.
pub(crate) fn inserted(text: &str, insertions: &[Insertion]) -> String {
    let extra: usize =
        insertions.iter().map(|insertion| insertion.text.len() + OPENING.len() + CLOSING.len()).sum();
    let mut result = String::with_capacity(text.len() + extra);
    let mut from = 0;
    for insertion in insertions {
        result.push_str(&text[from..insertion.at]);
        result.push_str(OPENING);
        result.push_str(&insertion.text);
        result.push_str(CLOSING);
        from = insertion.at;
    }
    result.push_str(&text[from..]);
    result
}

/// The text without insertions; none if it has none.
pub(crate) fn without_insertions(text: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some(range) = next_insertion(rest) {
        result.push_str(&rest[..range.start]);
        rest = &rest[range.end..];
    }
    if rest.len() == text.len() {
        return None;
    }
    result.push_str(rest);
    Some(result)
}

/// Whether the text has a mark of an insertion.
pub(crate) fn has_mark(text: &str) -> bool {
    text.contains(OPENING) || text.contains(CLOSING)
}

fn next_insertion(text: &str) -> Option<Range<usize>> {
    let start = text.find(OPENING)?;
    let end = text[start..].find(CLOSING)? + start + CLOSING.len();
    Some(start..end)
}

/// The code of the file, and what [`crate::support`] has put at its end.
pub(crate) fn split_tail(text: &str) -> (&str, &str) {
    let is_line = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let at = text.match_indices(TAIL_MARK).map(|(at, _)| at).find(is_line);
    text.split_at(at.map_or(text.len(), |at| at.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_can_be_taken_out_again() {
        let insertion = |at, text: &str| Insertion { at, text: text.into() };
        let edited = inserted("a{b}", &[insertion(2, "x"), insertion(3, "y")]);
        assert_eq!(edited, "a{/*benchwright<*/x/*>benchwright*/b/*benchwright<*/y/*>benchwright*/}");
        assert_eq!(without_insertions(&edited).as_deref(), Some("a{b}"));
        assert_eq!(without_insertions("a{b}"), None);
        assert_eq!(without_insertions("/*>benchwright*/ /*benchwright<*/"), None);
    }

    #[test]
    fn the_tail_begins_with_the_end_of_the_line_before() {
        assert_eq!(split_tail("a\n/*benchwright support*/\nb"), ("a", "\n/*benchwright support*/\nb"));
        assert_eq!(split_tail("a /*benchwright support*/"), ("a /*benchwright support*/", ""));
        assert_eq!(split_tail("/*benchwright support*/"), ("", "/*benchwright support*/"));
    }
}
