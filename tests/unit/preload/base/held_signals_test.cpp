// SPDX-License-Identifier: Apache-2.0
#include "preload/base/held_signals.h"

#include <unistd.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

constexpr uint64_t pipe_bit = uint64_t{1} << (SIGPIPE - 1);

// A pipe without a reader.
class Broken {
public:
    Broken() {
        REQUIRE(pipe(ends_) == 0);
        close(ends_[0]);
    }
    ~Broken() { close(ends_[1]); }
    long write() const { return sys::write(ends_[1], "x", 1); }

private:
    int ends_[2];
};

uint64_t blocked() {
    uint64_t mask = 0;
    sys::signal_mask(SIG_BLOCK, nullptr, &mask);
    return mask;
}

bool is_pending() {
    uint64_t set = 0;
    sys::pending_signals(&set);
    return (set & pipe_bit) != 0;
}

}  // namespace

TEST_CASE("a write to a pipe without a reader fails, and nothing else happens") {
    const Broken broken;
    const uint64_t before = blocked();
    {
        const HeldSignals held;
        CHECK(broken.write() == -EPIPE);
        CHECK(is_pending());
    }
    CHECK_FALSE(is_pending());
    CHECK(blocked() == before);
}

TEST_CASE("a signal of the program's own that waits, stays") {
    const Broken broken;
    uint64_t before = 0;
    sys::signal_mask(SIG_BLOCK, &pipe_bit, &before);
    CHECK(broken.write() == -EPIPE);
    {
        const HeldSignals held;
        CHECK(broken.write() == -EPIPE);
    }
    CHECK(is_pending());
    CHECK(sys::take_signal(&pipe_bit) == SIGPIPE);
    sys::signal_mask(SIG_SETMASK, &before, nullptr);
}
