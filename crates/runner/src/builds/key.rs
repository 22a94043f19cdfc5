//! The key of a build: equal keys mean equal builds.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use benchwright_harness::Project;
use benchwright_worker::CommonEnvironment;
use sha2::{Digest, Sha256};

use super::PrepareRequest;
use crate::versions::outer_configuration;

/// Has to be raised whenever builds of older versions of benchwright must not be used any more.
const BUILD_FORMAT: u32 = 1;

/// Environment variables that build tools read.
const VARIABLES: &[&str] = &[
    "AR",
    "AS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CC",
    "CFLAGS",
    "CPATH",
    "CPPFLAGS",
    "CXX",
    "CXXFLAGS",
    "C_INCLUDE_PATH",
    "GO386",
    "GOAMD64",
    "GOARCH",
    "GOARM",
    "GOARM64",
    "GODEBUG",
    "GOEXPERIMENT",
    "GOFIPS140",
    "GOFLAGS",
    "GOOS",
    "GOROOT",
    "GOTOOLCHAIN",
    "GOWORK",
    "LD",
    "LDFLAGS",
    "LIBRARY_PATH",
    "MACOSX_DEPLOYMENT_TARGET",
    "RUSTC",
    "RUSTC_BOOTSTRAP",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "SDKROOT",
];
/// Prefixes of more such variables. The target directory is chosen by benchwright.
const PREFIXES: &[&str] = &[
    "AR_",
    "CARGO_BUILD_",
    "CARGO_PROFILE_",
    "CARGO_TARGET_",
    "CARGO_UNSTABLE_",
    "CC_",
    "CFLAGS_",
    "CGO_",
    "CMAKE",
    "CXXFLAGS_",
    "CXX_",
    "HOST_",
    "JEMALLOC_",
    "LIBCLANG",
    "LIBZ_",
    "LLVM_",
    "OPENSSL_",
    "PKG_CONFIG",
    "PROTOC",
    "PYO3_",
    "SQLITE3_",
    "TARGET_",
    "ZSTD_",
];
const NOT_READ: &[&str] = &["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_JOBS"];

/// What determines the build of a project, besides the files of the version.
pub(super) struct Parts<'a> {
    pub(super) project: &'a Project,
    pub(super) toolchain: &'a str,
    /// The harness's definition in the configuration.
    pub(super) definition: &'a str,
    pub(super) build_args: &'a [String],
    pub(super) environment: &'a CommonEnvironment,
}

/// The name of a project's build in the cache: 64 hexadecimal digits.
pub(super) fn build_key(request: &PrepareRequest<'_>, parts: &Parts<'_>) -> String {
    let contents = |file: PathBuf| (fs::read(&file).unwrap_or_default(), file);
    let configuration = outer_configuration(request.cache).into_iter().map(contents);
    key_of(&request.checkout.root, parts, configuration)
}

/// The key, computed from everything it depends on. `configuration` are files outside the version, as
/// contents and path.
fn key_of(root: &Path, parts: &Parts<'_>, configuration: impl Iterator<Item = (Vec<u8>, PathBuf)>) -> String {
    let Parts { project, toolchain, definition, build_args, environment } = parts;
    let mut key = Key(Sha256::new());
    key.add("format", BUILD_FORMAT.to_string().as_bytes());
    key.add("version", env!("CARGO_PKG_VERSION").as_bytes());
    // The path contains the name of the check-out, which identifies the tree. The absolute path also ends up
    // in executables.
    key.add("root", root.as_os_str().as_encoded_bytes());
    key.add("harness", project.harness.as_bytes());
    key.add("project", project.dir.as_os_str().as_encoded_bytes());
    key.add("toolchain", toolchain.as_bytes());
    key.add("definition", definition.as_bytes());
    build_args.iter().for_each(|arg| key.add("argument", arg.as_bytes()));
    for (name, value) in environment.variables().filter(|(name, _)| is_relevant(name)) {
        key.add("variable", name.as_encoded_bytes());
        key.add("value", value.as_encoded_bytes());
    }
    for (contents, file) in configuration {
        key.add("configuration", file.as_os_str().as_encoded_bytes());
        key.add("contents", &contents);
    }
    hex::encode(key.0.finalize())
}

/// The key of a build of some packages only.
pub(super) fn partial_key(whole: &str, filter: &str) -> String {
    let mut key = Key(Sha256::new());
    key.add("whole", whole.as_bytes());
    key.add("filter", filter.as_bytes());
    hex::encode(key.0.finalize())
}

/// The name of a directory for intermediate files. It is the same for all versions of a repository that one
/// tool chain builds.
pub(super) fn intermediate_key(identity: &Path, project: &Project, toolchain: &str) -> String {
    let mut key = Key(Sha256::new());
    key.add("repository", identity.as_os_str().as_encoded_bytes());
    key.add("harness", project.harness.as_bytes());
    key.add("project", project.dir.as_os_str().as_encoded_bytes());
    key.add("toolchain", toolchain.as_bytes());
    hex::encode(&key.0.finalize()[..16])
}

/// The name of a directory for files that all versions of a project share.
pub(super) fn shared_key(identity: &Path, project: &Project) -> String {
    intermediate_key(identity, project, "")
}

/// A name for a list of texts.
pub(super) fn text_key(texts: &[String]) -> String {
    let mut key = Key(Sha256::new());
    texts.iter().for_each(|text| key.add("text", text.as_bytes()));
    hex::encode(&key.0.finalize()[..16])
}

fn is_relevant(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_listed = VARIABLES.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_listed && !NOT_READ.contains(&&*name)
}

/// A hash over labelled parts. Each part is hashed with its length, so that different lists of parts never
/// look the same.
struct Key(Sha256);

impl Key {
    fn add(&mut self, label: &str, part: &[u8]) {
        for bytes in [label.as_bytes(), part] {
            self.0.update((bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Everything a key depends on.
    #[derive(Clone)]
    struct Facts {
        root: &'static str,
        harness: &'static str,
        dir: &'static str,
        toolchain: &'static str,
        definition: &'static str,
        args: &'static [&'static str],
        variable: (&'static str, &'static str),
        configuration: (&'static str, &'static str),
    }

    const PLAIN: Facts = Facts {
        root: "/cache/tree-1",
        harness: "cargo",
        dir: "",
        toolchain: "rustc 1.95.0",
        definition: "",
        args: &["--features", "a"],
        variable: ("RUSTFLAGS", "-O"),
        configuration: ("/home/.cargo/config.toml", "[build]"),
    };

    fn key(facts: &Facts) -> String {
        let project = Project { harness: facts.harness.into(), dir: facts.dir.into() };
        let build_args: Vec<String> = facts.args.iter().map(|arg| arg.to_string()).collect();
        let (name, value) = facts.variable;
        let environment = CommonEnvironment::exactly([(name.into(), value.into())]);
        let parts = Parts {
            project: &project,
            toolchain: facts.toolchain,
            definition: facts.definition,
            build_args: &build_args,
            environment: &environment,
        };
        let (file, contents) = facts.configuration;
        key_of(Path::new(facts.root), &parts, [(contents.into(), PathBuf::from(file))].into_iter())
    }

    #[test]
    fn whatever_changes_a_build_changes_its_name() {
        let all = [
            PLAIN,
            Facts { root: "/cache/tree-2", ..PLAIN },
            Facts { harness: "go", ..PLAIN },
            Facts { dir: "tools", ..PLAIN },
            Facts { toolchain: "rustc 1.96.0", ..PLAIN },
            Facts { definition: "make", ..PLAIN },
            Facts { args: &["--features", "b"], ..PLAIN },
            Facts { args: &["--features a"], ..PLAIN },
            Facts { variable: ("RUSTFLAGS", "-g"), ..PLAIN },
            Facts { variable: ("CFLAGS", "-O"), ..PLAIN },
            Facts { variable: ("CARGO_PROFILE_BENCH_LTO", "-O"), ..PLAIN },
            Facts { configuration: ("/home/.cargo/config", "[build]"), ..PLAIN },
            Facts { configuration: ("/home/.cargo/config.toml", "[env]"), ..PLAIN },
        ];
        let keys: HashSet<String> = all.iter().map(key).collect();
        assert_eq!(keys.len(), all.len());
        assert!(keys.iter().all(|key| key.len() == 64));
    }

    #[test]
    fn what_no_build_tool_reads_changes_nothing() {
        let names = ["HOME", "EDITOR", "CARGO_TARGET_DIR", "CARGO_BUILD_JOBS"];
        let keys: HashSet<String> =
            names.iter().map(|name| key(&Facts { variable: (*name, "x"), ..PLAIN })).collect();
        assert_eq!(keys.len(), 1);
    }

    #[test]
    fn versions_share_intermediate_files_of_one_tool_chain() {
        let project = |dir: &str| Project { harness: "cargo".into(), dir: dir.into() };
        let plain = intermediate_key(Path::new("/r"), &project(""), "1.95");
        assert_eq!(plain, intermediate_key(Path::new("/r"), &project(""), "1.95"));
        let others = [
            intermediate_key(Path::new("/q"), &project(""), "1.95"),
            intermediate_key(Path::new("/r"), &project("a"), "1.95"),
            intermediate_key(Path::new("/r"), &project(""), "1.96"),
            shared_key(Path::new("/r"), &project("")),
        ];
        assert!(!others.contains(&plain));
    }
}
