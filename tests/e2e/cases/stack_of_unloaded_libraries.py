"""Two plugins take turns at the same address. Each block is attributed to the function that made
it."""
from harness import expect, trace


def test():
    traced = trace("dlopen_constructors")
    for plugin, size in (("a", 70), ("b", 80)):
        found = traced.sum(function=f"plugin_{plugin}_block")
        expect(found["allocations"], 50, f"blocks of plugin {plugin}")
        expect(found["bytes"], 50 * size, f"bytes of plugin {plugin}")
