//! Commands as benchmarks: real shell scripts, real processes.

use std::fs;

use benchwright_model::{Outcome, Trial};
use serde_json::Value;

use crate::document::{Document, compared};
use crate::sandbox::{Sandbox, finished};

/// A script that counts, and so takes time.
fn counting(to: u32) -> String {
    format!("#!/bin/sh\ni=0\nwhile [ $i -lt {to} ]; do i=$((i + 1)); done\n")
}

/// Two versions of a script, the second of which does sixty times the work, and one that stays as it is.
fn sandbox(configuration: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.commit(
        &[
            ("work.sh", counting(1000)),
            ("still.sh", "#!/bin/sh\nexit 0\n".to_owned()),
            ("benchwright.toml", configuration.to_owned()),
        ],
        "base",
    );
    sandbox.commit(&[("work.sh", counting(60_000))], "head");
    sandbox
}

/// A repository with one script that does `body`, defined as the command `it` with more lines.
fn single(body: &str, lines: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    let configuration = format!("[[command]]\nname = \"it\"\nrun = \"sh it.sh\"\n{lines}\n");
    sandbox.commit(&[("it.sh", format!("{body}\n")), ("benchwright.toml", configuration)], "base");
    sandbox
}

/// One trial of everything at base.
const ONE_TRIAL: &str = "run --rev base --levels run=1,iteration=1,second=1 --iteration-time 1ms --seed 7";

/// The command's trials in the latest run.
fn trials(sandbox: &Sandbox) -> Vec<Trial> {
    sandbox.stored("latest").trials
}

/// What a script appended to the log.
fn log(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.script.0.join("log")).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

const BOTH: &str = "[[command]]\nname = \"work\"\nrun = \"sh work.sh\"\n\n[[command]]\nname = \"still\"\nrun = \"sh still.sh\"\n";

#[test]
fn two_commits_of_a_script_are_compared() {
    let sandbox = sandbox(BOTH);
    let (document, _) = compared(&sandbox, "base head --iteration-time 2ms --iterations 2", 3);
    let verdicts = document.verdicts();
    assert_eq!(verdicts["work"], "slower", "{:#}", document.0);
    assert_ne!(verdicts["still"], "slower", "{:#}", document.0);
    let trials = trials(&sandbox);
    for trial in &trials {
        let Outcome::Measured(measurement) = &trial.outcome else { panic!("{trial:?}") };
        let names: Vec<&str> = measurement.series.iter().map(|series| series.metric.name.as_str()).collect();
        assert_eq!(names, ["time", "cpu-time", "max-rss", "system-time", "user-time"]);
        let runs = measurement.series[0].values.len();
        assert!(runs >= 2 && measurement.operations == vec![1; runs]);
        assert!(measurement.series[2].values.iter().all(|bytes| *bytes > 100_000.0));
        // The process that ran the command is the driver, whose start is not measured.
        let inside: f64 = measurement.series[0].values.iter().sum();
        assert!(inside < trial.usage.wall.as_secs_f64());
    }
}

#[test]
fn every_combination_of_parameters_is_a_benchmark() {
    let sandbox = sandbox(
        "[[command]]\nname = \"scan\"\nrun = \"sh still.sh {size} '{mode}'\"\n\
         parameters = { size = { from = 10, to = 20, step = 5 }, mode = [\"x\", \"y z\"] }\n\
         [[command]]\nname = \"still {n}\"\nrun = \"sh still.sh\"\nenv = { N = \"{n}\" }\nparameters = { n = [1] }\n",
    );
    let lines: Vec<String> = sandbox.say("list base").exits(0).stdout.lines().map(str::to_owned).collect();
    let expected = [
        "command:scan(size=10,mode=x)",
        "command:scan(size=10,mode=y z)",
        "command:scan(size=15,mode=x)",
        "command:scan(size=15,mode=y z)",
        "command:scan(size=20,mode=x)",
        "command:scan(size=20,mode=y z)",
        "command:still 1",
    ];
    assert_eq!(lines, expected);
    let answer = sandbox.say("list base --harness command --filter size=15 --format json").exits(0);
    let document: Value = serde_json::from_str(&answer.stdout).expect("a document");
    assert_eq!(document["benchmarks"].as_array().map(Vec::len), Some(2));
    assert_eq!(document["benchmarks"][0]["harness"], "command");
    sandbox.say(&format!("{ONE_TRIAL} --filter still")).exits(0).prints(&["still 1"]);
}

#[test]
fn a_command_needs_no_configuration() {
    let sandbox = sandbox("");
    let short = ["--iteration-time", "2ms", "--iterations", "2", "--seed", "7"];
    let typed =
        ["--command", "sh work.sh", "--command", "sh ./still.sh {n}", "--parameter-scan", "n", "1", "2", "1"];
    let listed = sandbox.run(&[&["list", "head"], &typed[..]].concat()).exits(0).stdout;
    assert_eq!(listed, "command:sh work.sh\ncommand:sh ./still.sh 1\ncommand:sh ./still.sh 2\n");
    let filter = ["--filter", "work", "--format", "json"];
    let answer =
        sandbox.run(&[&["compare", "base", "head"], &typed[..], &short[..], &filter[..]].concat()).exits(3);
    assert_eq!(Document::of(&answer).verdicts()["sh work.sh"], "slower", "{}", answer.describe());
    let named = ["run", "--rev", "base", "--command", "sh work.sh | wc", "--shell", "--command-name", "pipe"];
    sandbox.run(&[&named[..], &short[..]].concat()).exits(0).prints(&["pipe"]);
}

/// Runs benchwright in a directory that belongs to no repository.
fn outside(sandbox: &Sandbox, dir: &std::path::Path, arguments: &[&str]) -> crate::sandbox::Answer {
    // Its own cache, since that is where results go.
    let cache = sandbox.repository.with_file_name("outside-cache");
    finished(sandbox.command(arguments).current_dir(dir).env("BENCHWRIGHT_CACHE", cache))
}

#[test]
fn two_commands_are_compared_outside_a_repository() {
    let sandbox = Sandbox::empty();
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("quick.sh"), counting(1000)).expect("a script");
    fs::write(dir.path().join("slow.sh"), counting(60_000)).expect("a script");
    let short = ["--iteration-time", "2ms", "--iterations", "2", "--seed", "7"];
    let pair = ["compare", "--command", "sh slow.sh", "--against", "sh quick.sh", "--format", "json"];
    let answer = outside(&sandbox, dir.path(), &[&pair[..], &short[..]].concat()).exits(3);
    let document = Document::of(&answer);
    assert_eq!(document.verdicts()["sh slow.sh"], "slower", "{}", answer.describe());
    assert_eq!(document.0["run"]["base"]["label"], "sh quick.sh", "{:#}", document.0["run"]);
    // What was measured is kept, and nothing is left in the directory.
    outside(&sandbox, dir.path(), &["show", "latest"]).exits(0).prints(&["sh slow.sh", "sh quick.sh"]);
    assert_eq!(fs::read_dir(dir.path()).expect("a directory").count(), 2);

    let run = ["run", "--command", "sh quick.sh"];
    outside(&sandbox, dir.path(), &[&run[..], &short[..]].concat()).exits(0).prints(&["sh quick.sh"]);
    let check = |arguments: &[&str], text: &str| {
        outside(&sandbox, dir.path(), arguments).exits(2).tells(&[text]);
    };
    check(&["compare", "main", "--command", "true"], "no git repository");
    check(
        &["compare", "--command", "true", "--command", "false", "--against", "true"],
        "expected one `--command`",
    );
    check(&["compare", "--command", "true", "--against", "true", "--build", "make"], "expected no `--build`");
    check(&["compare", "--against", "true"], "--command");
    check(&["compare", "main", "--command", "true", "--against", "true"], "cannot be used with");
}

#[test]
fn two_commands_of_a_repository_are_compared_where_one_stands() {
    let sandbox = sandbox("");
    // A file that git does not know is there all the same.
    fs::write(sandbox.repository.join("untracked.sh"), counting(60_000)).expect("a script");
    let pair =
        ["compare", "--command", "sh untracked.sh", "--against", "sh still.sh", "--command-name", "it"];
    let short = ["--iteration-time", "2ms", "--iterations", "2", "--seed", "7", "--format", "json"];
    let answer = sandbox.run(&[&pair[..], &short[..]].concat()).exits(3);
    assert_eq!(Document::of(&answer).verdicts()["it"], "slower", "{}", answer.describe());
    assert_eq!(trials(&sandbox).len() % 2, 0);
    // A sample is a run, and there are as many as were asked for.
    let levels = ["--levels", "run=1,iteration=1,second=2", "--command", "sh still.sh"];
    sandbox.run(&[&["run", "base"], &levels[..]].concat()).exits(0);
    let counts: Vec<usize> = trials(&sandbox)
        .iter()
        .filter_map(|trial| Some(trial.outcome.measurement()?.main()?.values.len()))
        .collect();
    assert_eq!(counts, [2]);
}

#[test]
fn a_command_runs_in_the_directory_it_was_typed_in() {
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("deep/er/it.sh", "exit 0\n".to_owned())], "base");
    let arguments = ["-C", "deep/er", "run", "--rev", "base", "--command", "sh it.sh", "--runs", "1"];
    sandbox.run(&arguments).exits(0).prints(&["sh it.sh"]);
    // So does one of a file, from wherever benchwright is called.
    sandbox.write(
        "deep/benchwright.toml",
        "[[command]]\nname = \"it\"\nrun = \"sh it.sh\"\ndir = \"er\"\nruns = 1\n",
    );
    sandbox.run(&["-C", "deep/er", "run", "--rev", "base"]).exits(0).prints(&["it"]);
    sandbox.run(&["--config", "deep/benchwright.toml", "run", "--rev", "base"]).exits(0).prints(&["it"]);
}

#[test]
fn everything_around_the_runs_happens_in_its_order() {
    let note = |word: &str| format!("echo {word} >>$SCRIPT/log");
    let lines = format!(
        "setup = \"{}\"\nprepare = \"{}\"\nconclude = \"{}\"\ncleanup = \"{}\"\nwarmup = 1\nruns = 2\n",
        note("setup"),
        note("prepare"),
        note("conclude"),
        note("cleanup")
    );
    let sandbox = single(&note("run"), &lines);
    sandbox.say(ONE_TRIAL).exits(0);
    let one = "prepare run conclude";
    let trial = format!("{one} {one} {one} cleanup");
    assert_eq!(log(&sandbox).join(" "), format!("setup {trial}"));
    let trials = trials(&sandbox);
    let measurement = trials[0].outcome.measurement().expect("values");
    assert_eq!((measurement.warmup, measurement.series[0].values.len()), (1, 3));
    // What happens once per version is remembered with the version's build.
    sandbox.say(ONE_TRIAL).exits(0);
    assert_eq!(log(&sandbox).join(" "), format!("setup {trial} {trial}"));
}

#[test]
fn what_a_build_leaves_among_the_files_outlives_the_sweeping() {
    let lines = "build = \"mkdir -p made && cp it.sh made/copy.sh && cp it.sh {out}/far.sh && echo built >>$SCRIPT/log\"\nruns = 1";
    let sandbox = single("test -e made/copy.sh && test ! -e litter && : >litter", lines);
    for _ in 0..2 {
        sandbox.say(ONE_TRIAL).exits(0);
    }
    assert_eq!(log(&sandbox), ["built"], "built once, found again");
    // Should it be gone, it is built again.
    let cache = fs::read_dir(sandbox_cache(&sandbox)).expect("check-outs");
    let made = cache.flatten().map(|tree| tree.path().join("made/copy.sh")).find(|path| path.is_file());
    fs::remove_file(made.expect("what was made")).expect("it goes");
    sandbox.say(ONE_TRIAL).exits(0);
    assert_eq!(log(&sandbox), ["built", "built"]);
}

/// Where check-outs are. Of this sandbox alone, since the tests share a cache: it is found by the commit's tree.
fn sandbox_cache(sandbox: &Sandbox) -> std::path::PathBuf {
    let command = sandbox.command(&[]);
    let cache =
        command.get_envs().find(|(name, _)| *name == "BENCHWRIGHT_CACHE").and_then(|(_, value)| value);
    std::path::Path::new(cache.expect("a cache")).join("trees")
}

#[test]
fn a_command_reads_nothing_or_the_file_it_is_given() {
    let sandbox = single("read line && exit 3; exit 0", "");
    sandbox.say(ONE_TRIAL).exits(0);
    let sandbox = single("read line && test \"$line\" = words", "input = \"it.txt\"\nruns = 3");
    sandbox.commit(&[("it.txt", "words\n".to_owned())], "base");
    sandbox.say(ONE_TRIAL).exits(0);
}

/// Checks that the trial fails with these words.
#[track_caller]
fn check_failure(body: &str, lines: &str, arguments: &str, words: &[&str]) -> Sandbox {
    let sandbox = single(body, lines);
    sandbox.say(&format!("{ONE_TRIAL} {arguments}")).exits(1).tells(words);
    sandbox
}

#[test]
fn a_failing_command_is_shown_with_its_status_and_its_words() {
    let words = ["exited with status 7", "run 1: `sh it.sh` exited with status 7", "out of cheese"];
    let sandbox = check_failure("echo out of cheese >&2; exit 7", "", "", &words);
    let stored = trials(&sandbox);
    assert!(stored.iter().all(|trial| matches!(trial.outcome, Outcome::Failed(_))));
    // Lines of the protocol are not for people.
    let body = "test -e $SCRIPT/second && exit 7; : >$SCRIPT/second";
    let sandbox = check_failure(body, "runs = 2", "", &["run 2: `sh it.sh` exited with status 7"]);
    let Outcome::Failed(failure) = &trials(&sandbox)[0].outcome else { panic!("it fails") };
    assert!(!failure.detail.contains("##benchwright"), "{}", failure.detail);
}

#[test]
fn other_ways_to_fail_are_told_apart() {
    check_failure("kill -SEGV $$", "", "", &["was ended by signal 11"]);
    check_failure(
        "exit 0",
        "prepare = \"echo no room >&2; exit 1\"",
        "",
        &["`prepare` exited with status 1", "no room"],
    );
    check_failure("exit 0", "input = \"missing.txt\"", "", &["cannot read `", "missing.txt"]);
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("it.txt", String::new())], "base");
    let missing = ["run", "--rev", "base", "--command", "no-such-program --x"];
    sandbox.run(&missing).exits(1).tells(&["cannot find the program `no-such-program`"]);
    let unbuilt = ["run", "--rev", "base", "--command", "true", "--build", "echo no rule >&2; exit 2"];
    sandbox.run(&unbuilt).exits(1).tells(&["cannot build", "no rule", "build the command `true`"]);
}

#[test]
fn a_hanging_command_is_killed_with_its_children() {
    let body = "echo $$ >>$SCRIPT/processes; sleep 1000 & echo $! >>$SCRIPT/processes; wait";
    let sandbox =
        check_failure(body, "", "--trial-timeout 300ms", &["ran past its time limit and was killed"]);
    assert!(sandbox.script.processes() >= 2);
    assert_eq!(sandbox.script.left_processes(), Vec::<String>::new());
}

#[test]
fn a_flood_of_output_is_swallowed() {
    let flood = "head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2";
    single(flood, "runs = 1").say(ONE_TRIAL).exits(0);
}

#[test]
fn failures_that_are_allowed_count() {
    single("exit 3", "exit-codes = [0, 3]").say(ONE_TRIAL).exits(0);
    single("kill -9 $$", "allow-failure = true").say(ONE_TRIAL).exits(0);
    check_failure("exit 0", "exit-codes = [3]", "", &["exited with status 0"]);
}

#[test]
fn one_command_that_cannot_be_built_does_not_hide_the_others() {
    let sandbox = sandbox(
        "[[command]]\nname = \"broken\"\nrun = \"true\"\nbuild = \"echo no rule >&2; exit 2\"\n\
         [[command]]\nname = \"fine\"\nrun = \"true\"\n",
    );
    let answer = sandbox.say("list base").exits(1).prints(&["command:fine"]);
    answer.tells(&["broken: cannot build the command `broken`", "no rule"]);
}

#[test]
fn wrong_definitions_are_wrong_use() {
    let sandbox = sandbox("[[command]]\nname = \"x\"\nrun = \"a | b\"\n");
    let answer = sandbox.say("list base").exits(2);
    answer.tells(&["benchwright.toml:3:7", "`|` has a meaning only in a shell", "shell = true"]);
    let sandbox = Sandbox::empty();
    sandbox.commit(&[("it.txt", String::new())], "base");
    let check = |arguments: &[&str], text: &str| {
        sandbox.run(&[&["list", "base"], arguments].concat()).exits(2).tells(&[text]);
    };
    check(&["--command", "ls *"], "`*` has a meaning only in a shell");
    check(&["--command", "ls", "--parameter-list", "n", "1,2"], "the parameter `n` is used by no command");
    check(&["--prepare", "sync"], "--command");
    check(&["--command", "ls", "--harness", "go"], "--harness");
    sandbox
        .say("list base --harness command")
        .exits(1)
        .tells(&["a `[[command]]` table of benchwright.toml", "--command"]);
}

#[test]
fn further_arguments_reach_the_command() {
    let sandbox = single("test \"$1 $2\" = 'a b c' || exit 9", "runs = 1");
    let mut arguments: Vec<&str> = ONE_TRIAL.split_whitespace().collect();
    arguments.extend(["--", "a", "b c"]);
    sandbox.run(&arguments).exits(0);
}

#[test]
fn the_driver_is_for_benchwright_alone() {
    let sandbox = Sandbox::empty();
    sandbox.say("drive-command").exits(1).tells(&["for benchwright's own use"]);
    let help = sandbox.say("--help").exits(0).stdout;
    assert!(!help.contains("drive-command"));
}
