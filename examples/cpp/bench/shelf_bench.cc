// What Google Benchmark offers, in one program: families with arguments, templates, a fixture, counters, threads, units
// of time, manual time, settings of their own.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "shelf/shelf.h"

namespace {

// A family over sizes, with throughput.
void BM_Checksum(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    benchmark::DoNotOptimize(shelf::Checksum(text));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(BM_Checksum)->RangeMultiplier(8)->Range(8, 512);

// Two arguments with names, counters of every kind, and a label.
void BM_Put(benchmark::State& state) {
  std::size_t books = 0;
  for (auto _ : state) {
    shelf::Shelf one(static_cast<std::size_t>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
    one.Put(5);
    books = one.size();
    benchmark::DoNotOptimize(books);
  }
  const auto total = static_cast<double>(books) * static_cast<double>(state.iterations());
  state.counters["books"] = static_cast<double>(books);
  state.counters["put_per_second"] = benchmark::Counter(total, benchmark::Counter::kIsRate);
  state.counters["room"] = benchmark::Counter(total, benchmark::Counter::kAvgIterations, benchmark::Counter::kIs1024);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  state.SetLabel("numbered");
}
BENCHMARK(BM_Put)->ArgNames({"books", "step"})->Args({16, 1})->Args({64, 3});

// A template: the type is part of the name.
template <class Container>
void BM_Insert(benchmark::State& state) {
  for (auto _ : state) {
    Container container;
    for (int number = 0; number < state.range(0); ++number) {
      container.insert(container.end(), number);
    }
    benchmark::DoNotOptimize(container.size());
  }
}
BENCHMARK_TEMPLATE(BM_Insert, std::set<int>)->Arg(32);
BENCHMARK_TEMPLATE(BM_Insert, std::vector<char>)->Arg(32);

// A fixture.
class ShelfFixture : public benchmark::Fixture {
 public:
  using benchmark::Fixture::SetUp;
  using benchmark::Fixture::TearDown;
  void SetUp(benchmark::State& state) override {
    shelf_ = std::make_unique<shelf::Shelf>(static_cast<std::size_t>(state.range(0)), 2);
  }
  void TearDown(benchmark::State&) override { shelf_.reset(); }

 protected:
  std::unique_ptr<shelf::Shelf> shelf_;
};
BENCHMARK_DEFINE_F(ShelfFixture, Find)(benchmark::State& state) {
  std::uint32_t number = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(shelf_->Find(number++ % 512));
  }
}
BENCHMARK_REGISTER_F(ShelfFixture, Find)->Arg(256);

// Threads, measured by the clock.
void BM_Together(benchmark::State& state) {
  const std::string text(64, 'y');
  for (auto _ : state) {
    benchmark::DoNotOptimize(shelf::Checksum(text));
  }
  state.counters["threads_seen"] = benchmark::Counter(1, benchmark::Counter::kDefaults);
}
BENCHMARK(BM_Together)->Threads(1)->Threads(2)->UseRealTime();

// A time that the benchmark sets itself, in another unit.
void BM_Manual(benchmark::State& state) {
  for (auto _ : state) {
    state.SetIterationTime(2e-6);
  }
}
BENCHMARK(BM_Manual)->UseManualTime()->Unit(benchmark::kMicrosecond);

// Data of the repository, and settings that outdo those of the command line.
void BM_Words(benchmark::State& state, const char* name) {
  std::ifstream file(std::string(SHELF_DATA "/") + name);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) {
    state.SkipWithError("no words");
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(shelf::Words(text).size());
  }
}
BENCHMARK_CAPTURE(BM_Words, few, "words.txt")->Iterations(10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Words, often, "words.txt")->MinTime(0.001)->Repetitions(2);

}  // namespace
