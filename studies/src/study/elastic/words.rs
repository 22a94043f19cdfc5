//! The texts of the document.

pub(super) const INTRODUCTION: &str = "\
# Elastic: agreement, cost, time and errors

Written by `cargo xtask study elastic` (seed {seed}); the same seed gives the same document.

**Question.** T. Schirmer, T. Pfandzelter and D. Bermbach (*ElastiBench: Scalable Continuous Benchmarking on Cloud FaaS Platforms*, 2024) run a suite of 106 Go
benchmarks on AWS Lambda in 8 to 17 minutes for $0.49 to $1.18 and find the same changes as a study of 4 hours on virtual machines. Do runs agree like that? What does a
suite cost that is a hundred times as large, what does the judge save, and what does each way of scheduling get wrong?

**What is real here and what is not.** Neither the paper's program nor its data are public. Agreement and Figures 4 to 7 are repeated twice: on *recorded* runs, the Go
benchmarks of µOpTime's data set 1 (prometheus/common, go-toml, zap; three virtual machines per version, which serve as three experiments), and on *simulated* runs. Cost, time
and errors are simulated. The rules are the product's own code: `benchwright agree`'s for the paper's, `Judge` for ours.
";

pub(super) const DEFINITIONS: &str = "\
## Agreement

Definitions are those of the paper's section 6.1. A change is found where the 99 % bootstrap interval of the ratio of medians excludes zero; benchmarks with fewer than ten results are left out. Two runs
*agree* on a benchmark if both find a change in the same direction or neither finds one. *One-sided coverage*: the estimate of one lies in the interval of the other; *two-sided*: both do. A *possible change*
is found by one run alone. For the judge, same and undecided both count as no change found.

Where the paper is ambiguous or contradicts itself:

- Coverage is defined for experiments \"that find a performance change\", but 86.96, 52.17 and 50 % are 80, 48 and 46 of 92, and 81.72, 51.61 and 48.39 % are 76, 48 and 45 of 93: shares of all benchmarks
  compared. Both are given here, and by `benchwright agree`.
- 91 benchmarks are compared, but 95.65 % \"(88 overall)\" is 88 of 92. Ten disagreements of at most 81 benchmarks are called about 20 %.
- The size of a possible change: that of the run which found it (a run that did not find it may have measured a larger one).
- \"Repeats until the interval is as small\": the first number of results for which it is; intervals do not shrink at every step. Below ten results a percentile interval of medians is hardly one
  (with one result it has no width), so counting starts at ten. The long run has 45 × 3 = 135 results in section 6.1, 50 × 4 = 200 in 6.2.7.
- The median change is 4.71 % in the text and 3.08 % in the caption of Figure 5; the largest disputed one 7.6 % in 6.2.6 and 7.06 % in 6.3, the median 1.58 and 1.63 %. The baseline's cost is printed as 0.18 €.";

pub(super) const FIGURES: &str = "\
## Figures 4 to 7

![Figures 4 to 7](elastic-figures.svg)";

pub(super) const ABOUT_FIGURES: &str = "
- *Recorded* A/A: two neighbouring seconds of each of 45 iterations, tossed. Recorded versions: each version against the next of its project, on the first, second and third instance by itself, 75 results a
  version. The two versions did not run in duets and perhaps not on the same machine, so that differences between machines look like changes of the code: changes are found in most benchmarks, and instances
  agree on 71 to 79 % of them, disputing changes of about 1 %. This is what duets are for; it is no statement about the paper.
- *Simulated*: the paper's experiments as below, between two versions of which 45 % of the benchmarks changed, by 4.71 % in the median. Typical differences on identical code are about as large as the paper's or larger, the largest are
  smaller: its suite has benchmarks that are noisier than any recorded here (32 % on identical code). So our simulated runs agree more than its own did (98 against 89 % of replication and baseline), and few benchmarks are in dispute.
- Simulated functions and machines differ in noise alone. The paper's also differ in processor, Go version and year, so that changes themselves have other sizes there: that explains its lower coverage (50 % against 64 %) and the
  quarter of benchmarks whose interval stays larger than the original's with 45 results (Figure 7), where we have next to none.
- Figure 7, recorded: the interval of the second instance against that of the first with all its 75 results; simulated: functions with up to 135 results against three machines with 45.
";

pub(super) const PLATFORM: &str = "\
## The platform

**Fitted**: noise of every recorded benchmark by robust nested variances of logarithms; each simulated benchmark draws one of them.";

pub(super) const ASSUMED: &str = "
**Assumed**, since nobody published it in a form that could be fitted:

- Time of day: 15 % between slowest and fastest (Schirmer et al. 2023, the paper's [48], \"up to 15 %\"), a sine over 24 h, the same for all instances.
- Processors: ARM has one kind. On x86 three kinds take 1, 0.85 and 0.92 of the time on 60, 25 and 15 % of instances (that several kinds occur is the paper's [14]; the numbers are ours), and a change of the code
  differs between kinds by a tenth of itself.
- An instance's state lasts 30 s (autoregressive), so that the halves of a duet, one to four seconds apart, share most of it. The recorded machines' noise is taken for that of functions.
- Cold starts: the first execution on an instance is 5 % slower on average (exponential). An instance starts in 8 s (median) with an image of 1 GB as in the paper, in 0.4 s with a package of
  prebuilt programs; that time is billed.
- 0.2 % of calls are lost with their instance and sent again, four times at most. Up to 1,000 instances start at once and 100 per second after that (AWS: 1,000 per ten seconds); what is turned away comes again after 0.5 s or more, doubling.
- An execution measures for one second and prepares for half a second (median, lognormal 0.7). 20 s is its limit. Instances are not taken away during a run.
- Price of functions: $0.0000133334 per GB-second (ARM), $0.0000166667 (x86), $0.20 per million requests. Machines: $0.095 per hour, what the original study paid by the paper's account.
";

pub(super) const POINTS: &str = "\
## The paper's experiments

Two numbers are fitted to the paper's: {overhead} s of tool chain per execution (`go test` links the program again each time), so that the A/A experiment costs $1.18; and {rate} calls sent per second, so that 4770 calls
take 17 min. The same {overhead} s explain the time of the original study. 11 of 106 benchmarks fail at once, 5 run into the limit (the paper: 16 without results).";

pub(super) const ABOUT_POINTS: &str = "
- Baseline and replication cost what A/A does, by construction. Times come out at 8 min for all three, the paper's were 8, 11 and 9. Lower memory costs more here than there ($0.84 against $0.69), and in the paper nine
  more benchmarks ran into the limit.
- The cost of the single-repeat experiment does not come out: it has as many executions as the baseline, so that it cannot cost less than half. 4770 calls for $0.49 are 3.9 s each at 2048 MB, while two executions of the baseline
  took 9 s. At 1024 MB they would be 7.7 s, which fits: perhaps the functions still had the memory of an experiment before it. That single repeats are cheaper, as the paper concludes, is not supported by this model.
- The paper's times need a script that sends about five calls per second; with 150 calls of 9 s in flight the single-repeat experiment would have been over in 5 min instead of 17.
";

pub(super) const MAP: &str = "\
## The map

Suites in which one benchmark in twenty changed by 5 %, on ARM functions of 2048 MB with prebuilt programs, 500 calls sent per second. Columns are instances; calls in flight are as many. A cell is the time from the first call to the
last answer, and the cost. *judge, waves*: all duets up to the next look of every open benchmark are sent, three to a call, the next wave when all are back. *judge, streaming*: a benchmark's next calls are sent as soon
as its own are back; looks of one benchmark do not depend on another's, only confirmation waits for all of screening. *fitting calls*: waves whose calls have one or two duets where there are more instances than calls.
Crosses in the picture are the paper's experiments: 106 benchmarks with 150 calls in flight cost it about three times as much, and took four times as long, as the same calls with prebuilt programs and a faster caller.

The judge costs a fifth at every size. With few instances it is faster in the same proportion; with thousands of instances for a hundred benchmarks the fixed plan is done first, since the judge waits for up to eight looks and
some rounds of confirmation, each as long as the slowest call. Calls of single duets shorten that; streaming alone does little, since the noisiest benchmark makes the most looks in either case.

![cost and time](elastic-map.svg)";

pub(super) const MACHINES: &str = "\
One machine that is paid by the hour, one duet after the other:";

pub(super) const SPEED_UP: &str = "\
### Speed-up against one instance";

pub(super) const ERRORS: &str = "\
## Errors

Suites of 100 benchmarks on 150 instances, six of each kind, for the judge 120; where something changed, 20 of 100 did, up or down. False alarms are changes found in identical code. A change in the wrong direction is missed. 95 % intervals (Wilson) in
brackets. A change of 3 % lies exactly at the judge's threshold, so that it leaves a third to a half of them unreported by design; the medians' rule has no threshold.";

pub(super) const ABOUT_ERRORS: &str = "
- The bootstrap of medians resamples each version on its own, so that whatever both versions share (a slow instance, a time of day, a kind of processor) counts as noise although it cancels in a duet. That is why it hardly
  ever raises a false alarm, and why it misses more changes the more instances differ: compare ARM with x86.
- On ARM, where instances hardly differ, unpaired executions do as well as duets under this rule: it makes no use of pairs. Duets help the rule that does.
- The judge pairs. It stops when certain, so that it takes a fraction of the executions.
";

pub(super) const LIMITS: &str = "
## How far to trust this

- The simulated platform has the noise of recorded virtual machines plus assumptions about functions that nobody measured here. Absolute error rates stand and fall with them; that pairing helps and stopping saves does not.
- Simulated executions are single values. Real ones are many slices, of which the judge takes the lower decile or the median. Each simulated duet has a coin of its own; in screening real ones share it in pairs, the second turned round.
- Layout effects, wrong builds and benchmarks that change their own set-up between versions (the paper's `BenchmarkAddMulti`) are not simulated.
- Recorded runs have three instances. An agreement of three is a small sample of machines, however many benchmarks there are.
";
