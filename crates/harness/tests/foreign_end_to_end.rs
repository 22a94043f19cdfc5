//! Programs for another processor with the real tools.

#![expect(clippy::unwrap_used, reason = "helpers of tests, outside the functions clippy knows as such")]

mod version;

use std::fs;
use std::path::Path;

use benchwright_harness::{Architecture, HarnessError, RelinkRequest, Relinked};
use version::Version;

/// The processor that this machine does not have, and what the headers of its programs say.
const FOREIGN: (Architecture, u16) =
    if cfg!(target_arch = "x86_64") { (Architecture::Arm, 183) } else { (Architecture::X86, 62) };

/// A version of the bundled suite, built for the other processor.
fn foreign(harness: &str, example: &str) -> Version {
    let version = Version::of_example(harness, example);
    let harness = version.harness.targeting(FOREIGN.0).expect("it builds for others");
    Version { harness, ..version }
}

/// The processor in the header of a program.
fn machine(program: &Path) -> u16 {
    let bytes = fs::read(program).unwrap();
    assert_eq!(bytes[..4], *b"\x7fELF");
    u16::from_le_bytes([bytes[18], bytes[19]])
}

#[test]
fn go_builds_and_relinks_for_another_processor() {
    let Some(_) = benchwright_testkit::tool("go") else { return };
    let here = Version::of_example("go", "go");
    let version = foreign("go", "go");
    let project = version.project("");
    let describe =
        |version: &Version| version.harness.toolchain(&project, &[], &mut version.processes()).unwrap();
    let text = describe(&version);
    assert!(text.contains(&format!("GOARCH={}", if FOREIGN.1 == 183 { "arm64" } else { "amd64" })), "{text}");
    assert_ne!(text, describe(&here), "a build of its own");
    let executables = version.build("", &[]);
    let own = here.build("", &[]);
    let packages = |all: &[benchwright_harness::Executable]| {
        all.iter().map(|executable| executable.package.clone()).collect::<Vec<_>>()
    };
    assert_eq!(packages(&executables), packages(&own));
    for executable in &executables {
        assert_eq!(machine(&version.out.join(&executable.path)), FOREIGN.1);
    }
    // The linker's call that is repeated is for the other processor as well.
    for seed in [1 << 40, 1 << 41] {
        let target = version.out.join(format!("layout-{seed}"));
        let request = RelinkRequest {
            build: version.request(&project, &[]),
            executable: &executables[0],
            target: &target,
            keep: &version.out.join("shared"),
            seed,
        };
        assert_eq!(version.harness.relink(&request, &mut version.processes()).unwrap(), Relinked::Done);
        assert_eq!(machine(&target), FOREIGN.1);
    }
}

#[test]
fn cargo_says_which_target_is_missing_or_builds_for_it() {
    let version = foreign("cargo", "rust");
    match version.try_build("", &[]) {
        Err(error @ HarnessError::Unbuildable { .. }) => {
            assert!(error.hint().starts_with("`rustup target add "), "{}", error.hint());
            let toolchain = version.harness.toolchain(&version.project(""), &[], &mut version.processes());
            assert_eq!(toolchain.unwrap_err().to_string(), error.to_string());
        }
        built => {
            for executable in built.unwrap().executables {
                assert_eq!(machine(&version.out.join(&executable.path)), FOREIGN.1);
            }
        }
    }
}
