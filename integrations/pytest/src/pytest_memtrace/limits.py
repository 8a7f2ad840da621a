"""The limits of a test, from its markers and the settings."""
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import pytest

PEAK, LEAKS = "limit_peak", "limit_leaks"
MARKERS = {
    PEAK: 'limit_peak(size, space=None): the test may take at most this much at a time, e.g. '
          '"24 MB"; space: "host", "python", "device:0", …; without one, host and python together',
    LEAKS: 'limit_leaks(size, space=None): of what the test allocated, at most this much may be '
           'alive when it ends',
}
# Memory that a Python test requests: blocks of malloc, and small objects, which are not malloc's.
HEAP = ("host", "python")
SPACE = re.compile(r"host|python|mmap|pinned|managed|device:\d+|tensors:\S+")
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGTP])?i?B?)\s*", re.IGNORECASE)
POWERS = {None: 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


class Limit(NamedTuple):
    kind: str
    space: Optional[str]  # None: the spaces of HEAP together
    size: int

    @property
    def spaces(self) -> Tuple[str, ...]:
        return HEAP if self.space is None else (self.space,)

    @property
    def where(self) -> str:
        return "the heap" if self.space is None else self.space


def parse_size(text: object, what: str) -> int:
    """Parses a size as memtrace-report does: "500", "24 MB", "1.5GiB", all binary."""
    found = SIZE.fullmatch(str(text))
    if found is None:
        raise pytest.UsageError(f"{what}: {text!r} is not a size (examples: 0, 500K, 24 MB, 4GiB)")
    unit = found[2].upper() if found[2] else None
    return int(float(found[1]) * 1024 ** POWERS[unit])


def limit_of_marker(mark: pytest.Mark, where: str) -> Limit:
    what = f"{where}: @pytest.mark.{mark.name}"
    unknown = set(mark.kwargs) - {"space"}
    if len(mark.args) != 1 or unknown:
        raise pytest.UsageError(f'{what} takes a size and perhaps a space: '
                                f'{mark.name}("24 MB", space="device:0")')
    space = mark.kwargs.get("space")
    if space is not None and SPACE.fullmatch(str(space)) is None:
        raise pytest.UsageError(f"{what}: there is no space {space!r} (host, python, mmap, pinned, "
                                "managed, device:0, tensors:cuda:0)")
    return Limit(mark.name, space, parse_size(mark.args[0], what))


def limits_of(marks: Iterable[pytest.Mark], defaults: Iterable[Limit], where: str) -> List[Limit]:
    """Returns the nearest marker of each kind and space, or the default if there is no marker."""
    found: Dict[Tuple[str, Optional[str]], Limit] = {}
    for limit in [limit_of_marker(mark, where) for mark in marks] + list(defaults):
        found.setdefault((limit.kind, limit.space), limit)
    return list(found.values())


def human(size: int) -> str:
    value, unit = float(size), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"
