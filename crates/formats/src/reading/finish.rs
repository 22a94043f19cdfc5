//! The beginning and the end of reading: splits text into lines, and makes sets of results from collectors.

use benchwright_model::Diagnostic;

use crate::reading::collect::Collector;
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::input::{Input, Line};
use crate::reading::json::{Json, Step, Stop};
use crate::{Imported, Limits};

/// The message for texts in other encodings.
pub(crate) const NOT_UTF_8: &str = "a text is not UTF-8; invalid bytes are replaced";

/// The message for text after the end of a document.
const FOLLOWED: &str = "something follows the results; it was not read";

/// Ends the reading of a JSON file. The error that stopped it becomes a diagnostic, and complete results
/// stay.
pub(crate) fn finish_json(mut json: Json<'_>, read: Step<()>, collectors: Vec<Collector>) -> Vec<Imported> {
    let end = json.peek();
    match (read, end) {
        (Err(stop), _) => json.input.diagnostics.error(stop.place, stop.message),
        (Ok(()), Ok(b';')) => {}
        (Ok(()), Ok(_)) => {
            let place = json.place();
            json.input.diagnostics.warn(place, FOLLOWED);
        }
        (Ok(()), Err(stop)) if json.input.error().is_some() => {
            json.input.diagnostics.error(stop.place, stop.message);
        }
        (Ok(()), Err(_)) => {}
    }
    gather(json.input.diagnostics, collectors)
}

/// Reads JSON in memory for callers that check its records themselves. Data that was complete when `read`
/// stopped is kept.
pub(crate) fn in_memory<T: Default>(
    name: &str,
    text: &[u8],
    read: impl FnOnce(&mut Json<'_>, &mut T) -> Step<()>,
) -> (T, Vec<Diagnostic>) {
    let mut input = Input::new(name, Box::new(text), Limits::default());
    input.fill_to(text.len());
    let mut json = Json::new(input);
    let mut found = T::default();
    if let Err(stop) = read(&mut json, &mut found) {
        let is_cut = stop.is_end && json.input.error().is_none();
        let message = if is_cut { "ends in the middle".into() } else { stop.message };
        json.input.diagnostics.error(stop.place, message);
    }
    (found, json.input.diagnostics.into_list())
}

/// Reads an object in memory, member by member, for callers that check the members themselves.
pub(crate) fn object_in_memory<T: Default>(
    name: &str,
    text: &[u8],
    mut member: impl FnMut(&mut Json<'_>, &mut T, &str) -> Step<()>,
) -> (T, Vec<Diagnostic>) {
    in_memory(name, text, |json, found| {
        json.object(|json, name| member(json, found, name))?;
        let place = json.place();
        if !json.is_at_end() {
            json.input.diagnostics.warn(place, FOLLOWED);
        }
        Ok(())
    })
}

/// Passes every line of a text to `take` with its number. Invalid UTF-8 is replaced and reported. Lines that
/// are too long are left out, and so is a last line without an end, because a number that is cut is still a
/// number.
pub(crate) fn lines(
    mut input: Input<'_>,
    mut take: impl FnMut(&str, u32, &mut Diagnostics),
) -> (Diagnostics, Step<()>) {
    let mut diagnostics = input.take_diagnostics();
    let mut number = 0_u32;
    loop {
        number = number.saturating_add(1);
        let more = input.with_line(|line| match line {
            Line::Whole(line) => {
                if let Err(error) = std::str::from_utf8(line) {
                    let column = u32::try_from(error.valid_up_to() + 1).unwrap_or(u32::MAX);
                    diagnostics.warn(Place { line: number, column }, NOT_UTF_8);
                }
                take(&String::from_utf8_lossy(line), number, &mut diagnostics);
            }
            Line::Last(_) => {
                let message = "the last line has no end and may be cut; it is left out (a newline after it says \
                               that it is whole)";
                diagnostics.error(Place { line: number, column: 1 }, message);
            }
            Line::TooLong => {
                diagnostics.warn(Place { line: number, column: 1 }, "left out a line longer than 1 MiB");
            }
        });
        if more.is_none() {
            break;
        }
    }
    let end = match input.take_error() {
        None => Ok(()),
        Some(error) => Err(Stop {
            place: Place { line: number, column: 1 },
            message: format!("cannot be read further: {error}"),
            is_end: true,
        }),
    };
    (diagnostics, end)
}

/// Ends the reading of a text.
pub(crate) fn finish_text(
    mut diagnostics: Diagnostics,
    end: Step<()>,
    collectors: Vec<Collector>,
) -> Vec<Imported> {
    if let Err(stop) = end {
        diagnostics.error(stop.place, stop.message);
    }
    gather(diagnostics, collectors)
}

/// All sets of a file. The first one has all diagnostics. There is always at least one collector.
pub(crate) fn gather(mut diagnostics: Diagnostics, collectors: Vec<Collector>) -> Vec<Imported> {
    let mut list: Vec<Imported> =
        collectors.into_iter().map(|collector| collector.finish(&mut diagnostics)).collect();
    if list.iter().all(|imported| imported.benchmarks.is_empty()) {
        diagnostics.warn_all("has no results of benchmarks");
    }
    if let Some(first) = list.first_mut() {
        first.diagnostics = diagnostics.into_list();
    }
    list
}
