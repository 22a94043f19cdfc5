//! A real Slurm cluster of two nodes, all of it on this machine and in a temporary directory.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use benchwright_testkit::{skip, tool};
use tempfile::TempDir;

use crate::sandbox::{finished, wait_for};

/// The nodes.
pub(super) const NODES: [&str; 2] = ["n1", "n2"];

/// The cluster; everything it started ends when it is dropped.
pub(super) struct Cluster {
    dir: TempDir,
    munged: Option<Child>,
    slurmctld: Option<Child>,
    slurmds: [Option<Child>; 2],
}

impl Cluster {
    /// A cluster whose controller is not started yet; none, and the test is skipped, where Slurm is not installed or this is not root.
    pub(super) fn without_controller() -> Option<Cluster> {
        for name in ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"] {
            tool(name)?;
        }
        let user = Command::new("id").arg("-u").output().expect("id starts").stdout;
        if user.trim_ascii() != b"0" {
            skip("a Slurm cluster of its own needs root");
            return None;
        }
        let dir = tempfile::Builder::new().prefix("bw-slurm-").tempdir().expect("a directory");
        let mut cluster = Cluster { dir, munged: None, slurmctld: None, slurmds: [None, None] };
        cluster.configure();
        cluster.start_munged();
        cluster.start_node(0);
        cluster.start_node(1);
        Some(cluster)
    }

    /// A cluster that takes jobs.
    pub(super) fn start() -> Option<Cluster> {
        let mut cluster = Cluster::without_controller()?;
        cluster.start_controller();
        cluster.wait_for_nodes();
        Some(cluster)
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn configure(&self) {
        let root = self.path();
        for part in ["state", "spool-n1", "spool-n2", "log"] {
            fs::create_dir(root.join(part)).expect("a directory");
        }
        let key: Vec<u8> = (0..1024_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        fs::write(root.join("munge.key"), key).expect("a key");
        fs::set_permissions(root.join("munge.key"), fs::Permissions::from_mode(0o600)).expect("rights");
        let host = finished(Command::new("hostname").arg("-s")).stdout;
        let listeners: Vec<TcpListener> =
            (0..3).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let ports: Vec<u16> =
            listeners.iter().map(|listener| listener.local_addr().expect("an address").port()).collect();
        let text = include_str!("slurm.conf")
            .replace("@DIR@", &root.display().to_string())
            .replace("@HOST@", host.trim())
            .replace("@PORT0@", &ports[0].to_string())
            .replace("@PORT1@", &ports[1].to_string())
            .replace("@PORT2@", &ports[2].to_string());
        fs::write(self.configuration(), text).expect("a configuration");
    }

    fn configuration(&self) -> PathBuf {
        self.path().join("slurm.conf")
    }

    /// One of Slurm's commands, or benchwright, that talks to this cluster.
    pub(super) fn of<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("SLURM_CONF", self.configuration())
    }

    fn daemon(&self, name: &str, args: &[String]) -> Child {
        let node = args.last().filter(|last| !last.contains('/')).cloned().unwrap_or_default();
        let log = File::create(self.path().join("log").join(format!("{name}{node}.stderr")));
        let mut command = Command::new(tool(name).expect("looked for before"));
        self.of(command.args(args)).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(log.expect("a log")).spawn().expect("it starts")
    }

    fn start_munged(&mut self) {
        let root = self.path().display();
        let args = ["key-file", "socket", "pid-file", "log-file", "seed-file"]
            .map(|what| format!("--{what}={root}/munge.{}", what.trim_end_matches("-file")));
        let args: Vec<String> =
            ["--force".to_owned(), "--foreground".to_owned()].into_iter().chain(args).collect();
        self.munged = Some(self.daemon("munged", &args));
        let socket = self.path().join("munge.socket");
        wait_for("munged", || socket.exists());
    }

    pub(super) fn start_controller(&mut self) {
        self.slurmctld = Some(self.daemon("slurmctld", &["-D".into()]));
        wait_for("the controller", || self.say("squeue --noheader").0 == Some(0));
    }

    pub(super) fn kill_controller(&mut self) {
        kill(&mut self.slurmctld);
    }

    pub(super) fn start_node(&mut self, node: usize) {
        self.slurmds[node] = Some(self.daemon("slurmd", &["-D".into(), "-N".into(), NODES[node].into()]));
    }

    /// Ends the daemon of a node; what runs there goes on.
    pub(super) fn kill_node_daemon(&mut self, node: usize) {
        kill(&mut self.slurmds[node]);
    }

    /// Ends a node with everything that runs on it, as a power failure does.
    pub(super) fn crash_node(&mut self, node: usize) {
        self.kill_node_daemon(node);
        let here = format!("SLURMD_NODENAME={}", NODES[node]);
        let of_jobs: Vec<u32> =
            self.processes().into_iter().filter(|pid| environment(*pid).contains(&here)).collect();
        // Those that watch over the jobs first, so that nobody is left to tell the controller.
        let watching = of_jobs.iter().filter_map(|pid| parent(*pid));
        let watching: Vec<u32> = watching.filter(|pid| is_step(*pid)).collect();
        watching.into_iter().chain(of_jobs).for_each(signal);
    }

    pub(super) fn wait_for_nodes(&self) {
        wait_for("both nodes", || {
            let states = self.say("sinfo --noheader --format=%T --Node").1;
            states.split_whitespace().filter(|state| *state == "idle").count() == 2
        });
    }

    /// Runs one of Slurm's commands; its status and output.
    pub(super) fn say(&self, line: &str) -> (Option<i32>, String) {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().expect("a command"));
        let answer = finished(self.of(command.args(words)));
        (answer.code, answer.stdout)
    }

    /// How many tasks wait or run.
    pub(super) fn queued(&self) -> usize {
        // What has ended stays in the list until its node, which may have been killed, confirms that.
        self.say("squeue --noheader --array --states=PENDING,RUNNING,SUSPENDED").1.lines().count()
    }

    /// Processes that belong to jobs of this cluster.
    fn processes(&self) -> Vec<u32> {
        let own = format!("SLURM_CONF={}", self.configuration().display());
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = all.filter_map(|entry| entry.file_name().to_string_lossy().parse().ok());
        pids.filter(|pid| *pid != std::process::id() && environment(*pid).contains(&own)).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.slurmctld.is_some() {
            self.say("scancel --me --quiet");
        }
        kill(&mut self.slurmctld);
        self.slurmds.iter_mut().for_each(kill);
        // Jobs and their steps are no children of ours.
        self.processes().into_iter().for_each(signal);
        kill(&mut self.munged);
    }
}

fn environment(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    bytes.split(|byte| *byte == 0).map(|variable| String::from_utf8_lossy(variable).into_owned()).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn is_step(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.starts_with("slurmstepd"))
}

fn signal(pid: u32) {
    let _ = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
}

fn kill(child: &mut Option<Child>) {
    if let Some(mut child) = child.take() {
        let _ = child.kill();
        let _ = child.wait();
    }
}
