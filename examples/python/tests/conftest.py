import pytest


@pytest.fixture
def text():
    return "the quick brown fox jumps over the lazy dog and the cat " * 20


@pytest.fixture
def count_of(benchmark, text):
    """A fixture that measures: tests need not name `benchmark` themselves."""
    return lambda function: len(benchmark(function, text))
