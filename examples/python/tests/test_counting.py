import pytest

import tally


def test_words(benchmark, text):
    assert benchmark(tally.words, text)["the"] == 60


@pytest.mark.parametrize("count", [1, 10])
def test_most_common(benchmark, text, count):
    assert len(benchmark(tally.most_common, text, count)) == count


@pytest.mark.parametrize("sample", ["a b", "größe", "a::b", "[x]"])
def test_names(benchmark, sample):
    benchmark(tally.letters, sample)


class TestLetters:
    def test_count(self, benchmark, text):
        assert benchmark(tally.letters, text)["e"] == 80

    def test_pedantic(self, benchmark, text):
        benchmark.pedantic(tally.letters, args=(text,), rounds=20, iterations=3, warmup_rounds=2)


def test_without_benchmark(text):
    assert tally.letters(text)["z"] == 20
