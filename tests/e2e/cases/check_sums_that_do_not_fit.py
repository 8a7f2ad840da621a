"""check: blocks whose sizes add up to more than 64 bits hold fail every limit, and the report says
why. Sums that wrapped around would be 0."""
import os

from harness import BUILD, expect, folder, reporter, require, run

SIZES = {"most": (1 << 64) - 1, "half": 1 << 63, "quarter": 1 << 62}


def dump_of(where, size, arguments):
    story, dump = os.path.join(where, "story"), os.path.join(where, "dump")
    with open(story, "w", encoding="utf-8") as file:
        for number in range(4):
            file.write(f"acquire lane=0 time={10 + number} size={size} "
                       f"address={0x1000 * (number + 1)}\n")
    ended = run([os.path.join(BUILD, "dump-from-text"), *arguments, story, dump])
    expect(ended.status, 0, ended.stderr)
    return dump


def test():
    where = folder()
    for name, size in SIZES.items():
        for arguments in ((), ("--ring", "10")):
            dump = dump_of(where, size, arguments)
            for limit in ("--max-leaked-bytes 1M", "--max-leaked-bytes 0", "--max-peak-bytes 4E",
                          "--max-held-bytes 1T", "--max-allocated-bytes 1T",
                          "--max-site leaked-bytes=1G"):
                found = run([reporter(), "check", dump, *limit.split()])
                expect(found.status, 3, f"{name} {limit}: {found.stdout}{found.stderr}")
                require("FAIL" in found.stdout, f"{name} {limit}: {found.stdout}")
                require("more than fits into 64 bits" in found.stdout, found.stdout)
            for command in ("summary", "leaks", "sites", "tree", "growth", "phases", "host"):
                ended = run([reporter(), command, dump, "--json", os.path.join(where, "json")])
                expect(ended.status, 3, f"{command}: {ended.stderr}")
