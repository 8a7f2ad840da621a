// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/block_sample.h"

#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "analyzer/spaces/sampled_blocks.h"
#include "tests/unit/test.h"

using memtrace::analyzer::SampledBlocks;
using memtrace::preload::BlockSample;
using memtrace::preload::raise_sample_level;
using memtrace::preload::recording_word;
using memtrace::preload::SampleLevels;

namespace {

// A sample is too large for a stack.
BlockSample& fresh_sample() {
    static std::unique_ptr<BlockSample> sample;
    sample = std::make_unique<BlockSample>();
    return *sample;
}

}  // namespace

TEST_CASE("the way to the next byte of the sample is exponentially distributed", "[block_sample]") {
    CHECK(std::abs(BlockSample::exponential(~uint64_t{0})) < 1e-5);
    for (const double u : {0.9, 0.75, 0.5, 0.25, 0.3, 0.01, 1e-9}) {
        const auto random = static_cast<uint64_t>(u * 18446744073709551616.0);
        CHECK(std::abs(BlockSample::exponential(random) + std::log(u)) < 2e-5);
    }
}

TEST_CASE("a block is in the sample with the chance that its weight says", "[block_sample]") {
    constexpr uint64_t interval = 4096;
    BlockSample& sample = fresh_sample();
    REQUIRE(sample.start(SampleLevels(interval)));
    for (const uint64_t size : {16u, 200u, 512u, 5000u}) {
        constexpr uint64_t objects = 400'000;
        uint64_t taken = 0;
        uint32_t left = 0;
        uint8_t level = 0;
        for (uint64_t i = 0; i < objects; ++i) taken += sample.takes(left, level, size) != 0;
        const double weight = SampledBlocks::weight_of(size, interval);
        const double expected = objects / weight;
        // Six standard deviations: fails once in 500 million runs.
        CHECK(std::abs(static_cast<double>(taken) - expected) <
              6 * std::sqrt(expected * (1 - 1 / weight)));
    }
}

TEST_CASE("a sparser sample has the blocks that its level says", "[block_sample]") {
    BlockSample& sample = fresh_sample();
    const SampleLevels levels(4096);
    sample.start_choosing(levels);
    uint32_t left = 0;
    uint8_t level = 0;
    // At the last level, distances are drawn from a shorter interval and thinned out.
    for (const uint8_t wanted : {1, 3, 9}) {
        raise_sample_level(wanted);
        const uint64_t interval = levels.interval(wanted), size = interval / 2;
        constexpr uint64_t blocks = 20'000;
        uint64_t taken = 0, older = 0;
        for (uint64_t i = 0; i < blocks; ++i) {
            const unsigned chosen = sample.takes(left, level, size);
            taken += chosen == wanted;
            older += chosen != 0 && chosen != wanted;
        }
        const double weight = SampledBlocks::weight_of(size, interval);
        const double expected = blocks / weight;
        CHECK(std::abs(static_cast<double>(taken) - expected) <
              6 * std::sqrt(expected * (1 - 1 / weight)));
        CHECK(older <= 1);  // A thread takes up a new level where the old one ends.
    }
    recording_word->sample_level.store(0);
    memtrace::preload::set_heap_mode(memtrace::preload::HeapMode::whole);
}

TEST_CASE("each thread goes its own way through the sample", "[block_sample]") {
    BlockSample& sample = fresh_sample();
    REQUIRE(sample.start(SampleLevels(4096)));
    std::vector<std::vector<bool>> taken(2);
    for (std::vector<bool>& by_thread : taken) {
        std::thread([&] {
            uint32_t left = 0;
            uint8_t level = 0;
            for (int i = 0; i < 20'000; ++i)
                by_thread.push_back(sample.takes(left, level, 64) != 0);
        }).join();
    }
    CHECK(taken[0] != taken[1]);
}

TEST_CASE("what is in the table is found until it is taken out", "[block_sample]") {
    BlockSample& sample = fresh_sample();
    REQUIRE(sample.start(SampleLevels(1 << 20)));
    std::mt19937_64 random(7);
    std::vector<uint64_t> addresses;
    for (int i = 0; i < 20'000; ++i) {
        addresses.push_back(0x7f0000000000 + random() % (1 << 30) * 16);
    }
    for (const uint64_t address : addresses) REQUIRE(sample.add(address));
    for (const uint64_t address : addresses) {
        CHECK(sample.may_have(address));
        CHECK(sample.has(address));
    }
    for (size_t i = 0; i < addresses.size(); i += 2) sample.remove(addresses[i]);
    for (size_t i = 1; i < addresses.size(); i += 2) {
        // The same address may have been drawn twice.
        if (sample.has(addresses[i])) CHECK(sample.may_have(addresses[i]));
    }
    for (const uint64_t address : addresses) sample.remove(address);
    for (const uint64_t address : addresses) CHECK_FALSE(sample.has(address));
    CHECK_FALSE(sample.remove(addresses[0]));
    CHECK(sample.add(addresses[0]));
    CHECK(sample.remove(addresses[0]));
}

TEST_CASE("a forked child forgets the blocks of its parent", "[block_sample]") {
    BlockSample& sample = fresh_sample();
    REQUIRE(sample.start(SampleLevels(1 << 20)));
    REQUIRE(sample.add(0x1000));
    sample.forget();
    CHECK_FALSE(sample.may_have(0x1000));
    CHECK_FALSE(sample.has(0x1000));
}

TEST_CASE("a forked child chooses other blocks than its siblings", "[block_sample]") {
    BlockSample& sample = fresh_sample();
    REQUIRE(sample.start(SampleLevels(4096)));
    const auto chosen = [&] {
        BlockSample::begin_sequence();
        uint32_t left = 0;
        uint8_t level = 0;
        std::vector<bool> blocks;
        for (unsigned i = 0; i < 10000; ++i) blocks.push_back(sample.takes(left, level, 100) != 0);
        return blocks;
    };
    const std::vector<bool> first = chosen();
    CHECK(first != chosen());
}
