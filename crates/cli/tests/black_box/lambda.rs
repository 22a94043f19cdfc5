//! Comparisons on AWS Lambda: faults of the platform against a stand-in, real programs in a real emulator, and what is deployed
//! against a stand-in for the rest of the platform.

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
fn with_faults(
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
fn throttled_crashed_lost_and_nonsensical_answers_are_asked_for_again() {
    let faulty = |seen: &crate::stub::Seen| match (seen.before, seen.number % 6) {
        (0, 0) => Fate::Refuse(429, "TooManyRequestsException", "Rate Exceeded."),
        (0, 1) => Fate::Crash(r#"{"errorType":"Runtime.ExitError","errorMessage":"signal: killed"}"#),
        (0, 2) => Fate::Drop,
        (0, 3) => Fate::Garbage,
        (0, 4) => Fate::Missing,
        _ => Fate::Answer,
    };
    let Some((answer, stub, sandbox)) = with_faults("", faulty) else { return };
    check_all_slower(&answer);
    assert!(stub.requests() > stub.parcels());
    assert!(answer.stderr.contains("throttled") && answer.stderr.contains("lost"), "{}", answer.stderr);
    // Each duet is stored once, whatever happened on the way, and says where it ran.
    let stored = sandbox.stored("latest");
    let mut keys: Vec<String> = stored
        .trials
        .iter()
        .map(|trial| format!("{} {:?} {:?}", trial.benchmark, trial.side, trial.position))
        .collect();
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), count);
    assert!(stored.trials.iter().all(|trial| trial.instance.is_some()));
}

#[test]
fn an_instance_that_took_longer_than_the_call_is_dropped_and_named() {
    let lying = |seen: &crate::stub::Seen| match seen.number {
        0 => Fate::Claim(Duration::from_secs(3600)),
        _ => Fate::Answer,
    };
    let Some((answer, ..)) = with_faults("", lying) else { return };
    check_all_slower(&answer);
    assert!(answer.stdout.contains("dropped: it says that it took 3600"), "{}", answer.describe());
}

#[test]
fn killed_in_the_middle_it_goes_on_without_asking_again() {
    let Some(sandbox) = go::sandbox() else { return };
    let stub = Stub::start(|_| Fate::After(Duration::from_millis(150)));
    let one_by_one = |line: &str| {
        let mut command = command(&sandbox, stub.address, line);
        command.env("BENCHWRIGHT_LAMBDA_REPEATS", "1").env("BENCHWRIGHT_LAMBDA_PARALLEL", "1");
        command
    };
    let mut killed = one_by_one("compare base head --on lambda --seed 1");
    let mut child = Guard(killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    crate::sandbox::wait_for("some calls", || stub.requests() >= 5);
    child.0.kill().expect("it is killed");
    child.0.wait().expect("it ended");
    let answer = finished(&mut one_by_one("compare --resume"));
    assert_eq!(answer.code, Some(3), "{}", answer.describe());
    let duets = sandbox.stored("latest").trials.len() / 2;
    // The one that was under way when it was killed is all that may have been asked for twice.
    let asked = stub.requests();
    assert!(asked == duets || asked == duets + 1, "{asked} calls, {duets} duets");
}

#[test]
fn a_refusal_of_the_platform_ends_the_run_with_its_reason() {
    let check = |status, code: &'static str, words: [&str; 2]| {
        let refuse = move |_: &crate::stub::Seen| Fate::Refuse(status, code, "the platform's words");
        let Some((answer, stub, _)) = with_faults("", refuse) else { return };
        assert_eq!(answer.code, Some(1), "{}", answer.describe());
        words.iter().for_each(|word| assert!(answer.stderr.contains(word), "{word}: {}", answer.stderr));
        // Nobody insists where it cannot help.
        assert!(stub.requests() <= 4, "{}", stub.requests());
    };
    check(403, "ExpiredTokenException", ["the platform's words", "expired: log in again"]);
    check(403, "AccessDeniedException", ["the platform's words", "deploy --policy"]);
    check(404, "ResourceNotFoundException", ["the platform's words", "benchwright deploy"]);
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
    assert_eq!(stub.requests(), 0);
}

#[test]
fn a_ceiling_of_cost_holds_and_what_was_measured_is_kept() {
    // A call of 150 s and 2 GB may cost $0.0053, four times that if the function asks for packages: no second one fits.
    let Some((answer, stub, sandbox)) = with_faults("--max-cost 0.03", |_| Fate::Drop) else { return };
    assert_eq!(answer.code, Some(1), "{}", answer.describe());
    assert!(answer.stderr.contains("stay below $0.0300"), "{}", answer.stderr);
    assert!(answer.stderr.contains("--max-cost"), "{}", answer.stderr);
    assert_eq!(stub.requests(), 1);
    drop(sandbox);
    let Some((answer, ..)) = with_faults("--max-cost 0.06", |_| Fate::Answer) else { return };
    check_all_slower(&answer);
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

fn free_port() -> u16 {
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
