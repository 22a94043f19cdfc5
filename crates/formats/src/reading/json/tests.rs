use super::*;

fn json(text: &str) -> Json<'_> {
    Json::new(Input::new("file", Box::new(text.as_bytes()), crate::Limits::default()))
}

fn said(json: Json<'_>) -> Vec<String> {
    json.input.diagnostics.into_list().iter().map(ToString::to_string).collect()
}

/// Texts and numbers on the top level of an array, and how it ended.
fn elements(text: &str) -> (Vec<String>, Result<bool, String>, Vec<String>) {
    let mut json = json(text);
    let mut found = Vec::new();
    let read = json.array(|json| {
        found.push(json.word()?.unwrap_or("none".into()));
        Ok(())
    });
    let read = read.map_err(|stop| format!("{}:{} {}", stop.place.line, stop.place.column, stop.message));
    (found, read, said(json))
}

#[test]
fn texts_are_unescaped() {
    let check =
        |text: &str, expected: &str| assert_eq!(json(text).text().unwrap().unwrap(), expected, "{text}");
    check(r#""plain µ""#, "plain µ");
    check(r#""\"\\\/\n\t\r\b\f""#, "\"\\/\n\t\r\u{8}\u{c}");
    check(r#""\u00b5 \ud83d\ude42 \ud83d x""#, "µ 🙂 \u{fffd} x");
    check(r#""""#, "");
}

#[test]
fn broken_texts_stop() {
    let check = |text: &str, expected: &str| {
        let stop = json(text).text().unwrap_err();
        assert!(stop.message.contains(expected), "{text}: {}", stop.message);
    };
    check(r#""open"#, "ends in the middle");
    check(r#""\x""#, "unknown escape");
    check(r#""\u12"#, "ends in the middle");
    check(r#""\u12zz""#, "four digits");
    check("\"\\", "ends in the middle");
}

#[test]
fn texts_that_are_not_utf_8_are_replaced_and_said() {
    let mut json = Json::new(Input::new("file", Box::new(&b"\"a\xffb\""[..]), crate::Limits::default()));
    assert_eq!(json.text().unwrap().unwrap(), "a\u{fffd}b");
    assert_eq!(said(json), ["warning: file:1:1: a text is not UTF-8; invalid bytes are replaced"]);
}

#[test]
fn numbers_that_are_none_have_the_place_where_they_begin() {
    let mut json = json("[1,\n  2.5.1, 3]");
    assert_eq!(json.numbers().unwrap()[..1], [1.0]);
    assert_eq!(said(json), ["warning: file:2:3: left out a value that is not a number"]);
}

#[test]
fn texts_over_chunks_stay_whole() {
    for filler in 262_130..262_150 {
        let text = format!("\"{}µ🙂\\n\\u00b5end\"", "x".repeat(filler));
        let found = json(&text).text().unwrap().unwrap();
        assert!(found.ends_with("xµ🙂\nµend") && found.len() == filler + 12, "{filler}");
    }
}

#[test]
fn a_text_without_end_is_cut_in_bounded_memory() {
    let text = format!("[\"{}\", 1]", "x".repeat(3 * LONGEST));
    let (found, read, said) = elements(&text);
    assert_eq!((found.len(), read), (2, Ok(true)));
    assert!(found[0].len() <= LONGEST + 1);
    assert!(said.is_empty() || said[0].contains("longer than 1 MiB"), "{said:?}");
}

#[test]
fn numbers_are_what_tools_write() {
    let check =
        |text: &str, expected: Option<f64>| assert_eq!(json(text).number().unwrap(), expected, "{text}");
    check("1.5e-9", Some(1.5e-9));
    check("-3", Some(-3.0));
    check("\"2.5\"", Some(2.5));
    check("Infinity", Some(f64::INFINITY));
    check("-Infinity", Some(f64::NEG_INFINITY));
    check("null", None);
    check("true", None);
    check("\"fast\"", None);
    check("{\"a\": [1, {}]}", None);
    for text in ["NaN", "nan", "-nan", "\"NaN\""] {
        assert!(json(text).number().unwrap().is_some_and(f64::is_nan), "{text}");
    }
}

#[test]
fn values_of_the_wrong_kind_are_said_and_stepped_over() {
    let mut json = json("[\n  \"x\", 1]");
    let mut numbers = Vec::new();
    json.array(|json| {
        numbers.push(json.number()?);
        Ok(())
    })
    .unwrap();
    assert_eq!(numbers, [None, Some(1.0)]);
    assert_eq!(said(json), ["warning: file:2:3: expected a number, found `x`"]);
}

#[test]
fn the_end_in_the_middle_keeps_what_was_complete() {
    let (found, read, _) = elements("[1, \"two\", 3, [4");
    assert_eq!(found, ["1", "two", "3"]);
    assert_eq!(read, Err("1:17 ends in the middle; what comes before is read".into()));
}

#[test]
fn commas_too_many_are_forgiven_and_missing_ones_are_not() {
    assert_eq!(elements("[1,, 2, ]").0, ["1", "2"]);
    assert_eq!(elements("[1 2]").1, Err("1:4 expected `,` or `]`".into()));
}

#[test]
fn values_are_skipped_whatever_is_in_them() {
    let check = |text: &str| {
        let text = format!("[{text}, 7]");
        let mut json = json(&text);
        let mut last = None;
        json.array(|json| {
            match json.kind()? {
                Kind::Number => last = json.number()?,
                _ => json.skip()?,
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(last, Some(7.0), "{text}");
    };
    check(r#"{"a": "}]", "b": ["\"", {"c": null}], "d": -1e5}"#);
    check("[[[]]]");
    check("true");
    check("{}");
}

#[test]
fn nesting_without_end_stops() {
    let text = "[".repeat(100_000);
    let stop = json(&text).skip().unwrap_err();
    assert_eq!(stop.message, "nested too deeply");
}

#[test]
fn reading_goes_on_after_a_damaged_record() {
    let text = "[\n  {\"a\": 1},\n  {\"a\": 2, oops},\n  {\"a\": 3}\n]";
    let mut json = json(text);
    let mut found = Vec::new();
    json.records(|json| {
        json.object(|json, _| {
            found.extend(json.number()?);
            Ok(())
        })
        .map(|_| ())
    })
    .unwrap();
    assert_eq!(found, [1.0, 2.0, 3.0]);
    assert_eq!(said(json), ["error: file:3:12: expected a name in quotes or `}`"]);
}
