//! Chooses the Java installation that builds and runs a version.
//!
//! It is `JAVA_HOME` if that is set, otherwise the one requested in `.java-version` or `.sdkmanrc` if it is
//! installed in a usual place, otherwise the `java` in PATH.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Executable;

/// The files in which a project requests a Java version.
pub(super) const STATEMENTS: [&str; 2] = [".java-version", ".sdkmanrc"];

/// The variable that names a Java installation.
pub(super) const HOME: &str = "JAVA_HOME";

/// An installation of Java. Without a directory it is the one in PATH.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Jdk {
    pub(super) home: Option<PathBuf>,
}

/// The Java installation for a version, and the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The installation to use.
    pub(super) jdk: Jdk,
    /// The requested release, if it was not found.
    pub(super) unmet: Option<u32>,
}

impl Jdk {
    /// The Java that an executable was built for.
    pub(super) fn of(executable: &Executable) -> Jdk {
        let noted = executable.env.iter().find(|(name, _)| name == HOME).map(|(_, home)| home.into());
        Jdk { home: noted.or_else(home_of_environment) }
    }

    /// One of its programs.
    pub(super) fn program(&self, name: &str) -> OsString {
        match &self.home {
            Some(home) => home.join("bin").join(name).into(),
            None => name.into(),
        }
    }

    /// The variables that make other tools use it.
    pub(super) fn variables(&self) -> Vec<(String, String)> {
        self.home.iter().map(|home| (HOME.to_owned(), home.display().to_string())).collect()
    }
}

/// Chooses for a project in the directory `project` of the version in `root`.
pub(super) fn choose(root: &Path, project: &Path) -> Choice {
    let places = [root.join(project), root.to_owned()];
    let texts = places.iter().flat_map(|dir| STATEMENTS.map(|file| dir.join(file)));
    let stated: Vec<String> = texts.filter_map(|file| fs::read_to_string(file).ok()).collect();
    choose_for(&stated.join("\n"))
}

/// Chooses by the texts of the requests, the nearest first.
pub(super) fn choose_for(statements: &str) -> Choice {
    match (home_of_environment(), wanted(statements)) {
        (Some(home), _) => Choice { jdk: Jdk { home: Some(home) }, unmet: None },
        (None, None) => Choice::default(),
        (None, Some(release)) => {
            let home = installed(&usual_places(release), release);
            Choice { unmet: home.is_none().then_some(release), jdk: Jdk { home } }
        }
    }
}

fn home_of_environment() -> Option<PathBuf> {
    env::var_os(HOME).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The release requested in the first statement: `17`, `1.8`, `temurin-21.0.2`, `java=17.0.2-tem`.
fn wanted(statements: &str) -> Option<u32> {
    statements.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).find_map(|line| {
        let value = match line.split_once('=') {
            Some(("java", value)) => value,
            Some(_) => return None,
            None => line,
        };
        value.split(['-', '@']).find_map(release)
    })
}

/// The release in a version such as `17.0.2+8`. Old ones begin with `1.`.
fn release(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse().ok());
    match numbers.next()?? {
        1 => numbers.next()?,
        release => Some(release),
    }
}

/// Directories where Java is installed by packages and by the tools that read such requests.
fn usual_places(release: u32) -> Vec<PathBuf> {
    let mut homes = Vec::new();
    // The names used by hosted build machines.
    let prefix = format!("{HOME}_{release}_");
    homes.extend(
        env::vars_os()
            .filter(|(name, _)| name.to_string_lossy().starts_with(&prefix))
            .map(|(_, home)| home.into()),
    );
    let below = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    homes.extend(below("/usr/lib/jvm".into()));
    homes.extend(below("/Library/Java/JavaVirtualMachines".into()).map(|dir| dir.join("Contents/Home")));
    if let Some(user) = env::var_os("HOME").map(PathBuf::from) {
        for places in [".sdkman/candidates/java", ".jdks", ".jenv/versions"] {
            homes.extend(below(user.join(places)));
        }
    }
    homes
}

/// The newest installation of this release that can compile.
fn installed(homes: &[PathBuf], wanted: u32) -> Option<PathBuf> {
    let version = |home: &PathBuf| {
        let text = fs::read_to_string(home.join("release")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        let version = line.trim().trim_matches('"').to_owned();
        (release(&version) == Some(wanted) && home.join("bin/javac").exists()).then_some(version)
    };
    let found = homes.iter().filter_map(|home| Some((version(home)?, fs::canonicalize(home).ok()?)));
    found.max().map(|(_, home)| home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_understood_in_every_form() {
        let check = |text: &str, expected: Option<u32>| assert_eq!(wanted(text), expected, "{text}");
        check("17", Some(17));
        check("1.8\n", Some(8));
        check("21.0.2+13", Some(21));
        check("temurin-11.0.2", Some(11));
        check("openjdk64-11.0.2", Some(11));
        check("graalvm-ce@22.3", Some(22));
        check("# Java\nmaven=3.9.1\njava=17.0.2-tem\n", Some(17));
        check("system", None);
        check("", None);
    }

    #[test]
    fn the_newest_of_a_release_that_can_compile_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, version: &str, can_compile: bool| {
            let home = dir.path().join(name);
            fs::create_dir_all(home.join("bin")).unwrap();
            fs::write(home.join("release"), format!("IMPLEMENTOR=x\nJAVA_VERSION=\"{version}\"\n")).unwrap();
            if can_compile {
                fs::write(home.join("bin/javac"), "").unwrap();
            }
            home
        };
        let homes = [
            make("a", "17.0.1", true),
            make("b", "17.0.9", true),
            make("c", "21.0.1", true),
            make("d", "17.0.99", false),
            make("e", "1.8.0_402", true),
            dir.path().join("missing"),
        ];
        let check = |release: u32, expected: Option<&str>| {
            let found = installed(&homes, release).and_then(|home| Some(home.file_name()?.to_owned()));
            assert_eq!(found, expected.map(Into::into), "{release}");
        };
        check(17, Some("b"));
        check(21, Some("c"));
        check(8, Some("e"));
        check(11, None);
    }

    #[test]
    fn programs_come_from_the_installation_or_from_path() {
        assert_eq!(Jdk::default().program("java"), "java");
        let jdk = Jdk { home: Some("/j".into()) };
        assert_eq!(jdk.program("javac"), "/j/bin/javac");
        assert_eq!(jdk.variables(), [("JAVA_HOME".to_owned(), "/j".to_owned())]);
    }
}
