//! Outside influences on a check-out.
//!
//! Build tools read configuration in every directory above the one they work in, and in the environment.
//! Neither may bring files of the repository, or of anything else, into the versions.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use benchwright_model::Diagnostic;

use super::{Cache, Repository};

/// Files that Go, Cargo and rustup search for in parent directories.
const FOUND_FROM_BELOW: &[&str] = &[
    ".cargo/config.toml",
    ".cargo/config",
    "Cargo.toml",
    "rust-toolchain.toml",
    "rust-toolchain",
    "go.work",
    "go.mod",
];

/// Environment variables that name the working directory or shell state and do not affect any tool.
const HARMLESS: &[&str] = &["PWD", "OLDPWD", "_", "BENCHWRIGHT_CACHE"];

/// Warns of configuration above the cache directory and of environment variables that point into the
/// repository: both versions would use the same files, whatever files they contain.
pub fn surroundings(cache: &Cache, repository: &Repository) -> Vec<Diagnostic> {
    let above = found_above(cache.dir()).into_iter().map(|path| {
        Diagnostic::warning(
            path.display().to_string(),
            "applies to both versions: it lies above the cache directory",
        )
        .hint("set BENCHWRIGHT_CACHE to a directory without such files above it")
    });
    let variables = repository.root().map(|root| variables_into(root, env::vars_os())).unwrap_or_default();
    let variables = variables.into_iter().map(|name| {
        Diagnostic::warning(
            name,
            "the variable points into the repository, so both versions use the same files there",
        )
        .hint("unset it for this command")
    });
    above.chain(variables).collect()
}

/// Whether a `go.work` above the cache directory would apply to a version that has none.
pub(crate) fn go_work_outside(cache: &Cache) -> bool {
    cache.dir().ancestors().any(|dir| dir.join("go.work").exists())
}

/// Every configuration file outside the versions that a build depends on.
pub(crate) fn outer_configuration(cache: &Cache) -> Vec<PathBuf> {
    let mut files = found_above(cache.dir());
    if let Some(cargo_home) = cargo_home() {
        files.extend(
            ["config.toml", "config"]
                .map(|name| cargo_home.join(name))
                .into_iter()
                .filter(|file| file.exists()),
        );
    }
    let go_env = match env::var_os("GOENV") {
        Some(file) => Some(PathBuf::from(file)),
        None => config_home().map(|dir| dir.join("go/env")),
    };
    files.extend(go_env.filter(|file| file.exists()));
    files
}

fn found_above(cache: &Path) -> Vec<PathBuf> {
    let own = cargo_home();
    let dirs = cache.ancestors();
    let files = dirs.flat_map(|dir| FOUND_FROM_BELOW.iter().map(|name| dir.join(name)));
    // Cargo's home directory has the user's configuration, which is valid everywhere.
    files.filter(|file| file.is_file() && own.as_deref() != file.parent()).collect()
}

fn variables_into(root: &Path, variables: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let root = root.as_os_str().as_bytes();
    variables
        .filter(|(name, _)| !HARMLESS.iter().any(|harmless| name == harmless))
        .filter(|(_, value)| contains_path(value.as_bytes(), root))
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect()
}

/// Whether `value` contains `root`, or a path below it, as a whole path.
fn contains_path(value: &[u8], root: &[u8]) -> bool {
    value.windows(root.len()).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).map(|before| value[before]);
        let after = value.get(at + root.len());
        window == root
            && matches!(before, None | Some(b':' | b'=' | b' ' | b'"' | b'\'' | b','))
            && matches!(after, None | Some(b'/' | b':' | b' ' | b'"' | b'\'' | b','))
    })
}

fn cargo_home() -> Option<PathBuf> {
    let set = env::var_os("CARGO_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    set.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")))
}

fn config_home() -> Option<PathBuf> {
    let set = env::var_os("XDG_CONFIG_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let below = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    set.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(below)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_into_the_repository_are_found() {
        let check = |name: &str, value: &str, expected: bool| {
            let variables = [(OsString::from(name), OsString::from(value))].into_iter();
            assert_eq!(!variables_into(Path::new("/home/me/lib"), variables).is_empty(), expected, "{value}");
        };
        check("GOWORK", "/home/me/lib/go.work", true);
        check("PATH", "/bin:/home/me/lib/node_modules/.bin", true);
        check("RUSTFLAGS", "-L /home/me/lib", true);
        check("GOFLAGS", "-modfile=/home/me/lib/x.mod", true);
        check("GOPATH", "/home/me/library", false);
        check("X", "/mnt/home/me/lib", false);
        check("PWD", "/home/me/lib", false);
    }
}
