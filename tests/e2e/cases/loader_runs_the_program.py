"""ld.so PROGRAM: the kernel takes the dynamic loader for the executable. The report has the
program's names, and the program's name."""
import os
import re

from harness import built, expect, require, run, trace


def loader_of(program):
    text = run(["readelf", "-l", program]).stdout
    return re.search(r"interpreter: (\S+)\]", text).group(1)


def test():
    program = built("free_on_other_thread")
    by_itself = trace([program], bare=False)
    by_loader = trace([loader_of(program), program])
    expect(os.path.realpath(by_loader.main.program["executable"]), os.path.realpath(program))
    expect(by_loader.own, by_itself.own, "what the program's own code allocates")
    require(by_loader.sites_of(function="main"), "no stack has main")
    expect(by_loader.capture["captures_complete"], by_loader.capture["captures"], "complete")
