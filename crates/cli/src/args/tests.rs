use benchwright_config::default_file;
use clap::CommandFactory;

use super::*;

fn command(name: &str) -> clap::Command {
    let mut all = Cli::command();
    all.build();
    all.find_subcommand(name).expect("a command").clone()
}

fn help(name: &str, flag: &str) -> Option<String> {
    let command = command(name);
    let found = command.get_arguments().find(|argument| argument.get_long() == Some(flag))?;
    Some(found.get_help().map(ToString::to_string).unwrap_or_default())
}

#[test]
fn the_program_describes_itself() {
    let about = Cli::command().get_about().map(ToString::to_string).unwrap_or_default();
    assert!(about.starts_with("Benchmarks you can trust"), "{about}");
}

#[test]
fn defaults_in_help_are_those_of_the_settings() {
    let file = default_file();
    let plain = file.lines().take_while(|line| !line.starts_with('['));
    let mut checked = 0;
    for (key, value) in plain.filter_map(|line| line.split_once(" = ")) {
        // The hard threshold follows the soft one; lists of none are words.
        if matches!(key, "fail-threshold" | "cores") {
            continue;
        }
        let value = value.trim_matches(['"', '[', ']']);
        if let Some(help) = help("compare", key).filter(|_| !key.starts_with('#') && key != "colour") {
            assert!(help.contains(&format!("[default: {value}]")), "--{key} {value}: {help}");
            checked += 1;
        }
    }
    assert!(checked > 8, "{checked}");
}

#[test]
fn every_flag_of_compare_and_run_stands_in_a_group() {
    for name in ["compare", "run"] {
        let command = command(name);
        let flags = command.get_arguments().filter(|it| it.get_long().is_some() && !it.is_hide_set());
        for flag in flags.filter(|flag| flag.get_long() != Some("help")) {
            assert!(flag.get_help_heading().is_some(), "{name} --{}", flag.get_id());
        }
        let heading = |flag: &str| {
            let found = command.get_arguments().find(|it| it.get_long() == Some(flag));
            found.and_then(|it| it.get_help_heading()).unwrap_or_default().to_owned()
        };
        assert_eq!((heading("filter"), heading("resume")), ("Selection".into(), "Run".into()), "{name}");
        assert_eq!((heading("format"), heading("seed")), ("Output".into(), "Measuring".into()), "{name}");
    }
}

#[test]
fn the_format_of_a_list_is_output() {
    let command = command("list");
    let format = command.get_arguments().find(|it| it.get_long() == Some("format")).expect("a flag");
    assert_eq!(format.get_help_heading(), Some("Output"));
}

#[test]
fn only_formats_that_are_written_are_offered() {
    let check = |name: &str, offered: &str| {
        let help = help(name, "format").unwrap_or_default();
        assert!(help.contains(offered), "{name}: {help}");
    };
    check("run", ": text, json, csv, benchfmt [default: text]");
    check("agree", ": text, csv, json, markdown [default: text]");
    check("reduce", ": text, csv, json, html, markdown [default: text]");
    check("compare", ": text, json, markdown, csv, junit, html, benchfmt [default: text]");
}
