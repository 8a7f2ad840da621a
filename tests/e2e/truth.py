# The truth lines of tests/programs: each program states in its first lines what it does.
#
#   // truth: allocations=2*3 frees=5 bytes=10 leaked_blocks=1 leaked_bytes=4     the host heap
#   // truth mmap: …          the mmap space
#   // truth child: …         each forked child
#   // truth: oracle          only the independent count is compared (Python programs)
#   // run: key=value …       how the program is run:
#       scope=own             the truth covers the program's own code; its libraries do more
#       exit=N signal=N       how it ends (default exit=0)
#       end=…                 its end, as the report names it
#       dumps=N or A..B       number of processes that leave a dump (default 1)
#       before=lib after=lib  libraries preloaded in front of memtrace, behind it
#       children=free         its children are not compared
#       libraries=lib         a library linked to the program
#       not_covered=name      the report must name this function as not covered
#       dump_below=N          the dump must be smaller than N bytes
#       stderr=free           its stderr may differ under memtrace
#       oracle=no             the independent count does not apply
#       manual                run only by cases
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
        """Returns the status as in subprocess: the exit code, or minus the signal."""
        return -int(self.run["signal"]) if "signal" in self.run else int(self.run["exit"])

    def dumps(self):
        low, _, high = self.run["dumps"].partition("..")
        return int(low), int(high or low)


def value_of(text):
    if not re.fullmatch(r"-?[0-9+*()-]+", text):
        raise ValueError(f"not a number: {text}")
    return eval(text, {"__builtins__": {}})  # digits, + - * and brackets only


def differences(truth, found):
    """Returns the differences between statement and finding, by field. Empty if they agree."""
    return [f"{field}: the program says {truth[field]}, found {found[field]}"
            for field in FIELDS if truth.get(field, -1) != -1 and truth[field] != found[field]]
