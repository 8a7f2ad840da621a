"""A stack of 100,000 frames is cut, counted as cut, and still begins with the innermost
functions."""
from harness import expect, function_of, require, trace


def test():
    traced = trace("deep_recursion")
    require(traced.capture["captures_truncated"] > 900, f"{traced.capture} says too few were cut")
    expect(traced.capture["captures"], 1000, "captures")
    biggest = max(traced.sites, key=lambda site: site["allocations"])
    functions = {function_of(frame) for frame in biggest["stack"][:100]}
    expect(functions, {"dive"}, "functions of the innermost 100 frames")
