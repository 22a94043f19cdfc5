//! The texts between the tables.

pub(super) const INTRODUCTION: &str = "\
# µOpTime, repeated

Japke, Grambow, Laaber, Bermbach: \"µOpTime: Statically Reducing the Execution Time of Microbenchmark Suites Using Stability Metrics\",
ACM TOSEM 2025, doi 10.1145/3715322. A benchmark is measured in full once; every smaller configuration is a prefix of that on each
level; the cheapest whose values vary little (below 1 %) is used from then on.

`cargo xtask study uoptime` repeats the paper's figures 3 and 4, its statistics for research question 2 and its tables 2 and 3 on the
authors' own data with `benchwright`'s `reduce`, and writes this document. Numbers called *paper* are the published ones: for figures those
of the tables in the replication package from which they are drawn, since a bar cannot be read to four digits.

Two sets of definitions are used. The **prototype's** are those that give the published numbers: instance 1 only, stable strictly below
the threshold, at least three suite runs times iterations, RCIW3 with the *mean's* interval over the median. The **paper's** are those of
its text: all instances pooled, stable up to the threshold, at least three measurements, the median's own interval. The latter are the
default of `benchwright reduce`; where nothing else is said this document uses the former, because it compares.

";

pub(super) const AGREEMENT: &str = "\
The package has the prototype's choice for every benchmark. CV and RMAD are plain formulas, so the choices must be equal. The other
three metrics resample, and near the threshold the resamples decide: over 10,000 of them the width of an interval of the mean
has an error of 1 to 2 %, the studentised one of six values 7 %.

*Replayed* is the prototype's run with its own random numbers: one NumPy generator (PCG64, seed 42) drawn from in the order in which
the prototype goes through versions, metrics, benchmarks and configurations; for Java it begins anew every ten benchmarks. Whatever
differs there is a difference of definitions. *In its mode* is what `benchwright reduce --mode prototype` does for one file. For Java it repeats the batches. For Go nobody
knows what was drawn before the file, so sets of 10,000 resamples vote until one choice leads by five: that is the choice which the prototype
makes most often. Whatever differs there and not in the replay is chance, and the prototype's own: below the tables stands how many of 50 further sets of resamples choose as
the prototype did. A choice that some sets make is within the error of resampling.

For toml and zap the package has no choices, only totals. The stream goes on from prometheus through toml to zap, so the replay gives their choices as well; whether it is the prototype's run can be seen by the
totals in figure 3, which it meets. These rows say *replayed* instead of counting.

";

pub(super) const FIGURE_3: &str = "\
Newest version of each project. Baselines: *minimum* is the smallest configuration with three measurements, *random* one drawn per
benchmark; both are judged by the mean and by the median. Saved is time of measuring over the whole suite; ≤ 1 % and so on is the share of
benchmarks whose average is that close to the full configuration's. The last column is the largest difference of a lower and of an upper
end of an interval. In the picture the bar is the time that is left, the orange line the paper's; the cross is the paper's share
within 1 %.

CV, RMAD and all baselines are the published ones to the last digit; the random baseline, too, since its draws are the prototype's. Bars of
RCIW1 to RCIW3 can be off by what a few benchmarks near the threshold cost: one of zap's 46 that goes from 3 s to the full 75 s moves the suite by two points. What the paper's
text says otherwise is not what its figure shows: its \"up to 95.83 %\" for Go is 95.97 %, and its 95 % within 1 % for the minimum baseline by the median is
69.57 % for zap.

";

pub(super) const PAPER_MODE: &str = "\
The same data, with every definition as the paper's text has it. On data set 1 all three instances are pooled, and instances differ
more than runs on one of them: by CV and RMAD fewer benchmarks are stable and less is saved, and what is left is closer to the full result, which now
contains all instances as well. Intervals have three times as many values, so that for zap RCIW1 and RCIW2 save more. RCIW3 with the median's interval is a
different metric from the published one: on Java data it saves more, because single outliers widen the mean's interval and not the
median's. For protostuff that is 65 % instead of 3 %, at the price of 16 % of the benchmarks off by more than 3 %.

";

pub(super) const OTHERS: &str = "\
Data set 3 has five more projects. The paper leaves them out because benchmarks with different parameters share one name in the files, or
rows are missing. Here every block of lines under one name is a benchmark of its own, which is what it was.

";

pub(super) const METRICS: &str = "\
Kruskal-Wallis over the changes that the five metrics cause, Dunn's test for pairs, Cliff's delta for their size; the level is 0.01,
with Bonferroni's correction over the ten pairs. The paper finds no difference for data sets 1 and 3, and for both projects of data set 2 that are
here one between RMAD and every other metric. Its program takes the test for data set 3 over seven groups, since it also pairs CV with the
median and RMAD with the mean; the table says over how many groups the published number is. Ours are five everywhere.

";

pub(super) const FIGURE_4: &str = "\
Data set 2 has the first iterations of each fork, so warm-up can be cut off: 50 of 100 iterations per fork. It is paid for (50 s per
chosen fork) but does not choose. The paper's figure shows RCIW3; its package has the others too. For protostuff a few benchmarks lie at the
threshold with one fork and are stable with several, and every fork more is 50 s of warm-up: other resamples move the suite by up to three points
(here one set of resamples decides).

";

pub(super) const CHANGES: &str = "\
Configurations are chosen on the oldest version and used on all later ones: by RMAD for Go, by RCIW3 for Java. A change is a slowdown by
more than 3 % with 99 % intervals that do not overlap; what the full configuration says is taken for the truth. *full* and *chosen* are the changes that
either finds, summed over pairs of versions; the rates are their range over pairs, with the median in brackets. Pairs without a
common benchmark are left out. The paper's text speaks of changes, its program counts slowdowns only; the last column says how many
benchmarks the full configuration finds faster.

Table 2 is the paper's in every cell. In table 3 the paper's byte-buddy has 11 changes by the full and 28 by the chosen configurations; the files of its package give 12
and 15, as here, and the printed rates belong to those. For jenetics the paper's rates are taken over 20 pairs, nine of which have no benchmark in
common since all packages were renamed, and count 0 there; ours are over the 11 pairs it names.

";

pub(super) const CHANGES_PAPER_MODE: &str = "\
With all instances pooled (data set 1) and RCIW3 by the median's interval (data set 3). For data set 1 the truth itself is another one
then: an interval over three instances is wider.

";
