"""check: a document on standard output is there alone, and two of them are refused."""
import json
import xml.etree.ElementTree

from checks import build, check, dump_of
from harness import expect, require


def test():
    _, program = build()
    dump = dump_of(program)
    limit = ("--max-leaked-bytes", "1")
    readers = {"--json": json.loads, "--sarif": json.loads,
               "--junit": xml.etree.ElementTree.fromstring}
    for option, read in readers.items():
        for more in ((), ("--github",)):
            found = check(dump, *limit, option, "-", *more)
            expect(found.status, 1, f"{option}: {found.stderr}")
            read(found.stdout)
            expect("::error" in found.stderr, bool(more), f"annotations beside {option} -")
    found = check(dump, *limit, "--markdown", "-")
    require(found.stdout.startswith("### memtrace"), found.stdout)
    found = check(dump, *limit, "--sarif", "-", "--junit", "-")
    expect(found.status, 2, "two documents")
    require("--junit - and --sarif -" in found.stderr, found.stderr)
