"""Counts words and letters."""

from collections import Counter


def words(text):
    """How often each word occurs."""
    return Counter(text.split())


def letters(text):
    """How often each letter occurs, whatever its case."""
    counts = {}
    for letter in text.lower():
        if letter.isalpha():
            counts[letter] = counts.get(letter, 0) + 1
    return counts


def most_common(text, count):
    """The most frequent words, most frequent first."""
    found = words(text).items()
    return sorted(found, key=lambda item: (-item[1], item[0]))[:count]
