//! Tests the study on an excerpt of its data.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::command::write_study;
use super::repeat::{Study, repeat};

fn excerpt() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/studies/uoptime")
}

fn jobs() -> NonZeroUsize {
    NonZeroUsize::new(2).unwrap()
}

#[test]
fn an_excerpt_gives_the_whole_document() {
    let study = repeat(&excerpt(), jobs()).unwrap();
    check_numbers(&study);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("docs/excerpt.md");
    let text = write_study(&study, &out).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), text);
    for part in [
        "G1 prometheus",
        "J7 protostuff",
        "J11 bytebuddy",
        "okio",
        "## Figure 3",
        "## Figure 4",
        "## Tables 2 and 3",
        "![Figure 3](excerpt-figure-3.svg)",
        "Kruskal",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for picture in ["figure-3", "figure-4", "trade-off"] {
        let svg = fs::read_to_string(out.with_file_name(format!("excerpt-{picture}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("<text"), "{picture}");
    }
}

fn check_numbers(study: &Study) {
    let names: Vec<String> = study.projects.iter().map(|project| project.title()).collect();
    assert_eq!(names, ["G1 prometheus", "J7 protostuff", "J11 bytebuddy", "okio"]);
    // The package has choices only for the older version. Those for the newest version are compared with the
    // replay.
    let against_replay = study.agreements.iter().filter(|one| one.is_against_replay).count();
    assert_eq!((study.agreements.len(), against_replay), (10, 5));
    for one in study.agreements.iter().filter(|one| matches!(one.metric, "CV" | "RMAD")) {
        assert_eq!((one.usual.equal, one.benchmarks), (3, 3), "{}", one.metric);
        assert_eq!(one.replayed.as_ref().unwrap().equal, 3, "{}", one.metric);
    }
    let prometheus = &study.projects[0];
    let minimum = &prometheus.prototype.outcomes[0];
    // 1/3/1 of 3/5/5.
    assert_eq!((minimum.judgement.full_seconds, minimum.judgement.seconds), (225.0, 9.0));
    assert_eq!(prometheus.prototype.forward.len(), 3);
    assert_eq!(prometheus.prototype.forward[0].pairs.len(), 1);
    assert_eq!(study.projects[1].prototype.warm.len(), 5);
    assert!(study.projects[1].prototype.forward.is_empty());
    assert!(study.remarks.iter().any(|remark| remark.contains("share a name")), "{:?}", study.remarks);
}
