// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/sampled_blocks.h"

#include <cmath>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using test::load_story;

namespace {

const Space& host_of(const Model& model) { return *test::space_named(model, "host"); }

}  // namespace

TEST_CASE("a block of a sample stands for as many as its chance says", "[sampled_blocks]") {
    CHECK(SampledBlocks::weight_of(100, 0) == 1);
    CHECK(std::abs(SampledBlocks::weight_of(1 << 10, 1 << 20) - 1024.5) < 0.01);
    CHECK(SampledBlocks::weight_of(1 << 30, 1 << 10) == 1);
    CHECK(SampledBlocks::weight_of(0, 1 << 10) == SampledBlocks::weight_of(1, 1 << 10));
}

TEST_CASE("remainders are carried over, so sums are right", "[sampled_blocks]") {
    SampledBlocks blocks("host");
    blocks.set_interval(1000);
    SizeBudget sizes;
    uint64_t sum = 0;
    constexpr int times = 1'000;
    for (int i = 0; i < times; ++i) sum += blocks.weigh(700, sizes).blocks;
    CHECK(std::abs(static_cast<double>(sum) - times * SampledBlocks::weight_of(700, 1000)) <= 1);
    double bytes = 0, wanted = 0;
    for (uint64_t size = 3'000; size < 6'000; ++size) {
        bytes += static_cast<double>(blocks.weigh(size, sizes).bytes);
        wanted += SampledBlocks::weight_of(size, 1000) * static_cast<double>(size);
    }
    CHECK(std::abs(bytes - wanted) < 3'000);
}

TEST_CASE("a sampled heap is an estimate, and says of what", "[sampled_blocks]") {
    const Model model = load_story(R"(
        heap_sample lane=0 time=1 interval=4096
        acquire lane=0 time=10 api=malloc size=64 address=0x1000
        acquire lane=0 time=11 api=malloc size=1000000 address=0x2000
        release lane=0 time=12 api=free address=0x1000
    )");
    const Space& host = host_of(model);
    CHECK(host.is_estimate);
    CHECK(host.sample_interval == 4096);
    CHECK(host.sampled == 2);
    CHECK(host.totals.allocations == 64 + 1);
    // 64.502 blocks of 64 bytes.
    CHECK(host.totals.allocated_bytes == 4128 + 1000000);
    CHECK(host.totals.live_bytes == 1000000);
    CHECK(host.totals.live_blocks == 1);
    CHECK(model.threads[0].allocations == 65);
    CHECK(model.capture.anomalies == 0);
}

TEST_CASE("without a sample, the heap is exact", "[sampled_blocks]") {
    const Model model = load_story("acquire lane=0 time=10 api=malloc size=64 address=0x1000");
    CHECK_FALSE(host_of(model).is_estimate);
    CHECK(host_of(model).sample_interval == 0);
    CHECK(host_of(model).totals.allocated_bytes == 64);
}

TEST_CASE("a second interval in a damaged dump changes nothing", "[sampled_blocks]") {
    const Model model = load_story(R"(
        heap_sample lane=0 time=1 interval=4096
        acquire lane=0 time=10 api=malloc size=64 address=0x1000
        heap_sample lane=0 time=11 interval=1000000
        acquire lane=0 time=12 api=malloc size=64 address=0x2000
    )");
    CHECK(host_of(model).totals.allocations == 129);
}
