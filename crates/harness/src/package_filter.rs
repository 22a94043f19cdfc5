//! Selecting packages before benchmarks are listed.

/// Decides, before anything is built or listed, which packages are asked for. Benchmarks are selected by `package:name`, and names
/// are not known yet. If in doubt, keep the package.
pub trait PackageFilter {
    /// A key that identifies this filter.
    fn text(&self) -> String;

    /// Whether any name could make a benchmark of this package one that is asked for. False is certain.
    fn may_accept(&self, package: &str) -> bool;

    /// Whether any benchmark of a function of this package could be one that is asked for: itself, or one below it. A function that is
    /// skipped by its own name takes those below it along.
    fn may_accept_function(&self, package: &str, function: &str) -> bool;

    /// Whether the package itself is asked for, by its own name or by those of its benchmark functions.
    fn names(&self, package: &str, functions: &[String]) -> bool;

    /// Whether what is asked for occurs in this text, the source of benchmarks, so that one of them may be called so.
    fn mentions(&self, text: &str) -> bool;
}
