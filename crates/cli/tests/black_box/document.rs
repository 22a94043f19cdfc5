//! What benchwright says in JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sandbox::{Answer, Sandbox};

/// The document of a comparison.
pub(crate) struct Document(pub(crate) Value);

impl Document {
    /// The document on standard output.
    #[track_caller]
    pub(crate) fn of(answer: &Answer) -> Document {
        match serde_json::from_str(&answer.stdout) {
            Ok(value) => Document(value),
            Err(error) => panic!("{error}: {}", answer.describe()),
        }
    }

    /// The verdicts on time by benchmark.
    pub(crate) fn verdicts(&self) -> BTreeMap<String, String> {
        self.by_name("verdict", "")
    }

    /// The reasons by benchmark, for people.
    pub(crate) fn reasons(&self) -> BTreeMap<String, String> {
        self.by_name("reason", "text")
    }

    fn by_name(&self, field: &str, inner: &str) -> BTreeMap<String, String> {
        let findings = self.0["findings"].as_array().expect("findings");
        let of_time = findings.iter().filter(|finding| finding["metric"]["name"] == "time");
        of_time
            .map(|finding| {
                let value = if inner.is_empty() { &finding[field] } else { &finding[field][inner] };
                let name = finding["benchmark"]["name"].as_str().expect("a name");
                (name.to_owned(), value.as_str().expect("a text").to_owned())
            })
            .collect()
    }

    /// The names in a list of benchmarks, `added` for example.
    pub(crate) fn names(&self, list: &str) -> Vec<String> {
        let names = self.0[list].as_array().expect("a list").iter();
        names.map(|id| id["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// How many duets were measured in all.
    pub(crate) fn duets(&self) -> u64 {
        self.0["counts"]["duets"].as_u64().expect("a number")
    }

    /// The run's name.
    pub(crate) fn run(&self) -> String {
        self.0["run"]["id"].as_str().expect("a name").to_owned()
    }
}

/// Pairs as a map of texts, to compare verdicts with.
pub(crate) fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, word)| ((*name).to_owned(), (*word).to_owned())).collect()
}

/// Compares base and head with more arguments, checks the exit code and returns the document.
#[track_caller]
pub(crate) fn compared(sandbox: &Sandbox, arguments: &str, code: i32) -> (Document, Answer) {
    let arguments = format!("compare {arguments} --seed 7 --format json");
    let answer = sandbox.say(&arguments).exits(code);
    (Document::of(&answer), answer)
}
