//! Which library a benchmark program uses.

use std::fs;
use std::path::Path;

use super::manifest::Lock;
use super::metadata::{Package, Target};
use super::sources::contains;
use crate::Executable;

/// The kinds of benchmark programs, which differ in their command line and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// Criterion, and wrappers that pass its command line on.
    Criterion,
    /// divan, and wrappers that pass its command line on.
    Divan,
    /// The `bencher` crate: it prints libtest's lines, but has no list and selects names by substring only.
    Bencher,
    /// `#[bench]` functions, and every program that prints libtest's lines.
    Libtest,
}

impl Flavour {
    /// The flavour of a built executable.
    pub(super) fn of(executable: &Executable) -> Flavour {
        let all = [Flavour::Criterion, Flavour::Divan, Flavour::Bencher];
        let found = all.into_iter().find(|flavour| flavour.word() == executable.flavour);
        found.unwrap_or(Flavour::Libtest)
    }

    /// The word in [`Executable::flavour`].
    pub(super) fn word(self) -> &'static str {
        match self {
            Flavour::Criterion => "criterion",
            Flavour::Divan => "divan",
            Flavour::Bencher => "bencher",
            Flavour::Libtest => "libtest",
        }
    }

    /// Decides by the bytes of the program: a text that occurs only in the library's own command line. Source
    /// text and dependencies are less reliable, because they may name several libraries, or hide one behind a
    /// macro or a wrapper. Only the `bencher` crate has no such text.
    pub(super) fn recognise(program: &[u8], target: &Target, package: &Package, lock: &Lock) -> Flavour {
        if contains(program, b"This executable is a Criterion.rs benchmark") {
            Flavour::Criterion
        } else if contains(program, b"DIVAN_SAMPLE_COUNT") {
            Flavour::Divan
        } else if contains(program, b"Exactly match filters rather than by substring") {
            Flavour::Libtest
        } else if Flavour::Bencher.version(package, lock).is_some() && mentions(&target.src_path, "bencher") {
            Flavour::Bencher
        } else {
            Flavour::Libtest
        }
    }

    /// The library's version, if the lock file has it.
    pub(super) fn version<'a>(self, package: &Package, lock: &'a Lock) -> Option<&'a str> {
        match self {
            Flavour::Libtest => None,
            library => lock.dependency(&package.name, &package.version, library.word()),
        }
    }
}

fn mentions(source: &Path, word: &str) -> bool {
    fs::read_to_string(source).is_ok_and(|text| text.contains(word))
}
/// Whether the user's own arguments contain `option`, as `--x 1` or `--x=1`. The programs refuse an option
/// given twice.
pub(super) fn has_option(args: &[String], option: &str) -> bool {
    args.iter().any(|arg| arg == option || arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
}
