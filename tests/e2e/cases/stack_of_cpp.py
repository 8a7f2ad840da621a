"""C++: demangled names, a template, a lambda, and an inlined function with its own line and kind.
"""
import os

from harness import SOURCE, expect, require, trace


def test():
    with open(os.path.join(SOURCE, "tests", "programs", "stack_of_cpp.cpp")) as file:
        lines = {line.split("line: ")[1].strip(): number
                 for number, line in enumerate(file, 1) if "// line: " in line}
    sites = {site["allocated_bytes"]: site["stack"] for site in trace("stack_of_cpp").sites}

    def ours(stack):
        return [frame for frame in stack if os.path.basename(frame["file"]) == "stack_of_cpp.cpp"]

    method = ours(sites[444])
    expect([frame["line"] for frame in method],
           [lines[name] for name in ("fill", "inlined_step", "draw", "main draw")], "lines")
    expect([frame["kind"] for frame in method], ["native", "inline", "native", "native"], "kinds")
    names = ("shapes::Circle::fill", "inlined_step", "draw<shapes::Circle>", "main")
    for frame, name in zip(method, names):
        require(name in frame["function"], f"{frame['function']} is not {name}")
    require("operator new" in sites[444][0]["function"], f"innermost: {sites[444][0]}")
    function = ours(sites[555])
    expect([frame["line"] for frame in function], [lines["lambda"], lines["main lambda"]], "lines")
    require("lambda" in function[0]["function"], f"{function[0]['function']} is no lambda")
