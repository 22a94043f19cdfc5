//! Escapes names and messages for other languages, so that any benchmark name stays text.

use std::borrow::Cow;

use benchwright_formats::is_hidden;

/// Text for terminals and logs, with its line breaks. Control characters, which could move the cursor or
/// change colours, and characters that reverse the writing direction are written as `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | '\t') || !is_hidden(c);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| if is_plain(c) { out.push(c) } else { push(&mut out, c) });
    Cow::Owned(out)
}

/// The same on one line.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| if c == '\t' { out.push(' ') } else { push(&mut out, c) });
    out
}

/// Text or a quoted attribute in HTML.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            other => push(&mut out, other),
        }
    }
    out
}

/// Text or a quoted attribute in XML 1.0, which forbids most control characters even as character references.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => push(&mut out, other),
        }
    }
    out
}

/// Text in a cell of a Markdown table. Nothing in it is interpreted as markup, a link, a mention or a cell
/// border.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\r' | '\t' => out.push(' '),
            // The parser of mentions and automatic links does not recognise character references.
            '@' => out.push_str("&#64;"),
            ':' => out.push_str("&#58;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '|' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // The backslash and the braces of an escape would be interpreted as markup.
            hidden if is_hidden(hidden) => out.push_str(&markdown(&terminal(&hidden.to_string()))),
            other => out.push(other),
        }
    }
    out
}

/// Appends a character, as `\u{1b}` if it is invisible.
fn push(out: &mut String, c: char) {
    if is_hidden(c) { out.extend(c.escape_debug()) } else { out.push(c) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(terminal("a\u{1b}[31mb\tc\u{202e}\n"), r"a\u{1b}[31mb c\u{202e}\n");
        assert_eq!(visible("a\u{1b}\n\u{9b}b\r"), "a\\u{1b}\n\\u{9b}b\\r");
        assert_eq!(html("<b a='\"&\u{7}"), r"&lt;b a=&#39;&quot;&amp;\u{7}");
        assert_eq!(xml("<a\u{1}\n&'\">\u{202e}"), r"&lt;a\u{1}&#10;&amp;&apos;&quot;&gt;\u{202e}");
        assert_eq!(markdown("\u{1b}"), r"\\u\{1b\}");
        assert_eq!(markdown("a|b`c`<i> @x"), "a\\|b\\`c\\`&lt;i&gt; &#64;x");
    }
}
