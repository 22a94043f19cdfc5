//! The identity of a benchmark: Java package, class, method, parameters and mode.
//!
//! `org.acme:Sort.run/kind=even/size=100/avgt`: parameters as `name=value`, and the mode only if the
//! benchmark has several. Special characters in values are written as `%` and two digits, so that a name can
//! be parsed.

use benchwright_formats::jmh;
use benchwright_model::BenchmarkId;

/// The facts about its benchmark that a trial needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Selection {
    /// The name with its Java package.
    pub(super) name: String,
    /// The parameters, each with the one value.
    pub(super) parameters: Vec<(String, String)>,
    /// The mode, if the benchmark has several.
    pub(super) mode: Option<String>,
}

impl Selection {
    /// The benchmark's identity.
    pub(super) fn id(&self) -> BenchmarkId {
        let mut id = jmh::identity(&self.name, &self.parameters);
        if let Some(mode) = &self.mode {
            id.name.push_str(&format!("/{mode}"));
        }
        id
    }

    /// The selection for an identity.
    pub(super) fn of(id: &BenchmarkId) -> Selection {
        let mut parts = id.name.split('/');
        let class = parts.next().unwrap_or_default();
        let name = if id.package.is_empty() { class.to_owned() } else { format!("{}.{class}", id.package) };
        let mut selection = Selection { name, parameters: Vec::new(), mode: None };
        for part in parts {
            match part.split_once('=') {
                Some((parameter, value)) => {
                    selection.parameters.push((parameter.into(), jmh::decoded(value)))
                }
                None => selection.mode = Some(part.into()),
            }
        }
        selection
    }
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
