// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/lost_objects.h"

#include <algorithm>
#include <memory>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

std::unique_ptr<LostRequest> described() {
    auto request = std::make_unique<LostRequest>();
    describe_lost_objects(*request);
    return request;
}

bool has_root(const LostRequest& request, uint64_t begin, uint64_t end) {
    return std::any_of(
        request.roots, request.roots + request.root_count,
        [&](const LostRange& root) { return root.begin == begin && root.end == end; });
}

}  // namespace

TEST_CASE("a block that the program wants left out is in every request, once") {
    const auto count = [](uint64_t address) {
        const auto request = described();
        return std::count(request->ignored, request->ignored + request->ignored_count, address);
    };
    CHECK(count(0x1230) == 0);
    ignore_lost_object(0x1230);
    ignore_lost_object(0x1230);
    ignore_lost_object(0x4560);
    CHECK(count(0x1230) == 1);
    CHECK(count(0x4560) == 1);
}

TEST_CASE("a root that was registered is removed by the same values only") {
    add_lost_root(0x10000, 0x100);
    add_lost_root(0x20000, 0x200);
    CHECK(has_root(*described(), 0x10000, 0x10100));
    remove_lost_root(0x10000, 0x200);
    CHECK(has_root(*described(), 0x10000, 0x10100));
    remove_lost_root(0x10000, 0x100);
    CHECK_FALSE(has_root(*described(), 0x10000, 0x10100));
    CHECK(has_root(*described(), 0x20000, 0x20200));
    remove_lost_root(0x20000, 0x200);
    add_lost_root(0, 100);
    add_lost_root(0x30000, 0);
    CHECK(described()->root_count == 0);
}
