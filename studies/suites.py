"""Real suites for trials: their files, git repositories made of them, and the command line of a trial."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parents[1]
DECIDED = {"slower", "faster", "changed", "same"}
IGNORED = shutil.ignore_patterns("node_modules", "target", ".git")


def sources(source):
    """The directory that holds a suite's files: `go:MODULE@VERSION`, `std:`, `crate:NAME-VERSION` or `example:DIR`."""
    kind, rest = source.split(":", 1)
    if kind == "go":
        told = subprocess.run(["go", "mod", "download", "-json", rest], capture_output=True, text=True)
        return pathlib.Path(json.loads(told.stdout)["Dir"])
    if kind == "std":
        return pathlib.Path(subprocess.check_output(["go", "env", "GOROOT"], text=True).strip()) / "src"
    if kind == "crate":
        registry = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")) / "registry/src"
        return next(registry.glob(f"*/{rest}"))
    return HERE / "examples" / rest


def repository(directory, *versions):
    """A git repository with one commit per version, made once. The oldest is tagged `v0`, the next `v1`, and so on."""
    name = "--".join(re.sub(r"[^A-Za-z0-9.]+", "-", version) for version in versions)
    path = directory / "suites" / name
    if (path / ".git/complete").exists():
        return path
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    git = ["git", "-C", str(path), "-c", "user.name=trial", "-c", "user.email=trial@example.org"]
    subprocess.run(git + ["init", "-q"], check=True)
    for number, version in enumerate(versions):
        for old in path.iterdir():
            if old.name != ".git":
                shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(sources(version), path, symlinks=True, ignore=IGNORED, dirs_exist_ok=True)
        subprocess.run(["chmod", "-R", "u+w", str(path)], check=True)
        for command in (["add", "-A", "-f"], ["commit", "-q", "-m", version], ["tag", f"v{number}"]):
            subprocess.run(git + command, check=True)
    (path / ".git/complete").touch()
    return path


def compared(benchwright, path, more):
    """The first two versions of a suite: verdicts, and the seconds from the first trial on."""
    benchwright = str(pathlib.Path(benchwright).resolve())
    command = [benchwright, "compare", "v0", "v1", "--seed", "1", "--format", "json", *more]
    told = subprocess.run(command, cwd=path, capture_output=True, text=True)
    if not told.stdout:
        raise RuntimeError(told.stderr[-800:])
    document = json.loads(told.stdout)
    said = re.search(r"measuring \d+ benchmarks?, (.*)", told.stderr)
    findings = [f for f in document["findings"] if f["metric"]["name"] == "time"]
    verdicts = collections.Counter(f["verdict"] for f in findings)
    measured = [f for f in findings if f["duet_ratios"]]
    verdicts["identical"] = sum(f["verdict"] == "same" and not f["duet_ratios"] for f in findings)
    verdicts["same"] -= verdicts["identical"]
    spreads = sorted(deviation(f["duet_ratios"]) for f in measured if len(f["duet_ratios"]) > 4)
    spent, total = seconds(benchwright, path)
    return dict(
        exit=told.returncode,
        told=said and said.group(1),
        verdicts=dict(verdicts),
        duets=document["counts"]["duets"],
        spread=spreads[len(spreads) // 2] if spreads else None,
        took=total,
        costs=sorted(spent.get(identity(f), 0) for f in measured if f["verdict"] in DECIDED),
    )


def deviation(ratios):
    mean = sum(ratios) / len(ratios)
    return (sum((ratio - mean) ** 2 for ratio in ratios) / (len(ratios) - 1)) ** 0.5


def identity(finding):
    """Of a finding or of a trial."""
    names = finding.get("benchmark", finding)
    return tuple(names[key] for key in ("harness", "package", "name"))


def seconds(benchwright, path):
    """What the trials of the newest run took per benchmark, and all of them with what lies between."""
    command = [benchwright, "export", "latest", "--format", "samples-json"]
    trials = json.loads(subprocess.check_output(command, cwd=path, text=True))["trials"]
    spent = collections.Counter()
    for trial in trials:
        spent[identity(trial)] += trial["wall_secs"]
    starts = [datetime.datetime.fromisoformat(trial["started_at"][:19]) for trial in trials]
    return spent, (max(starts) - min(starts)).total_seconds() if starts else 0.0


def command_line(text, run, report, minutes, runs=None):
    """`run` and `report` as commands of a trial that this text describes."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("--benchwright", required=True)
    one.add_argument("--dir", required=True)
    one.add_argument("--suites", default="")
    one.add_argument("--minutes", type=float, default=minutes)
    if runs:
        one.add_argument("--runs", type=int, default=runs)
    one.set_defaults(function=run)
    two = commands.add_parser("report")
    two.add_argument("--dir", required=True)
    two.set_defaults(function=report)
    args = parser.parse_args()
    args.function(args)
