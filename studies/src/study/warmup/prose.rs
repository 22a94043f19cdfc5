//! The texts around the document's tables.

/// Describes the study and its data.
pub(super) fn introduction(benchmarks: usize, processes: usize, steady: usize) -> String {
    format!(
        "# Study: when is warm-up over?\n\n\
         Repeats Traini, Di Menna and Cortellessa (ASE 2024) on the part of their data that is public here: {benchmarks} JMH benchmarks (the \
         paper: 586), {processes} recorded processes, {steady} of which get steady. Written by `cargo xtask study warmup`; the paper's \
         numbers stand in brackets.\n\n\
         The trained rules (`learned`, which is the product's default, `oscnn`, `fcn`, `rocket`) are scored in five folds by benchmark: \
         no benchmark is judged by a model that saw it. Folds and random starts differ between three seeds, and numbers are medians over \
         the seeds. Settings of `learned` were chosen inside the training folds out of 216, their region and the rule's design by hand with scores on these benchmarks in sight: its numbers are somewhat optimistic. Protocol: `studies/warmup/README.md`; models: `docs/models/`. \
         SOP, CV, RCIW and KLD are the authors' own decisions (developers' configurations and dynamic reconfiguration), \
         those called replayed are this product's rules on the same series. `steady train` is what that command makes of four fifths of the benchmarks, judged on the \
         last fifth, with the settings of the embedded rule.\n\n\
         *Error*: distance between estimated and true end of warm-up, median over steady processes. *Deviation*: distance of the middle of the \
         95 % interval of measured over steady mean from 1, median over benchmarks. *Contains 1*: benchmarks whose interval does. \
         *Testing time*: warm-up and measurement of all processes of a benchmark.\n"
    )
}

pub(super) const FRONT: &str = "\
All ten processes of each benchmark, each rule with its own windows. Rules that decide on fewer processes are left out. The oracles know
the labels.
";

pub(super) const TABLE_2: &str = "\
Classifying windows of 100 iterations, mean over folds, median over seeds.
";

pub(super) const TABLES_3_6: &str = "\
Errors of processes that both executed: one-sided Wilcoxon signed rank, A12 (above 0.5: the rule's are smaller), matched-pairs rank-biserial
r (above 0: smaller).
";

pub(super) const FIGURE_4: &str = "\
Shares of steady processes whose warm-up ends too late, too early or exactly.
";

pub(super) const TABLES_4_7: &str = "\
In percent of benchmarks. Quality is better where the rule's interval contains 1 and the baseline's does not; where both do, the shorter
testing time is better. The rule gets the baseline's processes and as many measurements in each: of a longer window the last are kept, a shorter one is
extended. Here this holds for quality and for time; the paper's numbers are those of the next table.
";

pub(super) const AS_AUTHORS: &str = "\
The same, but testing time with the rule's own window, as the authors' scripts compute it: it leaves out measurements that the
comparison of quality includes.
";

pub(super) const TABLE_5: &str = "\
Median and quartiles. Deviation over benchmarks whose interval does not contain 1; trained rules pooled over the four comparisons, as the paper does, for the
seed in the middle.
";

pub(super) const LIMITS: &str = "
## What limits it

- Most processes that are steady by the label still drift by some percent: an oracle that starts to measure at the true end of warm-up has intervals that contain 1 in
  63 to 68 % of the benchmarks, and takes more than twice the testing time of the trained rules. RCIW's quality in OSCNN's median testing time is out of reach for a rule that
  also has to name the true end, since what it measures begins there. Ends fixed at 50 s with the last quarter measured reach 1.2 % and 78 %, in 500 s and
  with an error of 37 s.
- Quality is bought with late measurements, a small error with early ones. `learned` takes the end that is probably within 3.8 s of the true one unless the measurements that
  follow disagree with the last quarter.
- A longer measured part buys quality at the same error. Going on three times as far wherever `learned` ended a process after 25 s or later gives 4.0 s, 1.5 % and 77 %, RCIW's
  quality, and takes 327 ks over all benchmarks where OSCNN takes 328 (`studies/warmup/longer.py`, an approximation, with factor and limit chosen in sight of these benchmarks). But the
  median benchmark then takes 545 s instead of 235, OSCNN's 239: that sum is what few slow benchmarks make it. At equal medians nothing is gained, so it is not done.
- Against baselines with two to five processes the testing time decides wherever both results are good. OSCNN ends a flat process after 10 s
  at once; `learned` needs longer to be sure and gets better results with more processes, but fewer such wins against CV.
- The sixth process runs for 70 s so that later ones can be compared with a whole warm-up. Without it the share of intervals that contain 1 falls by about five points at the same
  testing time; as the first process it would cost most of the net improvement.
- Not everything is visible: a change after the stop cannot be known. A quarter of the errors is above 40 s for every rule that is not an oracle.
";
