//! Summarises the trials.

use std::collections::BTreeMap;
use std::time::Duration;

/// One trial: what was done, and the requirements that did not hold.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// A description with everything that was chosen at random.
    pub(super) what: String,
    /// The row of the table in which it is counted.
    pub(super) row: String,
    /// Whether the fault took place. If the call was never reached, this is not a trial.
    pub(super) is_trial: bool,
    pub(super) findings: Vec<String>,
}

/// Counts by row, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Summary(BTreeMap<String, Counts>);

#[derive(Debug, Default)]
struct Counts {
    trials: usize,
    missed: usize,
    findings: usize,
    time: Duration,
}

impl Summary {
    pub(super) fn add(&mut self, done: &Done, time: Duration) {
        let counts = self.0.entry(done.row.clone()).or_default();
        counts.trials += usize::from(done.is_trial);
        counts.missed += usize::from(!done.is_trial);
        counts.findings += done.findings.len();
        counts.time += time;
    }

    pub(super) fn findings(&self) -> usize {
        self.0.values().map(|counts| counts.findings).sum()
    }

    /// The table as text.
    pub(super) fn table(&self) -> String {
        let mut text =
            format!("{:<28}{:>8}{:>8}{:>10}{:>10}\n", "kind", "trials", "missed", "findings", "seconds");
        for (row, counts) in &self.0 {
            text.push_str(&format!(
                "{row:<28}{:>8}{:>8}{:>10}{:>10.0}\n",
                counts.trials,
                counts.missed,
                counts.findings,
                counts.time.as_secs_f64()
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_counts_trials_and_findings_by_row() {
        let mut summary = Summary::default();
        let done = |row: &str, is_trial, findings: &[&str]| Done {
            row: row.to_owned(),
            is_trial,
            findings: findings.iter().map(|text| (*text).to_owned()).collect(),
            ..Done::default()
        };
        summary.add(&done("kills go", true, &["a", "b"]), Duration::from_secs(2));
        summary.add(&done("kills go", true, &[]), Duration::from_secs(3));
        summary.add(&done("errors write", false, &[]), Duration::ZERO);
        assert_eq!(summary.findings(), 2);
        let table = summary.table();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["errors", "write", "0", "1", "0", "0"]);
        assert_eq!(rows[2], ["kills", "go", "2", "0", "2", "5"]);
    }
}
