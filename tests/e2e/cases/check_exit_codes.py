"""check: 0 within the limits, 1 beyond a limit, 2 for a file that cannot be read, 3 for a damaged
dump, never 0."""
import os

from harness import expect, folder, reporter, require, run, trace


def check(dump, *limits):
    return run([reporter(), "check", *limits, dump]).status


def test():
    dump = trace("stack_of_c").dumps[0]  # 3 blocks, 666 bytes, all kept
    expect(check(dump, "--max-leaked-bytes", "666"), 0, "just within")
    expect(check(dump, "--max-leaked-bytes", "665"), 1, "one byte beyond")
    expect(check(dump, "--max-leaked-blocks", "3"), 0, "three blocks")
    expect(check(dump, "--max-leaked-blocks", "2"), 1, "two blocks")
    expect(check(dump, "--max-peak-bytes", "1K"), 0, "peak")
    expect(check(dump, "--max-peak-bytes", "665"), 1, "peak, beyond")
    expect(check(dump, "--max-leaked-bytes", "0", "--max-peak-bytes", "1G"), 1, "one of two")
    expect(check(dump, "--max-leaked-bytes", "many"), 2, "not a size")
    expect(check(os.path.join(folder(), "missing")), 2, "missing file")
    with open(dump, "rb") as file:
        data = file.read()
    cut = os.path.join(folder(), "cut.bin")
    with open(cut, "wb") as file:
        file.write(data[:len(data) // 2])
    expect(check(cut, "--max-leaked-bytes", "1T"), 3, "a damaged dump")
    text = run([reporter(), "check", "--max-leaked-bytes", "1T", cut]).stdout
    require("  open  host leaked-bytes" in text and "pass" not in text.split("Problems")[0], text)
