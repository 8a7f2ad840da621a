// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/loop_cuts.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("acquisitions have a stack by which loops are found, Python's small objects have none") {
    Acquire acquire;
    acquire.stack = 7;
    acquire.api = Api::malloc;
    CHECK(stack_of_acquisition({0, acquire}) == 7);
    acquire.api = Api::PyObject_Malloc;
    REQUIRE(is_object_api(acquire.api));
    CHECK(stack_of_acquisition({0, acquire}) == no_stack);
    CHECK(stack_of_acquisition({0, Release{}}) == no_stack);
    ResizeEnd end;
    end.resize.stack = 9;
    const AnyRecord record = end;
    CHECK(stack_of_acquisition({0, &record}) == 9);
}
