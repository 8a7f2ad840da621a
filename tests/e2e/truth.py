# The truth lines of tests/programs: what a program does, said by itself in its first lines.
#
#   // truth: allocations=2*3 frees=5 bytes=10 leaked_blocks=1 leaked_bytes=4     the host heap
#   // truth mmap: …          the mmap space
#   // truth child: …         each forked child
#   // truth: oracle          only the independent count is asked (Python programs)
#   // run: key=value …       how it is run:
#       scope=own             the truth is what the program's own code does; its libraries do more
#       exit=N signal=N       how it ends (default exit=0)
#       end=…                 how the report says that it ended
#       dumps=N or A..B       how many processes leave a dump (default 1)
#       before=lib after=lib  preloaded in front of memtrace, behind it
#       children=free         what its children do is not compared
#       libraries=lib         linked to the program
#       not_covered=name      the report must say that this function is not covered
#       dump_below=N          the dump must be smaller than N bytes
#       stderr=free           its stderr need not be the same under memtrace
#       oracle=no             the independent count is of no use here
#       manual                not run by itself, only by cases
#
# A value of -1 is not compared. Values may be products and sums.
import os
import re

FIELDS = ("allocations", "frees", "bytes", "leaked_blocks", "leaked_bytes")


class Truth:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.path = path
        self.numbers = {}  # "host", "mmap", "child" -> field -> number
        self.run = {"exit": "0", "scope": "all", "dumps": "1"}
        self.by_oracle_only = False
        with open(path) as file:
            for line in file:
                line = line.strip().lstrip("/# ")
                found = re.match(r"(truth|run)( \w+)?: (.*)", line)
                if not found:
                    break
                word, of, rest = found.groups()
                if word == "run":
                    for item in rest.split():
                        key, _, value = item.partition("=")
                        self.run[key] = value or "yes"
                elif rest == "oracle":
                    self.by_oracle_only = True
                else:
                    self.numbers[(of or "host").strip()] = {
                        key: value_of(text) for key, text in (i.split("=") for i in rest.split())}
        if not self.numbers and not self.by_oracle_only:
            raise ValueError(f"{path}: the first line states no truth")

    def status(self):
        """As subprocess says it: the exit code, or minus the signal."""
        return -int(self.run["signal"]) if "signal" in self.run else int(self.run["exit"])

    def dumps(self):
        low, _, high = self.run["dumps"].partition("..")
        return int(low), int(high or low)


def value_of(text):
    if not re.fullmatch(r"-?[0-9+*()-]+", text):
        raise ValueError(f"not a number: {text}")
    return eval(text, {"__builtins__": {}})  # digits, + - * and brackets only


def differences(truth, found):
    """What is said and what was found, field by field; empty if they agree."""
    return [f"{field}: the program says {truth[field]}, found {found[field]}"
            for field in FIELDS if truth.get(field, -1) != -1 and truth[field] != found[field]]
