"""check: a suppression removes its leak, and the output says so. Unused and expired suppressions
are named."""
import os

from checks import build, check, dump_of
from harness import expect, folder, require, run, reporter

VALGRIND = """{
   keeps_more
   Memcheck:Leak
   match-leak-kinds: definite
   fun:malloc
   fun:keep_more
   ...
   obj:*/keeper
}
"""


def suppressed(dump, text, *options):
    path = os.path.join(folder(), "leaks.supp")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return check(dump, "--max-leaked-bytes", "100000", "--suppressions", path, *options)


def test():
    _, program = build()
    dump = dump_of(program, "leak")
    expect(check(dump, "--max-leaked-bytes", "100000").status, 1, "without")
    for text in ("leak:keep_more", "leak:^keep_m*re$", VALGRIND):
        found = suppressed(dump, "# reason: a cache\n" + text)
        expect(found.status, 0, f"{text}: {found.stdout}")
        require("293.0 KiB (300,000 bytes) in 1 block" in found.stdout, found.stdout)
        require("a cache" in found.stdout, found.stdout)
    found = suppressed(dump, "# until: 2099-12-31\nleak:keep_more\n\nleak:nobody\n")
    expect(found.status, 0, "not yet expired")
    require(":4: leak:nobody suppressed nothing" in found.stdout, found.stdout)
    found = suppressed(dump, "# until: 2020-12-31\nleak:keep_more\n")
    expect(found.status, 1, "expired")
    require("held until 2020-12-31" in found.stdout, found.stdout)
    expect(suppressed(dump, "leak:*\n").status, 2, "everything")
    printed = run([reporter(), "suppressions"])
    expect(printed.status, 0, "suppressions")
    expect(suppressed(dump, printed.stdout, "--no-default-suppressions").status, 1, "the defaults")
