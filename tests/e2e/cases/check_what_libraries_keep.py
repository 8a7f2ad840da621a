"""check: memory that the C and the C++ library keep for themselves is no leak of the program, with
and without the debug symbols of the C library. What they have handed out to the program is one,
although it comes by the same functions."""
import os

from checks import check
from harness import built, environment, expect, folder, reporter, run, shim

# Without debug symbols, what this changes cannot be told from what fopen() hands out.
NOT_WITHOUT_NAMES = {"setenv"}
WITHOUT_SYMBOLS = ["unshare", "--mount", "sh", "-c",
                   'mount -t tmpfs none /usr/lib/debug && exec "$@"', "sh"]
LIMITS = ["--max-leaked-bytes", "0", "--max-leaked-blocks", "0"]


def can_hide_symbols():
    if not os.path.isdir("/usr/lib/debug"):
        return False
    return run([*WITHOUT_SYMBOLS, "true"]).status == 0


def check_program(program, wanted, before, spared=()):
    names = run([built(program)]).stdout.split()
    for name in names:
        dump = os.path.join(folder(), "dump.bin")
        run([built(program), name], environment([shim()], output=dump), cwd=folder())
        found = (run([*before, reporter(), "check", *LIMITS, dump]) if before
                 else check(dump, *LIMITS))
        if name not in spared:
            expect(found.status, wanted, f"{' '.join(before[:1])} {program} {name}\n{found.stdout}")
        os.remove(dump)
    return len(names)


def test():
    kept = check_program("libraries_keep", 0, [])
    handed_out = check_program("libraries_hand_out", 1, [])
    expect(kept >= 50 and handed_out >= 25, True, f"{kept} and {handed_out} ways")
    if not can_hide_symbols():
        print("not tried without debug symbols: a file system cannot be mounted here")
        return
    check_program("libraries_keep", 0, WITHOUT_SYMBOLS, NOT_WITHOUT_NAMES)
    check_program("libraries_hand_out", 1, WITHOUT_SYMBOLS)
