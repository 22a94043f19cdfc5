//! Flags that mean nothing where they are given are refused, not ignored.

use crate::sandbox::Sandbox;

#[test]
fn flags_of_another_rule_place_or_goal_are_refused() {
    let sandbox = Sandbox::new();
    let check = |line: &str, flag: &str, owner: &str| {
        let answer = sandbox.say(line).exits(2);
        answer.tells(&[&format!("`{flag}` has no effect with"), owner]);
    };
    check("compare base head --duets 30", "--duets", "--max-duets");
    check("compare base head --injected 10%", "--injected", "`--rule wilcoxon-half`");
    check("compare base head --injected 10% --rule t-test", "--injected", "`--rule wilcoxon-half`");
    check("compare base head --max-cost 1", "--max-cost", "`--on lambda`");
    check("compare base head --on slurm --max-cost 1", "--max-cost", "`--on lambda`");
    check("compare base head --architecture arm64", "--architecture", "`--on lambda`");
    check("compare base head --fallback local", "--fallback", "`--on slurm`");
    check("reduce --power 2", "--power", "`--for compare`");
    check("reduce --change 900% --false-alarms 7", "--change", "`--for compare`");
    check("reduce --for compare --metric cv", "--metric", "`--for stability`");
    check("reduce --for compare --count-warmup", "--count-warmup", "`--for stability`");
    check("reduce --budget 5m", "--budget", "`--refresh`");
    check("export --format benchfmt --better higher", "--better", "`--format github-action-benchmark`");
    check("export --format bmf --iterations", "--iterations", "`--format benchfmt`");
    check("export --format json --side base", "--side", "samples or summaries");
    assert_eq!(sandbox.script.started(), Vec::<String>::new(), "nothing is measured");
    // The rule may come from elsewhere.
    sandbox.write("benchwright.toml", "rule = \"t-test\"\n");
    sandbox.say("compare base head --duets 30 --dry-run").exits(0).prints(&["30 duets"]);
}

#[test]
fn the_latest_run_has_its_name_in_every_command() {
    let sandbox = Sandbox::new();
    sandbox.say("compare base head --seed 7").exits(0);
    sandbox.say("compare latest latest").exits(0).prints(&["alpha", "warning: "]);
}

#[test]
fn a_command_that_is_compared_with_nothing_is_told_what_with() {
    let sandbox = Sandbox::new();
    sandbox.run(&["compare", "--command", "true"]).exits(2).tells(&["BASE", "`--against COMMAND`"]);
    let answer = sandbox.say("compare").exits(2);
    assert!(!answer.stderr.contains("--against COMMAND`"), "{}", answer.describe());
}

#[test]
fn endings_are_named_once_and_limits_are_above_zero() {
    let sandbox = Sandbox::new();
    sandbox
        .say("compare base head --output x.yaml")
        .exits(2)
        .tells(&["endings: .txt .json .md .csv .xml .html\n"]);
    sandbox.say("show --limit 0").exits(2).tells(&["--limit"]);
}
