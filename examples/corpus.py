# SPDX-License-Identifier: Apache-2.0
"""Training text from a small grammar. The same seed gives the same text everywhere."""

import random

GRAMMAR = {
    "sentence": [
        "{who} {does} {what} {when}.",
        "{when}, {who} {does} {what}.",
        "{who} {does} {what} because {who} {does} {what}.",
        "if {who} {does} {what}, then {who} {does} {what}.",
        "{who} {does} {what}, and {who} {does} {what} {when}.",
    ],
    "who": ["the {old} {maker}", "a {maker}", "the {maker}", "every {old} {maker}", "no {maker}"],
    "maker": ["baker", "gardener", "sailor", "teacher", "printer", "clock", "river", "miller"],
    "old": ["old", "patient", "quiet", "small", "northern", "tired", "careful"],
    "does": ["keeps", "finds", "carries", "counts", "forgets", "returns", "shares", "opens"],
    "what": ["the {thing}", "a {old} {thing}", "{number} {thing}s", "the {thing} of the {maker}"],
    "thing": ["bread", "letter", "lamp", "boat", "garden", "book", "stone", "window", "kettle"],
    "number": ["two", "three", "seven", "twelve", "forty"],
    "when": ["at dawn", "in winter", "after the rain", "before noon", "on market day", "again"],
}


def expand(symbol, choices):
    """Returns one random expansion of a symbol of the grammar."""
    text = choices.choice(GRAMMAR[symbol])
    while "{" in text:
        before, rest = text.split("{", 1)
        name, after = rest.split("}", 1)
        text = before + expand(name, choices) + after
    return text


def make_text(seed, characters=200_000):
    """Returns sentences of at least this many characters in all."""
    choices = random.Random(seed)
    sentences, length = [], 0
    while length < characters:
        sentences.append(expand("sentence", choices))
        length += len(sentences[-1]) + 1
    return " ".join(sentences)


class Characters:
    """Converts a text to numbers, and numbers to text."""

    def __init__(self, text):
        self.alphabet = sorted(set(text))
        index = {character: number for number, character in enumerate(self.alphabet)}
        self.numbers = [index[character] for character in text]
        self.index = index

    def decode(self, numbers):
        return "".join(self.alphabet[number] for number in numbers)
