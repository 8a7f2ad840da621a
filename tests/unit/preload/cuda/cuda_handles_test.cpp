// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_handles.h"

#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::preload::cuda;

TEST_CASE("a handle's device is known until it is forgotten", "[cuda]") {
    HandleTable table;
    CHECK(table.device_of(0x1000) == no_device);
    table.remember(0x1000, 0);
    table.remember(0x2000, 3);
    table.remember(0x1000, 1);
    CHECK(table.device_of(0x1000) == 1);
    CHECK(table.device_of(0x2000) == 3);
    table.forget(0x1000);
    CHECK(table.device_of(0x1000) == no_device);
    CHECK(table.device_of(0x2000) == 3);
    table.clear();
    CHECK(table.device_of(0x2000) == no_device);
}

TEST_CASE("no handle is nothing to remember", "[cuda]") {
    HandleTable table;
    table.remember(0, 2);
    CHECK(table.device_of(0) == no_device);
}

TEST_CASE("what finds no place is not known", "[cuda]") {
    HandleTable table;
    unsigned known = 0;
    for (uint64_t i = 1; i <= 1000; ++i) table.remember(i, 1);
    for (uint64_t i = 1; i <= 1000; ++i) known += table.device_of(i) == 1;
    CHECK(known == 512);
}

TEST_CASE("threads remember side by side", "[cuda]") {
    const auto table = std::make_unique<HandleTable>();
    std::vector<std::thread> threads;
    for (uint64_t t = 1; t <= 4; ++t) {
        threads.emplace_back([&table, t] {
            for (uint64_t i = 0; i < 100; ++i) {
                table->remember(t << 32 | i, static_cast<Device>(t));
                if (i % 2 == 0) table->forget(t << 32 | i);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (uint64_t t = 1; t <= 4; ++t) {
        for (uint64_t i = 0; i < 100; ++i) {
            CHECK(table->device_of(t << 32 | i) == (i % 2 == 0 ? no_device : static_cast<int>(t)));
        }
    }
}

TEST_CASE("a device has one primary context", "[cuda]") {
    remember_primary_context(1, 0x77);
    CHECK(primary_context_of(1) == 0x77);
    CHECK(primary_context_of(0) == 0);
    CHECK(primary_context_of(-1) == 0);
    CHECK(primary_context_of(1000) == 0);
    forget_handles();
    CHECK(primary_context_of(1) == 0);
}
