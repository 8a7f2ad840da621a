// SPDX-License-Identifier: Apache-2.0
//
// Work in a child process.
#include "analyzer/live/child_job.h"

#include <unistd.h>

#include <stdexcept>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a child works on a copy, and sends any text") {
    std::string state = "of the parent";
    ChildJob job;
    job.start([&] {
        state = "of the child";
        return state + std::string(1 << 20, '\0') + "\n";
    });
    const std::optional<std::string> text = job.wait();
    REQUIRE(text);
    CHECK(text->size() == 12 + (1 << 20) + 1);
    CHECK(text->starts_with("of the child"));
    CHECK(state == "of the parent");
    CHECK_FALSE(job.is_running());
}

TEST_CASE("a child that fails sends nothing") {
    ChildJob job;
    job.start([]() -> std::string { throw std::runtime_error("no"); });
    CHECK_FALSE(job.wait());
    job.start([]() -> std::string { _exit(0); });
    CHECK(job.wait() == "");  // It has sent all that it had.
    job.start([]() -> std::string { _exit(3); });
    CHECK_FALSE(job.wait());
}

TEST_CASE("a job that is given up ends its child") {
    {
        ChildJob job;
        job.start([] {
            sleep(1000);
            return std::string();
        });
        CHECK_FALSE(job.poll());
        CHECK(job.is_running());
    }
    SUCCEED("The destructor has waited for the child.");
}
