//! The languages, and what an edit has to know of the program that a file belongs to.

use tree_sitter::{Parser, Tree};

/// A language whose functions can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Go.
    Go,
    /// Java.
    Java,
    /// Rust.
    Rust,
}

impl Language {
    /// The language of a file, by the end of its name.
    pub fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "go" => Some(Language::Go),
            "java" => Some(Language::Java),
            "rs" => Some(Language::Rust),
            _ => None,
        }
    }

    pub(crate) fn parse(self, text: &str) -> Tree {
        let grammar = match self {
            Language::Go => tree_sitter_go::LANGUAGE,
            Language::Java => tree_sitter_java::LANGUAGE,
            Language::Rust => tree_sitter_rust::LANGUAGE,
        };
        let mut parser = Parser::new();
        parser.set_language(&grammar.into()).expect("the grammar fits the parser that it is built with");
        parser.parse(text, None).expect("parsing without a time limit ends with a tree")
    }
}

/// The kind of program that edited code belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A Go module.
    Go {
        /// Its path, as the line `module` of `go.mod` has it.
        module: String,
    },
    /// Java code of one class path.
    Java,
    /// A Rust crate of any edition. Edited code uses nothing outside the crate but the standard library.
    Rust,
}

impl Target {
    /// Its language.
    pub fn language(&self) -> Language {
        match self {
            Target::Go { .. } => Language::Go,
            Target::Java => Language::Java,
            Target::Rust => Language::Rust,
        }
    }
}
