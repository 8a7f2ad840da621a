// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/heap_sample.h"

#include <optional>
#include <variant>
#include <vector>

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
        begin_heap_sample();
        thread_state.heap_to_sample = 0;
    }
    ~Sampling() {
        leave_heap_whole();
        options.sample = 0;
    }
    std::optional<test::TestRecording> recording;
};

// A recording that is whole until it turns to a sample.
struct Turning {
    Turning() {
        options.max_dump = uint64_t{1} << 30;
        recording.emplace();
        begin_heap_sample();
        thread_state.heap_to_sample = 0;
        thread_state.heap_level = 0;
    }
    ~Turning() {
        leave_heap_whole();
        recording_word->sample_level.store(0);
        options.max_dump = 0;
    }
    std::optional<test::TestRecording> recording;
};

void take(uint64_t address, size_t size) {
    take_block(Api::malloc, block_at(address), size, __builtin_frame_address(0));
}

}  // namespace

TEST_CASE("where everything is recorded, nothing is left out", "[heap_sample]") {
    const test::TestRecording recording;
    begin_heap_sample();
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

TEST_CASE("a recording that turns to a sample is exact until then", "[heap_sample]") {
    const Turning turning;
    take(0x1000, 100);
    take(0x2000, 200);
    raise_sample_level(1);
    for (uint64_t i = 1; i <= 10'000; ++i) take(0x1000000 + i * 64, 64);
    give_block(Api::free, block_at(0x1000));
    for (uint64_t i = 1; i <= 10'000; ++i) give_block(Api::free, block_at(0x1000000 + i * 64));
    const analyzer::Model model = turning.recording->read();
    // 640,000 bytes: 10 chosen bytes on average. The others left nothing, neither of their ends.
    CHECK(model.capture.events < 3 + 2 * 40);
    CHECK(model.capture.anomalies == 0);
    const analyzer::Totals heap = test::heap_of(model);
    CHECK(heap.live_bytes == 200);
    CHECK(heap.live_blocks == 1);
    CHECK(heap.allocated_bytes < 300 + 40 * 65536);
}

TEST_CASE("each block counts as the level says at which it was chosen", "[heap_sample]") {
    const Turning turning;
    take(0x1000, 1000);
    raise_sample_level(1);
    take(0x2000, certain);
    raise_sample_level(4);
    take(0x3000, certain);
    take(0x4000, certain);
    std::vector<uint64_t> intervals;
    turning.recording->for_each_record([&](const analyzer::AnyRecord& record) {
        if (const auto* sample = std::get_if<HeapSample>(&record)) {
            intervals.push_back(sample->interval);
        }
    });
    CHECK(intervals == std::vector<uint64_t>{64 << 10, 4 << 20});
    CHECK(test::heap_of(turning.recording->read()).allocated_bytes == 1000 + 3 * certain);
}

TEST_CASE("a resize after the turn ends a block from before it", "[heap_sample]") {
    const Turning turning;
    take(0x1000, 100);
    take(0x2000, 100);
    raise_sample_level(1);
    thread_state.heap_to_sample = 1 << 30;  // Nothing will be chosen.
    thread_state.heap_level = 1;
    const void* const frame = __builtin_frame_address(0);
    SampledResize(Api::realloc, block_at(0x1000)).end(block_at(0x5000), true, 50, frame);
    SampledResize(Api::realloc, block_at(0x5000)).end(nullptr, false, 0, frame);
    SampledResize(Api::realloc, block_at(0x5000)).end(block_at(0x6000), true, 90, frame);
    give_block(Api::free, block_at(0x6000));
    const analyzer::Model model = turning.recording->read();
    CHECK(model.capture.events == 3);
    CHECK(model.capture.anomalies == 0);
    CHECK(test::heap_of(model).live_bytes == 100);
}

TEST_CASE("an address that was left out is recorded when it is chosen", "[heap_sample]") {
    const Turning turning;
    take(0x9000, 1);
    raise_sample_level(1);
    thread_state.heap_to_sample = 1 << 30;
    thread_state.heap_level = 1;
    take(0x1000, 16);  // left out, and its end is not seen
    take(0x1000, size_t{1} << 31);
    give_block(Api::free, block_at(0x1000));
    const analyzer::Model model = turning.recording->read();
    CHECK(model.capture.events == 3);
    CHECK(test::heap_of(model).live_bytes == 1);
}
