// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/heap_sample.h"

#include <optional>

#include "preload/base/options.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using test::block_at;

namespace {

constexpr uint64_t interval = 1 << 16;
constexpr size_t certain = size_t{1} << 30;  // bytes of a block that is in every sample

// A recording of a sample; the heap is whole again afterwards.
struct Sampling {
    Sampling() {
        options.sample = interval;
        recording.emplace();
        begin_heap_sample(interval);
        thread_state.heap_to_sample = 0;
    }
    ~Sampling() {
        begin_heap_sample(0);
        options.sample = 0;
    }
    std::optional<test::TestRecording> recording;
};

void take(uint64_t address, size_t size) {
    take_block(Api::malloc, block_at(address), size, __builtin_frame_address(0));
}

}  // namespace

TEST_CASE("where everything is recorded, nothing is left out", "[heap_sample]") {
    const test::TestRecording recording;
    begin_heap_sample(0);
    for (uint64_t i = 1; i <= 100; ++i) take(i * 16, 1);
    give_block(Api::free, block_at(16));
    const analyzer::Totals heap = test::heap_of(recording.read());
    CHECK(heap.allocations == 100);
    CHECK(heap.frees == 1);
}

TEST_CASE("a sample has few of the small blocks and all of the largest", "[heap_sample]") {
    const Sampling sampling;
    for (uint64_t i = 1; i <= 20'000; ++i) take(i * 64, 64);
    take(0x10000000, certain);
    const analyzer::Model model = sampling.recording->read();
    const analyzer::Totals heap = test::heap_of(model);
    CHECK(model.capture.events < 100);
    CHECK(model.capture.anomalies == 0);
    // 1,280,000 bytes: 20 chosen bytes, and five standard deviations.
    CHECK(heap.allocated_bytes > certain);
    CHECK(heap.allocated_bytes < certain + 43 * interval);
}

TEST_CASE("the end of a block is recorded if its beginning was", "[heap_sample]") {
    const Sampling sampling;
    take(0x1000, certain);
    for (uint64_t i = 1; i <= 1'000; ++i) give_block(Api::free, block_at(0x100000 + i * 16));
    give_block(Api::free, block_at(0x1000));
    give_block(Api::free, block_at(0x1000));
    const analyzer::Model model = sampling.recording->read();
    CHECK(model.capture.events == 2);
    CHECK(model.capture.anomalies == 0);
    CHECK(test::heap_of(model).live_bytes == 0);
}

TEST_CASE("a resize that fails leaves the block in the sample", "[heap_sample]") {
    const Sampling sampling;
    take(0x1000, certain);
    SampledResize(Api::realloc, block_at(0x1000))
        .end(nullptr, false, 0, __builtin_frame_address(0));
    CHECK(test::heap_of(sampling.recording->read()).live_blocks == 1);
    SampledResize(Api::realloc, block_at(0x1000))
        .end(block_at(0x5000), true, 2 * certain, __builtin_frame_address(0));
    const analyzer::Totals heap = test::heap_of(sampling.recording->read());
    CHECK(heap.live_blocks == 1);
    CHECK(heap.live_bytes == 2 * certain);
    SampledResize(Api::realloc, block_at(0x5000)).end(nullptr, true, 0, __builtin_frame_address(0));
    CHECK(test::heap_of(sampling.recording->read()).live_blocks == 0);
}
