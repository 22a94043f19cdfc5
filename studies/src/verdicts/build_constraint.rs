//! Decides whether Go compiles a file on this machine.

/// Tags that are true here, in addition to those of the operating system and the architecture.
const TAGS: [&str; 3] = ["unix", "gc", "cgo"];

/// Names of systems and architectures that occur in file names.
const SYSTEMS: [&str; 12] = [
    "linux", "darwin", "windows", "freebsd", "netbsd", "openbsd", "solaris", "plan9", "js", "wasip1", "aix",
    "android",
];
const ARCHITECTURES: [&str; 13] = [
    "amd64", "arm64", "386", "arm", "s390x", "ppc64", "ppc64le", "riscv64", "loong64", "mips64", "mips64x",
    "mipsx", "wasm",
];

/// Whether a file with this name and text is compiled here. A constraint that cannot be parsed is false.
pub(crate) fn is_built(name: &str, source: &str) -> bool {
    let stem = name.trim_end_matches(".go").trim_end_matches("_test");
    let is_foreign = |word: &str| (SYSTEMS.contains(&word) || ARCHITECTURES.contains(&word)) && !holds(word);
    if stem.split('_').skip(1).any(is_foreign) {
        return false;
    }
    let header = source.lines().take_while(|line| !line.starts_with("package "));
    let constraint = header.filter_map(|line| line.strip_prefix("//go:build ")).next();
    constraint.is_none_or(|expression| Expression { rest: expression }.alternatives().unwrap_or(false))
}

fn holds(tag: &str) -> bool {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let system = if std::env::consts::OS == "macos" { "darwin" } else { std::env::consts::OS };
    tag == architecture || tag == system || TAGS.contains(&tag) || tag.starts_with("go1.")
}

/// The unparsed rest of a constraint such as `linux && (amd64 || !cgo)`.
struct Expression<'a> {
    rest: &'a str,
}

impl Expression<'_> {
    fn alternatives(&mut self) -> Option<bool> {
        let mut result = self.conjunction()?;
        while self.takes("||") {
            result |= self.conjunction()?;
        }
        Some(result)
    }

    fn conjunction(&mut self) -> Option<bool> {
        let mut result = self.term()?;
        while self.takes("&&") {
            result &= self.term()?;
        }
        Some(result)
    }

    fn term(&mut self) -> Option<bool> {
        if self.takes("!") {
            return self.term().map(|value| !value);
        }
        if self.takes("(") {
            let value = self.alternatives()?;
            return self.takes(")").then_some(value);
        }
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || "._".contains(c))).unwrap_or(self.rest.len());
        let (tag, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!tag.is_empty()).then(|| holds(tag))
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest.trim_start();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_evaluated() {
        let check = |constraint: &str, expected| {
            let source = format!("// Copyright\n\n//go:build {constraint}\n\npackage p\n");
            assert_eq!(is_built("a.go", &source), expected, "{constraint}");
        };
        check("go1.18", true);
        check("!go1.18", false);
        check("!goexperiment.jsonv2", true);
        check("goexperiment.jsonv2 || ignore", false);
        check("(plan9 || gc) && !ignore", true);
        check("plan9 || gc && ignore", false);
        check("(gc", false);
        assert!(is_built("a.go", "package p\n//go:build ignore\n"));
    }

    #[test]
    fn names_of_other_systems_exclude_a_file() {
        let check = |name: &str, expected| assert_eq!(is_built(name, "package p\n"), expected, "{name}");
        check("file_plan9.go", false);
        check("file_s390x_test.go", false);
        check("file_windows_arm.go", false);
        check("plan9.go", true);
        check("file_test.go", true);
    }
}
