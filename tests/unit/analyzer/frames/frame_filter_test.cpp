// SPDX-License-Identifier: Apache-2.0
//
// Frames that interest a reader, and plumbing.
#include "analyzer/frames/frame_filter.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("libraries, allocators and what comes before main are not interesting") {
    const auto frame = [](const char* function, const char* module) {
        Frame made;
        made.function = function;
        made.module = module;
        made.named = true;
        return made;
    };
    CHECK_FALSE(is_interesting(frame("qsort", "/lib/x86_64-linux-gnu/libc.so.6")));
    CHECK_FALSE(is_interesting(frame("operator new(unsigned long)", "/app/static")));
    CHECK_FALSE(is_interesting(frame("void std::vector<int>::push_back(int)", "/app/train")));
    CHECK_FALSE(is_interesting(frame("_start", "/app/train")));
    CHECK_FALSE(is_interesting(frame("c10::alloc_cpu(unsigned long)", "/torch/libc10.so")));
    CHECK(is_interesting(frame("main", "/app/train")));
    CHECK(is_interesting(frame("malloc_bench", "/app/train")));
    CHECK(is_interesting(frame("standard::f()", "/app/train")));
    CHECK(is_interesting(frame("at::native::empty_cpu(int)", "/torch/libtorch_cpu.so")));
}
