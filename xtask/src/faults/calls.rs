//! Makes system calls fail, or kills benchwright in them, with `strace`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use super::draw::Draw;
use super::world::{LIMIT, World};
use crate::command::find_program;

/// System calls, and the errors that they return on real machines.
const ERRORS: [(&str, &[&str]); 22] = [
    ("write", &["ENOSPC", "EIO", "EDQUOT", "EINTR", "EAGAIN"]),
    ("pwrite64", &["ENOSPC", "EIO"]),
    ("fsync", &["EIO", "ENOSPC"]),
    ("fdatasync", &["EIO", "ENOSPC"]),
    ("ftruncate", &["EIO", "EINTR"]),
    ("openat", &["EMFILE", "ENFILE", "EACCES", "ENOSPC", "EINTR", "EROFS", "EIO"]),
    ("read", &["EIO", "EINTR"]),
    ("pread64", &["EIO"]),
    ("rename", &["EIO", "ENOSPC", "EXDEV"]),
    ("unlink", &["EIO", "EACCES"]),
    ("unlinkat", &["EIO", "EACCES"]),
    ("mkdir", &["ENOSPC", "EACCES"]),
    ("flock", &["ENOLCK", "EINTR"]),
    ("fcntl", &["ENOLCK", "EINTR"]),
    ("clone", &["EAGAIN", "ENOMEM"]),
    ("clone3", &["EAGAIN", "ENOMEM"]),
    ("vfork", &["EAGAIN", "ENOMEM"]),
    ("pipe2", &["EMFILE", "ENFILE"]),
    ("memfd_create", &["ENOSYS", "EMFILE"]),
    ("getdents64", &["EIO"]),
    ("statx", &["EIO", "EACCES"]),
    ("poll", &["EINTR", "ENOMEM"]),
];

/// How often the first thread of benchwright makes each of these calls in a comparison.
#[derive(Debug)]
pub(super) struct Calls(Vec<(&'static str, &'static [&'static str], usize)>);

/// An error in one call.
#[derive(Debug)]
pub(super) struct Injection {
    pub(super) call: &'static str,
    pub(super) error: &'static str,
    when: usize,
    /// Whether all later calls fail too, as on a disk that stays full.
    pub(super) is_lasting: bool,
    /// Whether calls of everything that benchwright starts fail too.
    pub(super) is_for_all: bool,
}

impl Calls {
    /// Counts the calls of a comparison with finished builds.
    pub(super) fn count(world: &World) -> Result<Calls> {
        if find_program("strace").is_none() {
            bail!("strace is not installed; `cargo xtask setup` installs it");
        }
        let file = world.file("calls");
        let wrapper = ["strace", "-qq", "-c", "-o", &file.to_string_lossy()].map(str::to_owned);
        let answer = world.wait(world.start(&world.suite.compare(), &wrapper)?, LIMIT)?;
        let counts = counts(&fs::read_to_string(&file).context("read what strace counted")?);
        let calls: Vec<_> =
            ERRORS.iter().filter_map(|(call, errors)| Some((*call, *errors, *counts.get(*call)?))).collect();
        if calls.is_empty() {
            bail!("strace counts no calls: {}", answer.last_line());
        }
        Ok(Calls(calls))
    }

    /// Chooses an error to try.
    pub(super) fn draw_error(&self, draw: &mut Draw) -> Injection {
        let (call, errors, count) = draw.pick(&self.0);
        let error = *draw.pick(errors);
        let is_for_all = draw.below(4) == 0;
        // Programs repeat an interrupted call until it succeeds, so a lasting interruption would never end.
        let is_lasting = draw.below(4) == 0 && !["EINTR", "EAGAIN"].contains(&error);
        let when = 1 + draw.below(if is_for_all { 20.min(*count) } else { *count });
        Injection { call, error, when, is_lasting, is_for_all }
    }

    /// Chooses a call in which benchwright receives a signal. Returns the arguments for strace and a
    /// description.
    pub(super) fn draw_kill(&self, signal: &str, draw: &mut Draw) -> (Vec<String>, String) {
        let (call, _, count) = draw.pick(&self.0);
        let when = 1 + draw.below(*count);
        let inject = format!("inject={call}:signal={signal}:when={when}");
        let trace = format!("trace={call}");
        let words = ["strace", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        (words.map(str::to_owned).to_vec(), format!("in {call} {when}"))
    }
}

impl Injection {
    /// The beginning of the command line that injects the error. strace writes the calls to `file`.
    pub(super) fn wrapper(&self, file: &str) -> Vec<String> {
        let lasting = if self.is_lasting { "+" } else { "" };
        let inject = format!("inject={}:error={}:when={}{lasting}", self.call, self.error, self.when);
        let trace = format!("trace={}", self.call);
        let words = ["strace", "-qq", "-o", file, "-e", &trace, "-e", &inject];
        let all = self.is_for_all.then(|| "-f".to_owned());
        words.map(str::to_owned).into_iter().chain(all).collect()
    }

    /// A description of the error.
    pub(super) fn words(&self) -> String {
        let lasting = if self.is_lasting { " and all later ones" } else { "" };
        let all = if self.is_for_all { ", in every process" } else { "" };
        format!("{} in {} {}{lasting}{all}", self.error, self.call, self.when)
    }
}

/// The first call in strace's output that failed because of the injection.
pub(super) fn injected(trace: &str) -> Option<&str> {
    trace.lines().find(|line| line.contains("(INJECTED)"))
}

/// The number of calls by name, from the table of `strace -c`.
fn counts(table: &str) -> BTreeMap<String, usize> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        Some((fields.last()?.to_string(), fields.get(3)?.parse().ok()?))
    };
    table.lines().filter_map(row).filter(|(name, _)| name != "total").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_strace_is_read() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
            ------ ----------- ----------- --------- --------- ----------------\n \
            50.00    0.000020           1        14           write\n \
            50.00    0.000020           2        10         3 openat\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            100.00    0.000040           1        24         3 total\n";
        let expected = [("openat".to_owned(), 10), ("write".to_owned(), 14)];
        assert_eq!(counts(table).into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_injection_is_told_to_strace_and_found_in_its_output() {
        let injection =
            Injection { call: "write", error: "ENOSPC", when: 3, is_lasting: true, is_for_all: true };
        let words = injection.wrapper("f").join(" ");
        assert_eq!(words, "strace -qq -o f -e trace=write -e inject=write:error=ENOSPC:when=3+ -f");
        assert_eq!(injection.words(), "ENOSPC in write 3 and all later ones, in every process");
        let trace =
            "write(1, \"a\", 1) = 1\nwrite(2, \"b\", 1) = -1 ENOSPC (No space left on device) (INJECTED)\n";
        assert!(injected(trace).is_some_and(|line| line.starts_with("write(2")));
        assert_eq!(injected("write(1, \"a\", 1) = 1\n"), None);
    }
}
