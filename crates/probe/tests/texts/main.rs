//! What is found in texts, and what edits make of them.

mod any_text;
mod edits;
mod listing;

use benchwright_probe::*;

/// The kind of program of a language.
fn target(language: Language) -> Target {
    match language {
        Language::Go => Target::Go { module: "example.org/m".into() },
        Language::Java => Target::Java,
        Language::Rust => Target::Rust,
    }
}

/// A text of a path with all its editable functions edited.
fn edited(path: &str, text: &str, change: Change) -> String {
    let language = Language::of_path(path).expect("a known ending");
    let functions = index(language, path, text).functions;
    let all: Vec<(&Function, u32)> = functions.iter().zip(0..).collect();
    edit(&target(language), text, &all, change).expect("an edit").text
}

/// The same without the marks around insertions.
fn readable(text: &str) -> String {
    text.replace("/*benchwright<*/", "«").replace("/*>benchwright*/", "»")
}
