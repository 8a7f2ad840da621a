// SPDX-License-Identifier: Apache-2.0
//
// Addresses where a complete stack may end.
#include "analyzer/symbolise/thread_root.h"

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("by the entry point of a program, and not by that of a library without one") {
    const auto program = ElfFile::open("/proc/self/exe");
    CHECK(ThreadRootFinder(*program).is_start(program->entry() + 0x21));
    CHECK_FALSE(ThreadRootFinder(*program).is_start(program->entry() + 4096));
    const auto library = ElfFile::open(fixture().module.path);
    CHECK_FALSE(ThreadRootFinder(*library).is_start(fixture().in_file(0)));
    CHECK_FALSE(ThreadRootFinder(*library).is_start(1));
}
