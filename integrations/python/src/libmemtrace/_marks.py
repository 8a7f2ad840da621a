# SPDX-License-Identifier: Apache-2.0
"""Marks and phases: the functions of memtrace.h, which a recorded process has."""
import ctypes
from contextlib import ContextDecorator
from typing import Any, Callable, Dict, Optional

_functions: Optional[Dict[str, Callable[[bytes], None]]] = None


def _find() -> Dict[str, Callable[[bytes], None]]:
    """Returns the functions by name, or an empty dictionary if this process is not recorded."""
    global _functions
    if _functions is None:
        process = ctypes.CDLL(None)  # finds the names of a preloaded library
        found = {}
        for name in ("mark", "begin", "end"):
            function: Any = getattr(process, "memtrace_" + name, None)
            if function is not None:
                function.argtypes, function.restype = [ctypes.c_char_p], None
                found[name] = function
        _functions = found
    return _functions


def _call(name: str, text: str) -> None:
    function = _find().get(name)
    if function is not None:
        # What C takes for the end of the text, and what UTF-8 cannot have, must not be lost.
        function(text.encode("utf-8", "surrogatepass").replace(b"\0", b"?"))


def is_recorded() -> bool:
    """Returns whether memtrace records this process."""
    return bool(_find())


def mark(text: str) -> None:
    """Marks this moment, with a text of at most 4096 bytes."""
    _call("mark", text)


class phase(ContextDecorator):  # pylint: disable=invalid-name
    """A phase of the process, as a context or a decorator. Reports show peaks and leaks by phase.

    A phase counts what every thread does. Phases may be nested, and may have the same name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> "phase":
        _call("begin", self._name)
        return self

    def __exit__(self, *_: object) -> None:
        _call("end", self._name)
