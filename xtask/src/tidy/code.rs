//! A simple lexer for Rust, just enough to find functions and tests.

use std::ops::Range;

/// Replaces every character of comments, strings and character literals by a blank. Line breaks are
/// preserved.
pub(crate) fn blanked(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        let end = at + skipped(&characters[at..], at.checked_sub(1).map(|before| characters[before]));
        if end == at {
            result.push(characters[at]);
            at += 1;
        } else {
            result.extend(characters[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    result
}

/// The length of the comment or literal that begins here, in characters. 0 if none begins here.
fn skipped(rest: &[char], before: Option<char>) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match rest {
        ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => 1 + quoted(&rest[1..], '"'),
        ['r', '"' | '#', ..] if !before.is_some_and(|c| is_word(c) && c != 'b' && c != 'c') => raw_text(rest),
        // A character literal. The quote at the start of a lifetime is not followed by another one.
        ['\'', '\\', ..] => 1 + quoted(&rest[1..], '\''),
        ['\'', _, '\'', ..] => 3,
        _ => 0,
    }
}

/// The length of a block comment. Block comments nest.
fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// The length up to and including the closing quote.
fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of `r"…"` or `r#"…"#`. 0 for a raw name such as `r#type`.
fn raw_text(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let start = 2 + hashes;
    let closes = |at: &usize| {
        rest[*at] == '"' && rest[*at + 1..].iter().take_while(|c| **c == '#').take(hashes).count() == hashes
    };
    (start..rest.len()).find(closes).map_or(rest.len(), |at| at + 1 + hashes)
}

/// The lines, counted from 0, of modules that are compiled only for tests.
pub(crate) fn test_lines(blanked: &str) -> Vec<Range<usize>> {
    let lines: Vec<&str> = blanked.lines().collect();
    let mut ranges = Vec::new();
    for (i, _) in lines.iter().enumerate().filter(|(_, line)| line.trim() == "#[cfg(test)]") {
        let is_attribute = |line: &&str| line.trim_start().starts_with("#[");
        let item = i + 1 + lines[i + 1..].iter().take_while(|line| is_attribute(line)).count();
        if let Some(end) = block_end(&lines, item) {
            ranges.push(i..end + 1);
        }
    }
    ranges
}

/// A function: its name and lines, counted from 0.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) lines: Range<usize>,
}

/// All functions with a body.
pub(crate) fn functions(blanked: &str) -> Vec<Function> {
    let lines: Vec<&str> = blanked.lines().collect();
    let starts = lines.iter().enumerate().filter_map(|(i, line)| Some((i, function_name(line)?)));
    starts
        .filter_map(|(i, name)| {
            let end = block_end(&lines, i)?;
            Some(Function { name: name.into(), lines: i..end + 1 })
        })
        .collect()
}

/// The name of the function that begins in this line.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_modifier = |word: &&str| {
        matches!(*word, "pub" | "const" | "unsafe" | "async" | "extern" | "default")
            || word.starts_with("pub(")
    };
    let first = words.by_ref().find(|word| !is_modifier(word))?;
    if first != "fn" {
        return None;
    }
    let name = words.next()?;
    Some(name.split(['(', '<']).next().unwrap_or(name))
}

/// The last line of the first block that begins in line `start` or later. `None` if a semicolon comes first,
/// as in a trait.
fn block_end(lines: &[&str], start: usize) -> Option<usize> {
    let mut braces = 0;
    let mut brackets = 0;
    for (i, line) in lines.iter().enumerate().skip(start) {
        for c in line.chars() {
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                ';' if braces == 0 && brackets == 0 => return None,
                '{' => braces += 1,
                '}' => {
                    braces -= 1;
                    if braces == 0 {
                        return Some(i);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_blanks() {
        let check = |text: &str, expected: &str| assert_eq!(blanked(text), expected, "{text}");
        check("a // b\nc", "a     \nc");
        check("a /* /* x */ \n */ b", "a            \n    b");
        check("f(\"x\\\"}\", 1)", "f(      , 1)");
        check("f(r#\"a\"}\"#)", "f(        )");
        check("f(b\"}\")", "f(b   )");
        check("'{' 'a x: &'a str '\\''", "    'a x: &'a str     ");
        check("for\"x\"", "for   ");
        check("r#type", "r#type");
        check("\"open", "     ");
    }

    #[test]
    fn functions_have_names_and_lines() {
        let code = "pub(crate) fn one() {\n  1\n}\ntrait T {\n  fn two(&self);\n  fn three(x: [u8; 3]) -> u8 {\n  }\n}\n";
        let expected =
            [Function { name: "one".into(), lines: 0..3 }, Function { name: "three".into(), lines: 5..7 }];
        assert_eq!(functions(code), expected);
        assert_eq!(functions("const unsafe fn x<T>()\nwhere T: A {\n}\n")[0].lines, 0..3);
    }

    #[test]
    fn test_modules_are_found_with_their_attributes() {
        let code =
            "fn a() {}\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n  fn b() {}\n}\n#[cfg(test)]\nmod other;\n";
        assert_eq!(test_lines(code).first(), Some(&(1..6)));
        assert_eq!(test_lines(code).len(), 1);
    }
}
