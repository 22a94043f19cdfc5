//! What the guides say about harnesses holds.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as tests do")]

#[path = "guide/example.rs"]
mod example;
mod version;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use benchwright_harness::{BuildRequest, Harness, ListRequest, TrialRequest};
use benchwright_model::SampleKind;
use example::Scripts;
use version::Processes;

const GUIDE: &str = include_str!("../../../docs/guide/new-harness.md");

/// The methods of the trait, and whether each has to be written.
fn methods() -> BTreeMap<String, bool> {
    let contract = include_str!("../src/contract.rs");
    let (_, rest) = contract.split_once("pub trait Harness").unwrap();
    let (body, _) = rest.split_once("\n}\n").unwrap();
    let mut found = BTreeMap::new();
    for (at, _) in body.match_indices("\n    fn ") {
        let signature = &body[at + "\n    fn ".len()..];
        let name = signature.split('(').next().unwrap().to_owned();
        let end = signature.find([';', '{']).unwrap();
        found.insert(name, signature[end..].starts_with(';'));
    }
    found
}

#[test]
fn the_guide_explains_exactly_the_methods_of_the_trait() {
    let rows = GUIDE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let name = cells.next()?.trim().strip_suffix('`')?;
        let must = cells.next()?.trim();
        matches!(must, "yes" | "no").then(|| (name.to_owned(), must == "yes"))
    });
    let methods = methods();
    assert!(methods.values().filter(|must| **must).count() <= 8, "a small part has to be written");
    assert_eq!(rows.collect::<BTreeMap<_, _>>(), methods);
}

#[test]
fn the_guide_explains_exactly_the_capabilities_and_the_kinds_of_samples() {
    let rows = |title: &str| {
        let (_, table) = GUIDE.split_once(title).unwrap();
        let rows = table.lines().skip(2).map_while(|line| line.strip_prefix("| `")?.split('`').next());
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let traits = include_str!("../src/capabilities.rs").lines();
    let traits = traits.filter_map(|line| line.strip_prefix("pub trait ")?.strip_suffix(" {"));
    assert_eq!(rows("| trait | what it offers |"), traits.collect::<Vec<_>>());
    for kind in rows("| kind | for | what follows |") {
        assert!(SampleKind::named(&kind.to_lowercase()).is_some(), "{kind}");
    }
}

#[test]
fn the_examples_in_the_guides_are_those_that_are_tested() {
    let check = |guide: &str, language: &str, file: &str| {
        assert!(guide.contains(&format!("```{language}\n{file}```\n")), "copy the file into the guide");
    };
    check(GUIDE, "rust", include_str!("guide/example.rs"));
    let protocol = include_str!("../../../docs/guide/shim-protocol.md");
    check(protocol, "perl", include_str!("../../../examples/shim/bench.pl"));
}

#[test]
fn the_lines_of_the_protocol_page_are_understood() {
    let page = include_str!("../../../docs/guide/shim-protocol.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `{")?.split_once("}` |"));
    let lines: Vec<String> = rows.map(|(json, _)| format!("##benchwright {{{json}}}")).collect();
    assert_eq!(lines.len(), 4);
    for line in lines.iter().filter(|line| !line.contains("{…}")) {
        assert!(matches!(benchwright_harness::protocol::parse(line), Some(Ok(_))), "{line}");
    }
}

#[test]
fn the_example_of_the_guide_works() {
    let dir = tempfile::tempdir().unwrap();
    let (root, out) = (dir.path().join("root"), dir.path().join("out"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&out).unwrap();
    assert_eq!(Scripts.recognise(&root), []);
    let script = "if [ $1 = list ]; then echo count; exit; fi\nfor i in $(seq $2); do echo note; echo $1 0.5; done\necho count soon\n";
    fs::write(root.join("benches.sh"), script).unwrap();
    let project = &Scripts.recognise(&root)[0];
    let request =
        BuildRequest { root: &root, project, out: &out, intermediate: &out, shared: &out, args: &[] };
    let built = Scripts.build(&request, &mut Processes::below(&root)).unwrap();
    let executable = &built.executables[0];
    let request =
        ListRequest { root: &root, out: &out, executable, scratch: dir.path(), args: &[], filter: None };
    let listing = Scripts.list(&request, &mut Processes::below(&root)).unwrap();
    assert_eq!(listing.benchmarks[0].to_string(), "benches:count");
    let shape = version::shape(3, Duration::from_millis(1), Duration::ZERO);
    let benchmark = &listing.benchmarks[0];
    let trial =
        TrialRequest { root: &root, out: &out, executable, benchmark, shape: &shape, scratch: dir.path() };
    let command = Scripts.command(&trial);
    let output =
        std::process::Command::new(command.program.unwrap()).args(&command.args).output().unwrap().stdout;
    let mut reader = Scripts.reader(executable, benchmark, &shape);
    let counts: Vec<u32> = String::from_utf8_lossy(&output).lines().map(|line| reader.line(line)).collect();
    assert_eq!(counts.last(), Some(&3));
    let reading = reader.finish(Path::new("."));
    assert_eq!(reading.measurement.series[0].values, [0.5, 0.5, 0.5]);
    assert_eq!(reading.diagnostics.len(), 1);
}
