"""The figures of the tests, which memtrace-report reads from the dump of the live process."""
import json
import os
import subprocess
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from .limits import LEAKS, PEAK, Limit, human
from .recorder import without_recorder

BLAMED_MAX = 20  # tests with call sites: each lookup reads the dump once more
SITES, CALLERS = "5", "5"
COMMANDS = {PEAK: "peak", LEAKS: "leaks"}


class Test(NamedTuple):
    nodeid: str
    location: Tuple[str, Optional[int], str]
    limits: List[Limit]


class Row(NamedTuple):
    """A row of the table of tests."""
    nodeid: str
    peak: int
    allocated: int
    allocations: int


class CannotRead(Exception):
    """The dump cannot be read. The text is shown instead of figures."""


def _run(program: str, *words: str) -> str:
    ended = subprocess.run([program, *words], env=without_recorder(os.environ),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, errors="replace")
    if ended.returncode != 0:
        said = ended.stderr.strip() or ended.stdout.strip()[-1000:]
        raise CannotRead(f"{' '.join(words)} ended with {ended.returncode}: {said}")
    return ended.stdout


class Figures:
    """The phases of a dump, by name."""

    def __init__(self, program: str, dump: str) -> None:
        self.program, self.dump = program, dump
        found = json.loads(_run(program, "phases", "--each", "--json", "-", dump))
        self.spaces: Dict[str, Dict[str, Any]] = {
            phase["name"]: phase["spaces"] for phase in found["phases"]}

    def _of(self, nodeid: str, space: str) -> Dict[str, int]:
        found: Dict[str, int] = self.spaces.get(nodeid, {}).get(space, {})
        return found

    def measured(self, nodeid: str, limit: Limit) -> Dict[str, int]:
        """Returns bytes by space. A peak is the amount above what was held when the test began."""
        found = {}
        for space in limit.spaces:
            of = self._of(nodeid, space)
            found[space] = (of.get("kept_bytes", 0) if limit.kind == LEAKS else
                            max(0, of.get("peak_bytes", 0) - of.get("begin_bytes", 0)))
        return found

    def row(self, nodeid: str) -> Row:
        heap = Limit(PEAK, None, 0)
        parts = [self._of(nodeid, space) for space in heap.spaces]
        return Row(nodeid, sum(self.measured(nodeid, heap).values()),
                   sum(part.get("allocated_bytes", 0) for part in parts),
                   sum(part.get("allocations", 0) for part in parts))

    def sites(self, nodeid: str, limit: Limit, space: str) -> str:
        """Returns the call sites to blame, as memtrace-report prints them."""
        try:
            return _run(self.program, COMMANDS[limit.kind], "--phase", nodeid, "--space", space,
                        "--top", SITES, "--depth", CALLERS, self.dump).rstrip()
        except CannotRead as error:
            return str(error)


def sentence(limit: Limit, measured: Dict[str, int]) -> str:
    total = sum(measured.values())
    did = "kept" if limit.kind == LEAKS else "took up to"
    parts = ""
    if len(measured) > 1:
        parts = ": " + ", ".join(f"{size:,} of {space}" for space, size in measured.items())
    return (f"{limit.kind}: the test {did} {human(total)} ({total:,} bytes) of {limit.where}, and "
            f"may {human(limit.size)}{parts}")


def judge(figures: Figures, tests: List[Test]) -> List[Dict[str, Any]]:
    """Returns the tests that broke limits, as plain data that xdist sends to the controller."""
    broken: List[Dict[str, Any]] = []
    for test in tests:
        sentences, text = [], []
        if test.nodeid not in figures.spaces:
            sentences.append("memtrace: this test's phase is not in the dump, so its limits cannot "
                             "be checked")
        for limit in test.limits if not sentences else []:
            measured = figures.measured(test.nodeid, limit)
            if sum(measured.values()) <= limit.size:
                continue
            sentences.append(sentence(limit, measured))
            text.append(sentences[-1])
            if len(broken) < BLAMED_MAX:
                worst = max(measured, key=lambda space: measured[space])
                text += ["", figures.sites(test.nodeid, limit, worst), ""]
        if sentences:
            broken.append({"nodeid": test.nodeid, "location": list(test.location),
                           "message": "; ".join(sentences), "text": "\n".join(text or sentences)})
    return broken
