//! The git program.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use super::GitError;

/// Environment variables by which a hook or a caller selects another repository or index.
const FOREIGN: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings that would make git write into the repository, start daemons or run hooks.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "gc.auto=0",
    "log.showSignature=false",
    "maintenance.auto=false",
    "submodule.recurse=false",
];

/// Git in a given directory, with a given environment.
#[derive(Debug, Clone)]
pub(super) struct Git {
    dir: PathBuf,
    settings: Vec<String>,
    env: Vec<(&'static str, OsString)>,
}

impl Git {
    pub(super) fn at(dir: &Path) -> Self {
        Git { dir: dir.to_owned(), settings: Vec::new(), env: Vec::new() }
    }

    pub(super) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// Sets a configuration value, `key=value`, for this git only.
    pub(super) fn setting(mut self, setting: &str) -> Self {
        self.settings.push(setting.to_owned());
        self
    }

    /// Runs git. A status other than 0 is not an error.
    pub(super) fn output<A: AsRef<OsStr>>(&self, args: &[A], input: &[u8]) -> Result<Output, GitError> {
        let mut command = Command::new("git");
        for setting in SETTINGS.iter().copied().chain(self.settings.iter().map(String::as_str)) {
            command.arg("-c").arg(setting);
        }
        command.args(args).current_dir(&self.dir);
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        run(command, input).map_err(|source| match source.kind() {
            // A missing working directory looks the same as a missing program.
            io::ErrorKind::NotFound if self.dir.is_dir() => GitError::NoGit,
            _ => GitError::Start { command: describe(args), source },
        })
    }

    /// The output of git. A status other than 0 is an error.
    pub(super) fn bytes<A: AsRef<OsStr>>(&self, args: &[A], input: &[u8]) -> Result<Vec<u8>, GitError> {
        let output = self.output(args, input)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(GitError::Failed { command: describe(args), message: message(&output) }),
        }
    }

    /// The output of git as text, without its line end.
    pub(super) fn text<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<String, GitError> {
        Ok(one_line(self.bytes(args, &[])?))
    }

    /// The output of git as a path, without its line end.
    pub(super) fn path<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<PathBuf, GitError> {
        let bytes = self.bytes(args, &[])?;
        let path = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        Ok(self.dir.join(path_of(path)))
    }

    /// The output of git, or `None` if its status is not 0.
    pub(super) fn try_text<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Option<String>, GitError> {
        let output = self.output(args, &[])?;
        Ok(output.status.success().then(|| one_line(output.stdout)))
    }
}

fn run(mut command: Command, input: &[u8]) -> io::Result<Output> {
    let mut child = command
        .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // `wait_with_output` would panic if a pipe cannot be read.
    let printed = thread::scope(|scope| {
        // Git writes output while it reads, so a single thread could block on a full pipe. A git that ends
        // early closes the pipe; its status is more useful than the write error.
        if let Some(mut stdin) = stdin {
            thread::Builder::new().spawn_scoped(scope, move || drop(stdin.write_all(input)))?;
        }
        let errors = thread::Builder::new().spawn_scoped(scope, move || all_of(stderr))?;
        let answer = all_of(stdout);
        let errors = errors.join().map_err(|_| io::Error::other("a thread panicked"))?;
        io::Result::Ok((answer?, errors?))
    });
    let status = child.wait()?;
    let (stdout, stderr) = printed?;
    Ok(Output { status, stdout, stderr })
}

/// Reads a pipe to its end and closes it.
fn all_of(pipe: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The message of git without its `fatal: `.
pub(super) fn message(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let fatal = text.lines().find_map(|line| line.strip_prefix("fatal: ").or(line.strip_prefix("error: ")));
    match fatal.or(text.lines().next_back()) {
        Some(line) => line.trim().to_owned(),
        None => format!("exit status {}", output.status.code().unwrap_or(-1)),
    }
}

fn describe<A: AsRef<OsStr>>(args: &[A]) -> String {
    args.iter().map(|arg| arg.as_ref().to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn one_line(bytes: Vec<u8>) -> String {
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// A path from the output of git.
pub(super) fn path_of(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}

/// Directories in the format of `GIT_ALTERNATE_OBJECT_DIRECTORIES`: separated by colons, so a directory with
/// a colon or quote has to be quoted.
pub(super) fn path_list(paths: &[&Path]) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut list = Vec::new();
    for path in paths {
        if !list.is_empty() {
            list.push(b':');
        }
        list.push(b'"');
        for byte in path.as_os_str().as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                list.push(b'\\');
            }
            list.push(*byte);
        }
        list.push(b'"');
    }
    OsString::from_vec(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_lists_are_quoted_for_git() {
        assert_eq!(path_list(&[Path::new("/a b:c"), Path::new("/d\"e")]), OsStr::new(r#""/a b:c":"/d\"e""#));
    }
}
