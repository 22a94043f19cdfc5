use benchwright_model::Severity;

use crate::test_reading::check;

#[test]
fn results_of_one_program_are_iterations_and_those_of_another_are_processes() {
    check(
        "goos: linux\npkg: example.com/a\nBenchmarkX-8 \t 100\t 12.50 ns/op\t 8 B/op\nBenchmarkX-8 \t 200\t 12.75 ns/op\t 8 B/op\nPASS\n\
         ok  \texample.com/a\t1.2s\ngoos: linux\npkg: example.com/a\nBenchmarkX-8 \t 300\t 13.00 ns/op\t 8 B/op\nPASS\n",
        "benchfmt\n  gomaxprocs = 8\n  goos = linux\n  go|example.com/a|BenchmarkX\n    \
         process operations [100, 200] time [1.25000e-8 1.27500e-8] B/op [8 8]\n    process operations [300] time [1.30000e-8] B/op [8]",
    );
}

#[test]
fn bare_results_do_not_tell_processes_from_iterations() {
    check(
        "BenchmarkX 1 2 ns/op\nBenchmarkX 1 3 ns/op\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1, 1] time [2.00000e-9 3.00000e-9]",
    );
}

#[test]
fn other_circumstances_are_another_set() {
    check(
        "commit: aaa\nBenchmarkX 1 2 ns/op\ncommit: bbb\nBenchmarkX 1 3 ns/op\ncommit: aaa\nBenchmarkX 1 4 ns/op\n",
        "benchfmt at aaa\n  commit = aaa\n  go||BenchmarkX (structure unknown)\n    process operations [1, 1] time [2.00000e-9 4.00000e-9]\n\
         benchfmt at bbb\n  commit = bbb\n  go||BenchmarkX (structure unknown)\n    process operations [1] time [3.00000e-9]",
    );
}

#[test]
fn several_packages_are_apart_and_may_come_again() {
    check(
        "pkg: a\nBenchmarkX 1 2 ns/op\npkg: b\nBenchmarkX 1 3 ns/op\npkg: a\nBenchmarkX 1 4 ns/op\n",
        "benchfmt\n  go|a|BenchmarkX\n    process operations [1] time [2.00000e-9]\n    process operations [1] time [4.00000e-9]\n  \
         go|b|BenchmarkX\n    process operations [1] time [3.00000e-9]",
    );
}

#[test]
fn units_are_normalised_or_kept() {
    check(
        "BenchmarkX 1 2 ns/op 3 MB/s 4 B/op 5 allocs/op 6 p99-ns 7 widgets 8 ops/s\nBenchmarkY 1 0.5 sec/op\nBenchmarkZ 1 9 ops/s\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    \
         process operations [1] time [2.00000e-9] B/s [3000000] B/op [4] allocs/op [5] p99-ns [6] widgets [7] ops/s [8]\n  \
         go||BenchmarkY (structure unknown)\n    process operations [1] time [0.5]\n  \
         go||BenchmarkZ (structure unknown)\n    process operations [1] throughput [9]",
    );
}

#[test]
fn unit_lines_say_which_way_is_better() {
    let text = "Unit widgets better=higher assume=exact\nUnit p better=lower\nUnit q sideways\nBenchmarkX 1 2 widgets 3 p\n";
    let list = crate::read("file", text.as_bytes()).unwrap();
    let series = &list[0].benchmarks[0].processes[0].series;
    use benchwright_model::{Direction, Nature};
    assert_eq!(
        (series[0].metric.direction, series[0].metric.nature),
        (Direction::HigherIsBetter, Nature::Counted)
    );
    assert_eq!(
        (series[1].metric.direction, series[1].metric.nature),
        (Direction::LowerIsBetter, Nature::Measured)
    );
    assert!(list[0].diagnostics[0].to_string().contains("file:3:1: `sideways` is not a `key=value`"));
}

#[test]
fn resolution_is_the_coarsest_printed_digit() {
    let list =
        crate::read("file", b"BenchmarkX 1 12.50 ns/op\nBenchmarkX 1 2000 ns/op\nBenchmarkX 1 8.00 ns/op\n")
            .unwrap();
    let resolution = list[0].benchmarks[0].processes[0].series[0].resolution;
    assert!((resolution - 0.00125).abs() < 1e-12, "{resolution}");
}

#[test]
fn what_a_benchmark_prints_is_passed_over() {
    check(
        "pkg: a\nBenchmarkX-2   \tsome log\nmore\n       3\t       210.5 ns/op\nBenchmarkY-2   \tlog       4\t       5 ns/op\n\
         BenchmarkZ-2\npanic: oh no\nBenchmarking plain: Warming up for 3.0000 s\nPASS\n",
        "benchfmt\n  gomaxprocs = 2\n  go|a|BenchmarkX\n    process operations [3] time [2.10500e-7]\n  go|a|BenchmarkY\n    \
         process operations [4] time [5.00000e-9]",
    );
}

#[test]
fn damaged_results_are_said_with_line_and_column() {
    check(
        "pkg: a\nBenchmarkX 1 2 ns/op\nBenchmarkX 1 x ns/op\nBenchmarkX 1 3\nBenchmarkX 2 4 ns/op\n",
        "benchfmt\n  go|a|BenchmarkX\n    process operations [1, 2] time [2.00000e-9 4.00000e-9]\n  \
         warning: file:3:14: left out a result that is not `name count value unit …`\n  \
         warning: file:4:14: left out a result that is not `name count value unit …`",
    );
}

#[test]
fn a_unit_that_some_results_lack_is_left_out() {
    check(
        "BenchmarkX 1 2 ns/op 5 hits\nBenchmarkX 1 3 ns/op\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1, 1] time [2.00000e-9 3.00000e-9]\n  \
         warning: file:1:1: left out `hits` of `:BenchmarkX`: 1 values for 2 results",
    );
}

#[test]
fn time_and_throughput_under_one_name_are_kept_apart() {
    check(
        "BenchmarkX 1 2 ns/op\nBenchmarkX 1 3 ns/op\nBenchmarkX 1 500 ops/s\n",
        "benchfmt\n  go||BenchmarkX/time (structure unknown)\n    process time [2.00000e-9 3.00000e-9]\n  \
         go||BenchmarkX/throughput (structure unknown)\n    process throughput [500]\n  \
         note: file: `:BenchmarkX` measures different things under one name, kept apart as `time`, `throughput`",
    );
    check(
        "pkg: a\nBenchmarkX 1 2 ns/op\nPASS\npkg: a\nBenchmarkX 1 500 ops/s\nPASS\n",
        "benchfmt\n  go|a|BenchmarkX/time\n    process operations [1] time [2.00000e-9]\n  \
         go|a|BenchmarkX/throughput\n    process operations [1] throughput [500]\n  \
         note: file: `a:BenchmarkX` measures different things under one name, kept apart as `time`, `throughput`",
    );
}

#[test]
fn names_and_units_that_are_not_utf_8_are_replaced_and_said() {
    let text = b"BenchmarkX 1 2 ns/op\nBenchmark\xff\xfe-2 1 3 ns/op\nBenchmarkY 1 4 ns/op 5 \xff\n";
    let list = crate::read("file", text).unwrap();
    assert_eq!(
        crate::test_reading::account(&list),
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1] time [2.00000e-9]\n  \
         go||Benchmark\u{fffd}\u{fffd}-2 (structure unknown)\n    process operations [1] time [3.00000e-9]\n  \
         go||BenchmarkY (structure unknown)\n    process operations [1] time [4.00000e-9] \u{fffd} [5]\n  \
         warning: file:2:10: a text is not UTF-8; invalid bytes are replaced\n  \
         warning: file:3:1: a text is not UTF-8; invalid bytes are replaced"
    );
}

#[test]
fn a_last_line_that_is_cut_is_left_out() {
    let whole = "BenchmarkX 1 2 ns/op 5 B/op\nBenchmarkX 1 3 ns/op 6 B/op";
    let read = |text: &str| crate::read("file", text.as_bytes()).unwrap();
    assert_eq!(read(whole)[0].benchmarks[0].processes[0].operations.len(), 2);
    for cut in ["ns/op 6 B", "ns/op 6", "ns/op", "ns/o"] {
        let end = whole.rfind("ns/op 6").unwrap();
        let list = read(&format!("{}{cut}", &whole[..end]));
        assert_eq!(list[0].benchmarks[0].processes[0].operations.len(), 1, "{cut}");
        assert_eq!(list[0].diagnostics.len(), 1, "{cut}");
    }
}

#[test]
fn times_that_are_no_positive_numbers_are_left_out() {
    check(
        "BenchmarkX 1 0 ns/op\nBenchmarkX 1 +Inf ns/op\nBenchmarkX 1 2 ns/op\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1] time [2.00000e-9]\n  \
         warning: file:1:1: left out 2 values of `:BenchmarkX` that are not positive numbers",
    );
}

#[test]
fn a_header_without_results_is_said() {
    check("goos: linux\npkg: a\nPASS\n", "benchfmt\n  warning: file: has no results of benchmarks");
}

#[test]
fn circumstances_without_end_are_mixed_and_said() {
    let text: String =
        (0..5000).map(|number| format!("k{number}: v\ncommit: {number}\nBenchmarkX 1 2 ns/op\n")).collect();
    let list = crate::read("file", text.as_bytes()).unwrap();
    assert_eq!(list.len(), 4096);
    assert!(list.iter().all(|imported| imported.environment.len() <= 64));
    assert!(list[0].diagnostics[0].to_string().contains("more than 4096 different circumstances"));
}

#[test]
fn words_that_programs_print_are_no_circumstances() {
    check(
        "pkg: a\nnote: something\nwarning: more\nBenchmarkX 1 2 ns/op\n",
        "benchfmt\n  go|a|BenchmarkX\n    process operations [1] time [2.00000e-9]",
    );
}

#[test]
fn of_a_unit_twice_in_a_line_the_first_value_counts() {
    check(
        "BenchmarkX 1 2 ns/op 8 ns/op 5 hits\nBenchmarkX 1 3 ns/op 9 ns/op 6 hits\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1, 1] time [2.00000e-9 3.00000e-9] hits [5 6]",
    );
}

#[test]
fn text_touches_only_operations_that_fill_their_field() {
    check(
        "pkg: a\nBenchmarkX-2 log12345678\t5 ns/op\nBenchmarkY-2 log1234567\t6 ns/op\nPASS\n",
        "benchfmt\n  gomaxprocs = 2\n  go|a|BenchmarkX\n    process operations [12345678] time [5.00000e-9]",
    );
}

#[test]
fn what_a_line_that_is_left_out_says_is_forgotten() {
    let text = "BenchmarkX 1 2000 ns/op\nBenchmarkX 1 3 ns/op 4\nBenchmarkX 1 2000 ns/op\n";
    let list = crate::read("file", text.as_bytes()).unwrap();
    let process = &list[0].benchmarks[0].processes[0];
    assert_eq!((process.operations.len(), process.series.len()), (2, 1));
    assert!((process.series[0].resolution - 1.0 / 2000.0).abs() < 1e-12, "{}", process.series[0].resolution);
}

#[test]
fn a_cut_inside_a_line_is_an_error_wherever_it_is() {
    let before = "goos: linux\npkg: p\nBenchmarkA-2  100  5 ns/op\nBenchmarkB-2  100  6 ns/op\n";
    for line in ["BenchmarkC-2  100  6 ns/op", "goos: linux", "pkg: other"] {
        for cut in 1..line.len() {
            let text = format!("{before}{}", &line[..cut]);
            let list = crate::read("file", text.as_bytes()).unwrap();
            let errors = list[0].diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
            assert_eq!(errors, 1, "{text}");
            assert_eq!(list[0].benchmarks.len(), 2, "{text}");
        }
    }
}

#[test]
fn a_cut_behind_what_a_benchmark_printed_is_an_error_too() {
    let errors = |text: &str| {
        let list = crate::read("file", text.as_bytes()).unwrap();
        list[0].diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
    };
    let text = "pkg: p\nBenchmarkA\nthinkingBenchmarkA-2  \t 2511100\t         1.898 ns/op\t       0 B/op";
    assert_eq!(errors(&format!("{text}\n")), 0);
    for cut in ["ns/op\t       0 B/o", "ns/op\t       0 B", "ns/op\t   ", "ns/op\t", "ns/op ", "ns/o", "ns"] {
        let end = text.find("ns/op").unwrap();
        assert!(errors(&format!("{}{cut}", &text[..end])) > 0, "{cut}");
        // This also holds if it is the first result of the file.
        assert_eq!(errors(&format!("BenchmarkA-2 2511100 1.898 {cut}")), 1, "{cut}");
    }
    for cut in ["t", "thinking", "thinkingBenchmarkA-2  \t 2511100\t         1.898 ns/o"] {
        assert_eq!(errors(&format!("{text}\n{cut}")), 1, "{cut}");
    }
    assert_eq!(errors(&format!("{text}\nPASS")), 0);
    assert_eq!(errors("BenchmarkA 1 2 ns/op"), 0);
    assert_eq!(errors("BenchmarkA 1 2 hits"), 0);
}
