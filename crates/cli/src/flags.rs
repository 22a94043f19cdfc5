//! Makes a session's request from arguments.

use benchwright_config::Layer;
use benchwright_formats::Limits;
use benchwright_process::Interrupt;
use benchwright_session::{PlaceChoice, PlanChoice, Problem, Selection, Workspace, project, recorded};

use crate::args::{
    FileLimits, Global, Measuring, PlaceArgs, PlanArgs, Selection as SelectionArgs, VerdictArgs,
};
use crate::command_flags;
use crate::terminal::Terminal;

impl Global {
    /// The workspace.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace { directory: self.directory.clone(), config: self.config.clone(), ..Workspace::default() }
    }

    /// The same for long operations, which Ctrl-C ends cleanly.
    pub(crate) fn interruptible(&self) -> Workspace {
        let interrupt = Interrupt::new();
        interrupt.listen_for_signals();
        Workspace { interrupt, ..self.workspace() }
    }
}

impl SelectionArgs {
    /// The selected benchmarks. `against` is the command that the typed command is compared with.
    pub(crate) fn selection(&self, against: Option<&str>) -> Result<Selection, Problem> {
        let (commands, against) = match against {
            Some(against) => {
                let [base, head] = command_flags::opponents(&self.commands, against)?;
                (vec![head], Some(base))
            }
            None => (command_flags::definitions(&self.commands)?, None),
        };
        Ok(Selection {
            harness: self.harness.clone(),
            build_args: self.build_arg.clone(),
            harness_args: self.harness_args.clone(),
            commands,
            against,
        })
    }
}

impl PlanArgs {
    /// Which plan to follow.
    pub(crate) fn choice(&self) -> PlanChoice {
        match &self.plan {
            Some(path) => PlanChoice::File(path.clone()),
            None if self.no_plan => PlanChoice::Ignored,
            None => PlanChoice::OfRepository,
        }
    }
}

impl PlaceArgs {
    /// Refuses flags of other places.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.on == "local" {
            refuse_typed(&[("--fallback", self.fallback.is_some())], "`--on slurm` or `--on lambda`")?;
        }
        let of_lambda =
            [("--max-cost", self.max_cost.is_some()), ("--architecture", self.architecture.is_some())];
        if self.on == "lambda" { Ok(()) } else { refuse_typed(&of_lambda, "`--on lambda`") }
    }

    /// Where to measure.
    pub(crate) fn choice(&self) -> PlaceChoice {
        PlaceChoice { on: self.on.clone(), has_fallback: self.fallback.is_some() }
    }
}

/// Returns an error for the first of these flags that was typed, because it has no meaning without `owner`.
pub(crate) fn refuse_typed(flags: &[(&str, bool)], owner: &str) -> Result<(), Problem> {
    match flags.iter().find(|(_, is_typed)| *is_typed) {
        Some((flag, _)) => {
            Err(Problem::misuse(format!("`{flag}` has no effect without {owner}"), "leave it out"))
        }
        None => Ok(()),
    }
}

/// Flags as a layer of settings.
pub(crate) fn flag_layer(
    global: &Global,
    selection: &SelectionArgs,
    measuring: Option<&Measuring>,
    verdict: Option<&VerdictArgs>,
) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    let mut set = |key: &str, value: Option<String>| match value {
        Some(value) => layer.set(key, &value).map_err(Problem::from),
        None => Ok(()),
    };
    set("filter", selection.filter.clone())?;
    set("skip", selection.skip.clone())?;
    if let Some(measuring) = measuring {
        set("iterations", measuring.iterations.map(|n| n.to_string()))?;
        set("iteration-time", measuring.iteration_time.clone())?;
        set("warmup-time", measuring.warmup_time.clone())?;
        set("stop", measuring.stop.clone())?;
        // A path on the command line is relative to the current directory, and one in the file to the root of
        // the project.
        let models = measuring
            .stop_models
            .as_ref()
            .map(|path| Ok::<_, Problem>(global.workspace().directory()?.join(path)));
        set("stop-models", models.transpose()?.map(|path| path.display().to_string()))?;
        set("max-warmup", measuring.max_warmup.clone())?;
        set("trial-timeout", measuring.trial_timeout.clone())?;
        set("trial-memory", measuring.trial_memory.clone())?;
        set("budget", measuring.budget.clone())?;
        set("wait", if measuring.no_wait { Some("0".into()) } else { measuring.wait.clone() })?;
        set("seed", measuring.seed.map(|n| n.to_string()))?;
        let cores: Vec<String> = measuring.cores.iter().map(usize::to_string).collect();
        set("cores", (!cores.is_empty()).then(|| cores.join(",")))?;
        set("niceness", measuring.niceness.map(|n| n.to_string()))?;
    }
    if let Some(verdict) = verdict {
        set("threshold", verdict.threshold.clone())?;
        set("fail-threshold", verdict.fail_threshold.clone())?;
        set("confirm", verdict.confirm.clone())?;
        set("rule", verdict.rule.clone())?;
        set("duets", verdict.duets.map(|n| n.to_string()))?;
        set("min-duets", verdict.min_duets.map(|n| n.to_string()))?;
        set("max-duets", verdict.max_duets.map(|n| n.to_string()))?;
        set("layouts", verdict.layouts.map(|n| n.to_string()))?;
        set("injected", verdict.injected.clone())?;
        set("fail-on", (!verdict.fail_on.is_empty()).then(|| verdict.fail_on.join(",")))?;
        set("require-decided", verdict.require_decided.clone())?;
        if verdict.quick {
            layer = layer.over(Layer::quick());
        }
    }
    Ok(layer)
}

/// Returns an error for flags of rules other than the selected one.
pub(crate) fn check_rule(global: &Global, verdict: &VerdictArgs, flags: &Layer) -> Result<(), Problem> {
    if verdict.duets.is_none() && verdict.injected.is_none() {
        return Ok(());
    }
    let mut terminal = Terminal::new(global).hushed();
    let settings = project::settings_anywhere(&global.workspace(), flags.clone(), &mut terminal)?;
    let rule = settings.decision.rule;
    if rule.confirms() && verdict.duets.is_some() {
        let name = rule.name;
        let error =
            format!("`--duets` has no effect with the rule `{name}`, which decides how many it needs");
        let hint = "--max-duets limits them; fixed-sample rules (--rule t-test) take --duets";
        return Err(Problem::misuse(error, hint));
    }
    let injected = [("--injected", !rule.needs_injected && verdict.injected.is_some())];
    refuse_typed(&injected, "`--rule wilcoxon-half`")
}

/// The limits on reading a file: those of the flags, otherwise those in the settings of the directory.
pub(crate) fn file_limits(global: &Global, flags: &FileLimits) -> Result<Limits, Problem> {
    let mut layer = Layer::default();
    let typed = [
        ("max-benchmarks", flags.max_benchmarks.map(|n| n.to_string())),
        ("max-values", flags.max_values.map(|n| n.to_string())),
        ("max-file-size", flags.max_file_size.clone()),
    ];
    for (key, value) in typed {
        value.map_or(Ok(()), |value| layer.set(key, &value))?;
    }
    let mut terminal = Terminal::new(global).hushed();
    let settings = project::settings_anywhere(&global.workspace(), layer, &mut terminal)?;
    Ok(recorded::limits_of(settings.files))
}
