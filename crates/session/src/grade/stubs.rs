//! Skeletons of benchmarks for functions that no benchmark finds, in the style of Go's `testing`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use benchwright_probe::{Function, Language};

use super::source::Source;

/// A file with skeletons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubFile {
    /// Relative to the directory that the user names; below it as the package is in the repository.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// What is called like benchwright's own files.
const NAME: &str = "benchwright_stubs_test.go";

/// Skeletons for these functions, one file per package, and the functions for which there is none, with the reason.
pub(super) fn stubs(source: &Source, functions: &[usize]) -> (Vec<StubFile>, Vec<(String, String)>) {
    let mut packages: BTreeMap<PathBuf, Package> = BTreeMap::new();
    let mut skipped = Vec::new();
    for at in functions {
        let function = &source.functions[*at];
        let mut skip = |reason: &str| skipped.push((function.address(), reason.to_owned()));
        if function.language != Language::Go {
            skip("skeletons are written for Go only");
            continue;
        }
        let (path, text) = source.file_of(*at);
        let Some(call) = Call::of(function, text, &source.tests_beside(path)) else {
            skip("it is generic, or its parameters cannot be read");
            continue;
        };
        let dir = path.parent().map(PathBuf::from).unwrap_or_default();
        let package =
            packages.entry(dir).or_insert_with(|| Package { name: package_name(text), ..Package::default() });
        package.add(function, call);
    }
    let file = |(dir, package): (PathBuf, Package)| StubFile { path: dir.join(NAME), text: package.text() };
    (packages.into_iter().map(file).collect(), skipped)
}

/// What is written for a package.
#[derive(Debug, Default)]
struct Package {
    name: String,
    imports: BTreeSet<String>,
    benchmarks: BTreeMap<String, String>,
}

impl Package {
    fn add(&mut self, function: &Function, call: Call) {
        self.imports.extend(call.imports);
        let container = function.container.as_ref().map(|it| it.type_name.as_str()).unwrap_or_default();
        let name = format!("{container}{}{}", if container.is_empty() { "" } else { "_" }, function.name);
        let mut text = format!("func BenchmarkStub_{name}(b *testing.B) {{\n");
        if !call.is_from_test {
            text += "\t// Fill in arguments as users of the function have them, then remove the next line.\n";
            text += "\tb.Skip(\"a skeleton\")\n";
        }
        for line in &call.variables {
            text += &format!("\t{line}\n");
        }
        text += &format!("\tfor i := 0; i < b.N; i++ {{\n\t\t{}\n\t}}\n}}\n", call.statement);
        self.benchmarks.insert(name, text);
    }

    fn text(&self) -> String {
        let mut text = format!("package {}\n\nimport (\n", self.name);
        for import in self.imports.iter().map(String::as_str).chain(["\"testing\""]).collect::<BTreeSet<_>>()
        {
            text += &format!("\t{import}\n");
        }
        text += ")\n";
        self.benchmarks.values().for_each(|benchmark| text += &format!("\n{benchmark}"));
        text
    }
}

/// The call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    variables: Vec<String>,
    statement: String,
    imports: BTreeSet<String>,
    is_from_test: bool,
}

impl Call {
    /// With the arguments of a call in a test if they are constants, otherwise with variables of the parameters' types.
    fn of(function: &Function, file: &str, tests: &[String]) -> Option<Call> {
        let types = parameters(&function.signature)?;
        let mut imports = BTreeSet::new();
        let mut variables = Vec::new();
        let receiver = match &function.container {
            None => String::new(),
            Some(container) => {
                let star = if container.is_pointer { "new(" } else { "*new(" };
                variables.push(format!("receiver := {star}{})", container.type_name));
                "receiver.".to_owned()
            }
        };
        if let Some(arguments) = tests.iter().find_map(|text| constants(text, &function.name, types.len())) {
            let is_from_test = function.container.is_none();
            let statement = format!("{receiver}{}({arguments})", function.name);
            return Some(Call { variables, statement, imports, is_from_test });
        }
        let mut arguments = Vec::new();
        for (number, of) in types.iter().enumerate() {
            let (of, more) = match of.strip_prefix("...") {
                Some(element) => (format!("[]{element}"), "..."),
                None => (of.clone(), ""),
            };
            imports.extend(imported(&of, file));
            variables.push(format!("var argument{} {of}", number + 1));
            arguments.push(format!("argument{}{more}", number + 1));
        }
        let statement = format!("{receiver}{}({})", function.name, arguments.join(", "));
        Some(Call { variables, statement, imports, is_from_test: false })
    }
}

/// The types of a signature `(int,[]byte)`; none where brackets do not close.
fn parameters(signature: &str) -> Option<Vec<String>> {
    let inner = signature.strip_prefix('(')?.strip_suffix(')')?;
    split(inner)
}

/// Splits at commas outside brackets and quotation marks.
fn split(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    for letter in text.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '`' | '\'', None) => quote = Some(letter),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut()?.push(letter);
    }
    let parts: Vec<String> = parts.iter().map(|part| part.trim().to_owned()).collect();
    let is_empty = parts.len() == 1 && parts[0].is_empty();
    (depth == 0 && quote.is_none()).then(|| if is_empty { Vec::new() } else { parts })
}

/// The arguments of the first call of `name` whose arguments are all numbers, texts or truth values.
fn constants(test: &str, name: &str, count: usize) -> Option<String> {
    if count == 0 {
        return None;
    }
    let call = format!("{name}(");
    test.match_indices(&call).find_map(|(at, _)| {
        let before = test[..at].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_') {
            return None;
        }
        let rest = &test[at + call.len()..];
        let line = rest.lines().next()?;
        let end = line.find(')')?;
        let arguments = split(&line[..end])?;
        let is_constant = |text: &String| {
            let is_text = text.len() > 1 && text.starts_with(['"', '`']) && text.ends_with(['"', '`']);
            is_text || text == "true" || text == "false" || text.parse::<f64>().is_ok()
        };
        (arguments.len() == count && arguments.iter().all(is_constant)).then(|| arguments.join(", "))
    })
}

/// The imports of a file that a type needs.
fn imported(of: &str, file: &str) -> Vec<String> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let packages: Vec<&str> = of
        .match_indices('.')
        .filter_map(|(at, _)| of[..at].rsplit(|letter| !is_word(letter)).next())
        .filter(|name| !name.is_empty())
        .collect();
    let lines = file.lines().map(str::trim).map(|line| line.strip_prefix("import ").unwrap_or(line));
    let imports: Vec<&str> = lines.filter(|line| line.ends_with('"') && line.contains('"')).collect();
    let named = |import: &&str, package: &str| {
        let (alias, path) = import.split_once('"').unwrap_or_default();
        let path = path.trim_end_matches('"');
        let last = path.rsplit('/').find(|part| !part.starts_with('v') || part[1..].parse::<u32>().is_err());
        match alias.trim() {
            "" => last.is_some_and(|last| last == package || last.trim_start_matches("go-") == package),
            alias => alias == package,
        }
    };
    let find =
        |package: &&str| imports.iter().find(|import| named(import, package)).map(|it| (*it).to_owned());
    packages.iter().filter_map(find).collect()
}

fn package_name(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("package "));
    line.and_then(|rest| rest.split([' ', ';', '/']).next()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_split_at_their_own_commas() {
        let check = |text: &str, expected: &[&str]| assert_eq!(parameters(text).unwrap(), expected, "{text}");
        check("()", &[]);
        check("(int,[]byte)", &["int", "[]byte"]);
        check(
            "(func(int,string) error,map[string]struct{a,b int})",
            &["func(int,string) error", "map[string]struct{a,b int}"],
        );
        assert_eq!(parameters("(int"), None);
        assert_eq!(parameters("(func()"), None);
    }

    #[test]
    fn constants_of_tests_become_arguments() {
        let test = "x := Parsed(1)\ny := Parse(input, 2)\nz := shop.Parse(\"a,(b\", -1.5)\n";
        // A closing bracket inside a text is not looked for, so this call is passed over rather than cut.
        assert_eq!(constants("Parse(\"a\", -1.5)", "Parse", 2).as_deref(), Some("\"a\", -1.5"));
        assert_eq!(constants(test, "Parse", 2).as_deref(), Some("\"a,(b\", -1.5"));
        assert_eq!(constants(test, "Parse", 1), None);
        assert_eq!(constants("Parse()", "Parse", 0), None);
    }

    #[test]
    fn types_bring_their_imports() {
        let file =
            "package p\n\nimport (\n\t\"io\"\n\tyaml \"gopkg.in/yaml.v3\"\n\t\"example.com/go-shop/v2\"\n)\n";
        assert_eq!(imported("map[string]io.Reader", file), ["\"io\""]);
        assert_eq!(imported("*yaml.Node", file), ["yaml \"gopkg.in/yaml.v3\""]);
        assert_eq!(imported("shop.Cart", file), ["\"example.com/go-shop/v2\""]);
        assert_eq!(imported("[]int", file), Vec::<String>::new());
    }
}
