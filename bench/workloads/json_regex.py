# SPDX-License-Identifier: Apache-2.0
"""Typical work of services in Python: parse JSON, search it with regular expressions, write JSON.

    json_regex.py COUNT
"""

import json
import random
import re
import sys

WORDS = "memory block stack frame report thread module sample trace peak leak page".split()
NUMBER = re.compile(r"\b(\d+)\b")
ADDRESS = re.compile(r"([\w.]+)@([\w-]+)\.(?:org|net)")


def make_request(number, choices):
    lines = [{"id": choices.randrange(10**6), "price": choices.random() * 100,
              "text": " ".join(choices.choices(WORDS, k=8))} for _ in range(20)]
    who = f"{choices.choice(WORDS)}.{number}@{choices.choice(WORDS)}.org"
    return json.dumps({"number": number, "from": who, "lines": lines})


def answer(request):
    message = json.loads(request)
    name, domain = ADDRESS.search(message["from"]).groups()
    numbers = [int(found) for found in NUMBER.findall(request)]
    words = {}
    for line in message["lines"]:
        for word in re.split(r"\s+", line["text"]):
            words.setdefault(word.title(), []).append(line["id"])
    return json.dumps({"to": f"{name} of {domain}", "sum": sum(numbers), "words": words})


def main():
    choices = random.Random(1)
    total = 0
    for number in range(int(sys.argv[1])):
        total += len(answer(make_request(number, choices)))
    print(f"{total} characters answered")


if __name__ == "__main__":
    main()
