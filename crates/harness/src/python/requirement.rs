//! The texts with which Python projects name packages: `pytest-benchmark[histogram]>=4; python_version >
//! "3.8"`.

/// The normalised name of the package in a requirement. `None` for options, paths and addresses.
pub(super) fn name(requirement: &str) -> Option<String> {
    let text = requirement.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric());
    let follows =
        rest.is_empty() || rest.starts_with(['[', '<', '>', '=', '!', '~', ';', '@', '(', '#', '\\']);
    // A relative file would contain a path separator.
    (is_name && follows).then(|| normal(name))
}

/// A name in the form in which package indexes compare it: lower case, with single hyphens.
pub(super) fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            letter => normal.push(letter.to_ascii_lowercase()),
        }
    }
    normal
}

/// The version of a requirement that permits only one: `a==1.2`, with any condition.
pub(super) fn pin(requirement: &str) -> Option<(String, String)> {
    let package = name(requirement)?;
    let condition = requirement.split([';', '#']).next()?;
    let (_, version) = condition.split_once("==")?;
    let version = version.trim_start_matches('=').split_whitespace().next()?;
    let is_exact = !version.is_empty() && !version.contains(['*', ',']);
    is_exact.then(|| (package, version.to_owned()))
}

/// Whether the requirement names a tool that runs benchmarks, or one with the same fixture.
pub(super) fn is_tool(requirement: &str) -> bool {
    name(requirement)
        .is_some_and(|name| matches!(name.as_str(), "pytest-benchmark" | "pyperf" | "pytest-codspeed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_indexes_compare() {
        let check =
            |text: &str, expected: Option<&str>| assert_eq!(name(text).as_deref(), expected, "{text}");
        check("pytest-benchmark", Some("pytest-benchmark"));
        check("Pytest_Benchmark[histogram] >= 4 ; python_version > '3'", Some("pytest-benchmark"));
        check("ruamel.yaml~=0.18  # comment", Some("ruamel-yaml"));
        check("a @ https://example.com/a.zip", Some("a"));
        check("numpy (>=1.2)", Some("numpy"));
        check("a==1 \\", Some("a"));
        check("--hash=sha256:00", None);
        check("-r other.txt", None);
        check("./local", None);
        check("dir/local", None);
        check("", None);
    }

    #[test]
    fn only_an_exact_version_is_a_pin() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let expected = expected.map(|(name, version)| (name.to_owned(), version.to_owned()));
            assert_eq!(pin(text), expected, "{text}");
        };
        check("a==1.2.3", Some(("a", "1.2.3")));
        check("A_b == 1.2 ; python_version < '4' # x==3", Some(("a-b", "1.2")));
        check("a[x]===1.0+cpu --hash=sha256:00", Some(("a", "1.0+cpu")));
        check("a==1.*", None);
        check("a>=1", None);
        check("a==1,!=2", None);
        check("a; python_version == '3'", None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in ".*") {
            name(&text);
            pin(&text);
        }
    }
}
