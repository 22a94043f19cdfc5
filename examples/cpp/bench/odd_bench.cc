// Names full of what means something in patterns, benchmarks that fail or keep their repetitions to themselves, one name
// used twice, and a program that talks before it lists.
#include <benchmark/benchmark.h>

#include <iostream>
#include <limits>

namespace {

void Spin(benchmark::State& state) {
  int number = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(++number);
  }
}

void Fail(benchmark::State& state) {
  state.SkipWithError("the \"catalogue\" is missing");
  for (auto _ : state) {
  }
}

void CountOddly(benchmark::State& state) {
  Spin(state);
  state.counters["nothing"] = std::numeric_limits<double>::quiet_NaN();
  state.counters["everything"] = std::numeric_limits<double>::infinity();
  state.counters["time"] = 3;
}

void Grow(benchmark::State& state) {
  Spin(state);
  state.SetComplexityN(state.range(0));
}

}  // namespace

int main(int argc, char** argv) {
  std::cout << "odd benchmarks follow\n";
  for (const char* name : {"odd", "odd/a", "odd/a.b", "odd/a+b?", "odd/(a|b)*", "odd/[a]{2}^$", "odd/back\\slash",
                           "odd/with space", "odd/größe", "odd/a/b/", "-odd"}) {
    benchmark::RegisterBenchmark(name, Spin);
  }
  benchmark::RegisterBenchmark("odd/twice", Spin);
  benchmark::RegisterBenchmark("odd/twice", Spin);
  benchmark::RegisterBenchmark("odd/fails", Fail);
  benchmark::RegisterBenchmark("odd/counters", CountOddly);
  benchmark::RegisterBenchmark("odd/complexity", Grow)->Arg(8)->Arg(64)->Complexity(benchmark::o1);
  benchmark::RegisterBenchmark("odd/secretive", Spin)->Repetitions(3)->ReportAggregatesOnly();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
}
