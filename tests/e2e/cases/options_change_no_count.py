"""A small ring, no stacks, short stacks: the settings of the recording never change the counts."""
from harness import expect, trace


def test():
    usual = trace("many_events", 100000, bare=False)
    for options in ("ring=2048", "stacks=0", "depth=1", "sample_ms=0", "ring=262144"):
        other = trace("many_events", 100000, bare=False, options=options)
        expect(other.host, usual.host, f"with {options}")
