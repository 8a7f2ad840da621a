// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/look_times.h"

#include <memory>

#include "tests/unit/test.h"

using namespace memtrace::preload::cuda;

namespace {

constexpr uint64_t pool = 0x7f0000001000, other = 0x7f0000002000;

// Returns at which of so many calls it was time to ask. `reserved` is what the answer is.
std::vector<int> asked_at(LookTimes& looks, uint64_t handle, int calls, uint64_t size = 0,
                          uint64_t reserved = 0, uint64_t used = 0) {
    std::vector<int> found;
    for (int call = 1; call <= calls; ++call) {
        if (!looks.is_time(handle, size)) continue;
        found.push_back(call);
        looks.looked(handle, reserved, used);
    }
    return found;
}

}  // namespace

TEST_CASE("each pool and each graph has its own count", "[gpu_looks]") {
    LookTimes looks;
    std::vector<int> of_one, of_other;
    for (int call = 1; call <= 40; ++call) {  // in turns
        for (const uint64_t handle : {pool, other}) {
            if (!looks.is_time(handle, 0)) continue;
            (handle == pool ? of_one : of_other).push_back(call);
            looks.looked(handle, 0, 0);
        }
    }
    CHECK(of_one == std::vector<int>{1, 17, 33});
    CHECK(of_other == of_one);
}

TEST_CASE("a new one is asked at its first call, however often others were", "[gpu_looks]") {
    LookTimes looks;
    asked_at(looks, pool, 5);
    CHECK(looks.is_time(other, 0));
}

TEST_CASE("a pool is asked when it has handed out more than it had left", "[gpu_looks]") {
    LookTimes looks;
    CHECK(looks.is_time(pool, 10));
    looks.looked(pool, 100, 10);
    for (int call = 0; call < 3; ++call) CHECK_FALSE(looks.is_time(pool, 30));
    CHECK(looks.is_time(pool, 30));  // 90 were left, and these are 120.
    looks.looked(pool, 200, 130);
    CHECK_FALSE(looks.is_time(pool, 70));
    CHECK(looks.is_time(pool, 1));
}

TEST_CASE("what is asked in vain is asked less often", "[gpu_looks]") {
    LookTimes looks;  // The pool is full, and each block is freed before the next.
    CHECK(asked_at(looks, pool, 50, 30, 100, 100) == std::vector<int>{1, 2, 4, 8, 16, 32, 48});
}

TEST_CASE("after a trim, all are asked at their next call", "[gpu_looks]") {
    LookTimes looks;
    asked_at(looks, pool, 3);
    asked_at(looks, other, 3);
    CHECK_FALSE(looks.is_time(pool, 0));
    looks.start_over();
    CHECK(looks.is_time(pool, 0));
    CHECK(looks.is_time(other, 0));
}

TEST_CASE("one that is gone is not in the table, nor what a fork left", "[gpu_looks]") {
    LookTimes looks;
    const auto count = [&] {
        int handles = 0;
        looks.for_each([&](uint64_t) { ++handles; });
        return handles;
    };
    asked_at(looks, pool, 1);
    asked_at(looks, other, 1);
    CHECK(count() == 2);
    looks.forget(pool);
    CHECK(count() == 1);
    CHECK(looks.is_time(pool, 0));
    looks.clear();
    CHECK(count() == 0);
}

TEST_CASE("more handles than there is room for are all asked", "[gpu_looks]") {
    auto looks = std::make_unique<LookTimes>();
    for (int round = 0; round < 3; ++round) {
        for (uint64_t handle = 1; handle <= 2000; ++handle) {
            const uint64_t address = handle * 0x100;
            const bool is_time = looks->is_time(address, 0);
            if (round == 0) CHECK(is_time);
            looks->looked(address, 0, 0);
        }
    }
}

TEST_CASE("devices on which graphs have memory", "[gpu_looks]") {
    forget_looks();
    note_graph_memory(3);
    note_graph_memory(-1);
    note_graph_memory(1);
    std::vector<Device> found;
    for_each_graph_device([&](Device device) { found.push_back(device); });
    CHECK(found == std::vector<Device>{1, 3});
    CHECK(has_graph_memory());
    forget_looks();
    CHECK_FALSE(has_graph_memory(3));
    CHECK_FALSE(has_graph_memory());
}
