//! The identity of a benchmark: Java package, class, method and parameters. Special characters in a
//! parameter's value are written as `%` and two digits, so that a name can be parsed.

use benchwright_model::BenchmarkId;

/// The identity of a benchmark: `org.acme:Sort.run/kind=even/size=100`. By convention packages are in lower
/// case and classes are not. Otherwise the last two parts are class and method.
pub fn identity(benchmark: &str, parameters: &[(String, String)]) -> BenchmarkId {
    let words: Vec<&str> = benchmark.split('.').collect();
    let is_class = |word: &&str| word.starts_with(char::is_uppercase);
    let class = words.iter().position(is_class).unwrap_or(words.len().saturating_sub(2));
    let mut name = words[class..].join(".");
    for (parameter, value) in parameters {
        name.push_str(&format!("/{parameter}={}", encoded(value)));
    }
    BenchmarkId::new("jmh", words[..class].join("."), name)
}

/// The value with special characters of names written as `%XX`.
fn encoded(value: &str) -> String {
    let mut text = String::new();
    for letter in value.chars() {
        if matches!(letter, '/' | '%') || letter.is_whitespace() || letter.is_control() {
            let mut bytes = [0; 4];
            letter.encode_utf8(&mut bytes).bytes().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
        } else {
            text.push(letter);
        }
    }
    text
}

/// The value that is written so in a name.
pub fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_value_comes_back(value in any::<String>()) {
            prop_assert_eq!(decoded(&encoded(&value)), value);
        }
    }
}
