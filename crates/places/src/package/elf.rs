//! Reads the requirements of a program on its machine from its headers.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use benchwright_harness::Architecture;
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};

/// The requirements of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Its architecture. `None` if it is one that no function has.
    pub architecture: Option<Architecture>,
    /// The program that loads it. `None` if it is linked statically.
    pub interpreter: Option<String>,
    /// The shared libraries it names, in its order.
    pub libraries: Vec<String>,
    /// The newest version that it needs of each kind of symbol: `GLIBC` to `2.34`.
    pub versions: BTreeMap<String, Vec<u32>>,
}

/// Why a file is not a program that can run on another machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElfError {
    /// Not a Linux program for a 64-bit machine: a script, a program of another system.
    #[error("recognise a 64-bit Linux program")]
    NotElf,
    /// It begins like one and then makes no sense.
    #[error("read the program's headers: {0}")]
    Broken(String),
}

/// The libraries and versions of a function's machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// Its name: `provided.al2023`.
    pub name: &'static str,
    /// The function's architecture.
    pub architecture: Architecture,
    /// The shared libraries that it provides.
    pub libraries: &'static [&'static str],
    /// The newest version that it provides of each kind of symbol.
    pub versions: &'static [(&'static str, &'static [u32])],
}

impl Runtime {
    /// Amazon Linux 2023 without a language: glibc 2.34 and the libraries of GCC 11.
    pub fn provided_al2023(architecture: Architecture) -> Self {
        Runtime {
            name: "provided.al2023",
            architecture,
            libraries: &[
                "ld-linux-aarch64.so.1",
                "ld-linux-x86-64.so.2",
                "libc.so.6",
                "libdl.so.2",
                "libgcc_s.so.1",
                "libm.so.6",
                "libpthread.so.0",
                "libresolv.so.2",
                "librt.so.1",
                "libstdc++.so.6",
                "libutil.so.1",
            ],
            versions: &[
                ("CXXABI", &[1, 3, 13]),
                ("GCC", &[7, 0, 0]),
                ("GLIBC", &[2, 34]),
                ("GLIBCXX", &[3, 4, 29]),
            ],
        }
    }
}

/// Something a program needs and a runtime lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// Another processor.
    Architecture {
        /// The architecture of the program.
        program: Option<Architecture>,
        /// The architecture of the function.
        runtime: Architecture,
    },
    /// A loader that the runtime does not have, such as that of musl.
    Interpreter(String),
    /// A shared library.
    Library(String),
    /// Newer symbols.
    Version {
        /// The kind, such as `GLIBC`.
        kind: String,
        /// The version that the program needs.
        needed: Vec<u32>,
        /// The version that the runtime provides.
        there: Vec<u32>,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Architecture { program: Some(program), runtime } => {
                write!(f, "it is built for {program}, the function is {runtime}")
            }
            Misfit::Architecture { program: None, runtime } => {
                write!(f, "it is built for a processor no function has, the function is {runtime}")
            }
            Misfit::Interpreter(path) => write!(f, "it is loaded by `{path}`, which is not there"),
            Misfit::Library(name) => write!(f, "it needs the library `{name}`, which is not there"),
            Misfit::Version { kind, needed, there } => {
                write!(f, "it needs {kind} {}, there is {}", dotted(needed), dotted(there))
            }
        }
    }
}

fn dotted(version: &[u32]) -> String {
    version.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

impl Facts {
    /// The requirements of the program in `bytes`.
    pub fn of(bytes: &[u8]) -> Result<Self, ElfError> {
        if !bytes.starts_with(b"\x7fELF\x02") {
            return Err(ElfError::NotElf);
        }
        read(bytes).map_err(|error| ElfError::Broken(error.to_string()))
    }

    /// Whether it carries with it all it needs.
    pub fn is_static(&self) -> bool {
        self.interpreter.is_none() && self.libraries.is_empty()
    }

    /// The requirements that the runtime does not meet. Empty if the program can run there.
    pub fn misfits(&self, runtime: &Runtime) -> Vec<Misfit> {
        self.misfits_beside(runtime, &HashSet::new())
    }

    /// The same with the libraries in `beside`, which are packed too.
    pub fn misfits_beside(&self, runtime: &Runtime, beside: &HashSet<String>) -> Vec<Misfit> {
        let mut misfits = Vec::new();
        if self.architecture != Some(runtime.architecture) {
            // The other requirements do not matter on another processor.
            return vec![Misfit::Architecture { program: self.architecture, runtime: runtime.architecture }];
        }
        let loader = self.interpreter.iter().filter(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            !runtime.libraries.contains(&name)
        });
        misfits.extend(loader.cloned().map(Misfit::Interpreter));
        let missing = self
            .libraries
            .iter()
            .filter(|name| !runtime.libraries.contains(&name.as_str()) && !beside.contains(name.as_str()));
        misfits.extend(missing.cloned().map(Misfit::Library));
        for (kind, needed) in &self.versions {
            let there = runtime.versions.iter().find(|(name, _)| name == kind);
            if let Some((_, there)) = there.filter(|(_, there)| needed.as_slice() > *there) {
                let (kind, needed) = (kind.clone(), needed.clone());
                misfits.push(Misfit::Version { kind, needed, there: there.to_vec() });
            }
        }
        misfits
    }
}

/// Advice on misfits of a program of this harness.
pub fn remedy(harness: &str, misfits: &[Misfit], runtime: &Runtime) -> String {
    let target = match runtime.architecture {
        Architecture::X86 => "x86_64-unknown-linux-musl",
        Architecture::Arm => "aarch64-unknown-linux-musl",
    };
    if misfits.iter().any(|misfit| matches!(misfit, Misfit::Architecture { .. })) {
        let here = "set `lambda.architecture` to that of this machine's builds";
        return match harness {
            "cargo" => format!("`rustup target add {target}`, or {here}"),
            "go" => format!("see why it does not build for {}, or {here}", runtime.architecture),
            _ => here.into(),
        };
    }
    match harness {
        "go" => "build without C: CGO_ENABLED=0".into(),
        "cargo" => format!(
            "link statically: `rustup target add {target}` and build-args [\"--target\", \"{target}\"] in [cargo], or build for an \
             older glibc with cargo-zigbuild"
        ),
        "googlebench" => {
            "link statically: build-args [\"-DCMAKE_EXE_LINKER_FLAGS=-static\"] in [googlebench]".into()
        }
        "jmh" => "set JAVA_HOME to a JDK that is built for older systems, such as Eclipse Temurin".into(),
        _ => "link statically".into(),
    }
}

fn read(bytes: &[u8]) -> object::read::Result<Facts> {
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let architecture = match header.e_machine(endian) {
        elf::EM_X86_64 => Some(Architecture::X86),
        elf::EM_AARCH64 => Some(Architecture::Arm),
        _ => None,
    };
    let mut facts = Facts { architecture, ..Facts::default() };
    for segment in header.program_headers(endian, bytes)? {
        if let Some(path) = segment.interpreter(endian, bytes)? {
            facts.interpreter = Some(text(path));
        }
    }
    let sections = header.sections(endian, bytes)?;
    if sections.dynamic(endian, bytes)?.is_none() {
        return Ok(facts);
    }
    let table = sections.dynamic_table(endian, bytes)?;
    for entry in table.iter().filter(|entry| entry.tag == elf::DT_NEEDED) {
        facts.libraries.push(text(table.string(entry)?));
    }
    if let Some((needs, link)) = sections.gnu_verneed(endian, bytes)? {
        let strings = sections.strings(endian, bytes, link)?;
        for need in needs {
            for symbol in need?.1 {
                note(&mut facts.versions, &text(symbol?.name(endian, strings)?));
            }
        }
    }
    Ok(facts)
}

/// Adds `GLIBC_2.34` if it is the newest of its kind. `GLIBC_PRIVATE` and similar names have no number and
/// are ignored.
fn note(versions: &mut BTreeMap<String, Vec<u32>>, name: &str) {
    let Some((kind, number)) = name.rsplit_once('_') else { return };
    let Ok(number) = number.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>() else { return };
    let newest = versions.entry(kind.to_owned()).or_default();
    if number > *newest {
        *newest = number;
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn facts(libraries: &[&str], versions: &[(&str, &[u32])]) -> Facts {
        Facts {
            architecture: Some(Architecture::X86),
            interpreter: Some("/lib64/ld-linux-x86-64.so.2".into()),
            libraries: libraries.iter().map(ToString::to_string).collect(),
            versions: versions.iter().map(|(kind, number)| (kind.to_string(), number.to_vec())).collect(),
        }
    }

    #[test]
    fn what_a_runtime_lacks_is_named() {
        let runtime = Runtime::provided_al2023(Architecture::X86);
        let check = |facts: &Facts, expected: &[&str]| {
            let misfits: Vec<String> = facts.misfits(&runtime).iter().map(ToString::to_string).collect();
            assert_eq!(misfits, expected);
        };
        check(&facts(&["libc.so.6"], &[("GLIBC", &[2, 34])]), &[]);
        check(&facts(&[], &[("GLIBC", &[2, 4])]), &[]);
        check(&facts(&[], &[("GLIBC", &[2, 38])]), &["it needs GLIBC 2.38, there is 2.34"]);
        check(&facts(&[], &[("GLIBCXX", &[3, 4, 30])]), &["it needs GLIBCXX 3.4.30, there is 3.4.29"]);
        check(
            &facts(&["libbenchmark.so.1"], &[]),
            &["it needs the library `libbenchmark.so.1`, which is not there"],
        );
        let musl = Facts { interpreter: Some("/lib/ld-musl-x86_64.so.1".into()), ..facts(&[], &[]) };
        check(&musl, &["it is loaded by `/lib/ld-musl-x86_64.so.1`, which is not there"]);
        let arm = Facts { architecture: Some(Architecture::Arm), ..facts(&["libx.so"], &[]) };
        check(&arm, &["it is built for arm64, the function is x86_64"]);
        check(
            &Facts { architecture: None, ..arm },
            &["it is built for a processor no function has, the function is x86_64"],
        );
    }

    #[test]
    fn libraries_that_travel_along_are_not_missed() {
        let runtime = Runtime::provided_al2023(Architecture::X86);
        let facts = facts(&["libjvm.so", "libc.so.6"], &[("GLIBC", &[2, 38])]);
        let count = |beside: &[&str]| {
            let beside = beside.iter().map(ToString::to_string).collect();
            facts.misfits_beside(&runtime, &beside).len()
        };
        assert_eq!((count(&[]), count(&["libjvm.so"])), (2, 1));
    }

    #[test]
    fn every_misfit_has_a_remedy_of_its_harness() {
        let runtime = Runtime::provided_al2023(Architecture::Arm);
        let library = [Misfit::Library("libx.so".into())];
        assert!(remedy("jmh", &library, &runtime).contains("JAVA_HOME"));
        assert!(remedy("go", &library, &runtime).contains("CGO_ENABLED=0"));
        assert!(remedy("cargo", &library, &runtime).contains("aarch64-unknown-linux-musl"));
        assert!(remedy("googlebench", &library, &runtime).contains("-static"));
        let other = [Misfit::Architecture { program: None, runtime: Architecture::Arm }];
        for harness in ["cargo", "go", "googlebench", "jmh"] {
            assert!(remedy(harness, &other, &runtime).contains("lambda.architecture"), "{harness}");
        }
        assert!(remedy("cargo", &other, &runtime).contains("rustup target add aarch64-unknown-linux-musl"));
    }

    /// The program of this test itself is read, because its properties are known.
    #[test]
    fn a_real_program_is_read() {
        let bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let facts = Facts::of(&bytes).unwrap();
        assert_eq!(facts.architecture, Architecture::here());
        assert!(facts.interpreter.as_deref().is_some_and(|path| path.contains("ld-")), "{facts:?}");
        assert!(facts.libraries.iter().any(|name| name.starts_with("libc.so")), "{facts:?}");
        assert!(facts.versions["GLIBC"] >= vec![2, 2], "{facts:?}");
        assert!(!facts.is_static());
    }

    #[test]
    fn what_is_no_program_is_said_so() {
        assert_eq!(Facts::of(b"#!/bin/sh\n"), Err(ElfError::NotElf));
        assert_eq!(Facts::of(b""), Err(ElfError::NotElf));
        assert!(matches!(Facts::of(b"\x7fELF\x02\x01\x01"), Err(ElfError::Broken(_))));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(at in 4usize..4096, bytes in prop::collection::vec(any::<u8>(), 0..64), cut in 64usize..200_000) {
            static PROGRAM: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
            let whole = PROGRAM.get_or_init(|| std::fs::read(std::env::current_exe().unwrap()).unwrap());
            let mut program = whole[..cut.min(whole.len())].to_vec();
            for (offset, byte) in bytes.iter().enumerate() {
                if let Some(place) = program.get_mut(at + offset) {
                    *place = *byte;
                }
            }
            let _ = Facts::of(&program);
        }
    }
}
