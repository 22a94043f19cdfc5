//! A function or method of a source file.

use std::fmt;
use std::ops::{Range, RangeInclusive};

use crate::Language;
use crate::insertion::Site;

/// A function, method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The language it is written in.
    pub language: Language,
    /// Go: the directory of the package, or its name if that is the top directory. Java: the package. Rust: the path
    /// of the module, joined by `::`. Can be empty.
    pub package: String,
    /// The type that it belongs to.
    pub container: Option<Container>,
    /// Its name; `<init>` for a constructor of Java.
    pub name: String,
    /// The types of its parameters in parentheses, without names, annotations and superfluous blanks, and in Java
    /// without type arguments: `(String,int[])`.
    pub signature: String,
    /// 1, or how many functions of this file have had the same address up to here, as Go's `init` or alternatives for
    /// several systems.
    pub ordinal: usize,
    /// Whether users of the package can call it, as far as this file shows.
    pub is_public: bool,
    /// Its lines, counted from 1.
    pub lines: RangeInclusive<usize>,
    /// The bytes of its body with the braces; none if it has no body.
    pub body: Option<Range<usize>>,
    /// Why it cannot be edited; none if it can.
    pub problem: Option<String>,
    /// Which function of its file it is, counted from 0. Edits do not change this.
    pub(crate) position: usize,
    /// Where insertions go.
    pub(crate) site: Option<Site>,
}

/// The type that a method belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    /// Go: the type of the receiver without type parameters. Java: the classes around it, joined by `.`. Rust: the
    /// type of the `impl` without its generic arguments, or the trait of a method that a trait provides.
    pub type_name: String,
    /// Rust: the trait that is implemented, as written, with generic arguments.
    pub trait_name: Option<String>,
    /// Go: whether the receiver is a pointer.
    pub is_pointer: bool,
}

impl Function {
    /// The text that names the function: Go `dir.Func`, `dir.(*T).Method` or `dir.T.Method`; Java
    /// `pkg.Outer.Inner.method(String,int[])` or `pkg.T.<init>(int)`; Rust `module::Type::method` or
    /// `module::<Type as Trait>::method`. A second function of the same address has `#2` at the end.
    pub fn address(&self) -> String {
        self.to_string()
    }

    /// The address without parameters, and without what only tells kinds of methods apart: `dir.T.Method`,
    /// `module::Type::method`.
    pub(crate) fn plain_address(&self) -> String {
        let container = self.container.as_ref().map_or("", |container| container.type_name.as_str());
        self.joined(&[&self.package, container, &self.name])
    }

    fn joined(&self, parts: &[&str]) -> String {
        let separator = if self.language == Language::Rust { "::" } else { "." };
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        parts.join(separator)
    }

    pub(crate) fn address_without_ordinal(&self) -> String {
        let container =
            self.container.as_ref().map_or(String::new(), |container| match &container.trait_name {
                Some(trait_name) => format!("<{} as {trait_name}>", container.type_name),
                None if container.is_pointer => format!("(*{})", container.type_name),
                None => container.type_name.clone(),
            });
        let signature = if self.language == Language::Java { self.signature.as_str() } else { "" };
        format!("{}{signature}", self.joined(&[&self.package, &container, &self.name]))
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address_without_ordinal())?;
        if self.ordinal > 1 { write!(f, "#{}", self.ordinal) } else { Ok(()) }
    }
}
