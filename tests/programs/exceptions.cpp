// truth: allocations=2000 frees=1999 bytes=1999*56+57 leaked_blocks=1 leaked_bytes=57
// run: scope=own
// Exceptions unwind through recorded frames. std::bad_alloc of an impossible size is thrown as
// always.
#include <memory>
#include <new>

#include "support.h"

struct Deep {};
struct Big {
    char bytes[56];
};

__attribute__((noinline)) static void dive(int depth) {
    auto held = std::make_unique<Big>();
    held->bytes[0] = 1;
    if (depth == 0) throw Deep{};
    dive(depth - 1);
    __asm__ volatile("" : : "r"(held.get()));
}

int main() {
    int caught = 0;
    for (int i = 0; i < 1999 / 20; ++i) {
        try {
            dive(19);
        } catch (const Deep&) {
            ++caught;
        }
    }
    for (int i = 0; i < 1999 - 1999 / 20 * 20; ++i) ::operator delete(::operator new(sizeof(Big)));
    try {
        volatile size_t too_much = PTRDIFF_MAX - 4096;
        static void* volatile never;
        never = ::operator new(too_much);
    } catch (const std::bad_alloc&) {
        ++caught;
    }
    CHECK(caught == 1999 / 20 + 1);
    static void* volatile kept;
    kept = ::operator new(57);
    say("done\n");
    return 0;
}
