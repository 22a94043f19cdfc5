//! A repository with two versions of the scripted suite, and benchwright in it.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use benchwright_store::{RunRecord, Store};
use tempfile::TempDir;

use crate::suite::{self, Script};

/// Nothing a test waits for takes this long, however loaded the machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A git repository, what its benchmarks do, and a lock of its own, so that tests do not wait for each other.
pub(crate) struct Sandbox {
    _dir: TempDir,
    pub(crate) repository: PathBuf,
    pub(crate) script: Script,
    pub(crate) lock: PathBuf,
}

/// What a command came to.
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// Two commits of the scripted suite, tagged `base` and `head`.
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.commit(&suite::files("base", &suite::NAMES), "base");
        sandbox.commit(&suite::files("head", &suite::NAMES), "head");
        sandbox
    }

    /// A repository without commits.
    pub(crate) fn empty() -> Sandbox {
        let dir = tempfile::Builder::new().prefix("benchwright-test-").tempdir().expect("a directory");
        let root = dir.path().canonicalize().expect("a path");
        let [repository, script] = ["repository", "script"].map(|name| root.join(name));
        fs::create_dir(&repository).expect("a repository");
        fs::create_dir(&script).expect("a script");
        let lock = root.join("lock");
        let sandbox = Sandbox { _dir: dir, repository, script: Script(script), lock };
        sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
        sandbox
    }

    /// Writes files, commits everything, and tags it.
    pub(crate) fn commit(&self, files: &[(&str, String)], tag: &str) {
        files.iter().for_each(|(path, text)| self.write(path, text));
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", tag]);
        self.git(&["tag", "--force", tag]);
    }

    /// Writes a file into the working tree.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.repository.join(path);
        fs::create_dir_all(path.parent().expect("below the repository")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    /// Runs git, which must succeed, and returns what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_in(&self.repository, arguments)
    }

    /// Where results are.
    pub(crate) fn results(&self) -> PathBuf {
        self.repository.join(".benchwright")
    }

    /// The journals of unfinished runs.
    pub(crate) fn journals(&self) -> Vec<PathBuf> {
        benchwright_store::left_over_journals(&self.results()).expect("a directory")
    }

    /// A stored run with all its trials.
    pub(crate) fn stored(&self, asked: &str) -> RunRecord {
        let store = Store::open_read_only(&self.results()).expect("a store");
        store.load(&store.find(asked).expect("the run")).expect("its record")
    }

    /// Benchwright in this repository, with nothing of the user's.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchwright"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BENCHWRIGHT_") {
                command.env_remove(name);
            }
        }
        let plain = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RUST_BACKTRACE", "GOFLAGS"];
        for name in plain {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(&self.repository).stdin(Stdio::null());
        command.env("BENCHWRIGHT_CACHE", cache()).env("BENCHWRIGHT_LOCK", &self.lock);
        // What benchmarks do is in the script, not in their code: where that lies cannot matter.
        command.env("BENCHWRIGHT_LAYOUTS", "0");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("SCRIPT", &self.script.0).env("CARGO_NET_OFFLINE", "true").env("GOPROXY", "off");
        command
    }

    /// Runs benchwright to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        finished(&mut self.command(arguments))
    }

    /// The same with the arguments in one text, separated by spaces.
    pub(crate) fn say(&self, arguments: &str) -> Answer {
        self.run(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Starts benchwright and does not wait for it.
    pub(crate) fn start(&self, arguments: &str) -> Started {
        Started::of(&self.command(&arguments.split_whitespace().collect::<Vec<_>>()))
    }

    /// Starts a comparison of base and head and returns when a benchmark waits at a gate.
    pub(crate) fn start_until_gate(&self, arguments: &str) -> Started {
        let mut started = self.start(arguments);
        self.wait_for_gate(&mut started);
        started
    }

    /// Waits until a benchmark waits at a gate.
    pub(crate) fn wait_for_gate(&self, started: &mut Started) {
        wait_for("a benchmark at the gate", || {
            assert!(started.is_running(), "ended before the gate: {}", started.take().describe());
            !self.script.waiting().is_empty()
        });
        // The benchmark may be there before benchwright has noted that it started it, and those who kill benchwright
        // now ask what became of the benchmark.
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The same command where an interrupt is not ignored. What a shell starts in the background ignores it, and so does all that it
/// starts: benchwright rightly leaves that as it is, but tests that interrupt it must not depend on who started them.
fn interruptible(command: &Command) -> Command {
    let mut same = Command::new("env");
    if cfg!(target_os = "linux") {
        same.arg("--default-signal=INT");
    }
    same.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => same.env(name, value),
            None => same.env_remove(name),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        same.current_dir(dir);
    }
    same
}

/// A running benchwright; killed when dropped.
pub(crate) struct Started(Option<Child>);

impl Started {
    /// Starts a command of benchwright's and does not wait for it.
    pub(crate) fn of(command: &Command) -> Started {
        let child = interruptible(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Started(Some(child.expect("benchwright starts")))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.as_ref().expect("it was not waited for").id()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        let child = self.0.as_mut().expect("it was not waited for");
        child.try_wait().expect("a state").is_none()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(sent.expect("kill starts").success());
    }

    /// Waits for its end.
    pub(crate) fn finish(mut self) -> Answer {
        self.take()
    }

    fn take(&mut self) -> Answer {
        let child = self.0.take().expect("it was not waited for");
        Answer::of(&child.wait_with_output().expect("its output"))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Answer {
    fn of(output: &Output) -> Answer {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        Answer { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Everything, for messages of failed tests.
    pub(crate) fn describe(&self) -> String {
        format!("exit code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }

    /// Checks the exit code and returns itself.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Answer {
        assert_eq!(self.code, Some(code), "{}", self.describe());
        self
    }

    /// Checks that standard error has all of these and returns itself.
    #[track_caller]
    pub(crate) fn tells(self, texts: &[&str]) -> Answer {
        for text in texts {
            assert!(self.stderr.contains(text), "no `{text}` in standard error\n{}", self.describe());
        }
        self
    }

    /// Checks that standard output has all of these and returns itself.
    #[track_caller]
    pub(crate) fn prints(self, texts: &[&str]) -> Answer {
        for text in texts {
            assert!(self.stdout.contains(text), "no `{text}` in standard output\n{}", self.describe());
        }
        self
    }
}

/// Runs a command to its end.
pub(crate) fn finished(command: &mut Command) -> Answer {
    Answer::of(&command.output().expect("the command starts"))
}

/// Runs git in a directory, with nothing of the user's; it must succeed.
pub(crate) fn git_in(dir: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(dir).args(["-c", "user.name=test", "-c", "user.email=test@localhost"]);
    command.args(["-c", "protocol.file.allow=always"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let answer = finished(&mut command);
    assert_eq!(answer.code, Some(0), "git {arguments:?}: {}", answer.describe());
    answer.stdout
}

/// Waits until something has happened.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut has_happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !has_happened() {
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The cache all tests share, so that each version is built once. It begins empty, unless another process of the same
/// tests uses it.
pub(crate) fn cache() -> &'static Path {
    static CACHE: OnceLock<(PathBuf, File)> = OnceLock::new();
    let (dir, _) = CACHE.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        env!("CARGO_TARGET_TMPDIR").hash(&mut hasher);
        let name = format!("benchwright-test-cache-{:016x}", hasher.finish());
        let dir = std::env::temp_dir().join(name);
        let users = File::create(dir.with_extension("users")).expect("a file for the lock");
        if users.try_lock().is_ok() {
            let _ = fs::remove_dir_all(&dir);
            users.unlock().expect("the lock goes");
        }
        users.lock_shared().expect("a lock");
        (dir, users)
    });
    dir
}
