"""Two libraries take turns at one address, and no hook sees them unload. Each block is attributed
to the function that made it, even if its caller was new as well."""
from harness import expect, trace


def test():
    traced = trace("libraries_closed_past_us")
    for library, size in (("a", 70), ("b", 80)):
        found = traced.sum(function=f"quiet_{library}_block")
        expect(found["allocations"], 40, f"blocks of library {library}")
        expect(found["bytes"], 40 * size, f"bytes of library {library}")
