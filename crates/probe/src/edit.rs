//! Inserts code into functions.

use std::collections::BTreeMap;

use crate::function::Function;
use crate::insertion::{Insertion, Site, has_mark, inserted, split_tail, without_insertions};
use crate::support::{GO_NAME, go_import};
use crate::{Language, Target, go, index};

/// What is to happen to the functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Their calls are counted.
    Count,
    /// Each outermost call takes longer by a share of the time that it takes, that of the functions it calls included.
    /// Calls within a call of the same function in the same thread or goroutine are part of it.
    SlowDown {
        /// The share: 0.5 makes a call take one and a half times as long. Above 0, finite.
        factor: f64,
    },
    /// Each call begins with a busy wait.
    Busy {
        /// How long, in nanoseconds.
        ns: u64,
    },
}

/// An edited text.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The text; the one given if no function could be edited.
    pub text: String,
    /// The functions that were not edited.
    pub skipped: Vec<Skipped>,
}

/// A function that was not edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its address.
    pub function: String,
    /// Why not.
    pub reason: String,
}

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditError {
    /// It has edits that are not those asked for.
    #[error("the text already has other edits")]
    AlreadyEdited,
    /// The factor of a slowdown cannot be carried out.
    #[error("expected a factor above 0, got `{0}`")]
    BadFactor(f64),
    /// A Go file that does not say which package it belongs to.
    #[error("the file has no package clause")]
    NoPackageClause,
}

/// Changes some functions of a text, each with its number in the arrays of the [`support`](crate::support) code.
///
/// The functions are those that [`index`](fn@crate::index) found in this text, before or after an edit. Insertions stand on existing
/// lines; everything else stays as it is. A text that already has these edits, and no others, stays as it is.
pub fn edit(
    target: &Target,
    text: &str,
    functions: &[(&Function, u32)],
    change: Change,
) -> Result<Edited, EditError> {
    if let Change::SlowDown { factor } = change
        && !(factor > 0.0 && factor.is_finite())
    {
        return Err(EditError::BadFactor(factor));
    }
    let (code, tail) = split_tail(text);
    let original = without_insertions(code);
    let base = original.as_deref().unwrap_or(code);
    if has_mark(base) {
        // Half a mark, which nothing can be said about.
        return Err(EditError::AlreadyEdited);
    }
    let edited = edit_original(target, base, functions, change)?;
    if original.is_some() && edited.text != code {
        return Err(EditError::AlreadyEdited);
    }
    Ok(Edited { text: edited.text + tail, skipped: edited.skipped })
}

fn edit_original(
    target: &Target,
    code: &str,
    wanted: &[(&Function, u32)],
    change: Change,
) -> Result<Edited, EditError> {
    let present = index::functions(target.language(), "", code).functions;
    let mut chosen: BTreeMap<usize, (&Site, u32)> = BTreeMap::new();
    let mut skipped = Vec::new();
    for (function, id) in wanted {
        let found = present.get(function.position).filter(|present| is_same(present, function));
        let reason = match found.map(|found| (&found.site, &found.problem)) {
            None => "not in this text".to_owned(),
            Some((_, Some(problem))) => problem.clone(),
            Some((None, None)) => "no body".to_owned(),
            Some((Some(_), None)) if chosen.contains_key(&function.position) => "asked for twice".to_owned(),
            Some((Some(site), None)) => {
                chosen.insert(function.position, (site, *id));
                continue;
            }
        };
        skipped.push(Skipped { function: function.address(), reason });
    }
    if chosen.is_empty() {
        return Ok(Edited { text: code.to_owned(), skipped });
    }
    let mut insertions = Vec::new();
    if let Target::Go { module } = target {
        let at = go::import_place(code).ok_or(EditError::NoPackageClause)?;
        insertions.push(Insertion { at, text: format!("; import {GO_NAME} \"{}\"", go_import(module)) });
    }
    for (site, id) in chosen.into_values() {
        insertions.extend(insertions_of(target.language(), site, id, change));
    }
    insertions.sort_by_key(|insertion| insertion.at);
    Ok(Edited { text: inserted(code, &insertions), skipped })
}

/// Paths and packages are left out: this text was indexed without them.
fn is_same(a: &Function, b: &Function) -> bool {
    a.language == b.language && a.lines == b.lines && a.name == b.name && a.container == b.container
}

fn insertions_of(language: Language, site: &Site, id: u32, change: Change) -> Vec<Insertion> {
    let at_start = |text: String| vec![Insertion { at: site.start, text }];
    match (language, change) {
        (Language::Go, Change::Count) => at_start(format!("{GO_NAME}.Count({id});")),
        (Language::Go, Change::Busy { ns }) => at_start(format!("{GO_NAME}.Busy({id}, {ns});")),
        // The arguments of a deferred call are computed where it stands: one statement begins and ends the call.
        (Language::Go, Change::SlowDown { factor }) => {
            at_start(format!("defer {GO_NAME}.Leave({id}, {factor:?}, {GO_NAME}.Enter({id}));"))
        }
        (Language::Java, Change::Count) => at_start(format!("benchwright.Probe.count({id});")),
        (Language::Java, Change::Busy { ns }) => at_start(format!("benchwright.Probe.busy({id}, {ns}L);")),
        (Language::Java, Change::SlowDown { factor }) => {
            let start = format!("final long __benchwright_start = benchwright.Probe.enter({id}); try {{");
            let end =
                format!("}} finally {{ benchwright.Probe.leave({id}, {factor:?}, __benchwright_start); }}");
            vec![Insertion { at: site.start, text: start }, Insertion { at: site.end, text: end }]
        }
        (Language::Rust, Change::Count) => at_start(rust_statement("", &format!("count({id})"))),
        (Language::Rust, Change::Busy { ns }) => at_start(rust_statement("", &format!("busy({id}, {ns})"))),
        (Language::Rust, Change::SlowDown { factor }) => {
            let enter = if site.is_async { "enter_async" } else { "enter" };
            at_start(rust_statement("let __benchwright_guard = ", &format!("{enter}({id}, {factor:?})")))
        }
    }
}

/// At the top of a crate the path could be shorter, which some crates do not allow.
fn rust_statement(before: &str, call: &str) -> String {
    format!("#[allow(unused_qualifications)] {before}crate::__benchwright_probe::{call};")
}
