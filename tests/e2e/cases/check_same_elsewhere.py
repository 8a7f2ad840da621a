"""check: the same program has the same call sites in another folder, with a line added above, at
other addresses, and with other libraries in front."""
import json

from checks import KEEPER, baseline, build, check, contents, dump_of
from harness import expect, shim


def sites(path):
    spaces = json.loads(contents(path))["spaces"]
    return [site["site"] for site in spaces["host"]["sites"]]


def test():
    _, program = build()
    dump = dump_of(program)
    base = baseline(dump)
    expect(sites(base), ["keep_table < main"], "the sites of the baseline")
    expect(contents(baseline(dump)), contents(base), "written again")
    moved = KEEPER.replace("void* kept[2];", "\n\n/* more */\nvoid* kept[2];")
    others = {
        "another folder, lines added": dump_of(build(moved, "deep/down/here")[1]),
        "no position-independent code": dump_of(build(flags=("-no-pie", "-fno-pie"))[1]),
        "without debug information": dump_of(build(flags=("-g0",))[1]),
        "another library in front": dump_of(program, env={"LD_PRELOAD": "libm.so.6:" + shim()}),
    }
    for what, other in others.items():
        expect(sites(baseline(other)), sites(base), what)
        expect(check(other, "--baseline", base).status, 0, what)
