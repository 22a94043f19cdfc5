//! The same with a real npm package.

use crate::document::{Document, compared};
use crate::sandbox::Sandbox;

const MANIFEST: &str = r#"{
  "name": "steps",
  "version": "1.0.0",
  "main": "index.js",
  "devDependencies": { "tinybench": "2.9.0" }
}
"#;

const BENCHMARKS: &str = r#"import { Bench } from 'tinybench';
import { work } from '../index.js';

const bench = new Bench();
bench.add('n=100', () => work(100));
bench.add('n=0', () => work(0));
await bench.run();
console.table(bench.table());
"#;

/// A module whose function does `factor` times the work.
fn source(factor: u32) -> String {
    let text = "exports.work = (n) => {\n  let sum = 0;\n  for (let i = 0; i < n * FACTOR; i++) sum += i ^ sum;\n  return sum;\n};\n";
    text.replace("FACTOR", &factor.to_string())
}

/// A repository with a version that does a hundred times the work of the one before; none where there is no npm.
fn sandbox() -> Option<Sandbox> {
    benchwright_testkit::tool("npm")?;
    let sandbox = Sandbox::empty();
    let fixed = [("package.json", MANIFEST.to_owned()), ("bench/work.mjs", BENCHMARKS.to_owned())];
    sandbox.commit(&fixed, "start");
    sandbox.commit(&[("index.js", source(1))], "base");
    sandbox.commit(&[("index.js", source(100))], "head");
    sandbox.commit(&[("README.md", "About steps.\n".to_owned())], "documented");
    Some(sandbox)
}

#[test]
fn an_npm_package_is_listed_compared_and_known_to_be_the_same() {
    let Some(sandbox) = sandbox() else { return };
    sandbox.say("list head").exits(0).prints(&["steps/bench/work.mjs", "n=100", "n=0"]);

    // A stop rule sees every iteration and ends node.
    let quick = "--stop georges --iteration-time 10ms --max-warmup 1s --seed 7";
    sandbox.say(&format!("run --rev base --filter n=100 {quick}")).exits(0).prints(&["stopped", "georges"]);
    for trial in &sandbox.stored("latest").trials {
        let stopped = trial.stopped.as_ref().expect("a rule watched");
        let measured = trial.outcome.measurement().expect("values");
        let count = measured.main().map_or(0, |series| series.values.len());
        assert!(stopped.after.is_some_and(|after| after as usize <= count), "{stopped:?}");
        assert!(stopped.after.is_some_and(|after| after == measured.warmup + 30), "{stopped:?}");
    }

    let short = "--iteration-time 2ms --iterations 2 --stop fixed";
    let (document, _) = compared(&sandbox, &format!("base head --filter n=100 {short}"), 3);
    assert_eq!(document.verdicts()["n=100"], "slower", "{:#}", document.0);

    // Nothing but a document differs: nothing is measured.
    let answer = sandbox.say(&format!("compare head documented {short} --seed 7 --format json")).exits(0);
    let document = Document::of(&answer);
    assert_eq!(document.verdicts().into_values().collect::<Vec<_>>(), ["same", "same"], "{:#}", document.0);
    let codes: Vec<_> = document.0["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|it| it["reason"]["code"].clone())
        .collect();
    assert!(codes.iter().all(|code| code == "identical_build"), "{codes:?}");
}
