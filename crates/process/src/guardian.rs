//! Kills running processes when benchwright itself is killed.
//!
//! A process that ends normally cleans up after itself, but one that gets SIGKILL cannot. So a small shell is
//! started once, before the first process. It waits on a pipe that closes when benchwright ends for any
//! reason, and then kills the groups listed in a ledger, a nameless file in memory shared with benchwright.
//! It also kills processes that have left their group and have a mark of benchwright's calls. A group is
//! registered by one write into that file. A group that was started and is not registered yet is not
//! protected: this takes a few microseconds between two system calls, or a time slice if the machine is
//! overloaded.
//!
//! PR_SET_PDEATHSIG would be an alternative on Linux, but it does not apply to grandchildren, and it excludes
//! the fast way of starting processes (`benches/spawn.rs` measures the difference).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{escape, system};

/// Uses only builtins until benchwright ends. Standard error is the ledger.
const SCRIPT: &str = "trap '' HUP INT QUIT TERM
read -r nothing
while read -r group; do
  if [ -n \"$group\" ]; then kill -KILL \"-$group\"; fi
done <&2 2>/dev/null
PATH=/usr/bin:/bin
for file in $(grep -lzs \"^$1\" /proc/[0-9]*/environ); do
  process=${file#/proc/}
  kill -KILL \"${process%/environ}\"
done 2>/dev/null";

/// Bytes of one line of the ledger: a right-aligned group number, or blanks.
const LINE: usize = 12;

struct Guardian {
    ledger: File,
    /// Which lines are used.
    lines: Mutex<Vec<bool>>,
    /// Its standard input is the pipe that closes when benchwright ends.
    _shell: Child,
}

static GUARDIAN: OnceLock<Option<Guardian>> = OnceLock::new();

/// A group's line in the ledger, blanked when dropped.
pub(crate) struct Entry {
    guardian: &'static Guardian,
    line: usize,
}

/// Starts the guardian if it does not run yet.
pub(crate) fn wake() {
    GUARDIAN.get_or_init(start);
}

/// Registers a group to be killed if benchwright is killed. `None` on a system without a shell or temporary
/// files, where this protection is missing.
pub(crate) fn enter(group: i32) -> Option<Entry> {
    let guardian = GUARDIAN.get_or_init(start).as_ref()?;
    let line = {
        let mut lines = guardian.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let free = lines.iter().position(|taken| !taken).unwrap_or(lines.len());
        if free == lines.len() {
            lines.push(true);
        } else {
            lines[free] = true;
        }
        free
    };
    guardian.write(line, &group.to_string());
    Some(Entry { guardian, line })
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.guardian.write(self.line, "");
        self.guardian.lines.lock().unwrap_or_else(PoisonError::into_inner)[self.line] = false;
    }
}

impl Guardian {
    fn write(&self, line: usize, text: &str) {
        let record = format!("{text:>width$}\n", width = LINE - 1);
        // If the disk is full, only the protection of this one group is lost.
        let _ = self.ledger.write_all_at(record.as_bytes(), (line * LINE) as u64);
    }
}

fn start() -> Option<Guardian> {
    let ledger = system::memory_file().or_else(|_| tempfile::tempfile()).ok()?;
    system::become_subreaper();
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(SCRIPT)
        .arg("benchwright-guardian")
        .arg(format!("{}={}", escape::VARIABLE, escape::own_prefix()))
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::from(ledger.try_clone().ok()?));
    let number = |shell: &Child| i32::try_from(shell.id()).expect("process ids fit pid_t");
    let shell = escape::entering(|| command.spawn(), number).ok()?;
    Some(Guardian { ledger, lines: Mutex::new(Vec::new()), _shell: shell })
}
