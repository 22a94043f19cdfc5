//! What trials gave rise to, each thing once.

use benchwright_model::Diagnostic;

/// More different diagnostics than this are counted, not kept: a benchmark that prints garbage prints a lot of it.
const MOST: usize = 50;

/// Diagnostics of many trials without repetition.
#[derive(Debug, Default)]
pub(crate) struct Noticed {
    kept: Vec<Diagnostic>,
    left_out: usize,
}

impl Noticed {
    pub(crate) fn add(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            // Line numbers differ from trial to trial; the same message about the same thing is the same.
            let is_known = |known: &Diagnostic| {
                known.subject == diagnostic.subject && known.message == diagnostic.message
            };
            if self.kept.iter().any(is_known) {
                continue;
            }
            if self.kept.len() < MOST {
                self.kept.push(diagnostic);
            } else {
                self.left_out += 1;
            }
        }
    }

    /// All of them, followed by `more`.
    pub(crate) fn with(self, more: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let rest = (self.left_out > 0)
            .then(|| Diagnostic::warning("", format!("{} more things were noticed", self.left_out)));
        self.kept.into_iter().chain(rest).chain(more).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_dropped_and_floods_counted() {
        let mut noticed = Noticed::default();
        noticed.add(vec![Diagnostic::warning("X", "odd line").at(1, 1); 3]);
        noticed.add(vec![Diagnostic::warning("X", "odd line").at(9, 1)]);
        noticed.add((0..100).map(|i| Diagnostic::warning("Y", format!("{i}"))).collect());
        let all = noticed.with(Vec::new());
        assert_eq!(all.len(), MOST + 1);
        assert_eq!(all[MOST].message, "51 more things were noticed");
    }
}
