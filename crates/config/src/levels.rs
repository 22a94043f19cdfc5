//! The full configuration of a run of one version.

use crate::problem::{Remark, Remarks};
use crate::setting::{Setting, unknown};
use crate::value::{Entry, Raw, Value};

/// The number of repetitions on each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    /// Passes over the whole suite.
    pub run: u32,
    /// Processes per benchmark and pass.
    pub iteration: u32,
    /// Samples within a process, about a second each.
    pub second: u32,
}

impl Default for Levels {
    fn default() -> Self {
        Levels { run: 3, iteration: 5, second: 5 }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LevelsLayer {
    run: Option<u32>,
    iteration: Option<u32>,
    pub(crate) second: Option<u32>,
}

impl LevelsLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        LevelsLayer {
            run: self.run.or(weaker.run),
            iteration: self.iteration.or(weaker.iteration),
            second: self.second.or(weaker.second),
        }
    }

    pub(crate) fn resolve(self) -> Levels {
        let default = Levels::default();
        Levels {
            run: self.run.unwrap_or(default.run),
            iteration: self.iteration.unwrap_or(default.iteration),
            second: self.second.unwrap_or(default.second),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[Setting {
    key: "levels",
    apply: |layer, value, remarks| {
        let Some(entries) = remarks.keep(level_entries(value)) else { return };
        for entry in &entries {
            let count = |remarks: &mut Remarks| {
                remarks.keep(entry.value.count("a whole number from 1 to 100000", 1..=100_000))
            };
            match entry.key.as_str() {
                "run" => layer.levels.run = count(remarks),
                "iteration" => layer.levels.iteration = count(remarks),
                "second" => layer.levels.second = count(remarks),
                _ => remarks.errors.push(unknown(entry, ["run", "iteration", "second"])),
            }
        }
    },
}];

/// The entries of the table `[levels]`, or of the text `run=3,iteration=5,second=5`.
fn level_entries(value: &Value) -> Result<Vec<Entry>, Remark> {
    const WHAT: &str = "levels such as `run=3,iteration=5,second=5`";
    match &value.raw {
        Raw::Word(_) => value
            .list(WHAT, &[','])?
            .iter()
            .map(|part| {
                let (key, number) = part
                    .as_text()
                    .and_then(|text| text.split_once('='))
                    .ok_or_else(|| value.expected(WHAT))?;
                Ok(Entry {
                    key: key.trim().into(),
                    key_span: part.span.clone(),
                    value: Value { span: part.span.clone(), ..Value::word(number) },
                })
            })
            .collect(),
        _ => value.table("a table `[levels]`").map(<[Entry]>::to_vec),
    }
}

#[cfg(test)]
mod tests {
    use crate::Layer;

    #[test]
    fn levels_read_from_one_text() {
        let check = |text: &str, expected: Result<(u32, u32, u32), &str>| {
            let mut layer = Layer::default();
            let result = layer.set("levels", text).map(|()| {
                let levels = layer.levels.clone().resolve();
                (levels.run, levels.iteration, levels.second)
            });
            match (result, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, expected) => panic!("{text}: {found:?} instead of {expected:?}"),
            }
        };
        check("run=1,iteration=2,second=4", Ok((1, 2, 4)));
        check("second=9", Ok((3, 5, 9)));
        check("run", Err("expected levels such as"));
        check("run=0", Err("a whole number from 1"));
        check("fork=3", Err("unknown setting `fork`"));
    }
}
