//! Comparisons on AWS Lambda: real programs in a real emulator, and what is deployed against a stand-in for the rest of the
//! platform.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::document::Document;
use crate::go;
use crate::sandbox::{Answer, Sandbox, finished};
use crate::stub::{Fate, Stub};

/// A child that does not outlive its test.
pub(crate) struct Guard(pub(crate) Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Short trials, as few duets as a verdict takes, no bucket.
const SHORT: [(&str, &str); 4] = [
    ("BENCHWRIGHT_LAMBDA_FUNCTION", "_"),
    ("BENCHWRIGHT_LAMBDA_BUCKET", "none"),
    ("BENCHWRIGHT_LAMBDA_PARALLEL", "4"),
    ("BENCHWRIGHT_LAMBDA_FEWEST_RESULTS", "5"),
];

/// Benchwright in the sandbox, with credentials of nobody and the platform at this address.
pub(crate) fn command(sandbox: &Sandbox, address: SocketAddr, arguments: &str) -> Command {
    let mut command = sandbox.command(&arguments.split_whitespace().collect::<Vec<_>>());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("AWS_") {
            command.env_remove(name);
        }
    }
    command.env("AWS_ACCESS_KEY_ID", "nobody").env("AWS_SECRET_ACCESS_KEY", "secret-of-nobody");
    command.env("AWS_REGION", "eu-central-1").env("AWS_EC2_METADATA_DISABLED", "true");
    command.env("AWS_CONFIG_FILE", "/dev/null").env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
    command.env("BENCHWRIGHT_LAMBDA_ENDPOINT", format!("http://{address}"));
    command.envs(SHORT);
    command
}

pub(crate) fn compared(sandbox: &Sandbox, address: SocketAddr, more: &str) -> Answer {
    finished(&mut command(
        sandbox,
        address,
        &format!("compare base head --on lambda --format json --seed 1 {more}"),
    ))
}

/// What a comparison says when the platform does what `fate` says; without Go, nothing.
pub(crate) fn with_faults(
    more: &str,
    fate: impl Fn(&crate::stub::Seen) -> Fate + Send + Sync + 'static,
) -> Option<(Answer, Stub, Sandbox)> {
    let sandbox = go::sandbox()?;
    let stub = Stub::start(fate);
    let answer = compared(&sandbox, stub.address, more);
    assert!(!answer.stderr.contains("secret-of-nobody") && !answer.stdout.contains("secret-of-nobody"));
    Some((answer, stub, sandbox))
}

/// Every duet of the document is there once, with the values that the stand-in makes up: the head twice as slow.
pub(crate) fn check_all_slower(answer: &Answer) {
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    let document = Document::of(answer);
    let verdicts = document.verdicts();
    assert_eq!(verdicts.len(), 2, "{}", document.0);
    assert!(verdicts.values().all(|verdict| verdict == "slower"), "{}", document.0);
}

#[test]
fn without_credentials_or_a_region_the_user_is_told_what_to_do() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|_| Fate::Answer);
    let line = "compare base head --on lambda";
    let mut without = command(&sandbox, stub.address, line);
    without.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY");
    let answer = finished(&mut without);
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("credentials come from the AWS SDK's own chain"), "{}", answer.stderr);
    let mut nowhere = command(&sandbox, stub.address, line);
    nowhere.env_remove("AWS_REGION");
    let answer = finished(&mut nowhere);
    assert_eq!(answer.code, Some(2), "{}", answer.describe());
    assert!(answer.stderr.contains("set `lambda.region`"), "{}", answer.stderr);
    // A plan needs neither.
    let mut planned = command(&sandbox, stub.address, &format!("{line} --dry-run"));
    planned.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY").env_remove("AWS_REGION");
    finished(&mut planned).exits(0).prints(&["on AWS Lambda: about"]);
    assert_eq!(stub.requests(), 0);
}

#[test]
fn a_dry_run_says_what_it_would_cost_and_sends_nothing() {
    let Some((answer, stub, _)) = with_faults("--dry-run", |_| Fate::Answer) else { return };
    assert_eq!(answer.code, Some(0), "{}", answer.describe());
    assert!(
        answer.stdout.contains("on AWS Lambda: about") && answer.stdout.contains("GB-seconds, $"),
        "{}",
        answer.stdout
    );
    assert_eq!(stub.requests(), 0);
}

#[test]
fn programs_that_cannot_travel_are_named_or_run_here() {
    let sandbox = Sandbox::new();
    for name in crate::suite::NAMES {
        sandbox.script.write(name, "base", "0 time 100");
        sandbox.script.write(name, "head", "0 time 100");
    }
    let stub = Stub::start(|_| Fate::Answer);
    let mut refused = command(&sandbox, stub.address, "compare base head --on lambda --all");
    let foreign = if cfg!(target_arch = "x86_64") { "arm64" } else { "x86_64" };
    refused.env("BENCHWRIGHT_LAMBDA_ARCHITECTURE", foreign);
    let answer = finished(&mut refused);
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("it is built for"), "{}", answer.stderr);
    assert!(answer.stderr.contains("--fallback local"), "{}", answer.stderr);
    assert_eq!(stub.requests(), 0);
    assert_eq!(sandbox.script.started().len(), 0, "nothing ran here either");
}

/// A command needs more than its own program: it is measured here, beside what runs there.
#[test]
fn what_cannot_run_there_runs_here_and_all_have_verdicts() {
    let Some(sandbox) = go::sandbox() else { return };
    let counting = |to: u32| format!("i=0\nwhile [ $i -lt {to} ]; do i=$((i + 1)); done\n");
    let configuration = "[[command]]\nname = \"count\"\nrun = \"sh count.sh\"\n".to_owned();
    sandbox.git(&["checkout", "--quiet", "base"]);
    sandbox.commit(&[("benchwright.toml", configuration.clone()), ("count.sh", counting(1000))], "base");
    sandbox.git(&["checkout", "--quiet", "head"]);
    sandbox.commit(&[("benchwright.toml", configuration), ("count.sh", counting(60_000))], "head");
    let stub = Stub::start(|_| Fate::Answer);
    let short = "--iteration-time 2ms --iterations 2";
    let answer = compared(&sandbox, stub.address, &format!("--fallback local {short}")).exits(3);
    let document = Document::of(&answer);
    let verdicts = document.verdicts();
    assert_eq!(verdicts.len(), 3, "{:#}", document.0);
    assert!(verdicts.values().all(|verdict| verdict == "slower"), "{:#}", document.0);
    assert!(answer.stdout.contains("run on this machine instead of AWS Lambda"), "{}", answer.describe());
    let stored = sandbox.stored("latest");
    for trial in &stored.trials {
        assert_eq!(trial.instance.is_none(), trial.benchmark.harness == "command", "{trial:?}");
    }
    let sent = stored.trials.iter().filter(|trial| trial.instance.is_some()).count() / 2;
    assert_eq!(sent, stub.duets());

    // Without it, it is named and missing, which is no success even where nothing else is slower.
    let answer = compared(&sandbox, stub.address, short).exits(3);
    let document = Document::of(&answer);
    assert_eq!(document.verdicts().len(), 2, "{:#}", document.0);
    assert!(answer.stdout.contains("cannot run on AWS Lambda"), "{}", answer.describe());
    assert!(answer.stderr.contains("1 something failed"), "{}", answer.stderr);
}

pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Waits until something listens there.
fn wait_for(address: SocketAddr) {
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing listens at {address}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The function's program, which is built beside benchwright's own.
pub(crate) fn function() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_benchwright")).with_file_name("benchwright-function");
    assert!(path.is_file(), "build it: cargo build --release -p benchwright-function");
    path
}

/// What an emulator consists of: its processes, and the directory it stands in.
pub(crate) type Emulator = (Vec<Guard>, tempfile::TempDir);

/// The emulator and so many instances of the function.
pub(crate) fn emulator(instances: usize) -> Option<(SocketAddr, Emulator)> {
    let program = benchwright_testkit::tool("cargo-lambda")?;
    let port = free_port().to_string();
    let address: SocketAddr = format!("127.0.0.1:{port}").parse().expect("an address");
    let quiet = |command: &mut Command| {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Guard(child.expect("it starts"))
    };
    // It insists on standing in some Rust project, though it builds nothing.
    let project = tempfile::tempdir().expect("a directory");
    let manifest = "[package]\nname = \"f\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    std::fs::write(project.path().join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::create_dir(project.path().join("src")).expect("a directory");
    std::fs::write(project.path().join("src/main.rs"), "fn main() {}\n").expect("a program");
    let mut emulator = Command::new(program);
    emulator.args([
        "lambda",
        "watch",
        "--only-lambda-apis",
        "--invoke-address",
        "127.0.0.1",
        "--invoke-port",
        &port,
    ]);
    let mut guards = vec![quiet(emulator.current_dir(project.path()))];
    wait_for(address);
    for _ in 0..instances {
        let mut instance = Command::new(function());
        instance
            .env("AWS_LAMBDA_RUNTIME_API", format!("http://{address}/.rt"))
            .env("AWS_LAMBDA_FUNCTION_NAME", "_");
        instance.env("AWS_LAMBDA_FUNCTION_VERSION", "1").env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "2048");
        instance.env("AWS_SECRET_ACCESS_KEY", "secret-of-the-function");
        guards.push(quiet(&mut instance));
    }
    Some((address, (guards, project)))
}

#[test]
fn a_real_go_benchmark_is_compared_in_real_functions() {
    let Some(sandbox) = go::sandbox() else { return };
    let Some((address, guards)) = emulator(2) else { return };
    let answer = compared(&sandbox, address, "--iteration-time 2ms --iterations 2");
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    let document = Document::of(&answer);
    assert_eq!(document.verdicts()["BenchmarkWork/n=100"], "slower", "{:#}", document.0);
    let stored = sandbox.stored("latest");
    assert!(stored.trials.iter().all(|trial| trial.instance.is_some()), "all ran in instances");
    // Both halves of a duet ran in one.
    let mut of_duet = std::collections::HashMap::new();
    for trial in &stored.trials {
        let benchwright_model::Position::Duet { index, attempt, .. } = trial.position else {
            panic!("a duet")
        };
        let id = trial.instance.as_ref().map(|instance| instance.id.clone());
        let key = (trial.benchmark.clone(), index, attempt);
        assert_eq!(*of_duet.entry(key).or_insert(id.clone()), id);
    }
    drop(guards);
}

/// The stand-in for the control plane.
pub(crate) fn platform() -> Option<(SocketAddr, Guard)> {
    let program = benchwright_testkit::tool("moto_server")?;
    let port = free_port().to_string();
    let mut server = Command::new(program);
    server.args(["--host", "127.0.0.1", "--port", &port]).env_remove("PYTHONPATH");
    let child = server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let guard = Guard(child.expect("it starts"));
    let address: SocketAddr = format!("127.0.0.1:{port}").parse().expect("an address");
    wait_for(address);
    Some((address, guard))
}

pub(crate) fn deploying(sandbox: &Sandbox, address: SocketAddr, line: &str) -> Answer {
    let mut command = command(sandbox, address, line);
    SHORT.iter().for_each(|(name, _)| {
        command.env_remove(name);
    });
    finished(&mut command)
}

#[test]
fn deploying_twice_makes_it_once_and_teardown_leaves_nothing() {
    let Some((address, _guard)) = platform() else { return };
    let sandbox = Sandbox::empty();
    let program = function();
    let deploy = format!("deploy --function {}", program.display());
    let say = |line: &str| {
        let answer = deploying(&sandbox, address, line);
        assert_eq!(answer.code, Some(0), "{}", answer.describe());
        answer
    };
    assert!(say("deploy --list").stdout.contains("nothing of benchwright's is in eu-central-1"));
    let first = say(&deploy);
    for made in
        ["made role benchwright-eu-central-1", "made bucket benchwright-", "made function benchwright-0-1-0-"]
    {
        assert!(first.stderr.contains(made), "{}", first.stderr);
    }
    let again = say(&deploy);
    assert!(again.stdout.starts_with("everything was there: function benchwright-"), "{}", again.describe());
    assert!(!again.stderr.contains("made "), "{}", again.stderr);
    let listed = say("deploy --list").stdout;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    assert!(listed.contains("2048 MB, at most 150 s") && listed.contains("0 objects"), "{listed}");
    let removed = say("teardown");
    assert!(removed.stdout.contains("removed 3"), "{}", removed.describe());
    assert!(say("deploy --list").stdout.contains("nothing of benchwright's"));
    assert!(say("teardown").stdout.contains("nothing of benchwright's"));
}

#[test]
fn a_comparison_without_a_deployed_function_says_so() {
    let Some((address, _guard)) = platform() else { return };
    let Some(sandbox) = go::sandbox() else { return };
    let answer = deploying(&sandbox, address, "compare base head --on lambda");
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("`benchwright deploy` makes it"), "{}", answer.stderr);
}

#[test]
fn without_a_network_the_user_is_told_at_once() {
    let sandbox = Sandbox::empty();
    // A port that was free a moment ago: nobody listens.
    let address = format!("127.0.0.1:{}", free_port()).parse().expect("an address");
    let answer = deploying(&sandbox, address, "deploy --list");
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("check the network"), "{}", answer.stderr);
}

#[test]
fn the_policy_is_printed_without_any_account() {
    let sandbox = Sandbox::empty();
    let answer = sandbox.say("deploy --policy");
    assert_eq!(answer.code, Some(0), "{}", answer.describe());
    let policy: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(policy["Version"], "2012-10-17");
}

/// Programs go through the bucket: stored once, fetched by the function through a presigned address.
#[test]
fn packages_go_through_the_bucket_once() {
    let Some(sandbox) = go::sandbox() else { return };
    let Some((platform, _guard)) = platform() else { return };
    let Some((functions, _guards)) = emulator(1) else { return };
    let deployed = deploying(&sandbox, platform, &format!("deploy --function {}", function().display()));
    assert_eq!(deployed.code, Some(0), "{}", deployed.describe());
    let measured = || {
        let line = "compare base head --on lambda --format json --iteration-time 2ms --iterations 2";
        let mut command = command(&sandbox, platform, line);
        command.env_remove("BENCHWRIGHT_LAMBDA_BUCKET").env_remove("BENCHWRIGHT_LAMBDA_ENDPOINT");
        command.env("AWS_ENDPOINT_URL", format!("http://{platform}"));
        command.env("AWS_ENDPOINT_URL_LAMBDA", format!("http://{functions}"));
        finished(&mut command)
    };
    let answer = measured();
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    let listed = || deploying(&sandbox, platform, "deploy --list").stdout;
    let first = listed();
    assert!(first.contains("2 objects"), "{first}");
    assert_eq!(measured().code, Some(3));
    assert_eq!(listed(), first, "the same programs are not stored again");
    let removed = deploying(&sandbox, platform, "teardown");
    assert!(removed.stdout.contains("removed 3"), "{}", removed.describe());
}

/// A benchmark with so many metrics that an answer does not fit into what the platform returns: it goes through the bucket,
/// and is refused with a remedy where there is none.
#[test]
fn an_answer_over_six_megabytes_goes_through_the_bucket() {
    const MANY: &str = "package steps\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc BenchmarkMany(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tWork(100)\n\t}\n\tfor i := 0; i < 200; i++ {\n\t\tb.ReportMetric(float64(1234567890123+i), fmt.Sprintf(\"m%d/op\", i))\n\t}\n}\n";
    let Some(sandbox) = go::sandbox() else { return };
    let Some((platform, _guard)) = platform() else { return };
    let Some((functions, _guards)) = emulator(1) else { return };
    sandbox.commit(&[("steps_test.go", MANY.to_owned())], "head");
    let head = sandbox.git(&["rev-parse", "head"]);
    let deployed = deploying(&sandbox, platform, &format!("deploy --function {}", function().display()));
    assert_eq!(deployed.code, Some(0), "{}", deployed.describe());
    let measured = |bucket: Option<&str>| {
        let line = format!(
            "compare {head} {head} --on lambda --format json --seed 1 --max-duets 5 --iteration-time 10us --iterations 400"
        );
        let mut command = command(&sandbox, platform, &line);
        command.env_remove("BENCHWRIGHT_LAMBDA_BUCKET").env_remove("BENCHWRIGHT_LAMBDA_ENDPOINT");
        command.env("AWS_ENDPOINT_URL", format!("http://{platform}"));
        command.env("AWS_ENDPOINT_URL_LAMBDA", format!("http://{functions}"));
        command.env("BENCHWRIGHT_LAMBDA_PARALLEL", "1");
        bucket.map(|bucket| command.env("BENCHWRIGHT_LAMBDA_BUCKET", bucket));
        finished(&mut command)
    };
    let answer = measured(None);
    assert!(matches!(answer.code, Some(0 | 3 | 4)), "{}", answer.describe());
    let stored = sandbox.stored("latest");
    assert_eq!(stored.trials.len(), 10);
    let values = |trial: &benchwright_model::Trial| {
        trial.outcome.measurement().map_or(0, |measurement| {
            measurement.series.iter().map(|series| series.values.len()).sum::<usize>()
        })
    };
    assert!(stored.trials.iter().all(|trial| values(trial) >= 200 * 400), "every value came");
    let listed = deploying(&sandbox, platform, "deploy --list").stdout;
    assert!(listed.contains("1 objects"), "answers are removed when they were read: {listed}");

    let answer = measured(Some("none"));
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stdout.contains("cannot return an answer of"), "{}", answer.describe());
    assert!(answer.stdout.contains("a bucket (`lambda.bucket`) or fewer repeats"), "{}", answer.describe());
}
