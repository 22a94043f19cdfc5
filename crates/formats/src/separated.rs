//! Lines of fields with a separator. Fields may be quoted.

use std::borrow::Cow;
use std::io::{self, Write};

/// The beginnings of texts that spreadsheets treat as formulas.
const OF_FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The fields of a line. Quotes around a field are removed, and two quotes inside it become one.
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

/// A field after its opening quote, and the text after the separator.
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

/// Writes one record of CSV, with quotes where needed. A text that a spreadsheet would treat as a formula
/// gets an apostrophe in front, which spreadsheets hide and `without_apostrophe` removes.
pub fn write_record<'a>(fields: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        let is_formula = field.starts_with(OF_FORMULAS) && field.parse::<f64>().is_err();
        let field = if is_formula { &format!("'{field}") } else { field };
        if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
            write!(out, "\"{}\"", field.replace('"', "\"\""))?;
        } else {
            out.write_all(field.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
}

/// A text without the apostrophe that prevents spreadsheets from treating it as a formula.
pub(crate) fn without_apostrophe(field: &str) -> &str {
    field.strip_prefix('\'').filter(|rest| rest.starts_with(OF_FORMULAS)).unwrap_or(field)
}

/// A number with all its digits. Empty if it is not finite.
pub fn exact(number: f64) -> String {
    if !number.is_finite() {
        String::new()
    } else if number == 0.0 || (1e-5..1e15).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
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
    fn what_is_written_is_read_back() {
        let fields =
            ["=cmd|' /C calc'!A0", "-x,y", "@a", "-0.5", "+1e3", "plain", "a \"b\"", "", " c ", "'quoted'"];
        let mut out = Vec::new();
        write_record(fields.into_iter(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected =
            "'=cmd|' /C calc'!A0,\"'-x,y\",'@a,-0.5,+1e3,plain,\"a \"\"b\"\"\",,\" c \",'quoted'\r\n";
        assert_eq!(text, expected);
        let mut read = Vec::new();
        split(text.trim_end_matches("\r\n"), ',', &mut read);
        assert_eq!(read.iter().map(|field| without_apostrophe(field)).collect::<Vec<_>>(), fields);
    }

    #[test]
    fn exact_numbers_parse_back() {
        let check = |number: f64| assert_eq!(exact(number).parse::<f64>().unwrap(), number);
        check(0.1 + 0.2);
        check(-1.234_567_89e-9);
        check(1e300);
        check(0.0);
        assert_eq!(exact(f64::NAN), "");
        assert_eq!(exact(f64::INFINITY), "");
    }

    #[test]
    fn columns_are_found_by_name() {
        let header = [Cow::Borrowed("x"), Cow::Borrowed(" y ")];
        assert_eq!(columns(&header, ["y", "x"]), Some([1, 0]));
        assert_eq!(columns(&header, ["z"]), None);
    }
}
