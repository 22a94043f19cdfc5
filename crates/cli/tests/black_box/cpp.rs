//! The same with a real CMake project.

use crate::document::compared;
use crate::sandbox::Sandbox;

const MANIFEST: &str = "cmake_minimum_required(VERSION 3.15)
project(steps LANGUAGES CXX)
find_package(benchmark REQUIRED)
add_executable(steps_bench bench.cc steps.cc)
target_link_libraries(steps_bench PRIVATE benchmark::benchmark_main)
";

const BENCHMARKS: &str = r#"#include <benchmark/benchmark.h>

int Work(int n);

template <class T>
static void BM_Work(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(static_cast<T>(Work(static_cast<int>(state.range(0)))));
  }
}
BENCHMARK_TEMPLATE(BM_Work, long)->Arg(100);

static void BM_Fails(benchmark::State& state) {
  state.SkipWithError("no such book");
  for (auto _ : state) {
  }
}
BENCHMARK(BM_Fails);
"#;

/// A source whose function does `factor` times the work.
fn source(factor: u32, comment: &str) -> String {
    format!(
        "// {comment}\nint Work(int n) {{\n  volatile int sum = 0;\n  for (int i = 0; i < n * {factor}; ++i) {{\n    \
         sum = sum ^ i;\n  }}\n  return sum;\n}}\n"
    )
}

#[test]
fn a_cmake_project_is_listed_compared_and_known_as_identical() {
    let sandbox = Sandbox::empty();
    let fixed = [("CMakeLists.txt", MANIFEST.to_owned()), ("bench.cc", BENCHMARKS.to_owned())];
    sandbox.commit(&fixed, "start");
    sandbox.commit(&[("steps.cc", source(1, "one"))], "base");
    sandbox.commit(&[("steps.cc", source(1, "another remark"))], "remark");
    sandbox.commit(&[("steps.cc", source(30, "slow"))], "head");
    sandbox.say("list base").exits(0).prints(&["BM_Work<long>/100", "BM_Fails"]);

    let short = "--filter BM_Work --iteration-time 2ms --iterations 2";
    let (document, _) = compared(&sandbox, &format!("base head {short}"), 3);
    assert_eq!(document.verdicts()["BM_Work<long>/100"], "slower", "{:#}", document.0);

    let (document, _) = compared(&sandbox, &format!("base remark {short}"), 0);
    assert_eq!(document.verdicts()["BM_Work<long>/100"], "same", "{:#}", document.0);
    assert_eq!(document.duets(), 0, "identical programs are not measured: {:#}", document.0);

    let failing =
        "run --rev base --levels run=1,iteration=1,second=2 --iteration-time 2ms --filter BM_Fails --seed 7";
    sandbox.say(failing).exits(1).tells(&["no such book"]);
}
