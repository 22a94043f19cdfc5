//! Converts Poetry's requirements to pip's format.

use toml::{Table, Value};

/// The requirements of a table of dependencies, without `python`. Entries without an equivalent (a path, a
/// repository) are left out: pip would need the address, and constraints could not fix their version.
pub(super) fn requirements(table: &Table) -> Vec<String> {
    let packages = table.iter().filter(|(name, _)| name.as_str() != "python");
    packages.filter_map(|(name, value)| requirement(name, value)).collect()
}

fn requirement(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(version) => Some(format!("{name}{}", specifier(version))),
        // Of several conditions any version that fits one is acceptable, and pip finds it.
        Value::Array(_) => Some(name.to_owned()),
        Value::Table(table) => {
            let version = table.get("version")?.as_str()?;
            let extras = table.get("extras").and_then(Value::as_array).into_iter().flatten();
            let extras: Vec<&str> = extras.filter_map(Value::as_str).collect();
            let extras = if extras.is_empty() { String::new() } else { format!("[{}]", extras.join(",")) };
            let condition = table.get("markers").and_then(Value::as_str);
            let condition = condition.map(|condition| format!("; {condition}")).unwrap_or_default();
            Some(format!("{name}{extras}{}{condition}", specifier(version)))
        }
        _ => None,
    }
}

/// A version condition. `^1.2` and `~1.2` are Poetry's own. Alternatives (`||`) have no equivalent and permit
/// all versions.
fn specifier(version: &str) -> String {
    if version.contains("||") || version.contains(" | ") {
        return String::new();
    }
    let parts = version.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "*");
    parts.map(single).collect::<Vec<_>>().join(",")
}

fn single(version: &str) -> String {
    if let Some(least) = version.strip_prefix('^') {
        return below(least, |numbers| numbers.iter().position(|number| *number != 0).unwrap_or(0));
    }
    match version.strip_prefix('~') {
        Some(least) if !least.starts_with('=') => below(least, |numbers| usize::from(numbers.len() > 1)),
        _ if version.starts_with(|c: char| c.is_ascii_digit()) => format!("=={version}"),
        _ => version.to_owned(),
    }
}

/// At least `least`, and below the version in which the number at the position `raised` is increased by one.
fn below(least: &str, raised: impl Fn(&[u64]) -> usize) -> String {
    let least = least.trim();
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    let numbers: Vec<u64> = least.split('.').map_while(|part| digits(part).parse().ok()).collect();
    if numbers.is_empty() {
        return String::new();
    }
    let place = raised(&numbers).min(numbers.len() - 1);
    let mut most: Vec<String> = numbers[..place].iter().map(u64::to_string).collect();
    most.push(numbers[place].saturating_add(1).to_string());
    format!(">={least},<{}", most.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_as_pip_reads_them() {
        let check = |version: &str, expected: &str| assert_eq!(specifier(version), expected, "{version}");
        check("*", "");
        check("^1.2.3", ">=1.2.3,<2");
        check("^0.2.3", ">=0.2.3,<0.3");
        check("^0.0.3", ">=0.0.3,<0.0.4");
        check("^1", ">=1,<2");
        check("^0", ">=0,<1");
        check("~1.2.3", ">=1.2.3,<1.3");
        check("~1", ">=1,<2");
        check("~=1.4", "~=1.4");
        check("1.2.3", "==1.2.3");
        check(">=1.2, <3", ">=1.2,<3");
        check("^1.0 || ^2.0", "");
        check("^2.0b1", ">=2.0b1,<3");
        check("^x", "");
    }

    #[test]
    fn tables_have_versions_extras_and_markers() {
        let table: Table = "python = '^3.9'\na = '*'\nb = { version = '^1', extras = ['x', 'y'], markers = \"os_name == 'posix'\" }\n\
                            c = { path = '../c' }\nd = [{ version = '1' }, { version = '2' }]\n"
            .parse()
            .expect("a table");
        assert_eq!(requirements(&table), ["a", "b[x,y]>=1,<2; os_name == 'posix'", "d"]);
    }
}
