// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/background_work.h"

#include <stdexcept>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

namespace {

void wait_for(BackgroundWork& work) {
    while (!work.end()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("work ends once, and can be started again", "[launcher]") {
    BackgroundWork work;
    CHECK_FALSE(work.is_running());
    CHECK_FALSE(work.end());
    std::atomic<bool> may_end = false;
    int done = 0;
    work.start([&] {
        while (!may_end) std::this_thread::yield();
        done += 1;
    });
    CHECK(work.is_running());
    CHECK_FALSE(work.end());
    may_end = true;
    wait_for(work);
    CHECK_FALSE(work.is_running());
    work.start([&] { done += 1; });
    wait_for(work);
    CHECK(done == 2);
}

TEST_CASE("what the work throws, its starter gets", "[launcher]") {
    BackgroundWork work;
    work.start([] { throw std::runtime_error("no such dump"); });
    CHECK_THROWS_WITH(wait_for(work), "no such dump");
    CHECK_FALSE(work.is_running());
}
