"""What only garbage of Python holds is told from what the program still refers to, by any kind of
reference. Old references that nobody has overwritten may hide some of it."""
from harness import environment, expect, report, reporter, require, run, trace

SIZE, TIMES = 64 << 10, 30
DROPPED = {"drop_node", "drop_slotted", "drop_list", "drop_dictionary", "drop_closure",
           "drop_traceback", "drop_referred_weakly", "drop_chain"}


def blocks_by_function(dump):
    """Returns the JSON, and the large blocks of garbage by the function that dropped them."""
    found = report(dump, "leaks").data
    expect([search["state"] for search in found["lost"]["searches"]], ["done"], "states")
    sums = {}
    for site in found["sites"]:
        blocks = site.get("garbage_blocks", 0)
        names = [frame["function"] for frame in site["stack"]]
        kept = [name for name in names if name.startswith("keep_")]
        require(blocks == 0 or not kept, f"{blocks} blocks of {kept} are garbage")
        if blocks == 0 or site["garbage_bytes"] < blocks * SIZE:
            continue
        name = next((name for name in names if name.startswith(("drop_", "keep_"))), str(names))
        sums[name] = sums.get(name, 0) + blocks
    return found, sums


def test():
    for variables in ({}, {"PYTHONMALLOC": "malloc"}, {"PYTHONMALLOC": "debug"}):
        traced = trace("garbage_of_python", options="lost=exit", env=variables)
        found, sums = blocks_by_function(traced.dump)
        print(variables, sums)
        require(set(sums) <= DROPPED, f"{variables}: what the program keeps is garbage: {sums}")
        require(all(blocks <= TIMES for blocks in sums.values()), f"{variables}: too much: {sums}")
        if not variables:
            require(sum(sums.values()) >= TIMES * len(DROPPED) / 2,
                    f"most of it is not found: {sums}")
        expect(found["lost"]["definitely"]["bytes"], 0, f"{variables}: definitely lost")
        if variables:
            continue
        text = run([reporter(), "leaks", traced.dump], environment([])).stdout
        require("Garbage: " in text and "gc.collect()" in text, text)
        ended = run([reporter(), traced.dump], environment([]))
        require("garbage of Python, not yet collected: " in ended.stdout, ended.stdout)
