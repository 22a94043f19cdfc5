//! Names and messages as part of other languages. Whatever a benchmark is called, it stays text.

/// Text on one terminal line: control characters, which could move the cursor or change colours, and characters
/// that reverse the writing direction are replaced.
pub(crate) fn terminal(text: &str) -> String {
    text.chars().map(|c| if c == '\t' { ' ' } else { visible(c) }).collect()
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
            other => out.push(visible(other)),
        }
    }
    out
}

/// Text or a quoted attribute in XML 1.0, which forbids most control characters even as references.
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
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Text in a cell of a Markdown table: nothing in it is markup, a link, a mention or a cell border.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\r' | '\t' => out.push(' '),
            // A reference is not seen by the parser of mentions and automatic links.
            '@' => out.push_str("&#64;"),
            ':' => out.push_str("&#58;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '|' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '~' | '$' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(visible(other)),
        }
    }
    out
}

fn visible(c: char) -> char {
    let reverses = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || reverses { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_is_markup() {
        assert_eq!(terminal("a\u{1b}[31mb\tc\u{202e}"), "a\u{fffd}[31mb c\u{fffd}");
        assert_eq!(html("<b a='\"&\u{7}"), "&lt;b a=&#39;&quot;&amp;\u{fffd}");
        assert_eq!(xml("<a\u{1}\n&'\">"), "&lt;a\u{fffd}&#10;&amp;&apos;&quot;&gt;");
        assert_eq!(markdown("a|b`c`<i> @x"), "a\\|b\\`c\\`&lt;i&gt; &#64;x");
    }
}
