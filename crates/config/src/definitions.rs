//! Commands and shims: benchmarks that are defined in the configuration file.

use benchwright_harness::{CommandDefinition, DefinitionError, Definitions, Parameter, ShimDefinition};

use crate::problem::{Remark, Remarks};
use crate::setting::Setting;
use crate::table::Table;
use crate::value::{Raw, Value};

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DefinitionsLayer {
    commands: Option<Vec<CommandDefinition>>,
    shims: Option<Vec<ShimDefinition>>,
}

impl DefinitionsLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        DefinitionsLayer { commands: self.commands.or(weaker.commands), shims: self.shims.or(weaker.shims) }
    }

    pub(crate) fn resolve(self) -> Definitions {
        Definitions { commands: self.commands.unwrap_or_default(), shims: self.shims.unwrap_or_default() }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "command",
        apply: |layer, value, remarks| {
            layer.definitions.commands = tables(value, "command", remarks, |table, remarks| {
                let definition = command(table, remarks)?;
                let checked = definition.check();
                table.accepted(checked, remarks).then_some((definition.name.clone(), definition))
            });
        },
    },
    Setting {
        key: "shim",
        apply: |layer, value, remarks| {
            layer.definitions.shims = tables(value, "shim", remarks, |table, remarks| {
                let definition = shim(table, remarks)?;
                let checked = definition.check();
                table.accepted(checked, remarks).then_some((definition.name.clone(), definition))
            });
        },
    },
];

const COMMAND_KEYS: [&str; 16] = [
    "name",
    "run",
    "shell",
    "build",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "parameters",
    "dir",
    "env",
    "input",
    "warmup",
    "runs",
    "allow-failure",
    "exit-codes",
];
const SHIM_KEYS: [&str; 5] = ["name", "run", "build", "dir", "env"];

/// Every valid table of a list, with unique names.
fn tables<T>(
    value: &Value,
    key: &str,
    remarks: &mut Remarks,
    read: impl Fn(&Table<'_>, &mut Remarks) -> Option<(String, T)>,
) -> Option<Vec<T>> {
    let Raw::List(list) = &value.raw else {
        remarks.errors.push(value.expected(&format!("a list of tables `[[{key}]]`")));
        return None;
    };
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for item in list {
        let Some(entries) = remarks.keep(item.table(&format!("a table `[[{key}]]`"))) else { continue };
        let table = Table { value: item, entries };
        let Some((name, definition)) = read(&table, remarks) else { continue };
        if names.contains(&name) {
            remarks.errors.push(Remark::new(table.place("name"), format!("`{name}` is there twice")));
        }
        names.push(name);
        found.push(definition);
    }
    Some(found)
}

impl Table<'_> {
    fn env(&self, remarks: &mut Remarks) -> Vec<(String, String)> {
        let Some(value) = self.get("env") else { return Vec::new() };
        let entries = remarks.keep(value.table("a table such as `{ LANG = \"C\" }`")).unwrap_or_default();
        let pairs = entries.iter().filter_map(|entry| {
            let text = word(&entry.value).ok_or_else(|| entry.value.expected("a text or a number"));
            Some((entry.key.clone(), remarks.keep(text)?))
        });
        pairs.collect()
    }

    /// Whether the definition can be used. If not, the error points to the wrong field.
    fn accepted(&self, checked: Result<(), DefinitionError>, remarks: &mut Remarks) -> bool {
        let Err(error) = checked else { return true };
        remarks.errors.push(Remark::new(self.place(error.field), error.message).hint(error.hint));
        false
    }
}

fn command(table: &Table<'_>, remarks: &mut Remarks) -> Option<CommandDefinition> {
    let noted = remarks.errors.len();
    table.refuse_unknown(&COMMAND_KEYS, remarks);
    let (name, run) = (table.required("name", remarks), table.required("run", remarks));
    let definition = CommandDefinition {
        shell: table.get("shell").and_then(|value| remarks.keep(shell(value))).flatten(),
        build: table.text("build", remarks),
        setup: table.text("setup", remarks),
        prepare: table.text("prepare", remarks),
        conclude: table.text("conclude", remarks),
        cleanup: table.text("cleanup", remarks),
        parameters: table.get("parameters").map_or_else(Vec::new, |value| parameters(value, remarks)),
        dir: table.text("dir", remarks).unwrap_or_default().into(),
        env: table.env(remarks),
        input: table.text("input", remarks),
        warmup: table.count("warmup", 0, remarks).unwrap_or(0),
        runs: table.count("runs", 1, remarks),
        exit_codes: exit_codes(table, remarks),
        ..CommandDefinition::new(name.unwrap_or_default(), run.unwrap_or_default())
    };
    (remarks.errors.len() == noted).then_some(definition)
}

/// `true` means the system's shell. A text names another one.
fn shell(value: &Value) -> Result<Option<String>, Remark> {
    match (value.flag(), value.as_text()) {
        (Ok(is_wanted), _) => Ok(is_wanted.then(|| "sh".to_owned())),
        (_, Some(shell)) => Ok(Some(shell.to_owned())),
        _ => Err(value.expected("`true`, `false` or a shell such as `\"bash\"`")),
    }
}

/// The exit statuses that count as success. `None` accepts all.
fn exit_codes(table: &Table<'_>, remarks: &mut Remarks) -> Option<Vec<i32>> {
    if let Some(value) = table.get("allow-failure") {
        if table.get("exit-codes").is_some() {
            let remark =
                Remark::new(value.span.clone(), "`allow-failure` and `exit-codes` exclude each other");
            remarks.errors.push(remark);
        }
        if remarks.keep(value.flag()) == Some(true) {
            return None;
        }
    }
    let Some(value) = table.get("exit-codes") else { return Some(vec![0]) };
    let list = remarks.keep(value.list("a list such as `[0, 1]`", &[','])).unwrap_or_default();
    let codes =
        list.iter().filter_map(|code| remarks.keep(code.count("an exit status from 0 to 255", 0..=255)));
    Some(codes.collect())
}

fn parameters(value: &Value, remarks: &mut Remarks) -> Vec<Parameter> {
    let expected = "a table such as `{ size = [10, 100], level = { from = 1, to = 9 } }`";
    let entries = remarks.keep(value.table(expected)).unwrap_or_default();
    let found = entries.iter().filter_map(|entry| match &entry.value.raw {
        Raw::List(list) => {
            let values = list.iter().filter_map(|item| {
                let text = word(item).ok_or_else(|| item.expected("a text or a number"));
                remarks.keep(text)
            });
            Some(Parameter { name: entry.key.clone(), values: values.collect() })
        }
        Raw::Table(range) => scan(&entry.key, &Table { value: &entry.value, entries: range }, remarks),
        _ => {
            let what = "a list of values or a range such as `{ from = 1, to = 9, step = 2 }`";
            remarks.errors.push(entry.value.expected(what));
            None
        }
    });
    found.collect()
}

fn scan(name: &str, range: &Table<'_>, remarks: &mut Remarks) -> Option<Parameter> {
    range.refuse_unknown(&["from", "to", "step"], remarks);
    let mut number = |key: &str| {
        let Some(value) = range.get(key) else {
            if key == "step" {
                return Some("1".to_owned());
            }
            remarks.errors.push(Remark::new(range.place(key), format!("missing `{key}`")));
            return None;
        };
        let number = word(value).filter(|_| value.as_text().is_none());
        remarks.keep(number.ok_or_else(|| value.expected("a number")))
    };
    let (from, to, step) = (number("from")?, number("to")?, number("step")?);
    let parameter = Parameter::scan(name, &from, &to, &step);
    remarks.keep(parameter.map_err(|message| Remark::new(range.value.span.clone(), message)))
}

/// A text or a number as text.
fn word(value: &Value) -> Option<String> {
    match &value.raw {
        Raw::Text(text) | Raw::Word(text) => Some(text.clone()),
        Raw::Integer(number) => Some(number.to_string()),
        Raw::Float(number) => Some(number.to_string()),
        Raw::Boolean(value) => Some(value.to_string()),
        _ => None,
    }
}

fn shim(table: &Table<'_>, remarks: &mut Remarks) -> Option<ShimDefinition> {
    let noted = remarks.errors.len();
    table.refuse_unknown(&SHIM_KEYS, remarks);
    let (name, run) = (table.required("name", remarks), table.required("run", remarks));
    let definition = ShimDefinition {
        name: name.unwrap_or_default(),
        run: run.unwrap_or_default(),
        build: table.text("build", remarks),
        dir: table.text("dir", remarks).unwrap_or_default().into(),
        env: table.env(remarks),
    };
    (remarks.errors.len() == noted).then_some(definition)
}

#[cfg(test)]
mod tests;
