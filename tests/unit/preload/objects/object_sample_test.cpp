// SPDX-License-Identifier: Apache-2.0
#include "preload/objects/object_sample.h"

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "analyzer/spaces/object_space.h"
#include "tests/unit/test.h"

using memtrace::analyzer::ObjectSpace;
using memtrace::preload::ObjectSample;

TEST_CASE("the way to the next byte of the sample is exponentially distributed",
          "[object_sample]") {
    CHECK(std::abs(ObjectSample::exponential(~uint64_t{0})) < 1e-5);
    for (const double u : {0.9, 0.75, 0.5, 0.25, 0.3, 0.01, 1e-9}) {
        const auto random = static_cast<uint64_t>(u * 18446744073709551616.0);
        CHECK(std::abs(ObjectSample::exponential(random) + std::log(u)) < 2e-5);
    }
}

TEST_CASE("an object is in the sample with the chance that its weight says", "[object_sample]") {
    constexpr uint64_t interval = 4096;
    REQUIRE(ObjectSample::start(interval));
    for (const uint64_t size : {16u, 200u, 512u, 5000u}) {
        constexpr uint64_t objects = 400'000;
        uint64_t taken = 0;
        for (uint64_t i = 0; i < objects; ++i) taken += ObjectSample::takes(size);
        const double weight = ObjectSpace::weight_of(size, interval);
        const double expected = objects / weight;
        // Six standard deviations: fails once in 500 million runs.
        CHECK(std::abs(static_cast<double>(taken) - expected) <
              6 * std::sqrt(expected * (1 - 1 / weight)));
    }
}

TEST_CASE("each thread goes its own way through the sample", "[object_sample]") {
    REQUIRE(ObjectSample::start(4096));
    std::vector<std::vector<bool>> taken(2);
    for (std::vector<bool>& by_thread : taken) {
        std::thread([&] {
            for (int i = 0; i < 20'000; ++i) by_thread.push_back(ObjectSample::takes(64));
        }).join();
    }
    CHECK(taken[0] != taken[1]);
}

TEST_CASE("what is in the table is found until it is taken out", "[object_sample]") {
    REQUIRE(ObjectSample::start(1 << 20));
    std::mt19937_64 random(7);
    std::vector<uint64_t> addresses;
    for (int i = 0; i < 20'000; ++i) {
        addresses.push_back(0x7f0000000000 + random() % (1 << 30) * 16);
    }
    for (const uint64_t address : addresses) REQUIRE(ObjectSample::add(address));
    for (const uint64_t address : addresses) {
        CHECK(ObjectSample::may_have(address));
        CHECK(ObjectSample::has(address));
    }
    for (size_t i = 0; i < addresses.size(); i += 2) ObjectSample::remove(addresses[i]);
    for (size_t i = 1; i < addresses.size(); i += 2) {
        // The same address may have been drawn twice.
        if (ObjectSample::has(addresses[i])) CHECK(ObjectSample::may_have(addresses[i]));
    }
    for (const uint64_t address : addresses) ObjectSample::remove(address);
    for (const uint64_t address : addresses) CHECK_FALSE(ObjectSample::has(address));
    CHECK_FALSE(ObjectSample::remove(addresses[0]));
    CHECK(ObjectSample::add(addresses[0]));
    CHECK(ObjectSample::remove(addresses[0]));
}
