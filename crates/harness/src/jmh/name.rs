//! The identity of a benchmark: Java package, then class, method, parameters and mode.
//!
//! `org.acme:Sort.run/kind=even/size=100/avgt`: parameters as `name=value`, the mode only where the benchmark has
//! several. What a value may not contain is written as `%` and two digits, so that a name can be taken apart again.

use benchwright_model::BenchmarkId;

use super::harness::NAME;

/// The facts about its benchmark that a trial needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Selection {
    /// The name with its Java package.
    pub(super) name: String,
    /// The parameters, each with the one value.
    pub(super) parameters: Vec<(String, String)>,
    /// The mode, where the benchmark has several.
    pub(super) mode: Option<String>,
}

impl Selection {
    /// The benchmark's identity.
    pub(super) fn id(&self) -> BenchmarkId {
        let (package, class) = split(&self.name);
        let mut name = class.to_owned();
        for (parameter, value) in &self.parameters {
            name.push_str(&format!("/{parameter}={}", encoded(value)));
        }
        if let Some(mode) = &self.mode {
            name.push_str(&format!("/{mode}"));
        }
        BenchmarkId::new(NAME, package, name)
    }

    /// The selection that an identity stands for.
    pub(super) fn of(id: &BenchmarkId) -> Selection {
        let mut parts = id.name.split('/');
        let class = parts.next().unwrap_or_default();
        let name = if id.package.is_empty() { class.to_owned() } else { format!("{}.{class}", id.package) };
        let mut selection = Selection { name, parameters: Vec::new(), mode: None };
        for part in parts {
            match part.split_once('=') {
                Some((parameter, value)) => selection.parameters.push((parameter.into(), decoded(value))),
                None => selection.mode = Some(part.into()),
            }
        }
        selection
    }
}

/// Java package and class with method. By convention packages are written small and classes are not; otherwise the last
/// two parts are class and method.
fn split(name: &str) -> (&str, &str) {
    let starts = || std::iter::once(0).chain(name.match_indices('.').map(|(at, _)| at + 1));
    let is_class = |at: &usize| name[*at..].starts_with(char::is_uppercase);
    let count = starts().count();
    let class = starts().find(is_class).or_else(|| starts().nth(count.saturating_sub(2)));
    match class {
        Some(at) if at > 0 => (&name[..at - 1], &name[at..]),
        _ => ("", name),
    }
}

fn encoded(value: &str) -> String {
    let mut text = String::new();
    for c in value.chars() {
        if matches!(c, '/' | '%') || c.is_whitespace() || c.is_control() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                text.push_str(&format!("%{byte:02X}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

fn decoded(text: &str) -> String {
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
    use super::*;
    use proptest::prelude::*;

    fn check(name: &str, parameters: &[(&str, &str)], mode: Option<&str>, package: &str, expected: &str) {
        let selection = Selection {
            name: name.into(),
            parameters: parameters
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            mode: mode.map(Into::into),
        };
        assert_eq!(selection.id(), BenchmarkId::new("jmh", package, expected));
        assert_eq!(Selection::of(&selection.id()), selection);
    }

    #[test]
    fn names_are_readable_and_can_be_taken_apart() {
        check("org.acme.Sort.run", &[], None, "org.acme", "Sort.run");
        check("org.acme.Outer.Inner.run", &[], None, "org.acme", "Outer.Inner.run");
        check("org.acme.sort.run", &[], None, "org.acme", "sort.run");
        check("Sort.run", &[], None, "", "Sort.run");
        let parameters = [("kind", "even"), ("size", "100")];
        check("a.Sort.run", &parameters, Some("avgt"), "a", "Sort.run/kind=even/size=100/avgt");
        check("a.B.c", &[("path", "a/b c=%d")], None, "a", "B.c/path=a%2Fb%20c=%25d");
        check("a.B.c", &[("empty", "")], None, "a", "B.c/empty=");
    }

    proptest! {
        #[test]
        fn any_value_comes_back(value in any::<String>()) {
            let parameters = vec![("p".to_owned(), value)];
            let selection = Selection { name: "a.B.c".into(), parameters, mode: Some("ss".into()) };
            prop_assert_eq!(Selection::of(&selection.id()), selection);
        }

        #[test]
        fn any_name_is_harmless(package in "\\PC*", name in "\\PC*") {
            let _ = Selection::of(&BenchmarkId::new("jmh", package, name));
        }
    }
}
