import tally


def test_through_a_fixture(count_of):
    assert count_of(tally.words) == 10
