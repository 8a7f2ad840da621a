"""Where a dump's pages are not safe, a kill takes the newest records of a thread. It does not take
what names the events of other threads: modules, stacks, and code objects of Python."""
from harness import PYTHON, expect, report, require, trace

# A thread calls the functions first, and never fills its ring. Then another thread calls them.
PYTHON_PROGRAM = """import os, signal, threading
def outer(count): return inner(count)
def inner(count): return [bytearray(700) for _ in range(count)]
def begin(has_begun):
    for _ in range(3): outer(2)
    has_begun.set()
    threading.Event().wait()
def go_on():
    for _ in range(4000): outer(20)
    os.kill(os.getpid(), signal.SIGKILL)
has_begun = threading.Event()
threading.Thread(target=begin, args=(has_begun,)).start()
has_begun.wait()
threading.Thread(target=go_on).start()
threading.Event().wait()
"""


def check(program, function, least):
    killed = trace(program, options="rings=private", check_report=False)
    found = report(killed.dumps[0], status=3)
    lacking = [problem["what"] for problem in found.problems if "definition" in problem["what"]]
    expect(lacking, [], "definitions that are missing")
    notes = [note["text"] for note in found.data["notes"] if note["subject"] == "names"]
    expect([note for note in notes if "not in the dump" in note], [], "names that are missing")
    expect(found.capture["captures_truncated"], 0, "stacks that are cut")
    sites = [site for site in found.sites if site["space"] == "host"
             and any(frame["function"] == function for frame in site["stack"])]
    blocks = sum(site["allocations"] for site in sites)
    require(blocks >= least, f"{blocks} blocks of {function}, at least {least} are in chunks")


def test():
    check("definitions_of_another_thread", "make", 200_000)
    check([PYTHON, "-c", PYTHON_PROGRAM], "inner", 50_000)
