"""An unknown interpreter is left alone, with one line that gives the reason, and the native
profile continues."""
from harness import expect, require, trace

REASONS = {
    "3.7.17 (default, Jan  1 2024)": "versions before 3.8 are not known",
    "3.16.0 (main, Jan  1 2030)": "this version is not known yet",
    "4.0.0 (main)": "this version is not known",
    "3.14.0b3 (main)": "it is a pre-release",
    "3.13.2 (main)": "its debug offsets are not where they should be",
    "3.10.13 (fc59e61cfbff, Jan 17 2024) [PyPy 7.3.15 with GCC]":
        "it is PyPy, whose frames are not CPython's",
    "3.8.12 (Pyston 2.3.5)": "it is Pyston, whose frames are not CPython's",
    "3.10.5+cinder (main) [Cinder]": "it is Cinder, whose frames are not CPython's",
    "3.11.7 (GraalVM CE)": "it is GraalPy, whose frames are not CPython's",
    "": "this version is not known",
}


def test():
    for version, why in REASONS.items():
        check(trace("realloc_moves", before=["lib_fake_python"], env={"FAKE_PYTHON": version}), why)
    check(trace("realloc_moves", before=["lib_hidden_python"]),
          "it does not export what its frames are found by")
    quiet = trace("realloc_moves", before=["lib_fake_python"], options="quiet=1",
                  env={"FAKE_PYTHON": "4.0.0 (main)"})
    expect(quiet.ended.lines_of_memtrace(), [], "lines with quiet=1")


def check(traced, why):
    expect(traced.capture["python"], f"off: {why}")
    lines = [line for line in traced.ended.lines_of_memtrace() if "Python" in line]
    expect(lines, [f"memtrace: Python's lines are not recorded: {why}"])
    require(traced.own["allocations"] > 0, "the native profile does not go on")
    walks = traced.capture["python_walks"]
    expect(walks["gaps"], {"off": traced.capture["captures"]}, "stacks that say so")
    expect(walks["unread"], walks["gaps"]["off"], "walks that found it off")
