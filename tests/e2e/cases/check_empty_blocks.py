"""check: malloc(0) that is never freed is a leaked block and breaks a limit of no byte."""
from checks import build, check, dump_of
from harness import expect, require

SOURCE = """#include <stdlib.h>
void* kept[2];
__attribute__((noinline)) void keep_nothing(void) { kept[0] = malloc(0); }
int main(int argc, char** argv) {
    (void)argv;
    if (argc > 1) keep_nothing();
    return 0;
}
"""


def test():
    _, program = build(SOURCE)
    clean, leaky = dump_of(program), dump_of(program, "leak")
    expect(check(clean, "--max-leaked-bytes", "0").status, 0, "without a leak")
    found = check(leaky, "--max-leaked-bytes", "0")
    expect(found.status, 1, f"a block of no bytes: {found.stdout}")
    require("FAIL  host leaked-bytes: 1 block of 0 bytes, limit 0 B (0 bytes)" in found.stdout,
            found.stdout)
    require("keep_nothing" in found.stdout, f"who leaks it: {found.stdout}")
    expect(check(leaky, "--max-held-bytes", "0").status, 1, "held")
    expect(check(leaky, "--max-site", "leaked-bytes=0").status, 1, "of a site")
    expect(check(leaky, "--max-leaked-blocks", "0").status, 1, "blocks")
    expect(check(leaky, "--max-leaked-bytes", "1").status, 0, "a byte is more than nothing")
