"""Benchmarks for pyperf: python benchmarks/bench_counting.py -o result.json"""

import time

import pyperf

import tally

TEXT = "the quick brown fox jumps over the lazy dog and the cat " * 20


def time_letters(loops):
    start = time.perf_counter()
    for _ in range(loops):
        tally.letters(TEXT)
        tally.letters(TEXT)
        tally.letters(TEXT)
        tally.letters(TEXT)
    return time.perf_counter() - start


if __name__ == "__main__":
    runner = pyperf.Runner()
    runner.bench_func("words", tally.words, TEXT)
    runner.bench_time_func("letters", time_letters, inner_loops=4)
    runner.timeit("most common", "tally.most_common(text, 3)", setup="import tally; text = 'a b a c ' * 50")
