"""What was held when the work ended: in a C program before its exit handlers, however it ends; in
a Python program before its modules are taken apart; in a killed program, what it held at that
moment."""
import os

from harness import PYTHON, expect, folder, require, report, trace


def held(found, space="host"):
    data = found.data["spaces"][space]
    by_site = sum(site["held_bytes"] for site in found.sites if site["space"] == space)
    expect(by_site, data["held_bytes"], f"sum over the sites of {space}, held_bytes")
    return data["held_bytes"]


def own_held(found, function):
    return sum(site["held_bytes"] for site in found.sites_of(function=function))


def test():
    for how in ("returns", "exits", "exits_in_a_thread"):
        found = trace("work_ends", how)
        expect(own_held(found.main, "collect"), 3000, f"held when the work ended ({how})")
        expect(found.own["leaked_bytes"], 0, f"alive at the end ({how})")
        require(found.program["work_end_ns"] > 0, "the work has no end")
        held(found.main)
    found = trace("work_ends", "leaves")
    expect(found.program["work_end_ns"], None, "the end of the work of who leaves by _exit")
    expect(own_held(found.main, "collect"), 3000, "held by who leaves by _exit")
    text = "kept = [bytes(5000) for _ in range(100)]\n"
    script = os.path.join(folder(), "keeps.py")
    with open(script, "w") as file:
        file.write(text)
    found = trace([PYTHON, script])
    listed = [site for site in found.sites if site["space"] == "host"
              and any(frame["file"].endswith("keeps.py") for frame in site["stack"])]
    require(sum(site["held_bytes"] for site in listed) >= 500_000,
            "the list was not held when the work ended")
    expect(sum(site["leaked_bytes"] for site in listed), 0, "the list at the end")
    held(found.main)
    leaks = report(found.dumps[0], "leaks")
    require(any(site["held_bytes"] >= 500_000 for site in leaks.sites),
            "leaks does not list what was held")
