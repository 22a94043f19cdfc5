//! Commands given on the command line instead of in the configuration, as in hyperfine.

use benchwright_harness::{CommandDefinition, Parameter};
use benchwright_session::{Problem, because};

use crate::args::CommandArgs;

/// The commands on the command line.
pub(crate) fn definitions(args: &CommandArgs) -> Result<Vec<CommandDefinition>, Problem> {
    if args.command.is_empty() {
        return Ok(Vec::new());
    }
    if args.command_name.len() > args.command.len() {
        let error =
            format!("expected at most {} command names, got {}", args.command.len(), args.command_name.len());
        return Err(Problem::misuse(error, "give one `--command-name` for each `--command`"));
    }
    let parameters = parameters(args)?;
    let mut commands: Vec<CommandDefinition> = Vec::new();
    for (i, run) in args.command.iter().enumerate() {
        let definition = CommandDefinition {
            shell: args.shell.clone(),
            build: args.build_command.clone(),
            setup: args.setup.clone(),
            prepare: args.prepare.clone(),
            conclude: args.conclude.clone(),
            cleanup: args.cleanup.clone(),
            // A parameter belongs to the commands that use it.
            parameters: parameters.iter().filter(|it| mentions(args, run, &it.name)).cloned().collect(),
            input: args.input.clone(),
            warmup: args.warmup_runs.unwrap_or(0),
            runs: args.runs,
            exit_codes: if args.ignore_failure { None } else { Some(vec![0]) },
            ..CommandDefinition::new(args.command_name.get(i).unwrap_or(run), run)
        };
        definition.check().map_err(|error| {
            let hint = error.hint.clone();
            Problem::misuse(because(format!("use the command `{run}`"), error), hint)
        })?;
        if commands.iter().any(|other| other.name == definition.name) {
            let error = format!("two commands are called `{}`", definition.name);
            return Err(Problem::misuse(error, "give each its own `--command-name`"));
        }
        commands.push(definition);
    }
    Ok(commands)
}

/// Two commands under one name: base is the one that the measured one is compared with.
pub(crate) fn opponents(args: &CommandArgs, against: &str) -> Result<[CommandDefinition; 2], Problem> {
    let [command] = args.command.as_slice() else {
        let error = format!("expected one `--command` with `--against`, got {}", args.command.len());
        return Err(Problem::misuse(error, "compare more than two commands in pairs"));
    };
    let name = args.command_name.first().unwrap_or(command).clone();
    let definition = |run: &str| {
        let args =
            CommandArgs { command: vec![run.to_owned()], command_name: vec![name.clone()], ..args.clone() };
        Ok::<_, Problem>(definitions(&args)?.remove(0))
    };
    Ok([definition(against)?, definition(command)?])
}

/// Whether the command or a step around it uses the parameter.
fn mentions(args: &CommandArgs, run: &str, name: &str) -> bool {
    let placeholder = format!("{{{name}}}");
    let around =
        [&args.build_command, &args.setup, &args.prepare, &args.conclude, &args.cleanup, &args.input];
    let around = around.into_iter().flatten().map(String::as_str);
    std::iter::once(run).chain(around).any(|text| text.contains(&placeholder))
}

fn parameters(args: &CommandArgs) -> Result<Vec<Parameter>, Problem> {
    let mut parameters = Vec::new();
    for scan in args.parameter_scan.chunks_exact(4) {
        let parameter = Parameter::scan(&scan[0], &scan[1], &scan[2], &scan[3]);
        parameters.push(parameter.map_err(|message| {
            let typed = format!("--parameter-scan {}", scan.join(" "));
            Problem::misuse(format!("use `{typed}`: {message}"), "")
        })?);
    }
    for list in args.parameter_list.chunks_exact(2) {
        let values = list[1].split(',').map(str::to_owned).collect();
        parameters.push(Parameter { name: list[0].clone(), values });
    }
    let is_unused =
        |parameter: &&Parameter| !args.command.iter().any(|run| mentions(args, run, &parameter.name));
    match parameters.iter().find(is_unused) {
        Some(Parameter { name, .. }) => {
            let error = format!("the parameter `{name}` is used by no command");
            Err(Problem::misuse(error, format!("write `{{{name}}}` where its values belong")))
        }
        None => Ok(parameters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(args: CommandArgs) -> Result<Vec<CommandDefinition>, String> {
        definitions(&args).map_err(|problem| problem.text())
    }

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn a_command_is_called_as_it_is_written_unless_it_has_a_name() {
        let args = CommandArgs {
            command: texts(&["./a {n}", "./b"]),
            command_name: texts(&["first"]),
            parameter_scan: texts(&["n", "1", "3", "1"]),
            ..CommandArgs::default()
        };
        let found = typed(args).expect("all right");
        assert_eq!((found[0].name.as_str(), found[1].name.as_str()), ("first", "./b"));
        assert_eq!((found[0].parameters.len(), found[1].parameters.len()), (1, 0));
        assert_eq!(found[0].exit_codes, Some(vec![0]));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        let check = |args: CommandArgs, expected: &str| {
            let message = typed(args).expect_err(expected);
            assert!(message.contains(expected), "{message}");
        };
        let command = |run: &str| CommandArgs { command: texts(&[run]), ..CommandArgs::default() };
        check(command("a | b"), "`|` has a meaning only in a shell");
        check(
            CommandArgs { command: texts(&["a", "a"]), ..CommandArgs::default() },
            "two commands are called `a`",
        );
        check(
            CommandArgs { command_name: texts(&["x", "y"]), ..command("a") },
            "expected at most 1 command names, got 2",
        );
        check(
            CommandArgs { parameter_list: texts(&["n", "1,2"]), ..command("a") },
            "the parameter `n` is used by no command",
        );
        check(
            CommandArgs { parameter_scan: texts(&["n", "1", "0", "1"]), ..command("a {n}") },
            "the first number is above the last",
        );
    }

    #[test]
    fn without_a_command_configuration_decides() {
        assert!(typed(CommandArgs::default()).is_ok_and(|none| none.is_empty()));
    }

    #[test]
    fn the_guide_explains_every_flag() {
        use clap::CommandFactory;
        let guide = include_str!("../../../docs/guide/commands.md");
        let compare = crate::args::Cli::command().find_subcommand("compare").cloned().expect("a command");
        let flags =
            compare.get_arguments().filter(|argument| argument.get_help_heading() == Some("Commands"));
        let names: Vec<&str> = flags.filter_map(clap::Arg::get_long).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(guide.contains(&format!("`--{name}")), "{name}");
        }
    }
}
