//! Descriptions written by CMake, with only the parts that are read.

use super::*;

#[test]
fn the_library_is_known_in_link_commands() {
    let check = |word: &str, expected: bool| assert_eq!(is_library(word), expected, "{word}");
    check("-lbenchmark", true);
    check("/usr/lib/x86_64-linux-gnu/libbenchmark.so.1.7.1", true);
    check("_deps/benchmark-build/src/libbenchmark_main.a", true);
    check("\"a/libbenchmark.a\"", true);
    check("-lbenchmarking", false);
    check("libmy_benchmark.a", false);
    check("benchmark", false);
    check("", false);
}

/// Writes a description of CMake with only the parts that are read.
fn answer(targets: &[(&str, &str, usize, &str)]) -> tempfile::TempDir {
    let build = tempfile::tempdir().expect("a temporary directory");
    let reply = build.path().join(REPLY);
    fs::create_dir_all(&reply).expect("a directory");
    let write = |name: &str, text: String| fs::write(reply.join(name), text).expect("a file");
    let references: Vec<String> = targets
        .iter()
        .map(|(name, _, part, _)| {
            format!(
                "{{\"id\":\"{name}::@1\",\"directoryIndex\":{part},\"projectIndex\":{part},\"jsonFile\":\"{name}.json\"}}"
            )
        })
        .collect();
    write("index-1.json", r#"{"objects":[{"kind":"codemodel","jsonFile":"old.json"}]}"#.into());
    write(
        "index-2.json",
        r#"{"objects":[{"kind":"cache"},{"kind":"codemodel","jsonFile":"m.json"}]}"#
            .replace(r#"{"kind":"cache"}"#, r#"{"kind":"cache","jsonFile":"c.json"}"#),
    );
    let directories = r#"[{"source":"."},{"source":"third_party/b"},{"source":"/elsewhere/src"}]"#;
    write(
        "m.json",
        format!(
            "{{\"configurations\":[{{\"name\":\"Release\",\"directories\":{directories},\"targets\":[{}]}}]}}",
            references.join(",")
        ),
    );
    for (name, kind, _, rest) in targets {
        write(&format!("{name}.json"), format!("{{\"name\":\"{name}\",\"type\":\"{kind}\"{rest}}}"));
    }
    build
}

const LINKS: &str = r#","artifacts":[{"path":"bin/x"}],"link":{"commandFragments":[{"fragment":"-lbenchmark","role":"libraries"}]}"#;

#[test]
fn programs_of_the_project_that_link_the_library_are_found() {
    let loading = format!("{LINKS},\"dependencies\":[{{\"id\":\"static::@1\"}}]");
    let build = answer(&[
        ("sort", "EXECUTABLE", 0, LINKS),
        ("loading", "EXECUTABLE", 0, &loading),
        ("static", "STATIC_LIBRARY", 0, r#","dependencies":[{"id":"shared::@1"},{"id":"static::@1"}]"#),
        ("shared", "SHARED_LIBRARY", 0, r#","compileGroups":[{},{"defines":[{"define":"DATA=1"}]}]"#),
        ("tool", "EXECUTABLE", 0, r#","artifacts":[{"path":"tool"}]"#),
        ("fetched", "EXECUTABLE", 2, LINKS),
        ("benchmark", "STATIC_LIBRARY", 1, ""),
        ("its_own_test", "EXECUTABLE", 1, LINKS),
        ("all_docs", "UTILITY", 0, ""),
    ]);
    let model = CodeModel::read(build.path()).expect("a model");
    let found: Vec<_> =
        model.programs.iter().map(|program| (program.name.as_str(), program.loads_own_library)).collect();
    assert_eq!(found, [("loading", true), ("sort", false)]);
    assert_eq!(model.programs[0].definitions, ["DATA=1"]);
    assert_eq!(model.configuration, "Release");
    assert_eq!(model.programs[0].artefact, Path::new("bin/x"));
}

#[test]
fn an_answer_that_makes_no_sense_is_an_error() {
    let empty = tempfile::tempdir().expect("a temporary directory");
    let error = CodeModel::read(empty.path()).expect_err("no answer");
    assert!(error.to_string().contains("CMake 3.15 or newer"), "{error}");
    let build = answer(&[("a", "EXECUTABLE", 0, LINKS)]);
    fs::write(build.path().join(REPLY).join("a.json"), "{").expect("a file");
    let error = CodeModel::read(build.path()).expect_err("a broken answer");
    assert!(error.to_string().contains("a.json"), "{error}");
}
