"""The ledger of the host closes: programs that know what they have resident, and the parts that
`memtrace-report host` finds. Each part is within 2 % or 1 MiB of the truth."""
from checks import build, dump_of
from harness import PYTHON, expect, report, require

MIB = 1 << 20

# Each mode keeps memory of one kind, and waits, because memtrace does not look at a process that
# is younger than 0.1 s.
PROGRAM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static void* kept[4][200000];
static void take(int part, int count, int size) {
    for (int i = 0; i < count; ++i) {
        kept[part][i] = malloc(size);
        memset(kept[part][i], 1, size);
    }
}
static pthread_barrier_t reached;
static void* work(void* part) {
    take((int)(long)part, 20000, 500);
    pthread_barrier_wait(&reached);
    pause();
    return NULL;
}
__attribute__((noinline)) static void parse(void) {
    char* b[5];
    for (int k = 0; k < 5; ++k) { b[k] = malloc(90000); memset(b[k], 1, 90000); }
    for (int k = 0; k < 5; ++k) b[k] = realloc(b[k], 32);
}
static char* map(size_t bytes, int flags, int fd) {
    return mmap(NULL, bytes, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);
}
int main(int argc, char** argv) {
    const char* mode = argv[1];
    if (!strcmp(mode, "blocks")) take(0, 40000, 1000);
    if (!strcmp(mode, "large")) take(0, 40, 1 << 20);
    if (!strcmp(mode, "untouched")) for (int i = 0; i < 40; ++i) kept[0][i] = malloc(1 << 20);
    if (!strcmp(mode, "freed")) {
        take(0, 40000, 1000);
        for (int i = 0; i < 39999; ++i) free(kept[0][i]);
    }
    if (!strcmp(mode, "arenas")) {
        pthread_barrier_init(&reached, NULL, 5);
        pthread_t thread;
        for (long i = 0; i < 4; ++i) pthread_create(&thread, NULL, work, (void*)i);
        pthread_barrier_wait(&reached);
    }
    if (!strcmp(mode, "mapped"))
        memset(map(64 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1), 1, 32 << 20);
    if (!strcmp(mode, "shared")) memset(map(24 << 20, MAP_SHARED | MAP_ANONYMOUS, -1), 1, 24 << 20);
    if (!strcmp(mode, "file")) {
        const int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
        static char block[1 << 20];
        for (int i = 0; i < 16; ++i) if (write(fd, block, sizeof block) < 0) return 1;
        char* file = map(16 << 20, MAP_PRIVATE, fd);
        long sum = 0;
        for (int i = 0; i < 16 << 20; i += 4096) sum += file[i];
        if (sum != 0) return 1;
    }
    if (!strcmp(mode, "pins")) for (int i = 0; i < 100; ++i) parse();
    const struct timespec while_looked_at = {0, 250000000};
    nanosleep(&while_looked_at, NULL);
    return 0;
}
"""

OBJECTS = """import time
kept = [bytes(100) for i in range(COUNT)]
time.sleep(0.3)
"""


def ledger_of(program, arguments=(), options=""):
    host = report(dump_of(program, *arguments, options=options), "host").data["host_ledger"]
    expect(host["absent"], None, f"{arguments}")
    end = host["end"]
    expect(end["occasion"], "work_end", f"{arguments}")
    expect(sum(end["parts"].values()) + end["not_explained"], end["resident"], "the sum of parts")
    near(abs(end["not_explained"]), 0, end["resident"], f"{arguments}: not explained")
    return end


def near(found, truth, whole, what):
    allowed = max(MIB, whole * 2 // 100)
    require(abs(found - truth) <= allowed, f"{what}: {found} of {whole}, the truth is {truth}")


def objects(count):
    script = OBJECTS.replace("COUNT", str(count))
    return ledger_of([PYTHON, "-c", script], options="python_allocs=all")["parts"]


def test():
    folder, program = build(PROGRAM, flags=("-pthread",))

    def parts(*arguments):
        return ledger_of(program, arguments)["parts"]

    nothing = parts("nothing")
    truths = {
        "blocks": {"heap_blocks": 40_000_000, "heap_overhead": 320_000, "heap_free": 0},
        "large": {"heap_blocks": 40 * MIB, "heap_free": 0},
        "untouched": {"heap_blocks": 0, "heap_free": 0},
        "freed": {"heap_blocks": 0, "heap_free": 40_000_000},
        "arenas": {"heap_blocks": 40_000_000, "heap_overhead": 960_000, "heap_free": 0},
        "mapped": {"mappings": 32 * MIB, "heap_blocks": 0},
        "shared": {"shared": 24 * MIB, "mappings": 0},
        "file": {"files": 16 * MIB, "mappings": 0},
        # The rest of a call's last buffer goes back to the top of the heap, where the next begins.
        "pins": {"heap_blocks": 0, "heap_free": 100 * 4 * 90_000},
    }
    for mode, truth in truths.items():
        found = parts(mode, f"{folder}/data")
        for part, grown in truth.items():
            near(found[part] - nothing[part], grown, grown, f"{mode}: {part}")
    pinned = ledger_of(program, ["pins"])
    near(pinned["pinned"], pinned["free_pages"], pinned["free_pages"], "pinned pages")
    largest = pinned["pins"][0]
    require(any(frame["function"] == "parse" for frame in largest["stack"]), "who pins")
    require(largest["block_bytes"] < MIB, "stubs are small")
    require(largest["free_bytes"] > 30 * MIB, f"{largest['free_bytes']} are pinned")
    many = objects(200_000)["python_objects"] - objects(0)["python_objects"]
    near(many, 200_000 * 133, 200_000 * 133, "live objects of Python")
