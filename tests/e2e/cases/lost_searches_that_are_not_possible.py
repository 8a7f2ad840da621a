"""Where a search for lost blocks is not possible, the program runs as ever, the report says why,
and a limit on lost blocks does not pass."""
import os
import shutil

from harness import built, environment, expect, folder, report, reporter, require, run, shim


def searched(options, preload=None):
    dump = os.path.join(folder(), "dump.bin")
    ended = run([built("lost_blocks")],
                environment([preload or shim()], options=options, output=dump))
    expect(ended.status, 0, "exit code")
    (search,) = report(dump, "leaks").data["lost"]["searches"]
    limit = run([reporter(), "check", "--max-lost-blocks", "0", dump], environment([]))
    return search, limit, dump


def refused(options, why, preload=None):
    search, limit, _ = searched(options, preload)
    expect(search["state"], "refused", "state")
    require(why in search["why"], search["why"])
    expect(limit.status, 3, "exit code of check")
    require(why in limit.stdout, limit.stdout)


def without_the_reporter():
    alone = os.path.join(folder(), "alone")
    os.makedirs(alone, exist_ok=True)
    shutil.copy(shim(), alone)
    refused("lost=exit", "memtrace-report is not beside",
            os.path.join(alone, "libmemtrace.so"))


def test():
    refused("lost=exit,rings=private", "the newest events lie in memory of the program")
    refused("lost=exit,sample=64K", "only a sample is recorded")
    without_the_reporter()
    search, limit, dump = searched("lost=exit")
    expect((search["state"], limit.status), ("done", 1), "a search, and its limit")
    ended = run([reporter(), "check", "--max-lost-blocks", "8", "--max-lost-bytes", "2K", dump],
                environment([]))
    expect(ended.status, 0, f"a limit that is kept ({ended.stdout})")
