// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/nvml_usage.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

uint64_t usage_among(unsigned pid, const std::vector<NvmlProcess>& all) {
    return usage_of(pid, all.data(), static_cast<unsigned>(all.size()));
}

}  // namespace

TEST_CASE("a process is known by its number among those that use a device", "[gpu_usage]") {
    CHECK(usage_among(7, {{5, 100, 0, 0}, {7, 200, 0, 0}}) == 200);
    CHECK(usage_among(7, {{7, 300, 0, 0}}) == 300);
}

TEST_CASE("in a container it has another number, and is the only one", "[gpu_usage]") {
    CHECK(usage_among(7, {{4711, 300, 0, 0}}) == 300);
    CHECK(usage_among(7, {{4711, 300, 0, 0}, {4712, 1, 0, 0}}) == usage_not_available);
    CHECK(usage_among(7, {}) == usage_not_available);
}

TEST_CASE("a driver that does not tell the bytes of a process is believed", "[gpu_usage]") {
    CHECK(usage_among(7, {{7, usage_not_available, 0, 0}}) == usage_not_available);
}
