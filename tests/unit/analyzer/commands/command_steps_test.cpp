// SPDX-License-Identifier: Apache-2.0
//
// `steps` cuts the run into slices, because loops are found for them.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("steps asks for slices, and a mark can be named") {
    CHECK(load_options_of({"steps", "a.bin"}).slices.has_value());
    CHECK(load_options_of({"steps", "a.bin", "--step", "batch"}).slices->step == "batch");
    CHECK(request_of({"steps", "a.bin"}).text.top == 20);
}
