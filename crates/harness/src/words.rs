//! Splits a command line into words like a shell, without using one.

/// Why a text cannot be split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordsError {
    /// The error, as a lowercase fragment.
    pub(crate) message: String,
    /// Advice for the user. Empty if the message is enough.
    pub(crate) hint: &'static str,
}

/// Advice for syntax that only a shell understands.
const NEEDS_SHELL: &str = "let a shell run it (`shell = true`, `--shell`), or put the character in quotes";

/// Splits `text` at blanks. Single quotes, double quotes and backslashes work as in a POSIX shell. Other
/// special syntax of shells (pipes, variables, patterns) is an error and not a plain character, because the
/// command would not do what its author means.
pub(crate) fn split(text: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => quoted(&mut rest, word.get_or_insert_default())?,
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(plain("a backslash at the end escapes nothing")),
            },
            '\n' => return Err(for_shell("a second line")),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' | '[' => {
                return Err(for_shell(&format!("`{c}`")));
            }
            '#' | '~' if word.is_none() => return Err(for_shell(&format!("`{c}`"))),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match words.first() {
        None => Err(plain("there is no command")),
        Some(first) if is_assignment(first) => Err(WordsError {
            message: format!("`{first}` sets a variable, which only a shell does"),
            hint: "set it in `env`, or let a shell run it (`shell = true`, `--shell`)",
        }),
        Some(_) => Ok(words),
    }
}

fn quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), WordsError> {
    for c in rest {
        if c == '\'' {
            return Ok(());
        }
        word.push(c);
    }
    Err(plain("a single quote is not closed"))
}

fn double_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), WordsError> {
    while let Some(c) = rest.next() {
        match c {
            '"' => return Ok(()),
            '$' | '`' => return Err(for_shell(&format!("`{c}` in double quotes"))),
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                Some(other) => word.extend(['\\', other]),
                None => break,
            },
            _ => word.push(c),
        }
    }
    Err(plain("a double quote is not closed"))
}

/// `NAME=value` in front of a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let mut characters = name.chars();
        characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

fn for_shell(what: &str) -> WordsError {
    WordsError { message: format!("{what} has a meaning only in a shell"), hint: NEEDS_SHELL }
}

fn plain(message: &str) -> WordsError {
    WordsError { message: message.into(), hint: "" }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_cut_as_a_shell_cuts_them() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(split(text).map_err(|error| error.message), Ok(words(expected)), "{text}");
        };
        check("a", &["a"]);
        check("  a\t b  ", &["a", "b"]);
        check("a 'b c' \"d e\"f", &["a", "b c", "d ef"]);
        check("a '' \"\"", &["a", "", ""]);
        check(r"a\ b c\'d", &["a b", "c'd"]);
        check(r#"a "\"\\\$\`\x" '\'"#, &["a", r#""\$`\x"#, r"\"]);
        check("a '*|$x' \"?;\"", &["a", "*|$x", "?;"]);
        check("a\\\nb", &["ab"]);
        check("awk {print} a=b x#y x~", &["awk", "{print}", "a=b", "x#y", "x~"]);
        check("grün 'ß'", &["grün", "ß"]);
    }

    fn words(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn what_only_a_shell_understands_is_refused_with_the_way_out() {
        for text in
            ["a | b", "a; b", "a > b", "echo $X", "echo \"$X\"", "a `b`", "ls *", "ls ~/x", "a # b", "a\nb"]
        {
            let error = split(text).expect_err(text);
            assert!(
                error.message.contains("only in a shell") && error.hint.contains("shell = true"),
                "{text}"
            );
        }
        let error = split("X=1 a").expect_err("an assignment");
        assert!(error.message.contains("`X=1` sets a variable") && error.hint.contains("`env`"));
    }

    #[test]
    fn what_is_not_finished_is_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(split(text).expect_err(text).message, expected, "{text}");
        };
        check("", "there is no command");
        check("  ", "there is no command");
        check("a 'b", "a single quote is not closed");
        check("a \"b", "a double quote is not closed");
        check("a \"b\\", "a double quote is not closed");
        check("a \\", "a backslash at the end escapes nothing");
    }

    proptest! {
        #[test]
        fn any_text_is_cut_or_refused(text in "\\PC*") {
            let _ = split(&text);
        }

        #[test]
        fn quoted_words_come_back_as_they_were(list in prop::collection::vec("[^'\\x00]*", 1..6)) {
            let text: Vec<String> = list.iter().map(|word| format!("'{word}'")).collect();
            let is_variable = is_assignment(&list[0]);
            match split(&text.join(" ")) {
                Ok(cut) => prop_assert_eq!(cut, list),
                Err(error) => prop_assert!(is_variable, "{}", error.message),
            }
        }
    }
}
