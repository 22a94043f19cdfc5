"""Starts pytest or a pyperf script for one file of a project, to list its benchmarks or to run one of them.

    python launch.py DESCRIPTION list RECORD [ARGUMENT...]
    python launch.py DESCRIPTION run NAME [ARGUMENT...]

DESCRIPTION is a JSON file beside this one that says which file and which tool. `list` writes one JSON object per line to
the file RECORD. Everything is done through public interfaces of the tools, so that it works with many versions of them;
nothing here runs inside a timed region. Needs Python 3.6 or newer and nothing but its library.
"""

import functools
import json
import os
import runpy
import sys
from importlib.machinery import PathFinder

HERE = os.path.dirname(os.path.abspath(__file__))


class InstalledCopy:
    """Finds the project's own packages where they were installed, whatever lies in the check-out."""

    def __init__(self, site, names):
        self.site = site
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if path is None and name in self.names:
            return PathFinder.find_spec(name, [self.site])
        return None


class MissingParts:
    """Finds what the check-out's copy of a package lacks: compiled and generated modules."""

    def __init__(self, site, names):
        self.site = site
        self.names = names

    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if path is None or parts[0] not in self.names:
            return None
        return PathFinder.find_spec(name, [os.path.join(self.site, *parts[:-1])])


def prepare_imports(description):
    """Makes `import` find this version's code: installed, except for packages that contain the file itself."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != HERE]
    directories = description["file"].split("/")[:-1]
    own = description["own_names"]
    inside = [name for name in own if name in directories]
    site = os.path.join(HERE, description["own_directory"])
    if own:
        sys.meta_path.insert(0, InstalledCopy(site, [name for name in own if name not in inside]))
        sys.meta_path.append(MissingParts(site, inside))
    # Last, so that it serves projects that are not installed and hides nothing.
    sys.path.append(os.getcwd())
    if not own and os.path.isdir("src"):
        sys.path.append(os.path.abspath("src"))


def test_name(item):
    """What follows the file in a test's id."""
    return item.nodeid.partition("::")[2]


def uses_benchmark(item):
    """Whether the test gets the fixture, and from pytest-benchmark."""
    if "benchmark" not in getattr(item, "fixturenames", ()):
        return False
    information = getattr(item, "_fixtureinfo", None)
    definitions = getattr(information, "name2fixturedefs", {}).get("benchmark", ())
    modules = [getattr(definition.func, "__module__", "") or "" for definition in definitions]
    return not modules or any(module.startswith("pytest_benchmark") for module in modules)


def reason_to_skip(item):
    """Why a test's marks say that it is skipped here; None if they do not, or cannot be asked."""
    try:
        from _pytest.skipping import evaluate_skip_marks

        skipped = evaluate_skip_marks(item)
    except Exception:
        return None
    return None if skipped is None else str(skipped.reason)


# Options of pytest-benchmark that a project's configuration may set and that a single measurement must not have.
SETTLED = {
    "benchmark_only": True,
    "benchmark_skip": False,
    "benchmark_disable": False,
    "benchmark_enable": True,
    "benchmark_save": None,
    "benchmark_autosave": None,
    "benchmark_compare": [],
    "benchmark_compare_fail": None,
    "benchmark_histogram": [],
    "benchmark_cprofile": None,
    "benchmark_cprofile_dump": None,
}


def plugins(pytest, mode, subject):
    """The pytest plugin of a listing or of a run."""

    class Common:
        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config):
            for name, value in SETTLED.items():
                if hasattr(config.option, name):
                    setattr(config.option, name, value)

        # Asking the machine takes longer than most trials and is nobody's business here.
        @pytest.hookimpl(optionalhook=True, tryfirst=True)
        def pytest_benchmark_generate_machine_info(self):
            unknown = dict.fromkeys(("vendor_id", "hardware", "brand", "brand_raw"), "unknown")
            return {"node": "", "processor": "", "machine": "", "system": "", "release": "", "cpu": unknown}

        @pytest.hookimpl(optionalhook=True, tryfirst=True)
        def pytest_benchmark_generate_commit_info(self):
            return {"id": "unversioned", "dirty": False, "project": "", "branch": ""}

    class Listing:
        def __init__(self):
            self.record = open(subject, "w", encoding="utf-8")

        def write(self, **fact):
            self.record.write(json.dumps(fact) + "\n")
            self.record.flush()

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection_modifyitems(self, items):
            yield
            for item in items:
                if uses_benchmark(item):
                    self.write(name=test_name(item), skipped=reason_to_skip(item))

        def pytest_collectreport(self, report):
            if report.failed:
                self.write(failed=str(report.longrepr))
            elif report.skipped:
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
                self.write(left_out=str(reason))

    class Selection:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection_modifyitems(self, items):
            yield
            items[:] = [item for item in items if test_name(item) == subject][:1]
            if not items:
                sys.stderr.write("benchwright: there is no test `%s` in the file\n" % subject)

    return [Common(), Listing() if mode == "list" else Selection()]


def run_pytest(description, mode, subject, arguments):
    import pytest

    # As left in the environment by a start from a shell; some plugins look at it.
    sys.argv = ["pytest"] + arguments
    return pytest.main(arguments, plugins=plugins(pytest, mode, subject))


# What a pyperf runner benchmarks with; the name is the first argument of each.
METHODS = ("bench_func", "bench_time_func", "bench_async_func", "bench_command", "timeit")


def run_pyperf(description, mode, subject, arguments):
    import pyperf

    record = open(subject, "w", encoding="utf-8") if mode == "list" else None
    found = []
    # `timeit` is made of another of these methods.
    inside = []

    def replace(method):
        original = getattr(pyperf.Runner, method)

        @functools.wraps(original)
        def chosen(self, *args, **kwargs):
            if inside:
                return original(self, *args, **kwargs)
            name = str(args[0] if args else kwargs.get("name")).strip()
            # A worker knows its arguments from the first benchmark on, and skips those that are not its task.
            self.parse_args()
            if record:
                record.write(json.dumps({"name": name}) + "\n")
                record.flush()
                return None
            if name != subject or found:
                return None
            found.append(name)
            inside.append(name)
            try:
                return original(self, *args, **kwargs)
            finally:
                inside.pop()

        setattr(pyperf.Runner, method, chosen)

    for method in METHODS:
        if hasattr(pyperf.Runner, method):
            replace(method)
    script = description["file"]
    sys.argv = [script] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
    if mode == "run" and not found:
        return "benchwright: there is no benchmark `%s` in %s" % (subject, script)
    return 0


def main():
    path, mode, subject = sys.argv[1:4]
    arguments = sys.argv[4:]
    with open(path, encoding="utf-8") as file:
        description = json.load(file)
    prepare_imports(description)
    run = run_pyperf if description["flavour"] == "pyperf" else run_pytest
    return run(description, mode, subject, description["options"] + arguments)


if __name__ == "__main__":
    sys.exit(main())
