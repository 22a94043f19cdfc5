//! Diagnostics of trials, without duplicates.

use benchwright_model::{Diagnostic, Severity, Trial};

use crate::shapes::Shapes;
use crate::{overruled, setup, stopping};

/// More different diagnostics than this are counted but not kept, because a benchmark that prints garbage
/// causes many.
const MOST: usize = 50;

/// Number of benchmarks that a note names.
const NAMED: usize = 3;

/// Notes on all trials together. If nothing was learned about lengths, set-up may take longer than measuring.
pub(crate) fn noted(trials: &[Trial], shapes: &Shapes, are_shapes_given: bool) -> Vec<Diagnostic> {
    let setup = if are_shapes_given { setup::notes(trials) } else { Vec::new() };
    [stopping::notes(trials), setup, overruled::notes(trials, shapes)].concat()
}

/// Diagnostics of many trials without repetition.
#[derive(Debug, Default)]
pub(crate) struct Noticed {
    kept: Vec<Diagnostic>,
    left_out: usize,
    /// Notes, each with all its subjects.
    notes: Vec<(Diagnostic, Vec<String>)>,
}

impl Noticed {
    pub(crate) fn add(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            if diagnostic.severity == Severity::Note {
                self.note(diagnostic);
                continue;
            }
            // Line numbers differ between trials, so they are not compared.
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

    fn note(&mut self, note: Diagnostic) {
        let is_full = self.notes.len() >= MOST;
        match self.notes.iter_mut().find(|(known, _)| known.message == note.message) {
            Some((_, subjects)) if subjects.contains(&note.subject) => {}
            Some((_, subjects)) => subjects.push(note.subject),
            None if is_full => self.left_out += 1,
            None => {
                let subjects = vec![note.subject.clone()];
                self.notes.push((note, subjects));
            }
        }
    }

    /// All diagnostics, with one line per note, followed by `more`.
    pub(crate) fn with(self, more: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let rest =
            (self.left_out > 0).then(|| Diagnostic::warning("", format!("{} more warnings", self.left_out)));
        let notes = self.notes.into_iter().map(|(note, subjects)| joined(note, &subjects));
        self.kept.into_iter().chain(rest).chain(notes).chain(more).collect()
    }
}

/// A note on all its subjects.
fn joined(note: Diagnostic, subjects: &[String]) -> Diagnostic {
    let named = subjects[..subjects.len().min(NAMED)].join(", ");
    let subject = match subjects.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    };
    Diagnostic { subject, ..note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_on_many_things_is_one_line() {
        let mut noticed = Noticed::default();
        let note = |subject: &str| Diagnostic {
            severity: Severity::Note,
            ..Diagnostic::warning(subject, "did not become steady")
        };
        noticed.add(["a", "b", "a", "c", "d", "e"].map(note).to_vec());
        let all = noticed.with(Vec::new());
        let text: Vec<String> = all.iter().map(Diagnostic::to_string).collect();
        assert_eq!(text, ["note: a, b, c and 2 more: did not become steady"]);
    }

    #[test]
    fn repeats_are_dropped_and_floods_counted() {
        let mut noticed = Noticed::default();
        noticed.add(vec![Diagnostic::warning("X", "odd line").at(1, 1); 3]);
        noticed.add(vec![Diagnostic::warning("X", "odd line").at(9, 1)]);
        noticed.add((0..100).map(|i| Diagnostic::warning("Y", format!("{i}"))).collect());
        let all = noticed.with(Vec::new());
        assert_eq!(all.len(), MOST + 1);
        assert_eq!(all[MOST].message, "51 more warnings");
    }
}
