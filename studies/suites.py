"""Real suites for trials: their files, git repositories made of them, and the command line of a trial."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parents[1]
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
