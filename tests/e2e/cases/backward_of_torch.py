"""PyTorch: gradients, and the memory needed to compute them, are attributed to the line that went
forward, also on the engine's own threads, and the operation is named."""
# slow
import os

from harness import SOURCE, expect, find_torch, report, require, trace

PROGRAM = os.path.join(SOURCE, "tests", "python", "backward_lines.py")
OPERATIONS = {"SinBackward0", "TanhBackward0", "PyNode", "SoftmaxBackward0", "MulBackward0",
              "ExpBackward0"}
# The size of a line's own tensors. What the engine keeps besides is small.
TENSORS_MAX, SMALL_BYTES = 8, 1_000_000


def test():
    traced = trace([find_torch(), PROGRAM], bare=False, timeout=100)
    expect(traced.status, 0, f"exit status: {traced.stderr[-1000:]}")
    sizes = {int(line): int(size)
             for size, line in (row.split() for row in traced.stdout.splitlines())}
    expect(len(sizes), 7, "lines")
    found = {row["line"]: row["backward"]["allocated_bytes"]
             for row in report(traced.dumps[0], "lines", [PROGRAM]).data["lines"]
             if row["space"] == "host" and row["backward"]["allocated_bytes"] != 0}
    for line, size in sizes.items():
        tensors, rest = divmod(found.get(line, 0), size)
        require(1 <= tensors <= TENSORS_MAX and rest < SMALL_BYTES,
                f"line {line}: {found.get(line)} bytes are no tensors of {size}")
    others = {line: size for line, size in found.items() if line not in sizes}
    require(all(size < SMALL_BYTES for size in others.values()), f"large in other lines: {others}")
    check_sites(traced, found)
    check_thread(traced, max(sizes.values()))


def check_sites(traced, found):
    joined = [site for site in traced.sites if "backward" in site and site["space"] == "host"]
    for site in joined:
        expect(site["backward"]["file"], PROGRAM, f"file of {site['backward']}")
    expect(sum(site["allocated_bytes"] for site in joined), sum(found.values()),
           "bytes that went backward, by site and by line")
    operations = {site["backward"]["operation"] for site in joined}
    require(operations >= OPERATIONS, f"operations: {operations}")
    for site in traced.sites:
        functions = [frame["function"] for frame in site["stack"]]
        require("backward" in site or not any("::apply(" in name and "Backward0" in name
                                              for name in functions),
                f"went backward and is not joined: {functions}")


def check_thread(traced, bytes_least):
    """Checks that the deepest level went backward on a thread of the engine."""
    threads = traced.main.data["threads"]
    require(any(thread["allocated_bytes"] >= bytes_least for thread in threads[1:]),
            f"no other thread has allocated: {threads}")
