use benchwright_harness::{CommandDefinition, Definitions, Parameter};

use super::*;
use crate::{Settings, read_text};

fn read(text: &str) -> Definitions {
    let layer = read_text("b.toml", text).expect("the text is right");
    Settings::resolve(layer).expect("fits together").definitions
}

/// The first line of each error, without the file's name.
fn errors(text: &str) -> Vec<String> {
    let error = read_text("b.toml", text).expect_err("the text is wrong").to_string();
    error.lines().filter_map(|line| line.strip_prefix("b.toml:")).map(str::to_owned).collect()
}

#[test]
fn a_command_needs_a_name_and_a_command_line() {
    let found = read("[[command]]\nname = \"x\"\nrun = \"./x\"\n");
    assert_eq!(found.commands, [CommandDefinition::new("x", "./x")]);
    assert_eq!(errors("[[command]]\nname = \"x\"\n"), ["2:1: missing `run`"]);
    assert_eq!(errors("[[command]]\nrun = \"x\"\n"), ["2:1: missing `name`"]);
    assert_eq!(
        errors("[command]\nname = \"x\"\n"),
        ["1:1: expected a list of tables `[[command]]`, got a table"]
    );
}

#[test]
fn every_key_is_taken() {
    let text = "[[command]]\nname = \"x\"\nrun = \"./x {n} | wc\"\nshell = \"bash\"\nbuild = \"make\"\nsetup = \"s\"\n\
                prepare = \"p\"\nconclude = \"c\"\ncleanup = \"d\"\nparameters = { n = [1, \"a\", 0.5] }\ndir = \"sub\"\n\
                env = { A = \"b\", N = 3 }\ninput = \"data.txt\"\nwarmup = 2\nruns = 7\nexit-codes = [0, 3]\n";
    let expected = CommandDefinition {
        shell: Some("bash".into()),
        build: Some("make".into()),
        setup: Some("s".into()),
        prepare: Some("p".into()),
        conclude: Some("c".into()),
        cleanup: Some("d".into()),
        parameters: vec![Parameter { name: "n".into(), values: vec!["1".into(), "a".into(), "0.5".into()] }],
        dir: "sub".into(),
        env: vec![("A".into(), "b".into()), ("N".into(), "3".into())],
        input: Some("data.txt".into()),
        warmup: 2,
        runs: Some(7),
        exit_codes: Some(vec![0, 3]),
        ..CommandDefinition::new("x", "./x {n} | wc")
    };
    assert_eq!(read(text).commands, [expected]);
    for key in COMMAND_KEYS.iter().filter(|key| **key != "allow-failure") {
        assert!(text.contains(&format!("{key} = ")), "{key}");
    }
}

#[test]
fn ranges_are_scans_in_the_order_of_the_text() {
    let found = read(
        "[[command]]\nname = \"x\"\nrun = \"x {z} {a}\"\n[command.parameters]\nz = { from = 1, to = 2, step = 0.5 }\n\
         a = { from = 7, to = 8 }\n",
    );
    let values: Vec<(&str, String)> = found.commands[0]
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter.values.join(" ")))
        .collect();
    assert_eq!(values, [("z", "1 1.5 2".to_owned()), ("a", "7 8".to_owned())]);
}

#[test]
fn shell_and_failure_are_yes_or_no() {
    let check = |line: &str, shell: Option<&str>, codes: Option<Vec<i32>>| {
        let found = read(&format!("[[command]]\nname = \"x\"\nrun = \"x\"\n{line}\n"));
        assert_eq!(
            (found.commands[0].shell.as_deref(), &found.commands[0].exit_codes),
            (shell, &codes),
            "{line}"
        );
    };
    check("shell = true", Some("sh"), Some(vec![0]));
    check("shell = false", None, Some(vec![0]));
    check("allow-failure = true", None, None);
    check("allow-failure = false", None, Some(vec![0]));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let check = |line: &str, expected: &str| {
        let text = format!("[[command]]\nname = \"x\"\nrun = \"x {{n}}\"\n{line}\n");
        assert_eq!(errors(&text), [expected], "{line}");
    };
    check("parameters = { m = [1] }", "4:14: `m` is used nowhere");
    check("parameters = { n = [] }", "4:14: `n` has no values");
    check("parameters = { n = [[1]] }", "4:21: expected a text or a number, got a list");
    check("parameters = { n = { from = 1 } }", "4:22: missing `to`");
    check("parameters = { n = { from = 2, to = 1 } }", "4:20: the first number is above the last");
    check("parameters = { n = { from = \"1\", to = 2 } }", "4:29: expected a number, got `\"1\"`");
    check(
        "parameters = { n = 3 }",
        "4:20: expected a list of values or a range such as `{ from = 1, to = 9, step = 2 }`, got `3`",
    );
    check("dir = \"../x\"", "4:7: `../x` leads out of the repository");
    check("warmup = -1", "4:10: expected a whole number from 0 to 100000, got `-1`");
    check("shell = 3", "4:9: expected `true`, `false` or a shell such as `\"bash\"`, got `3`");
    check("exit-codes = [300]", "4:15: expected an exit status from 0 to 255, got `300`");
    check(
        "allow-failure = true\nexit-codes = [1]",
        "4:17: `allow-failure` and `exit-codes` exclude each other",
    );
    assert_eq!(
        errors("[[command]]\nname = \"x\"\nrun = \"a | b\"\n"),
        ["3:7: `|` has a meaning only in a shell"]
    );
    let twice = "[[command]]\nname = \"x\"\nrun = \"a\"\n[[command]]\nname = \"x\"\nrun = \"b\"\n";
    assert_eq!(errors(twice), ["5:8: `x` is there twice"]);
}

#[test]
fn an_unknown_key_is_an_error() {
    let text = "[[command]]\nname = \"x\"\nrun = \"x\"\nprepair = \"y\"\n";
    assert_eq!(errors(text), ["4:1: unknown setting `prepair`"]);
}

#[test]
fn a_shim_is_a_program_with_a_name() {
    let found = read(
        "[[shim]]\nname = \"words\"\nrun = \"perl words.pl\"\ndir = \"bench\"\nenv = { A = \"b\" }\nbuild = \"make\"\n",
    );
    let shim = &found.shims[0];
    assert_eq!((shim.name.as_str(), shim.run.as_str()), ("words", "perl words.pl"));
    assert_eq!((shim.dir.to_str(), shim.build.as_deref()), (Some("bench"), Some("make")));
    assert_eq!(shim.env, [("A".to_owned(), "b".to_owned())]);
    assert_eq!(
        errors("[[shim]]\nname = \"words\"\nrun = \"a; b\"\n"),
        ["3:7: `;` has a meaning only in a shell"]
    );
}

#[test]
fn the_guides_explain_every_key() {
    let commands = include_str!("../../../../docs/guide/commands.md");
    for key in COMMAND_KEYS {
        assert!(commands.contains(&format!("\n| `{key}` |")), "{key}");
    }
    let shims = include_str!("../../../../docs/guide/shim-protocol.md");
    for key in SHIM_KEYS {
        assert!(shims.contains(&format!("\n{key} = ")) || shims.contains(&format!("\n# {key} = ")), "{key}");
    }
}
