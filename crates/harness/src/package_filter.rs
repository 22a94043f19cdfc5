//! Selecting packages before benchmarks are listed.

/// Decides, before anything is built or listed, which packages are asked for. Benchmarks are selected by
/// `package:name`, and names are not known yet. If in doubt, the package is kept.
pub trait PackageFilter {
    /// A key that identifies this filter.
    fn text(&self) -> String;

    /// Whether a benchmark of this package could be asked for, whatever its name. `false` is certain.
    fn may_accept(&self, package: &str) -> bool;

    /// Whether a benchmark of this function could be asked for: the function itself, or a sub-benchmark. If a
    /// function is skipped by its own name, its sub-benchmarks are skipped too.
    fn may_accept_function(&self, package: &str, function: &str) -> bool;

    /// Whether the package is asked for, by its own name or by those of its benchmark functions.
    fn names(&self, package: &str, functions: &[String]) -> bool;

    /// Whether the text, the source of benchmarks, contains what is asked for. Then a benchmark may have such
    /// a name.
    fn mentions(&self, text: &str) -> bool;
}
