use super::*;
use crate::test_files::tree;

fn read(files: &[(&str, &str)]) -> Manifest {
    let dir = tree(files);
    Manifest::read(dir.path())
}

fn group(name: &str, requirements: &[&str]) -> Group {
    Group { name: name.into(), requirements: requirements.iter().map(|text| text.to_string()).collect() }
}

const BUILD: &str = "[build-system]\nrequires = ['hatchling']\n";

#[test]
fn extras_and_groups_of_the_standard_are_read() {
    let text = format!(
        "{BUILD}[project]\nname = 'a'\ndependencies = ['x']\n[project.optional-dependencies]\ntest = ['pytest']\n\
         [dependency-groups]\nbench = ['pytest-benchmark', {{ include-group = 'Test_All' }}]\n\
         test-all = ['pytest', {{ include-group = 'bench' }}]\n"
    );
    let manifest = read(&[("pyproject.toml", &text)]);
    assert!(manifest.is_package);
    assert_eq!(manifest.dependencies, Vec::<String>::new());
    assert_eq!(manifest.extras, [group("test", &["pytest"])]);
    let bench = group("bench", &["pytest-benchmark", "pytest"]);
    assert_eq!(manifest.groups, [bench, group("test-all", &["pytest", "pytest-benchmark"])]);
}

#[test]
fn an_application_brings_its_dependencies_itself() {
    let manifest = read(&[("pyproject.toml", "[project]\nname = 'a'\ndependencies = ['x>=1']\n")]);
    assert_eq!((manifest.is_package, manifest.dependencies), (false, vec!["x>=1".into()]));
    let poetry = "[build-system]\nrequires = []\n[tool.poetry]\npackage-mode = false\n\
                  [tool.poetry.dependencies]\npython = '^3.9'\nx = '^1.2'\n";
    let manifest = read(&[("pyproject.toml", poetry)]);
    assert_eq!((manifest.is_package, manifest.dependencies), (false, vec!["x>=1.2,<2".into()]));
}

#[test]
fn other_tools_have_their_own_tables() {
    let text = format!(
        "{BUILD}[tool.poetry]\nname = 'a'\n[tool.poetry.dev-dependencies]\nblack = '*'\n\
         [tool.poetry.group.bench.dependencies]\npytest-benchmark = '^4'\n[tool.pdm.dev-dependencies]\nperf = ['pyperf']\n\
         [tool.uv]\ndev-dependencies = ['ruff']\n[tool.hatch.envs.speed]\ndependencies = ['p']\nextra-dependencies = ['q']\n"
    );
    let groups = read(&[("pyproject.toml", &text)]).groups;
    let expected = [
        group("dev", &["black"]),
        group("bench", &["pytest-benchmark>=4,<5"]),
        group("perf", &["pyperf"]),
        group("dev", &["ruff"]),
        group("speed", &["p", "q"]),
    ];
    assert_eq!(groups, expected);
}

#[test]
fn setup_files_and_tox_are_read_as_far_as_they_can_be() {
    let manifest = read(&[
        ("setup.cfg", "[options.extras_require]\ntest =\n    pytest\n    pytest-benchmark>=3\n"),
        (
            "setup.py",
            "setup(\n    name='a',\n    extras_require={'bench': ['pyperf>=2'],\n        \"docs\": docs},\n)\n",
        ),
        (
            "tox.ini",
            "[testenv]\ndeps =\n    pytest\n    py27: mock\n    -rrequirements.txt\n[testenv:bench]\ndeps = pyperf\n",
        ),
    ]);
    assert!(manifest.is_package);
    let names: Vec<(&str, bool)> =
        manifest.extras.iter().map(|group| (group.name.as_str(), group.names_tool())).collect();
    assert_eq!(names, [("test", true), ("bench", true), ("docs", false)]);
    assert_eq!(manifest.groups, [group("test", &["pytest"]), group("bench", &["pyperf"])]);
}

#[test]
fn requirement_files_are_told_by_their_names() {
    let check = |name: &str, expected: bool| assert_eq!(is_requirement_file(name), expected, "{name}");
    check("requirements.txt", true);
    check("requirements-dev.txt", true);
    check("dev_requirements.txt", true);
    check("requirements.in", false);
    check("notes.txt", false);
    let files = [("requirements.txt", "a"), ("requirements/bench.txt", "b"), ("requirements/README.md", "")];
    assert_eq!(read(&files).files, ["requirements.txt", "requirements/bench.txt"]);
}

#[test]
fn files_that_make_no_sense_say_nothing() {
    let manifest = read(&[("pyproject.toml", "[[[\n"), ("setup.cfg", "\0\n[")]);
    assert_eq!(manifest, Manifest::default());
    let odd = "dependency-groups = 1\n[project]\noptional-dependencies = ['x']\n[tool]\nhatch = 'no'\n";
    assert_eq!(read(&[("pyproject.toml", odd)]), Manifest::default());
}
