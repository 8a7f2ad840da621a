"""check: memory that the C and the C++ library keep for themselves is no leak of the program, with
and without the debug symbols of the C library. What they have handed out to the program is one,
although it comes by the same functions, and so is what the program allocates when they call it."""
import os

from checks import check
from harness import built, environment, expect, folder, reporter, run, shim

# Without debug symbols, what these change cannot be told from what fopen() hands out: no function
# of theirs that is on the stack has a name.
NOT_WITHOUT_NAMES = {"setenv", "mbsrtowcs", "wcrtomb", "lio_listio", "at_quick_exit"}
WITHOUT_SYMBOLS = ["unshare", "--mount", "sh", "-c",
                   'mount -t tmpfs none /usr/lib/debug && exec "$@"', "sh"]
LIMITS = ["--max-leaked-bytes", "0", "--max-leaked-blocks", "0"]


def can_hide_symbols():
    if not os.path.isdir("/usr/lib/debug"):
        return False
    return run([*WITHOUT_SYMBOLS, "true"]).status == 0


def check_program(program, wanted, hides_symbols, spared=()):
    """Returns the number of ways."""
    names = run([built(program)]).stdout.split()
    for name in names:
        dump = os.path.join(folder(), "dump.bin")
        ended = run([built(program), name], environment([shim()], output=dump), cwd=folder())
        expect(ended.status, 0, f"{program} {name}")
        found = check(dump, *LIMITS)
        expect(found.status, wanted, f"{program} {name}\n{found.stdout}")
        if hides_symbols and name not in spared:
            found = run([*WITHOUT_SYMBOLS, reporter(), "check", *LIMITS, dump])
            expect(found.status, wanted, f"{program} {name} without symbols\n{found.stdout}")
        os.remove(dump)
    return len(names)


def test():
    hides_symbols = can_hide_symbols()
    if not hides_symbols:
        print("not tried without debug symbols: a file system cannot be mounted here")
    for program, least in ("libraries_keep", 50), ("libc_keeps", 90):
        ways = check_program(program, 0, hides_symbols, NOT_WITHOUT_NAMES)
        expect(ways >= least, True, f"{ways} ways of {program}")
    for program, least in ("libraries_hand_out", 25), ("libc_hands_out", 30):
        ways = check_program(program, 1, hides_symbols)
        expect(ways >= least, True, f"{ways} ways of {program}")
