//! Lines of fields with something between them, one of which may be in quotes.

use std::borrow::Cow;

/// The fields of a line. Quotes around a field are removed, two inside are one.
pub(crate) fn split<'a>(line: &'a str, separator: char, fields: &mut Vec<Cow<'a, str>>) {
    fields.clear();
    let mut rest = line;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted, separator),
            None => match rest.split_once(separator) {
                Some((field, after)) => (Cow::Borrowed(field), Some(after)),
                None => (Cow::Borrowed(rest), None),
            },
        };
        fields.push(field);
        match after {
            Some(after) => rest = after,
            None => return,
        }
    }
}

/// A field after its opening quote, and what follows the separator.
fn quoted_field(text: &str, separator: char) -> (Cow<'_, str>, Option<&str>) {
    let mut from = 0;
    while let Some(quote) = text[from..].find('"').map(|at| from + at) {
        if text[quote + 1..].starts_with('"') {
            from = quote + 2;
            continue;
        }
        let field = text[..quote].replace("\"\"", "\"");
        let after =
            text[quote + 1..].find(separator).map(|at| &text[quote + 1 + at + separator.len_utf8()..]);
        return (Cow::Owned(field), after);
    }
    (Cow::Borrowed(text), None)
}

/// Column numbers by name.
pub(crate) fn columns<const N: usize>(header: &[Cow<'_, str>], names: [&str; N]) -> Option<[usize; N]> {
    let mut found = [0; N];
    for (place, name) in found.iter_mut().zip(names) {
        *place = header.iter().position(|known| known.trim() == name)?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_and_quotes_removed() {
        let check = |line: &str, expected: &[&str]| {
            let mut fields = Vec::new();
            split(line, ',', &mut fields);
            assert_eq!(fields, expected, "{line}");
        };
        check("a,b,,c", &["a", "b", "", "c"]);
        check("", &[""]);
        check("\"a,b\",c", &["a,b", "c"]);
        check("\"a\"\"b\",\"\"", &["a\"b", ""]);
        check("\"open,c", &["open,c"]);
        check("a,", &["a", ""]);
    }

    #[test]
    fn columns_are_found_by_name() {
        let header = [Cow::Borrowed("x"), Cow::Borrowed(" y ")];
        assert_eq!(columns(&header, ["y", "x"]), Some([1, 0]));
        assert_eq!(columns(&header, ["z"]), None);
    }
}
