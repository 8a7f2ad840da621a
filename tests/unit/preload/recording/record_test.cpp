// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/record.h"

#include <errno.h>

#include <thread>
#include <vector>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using test::block_at;
using test::heap_of;

namespace {

#define HERE __builtin_frame_address(0)

// This thread writes a record, and a signal handler interrupts it: its frames lie far below.
void begin_interrupted_record() { enter_record(thread_state, stack_pointer() + 4096); }

}  // namespace

TEST_CASE("what is recorded can be read at once, without any flush", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 100, HERE);
    record_acquire(Api::malloc, block_at(0x2000), 50, HERE);
    record_release(Api::free, block_at(0x1000));
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 2);
    CHECK(heap_of(model).frees == 1);
    CHECK(heap_of(model).live_bytes == 50);
    CHECK(model.capture.anomalies == 0);
    CHECK_FALSE(model.damaged);
}

TEST_CASE("two hundred thousand blocks pass through the ring into chunks, none is lost",
          "[record]") {
    const test::TestRecording recording;
    constexpr uint64_t count = 200'000;
    for (uint64_t i = 0; i < count; ++i) {
        record_acquire(Api::malloc, block_at(0x10000 + 64 * i), i % 1000, HERE);
        if (i >= 100) record_release(Api::free, block_at(0x10000 + 64 * (i - 100)));
    }
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == count);
    CHECK(heap_of(model).frees == count - 100);
    CHECK(model.capture.lost_events == 0);
    CHECK(model.capture.anomalies == 0);
}

TEST_CASE("threads record side by side, and one may free what another acquired", "[record]") {
    const test::TestRecording recording;
    constexpr uint64_t blocks = 20'000;
    std::vector<std::thread> threads;
    for (uint64_t t = 1; t <= 4; ++t) {
        threads.emplace_back([t] {
            for (uint64_t i = 0; i < blocks; ++i) {
                record_acquire(Api::malloc, block_at(t << 32 | 32 * i), 10, HERE);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (uint64_t t = 1; t <= 4; ++t) {
        for (uint64_t i = 0; i < blocks; ++i) record_release(Api::free, block_at(t << 32 | 32 * i));
    }
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 4 * blocks);
    CHECK(heap_of(model).live_blocks == 0);
    CHECK(model.capture.anomalies == 0);
    CHECK(model.capture.lost_events == 0);
}

TEST_CASE("threads that follow one another share a lane", "[record][lane]") {
    const test::TestRecording recording;
    for (uint64_t t = 0; t < 50; ++t) {
        std::thread([t] {
            record_acquire(Api::malloc, block_at(0x1000 + 64 * t), 1, HERE);
        }).join();
    }
    unsigned lanes = 0;
    ThreadLane::for_each([&](ThreadLane&) { ++lanes; });
    CHECK(lanes < 10);
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 50);
    CHECK(model.threads.size() == 50);
}

TEST_CASE("an event that interrupts another is written behind it", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 1, HERE);
    begin_interrupted_record();
    record_acquire(Api::malloc, block_at(0x2000), 7, HERE);
    record_release(Api::free, block_at(0x2000));
    thread_state.inside = ThreadMode::program;
    record_acquire(Api::malloc, block_at(0x3000), 1, HERE);
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 3);
    CHECK(heap_of(model).live_blocks == 2);
    CHECK(model.capture.lost_events == 0);
}

TEST_CASE("sizes beyond 4 GiB are exact", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), (size_t{1} << 40) + 3, HERE);
    CHECK(heap_of(recording.read()).live_bytes == (uint64_t{1} << 40) + 3);
}

TEST_CASE("a resize is recorded once, with both addresses", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 10, HERE);
    const ResizeStart start = begin_resize(HERE);
    record_resize(start, Api::realloc, block_at(0x1000), block_at(0x5000), 30);
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 2);
    CHECK(heap_of(model).frees == 1);
    CHECK(heap_of(model).live_bytes == 30);
}

TEST_CASE("errno stays what it was", "[record]") {
    const test::TestRecording recording;
    errno = ERANGE;
    record_acquire(Api::malloc, block_at(0x1000), 10, HERE);
    record_release(Api::free, block_at(0x1000));
    CHECK(errno == ERANGE);
}

TEST_CASE("a handler that comes before its thread has a lane loses nothing", "[record][lane]") {
    const test::TestRecording recording;
    std::thread([] {
        begin_interrupted_record();
        record_acquire(Api::malloc, block_at(0x1000), 100, HERE);
        record_release(Api::free, block_at(0x1000));
        thread_state.inside = ThreadMode::program;
        record_acquire(Api::malloc, block_at(0x2000), 50, HERE);
    }).join();
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 2);
    CHECK(heap_of(model).live_bytes == 50);
    CHECK(model.capture.lost_events == 0);
}

TEST_CASE("what comes after a stop is counted as lost", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 10, HERE);
    set_recording(Recording::stopped);
    record_acquire(Api::malloc, block_at(0x2000), 10, HERE);
    const analyzer::Model model = recording.read();
    CHECK(model.capture.lost_events == 1);
    CHECK(model.damaged);
}

TEST_CASE("a tensor's block is written as the allocator reported it, with its stack",
          "[record][torch]") {
    const test::TestRecording recording;
    record_tensor_acquire({.size = 512,
                           .address = 0x7000,
                           .device_type = 1,
                           .device = 3,
                           .allocated = 1024,
                           .reserved = 4096},
                          HERE);
    record_tensor_release({.size = 512,
                           .address = 0x7000,
                           .device_type = 1,
                           .device = 3,
                           .allocated = 512,
                           .reserved = 4096});
    record_tensor_refused(
        {.size = 1 << 30, .device_type = 1, .device = 3, .allocated = 512, .reserved = 4096}, HERE);
    std::vector<analyzer::AnyRecord> found;
    recording.for_each_record([&](const analyzer::AnyRecord& record) { found.push_back(record); });
    std::erase_if(found, [](const analyzer::AnyRecord& record) {
        return !std::holds_alternative<TensorAcquire>(record) &&
               !std::holds_alternative<TensorRelease>(record) &&
               !std::holds_alternative<TensorRefused>(record);
    });
    REQUIRE(found.size() == 3);
    const auto& acquired = std::get<TensorAcquire>(found[0]);
    CHECK((acquired.size == 512 && acquired.address == 0x7000 && acquired.device_type == 1 &&
           acquired.device == 3 && acquired.allocated == 1024 && acquired.reserved == 4096));
    CHECK(acquired.stack != no_stack);
    const auto& released = std::get<TensorRelease>(found[1]);
    CHECK((released.size == 512 && released.address == 0x7000 && released.allocated == 512));
    CHECK(released.time >= acquired.time);
    const auto& refused = std::get<TensorRefused>(found[2]);
    CHECK((refused.size == 1 << 30 && refused.device == 3 && refused.reserved == 4096));
    CHECK(refused.stack != no_stack);
}

TEST_CASE("a tensor's block inside another event is counted as lost", "[record][torch]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 1, HERE);
    begin_interrupted_record();
    record_tensor_acquire({.size = 512, .address = 0x7000, .device_type = 1}, HERE);
    record_tensor_release({.size = 512, .address = 0x7000, .device_type = 1});
    thread_state.inside = ThreadMode::program;
    CHECK(recording.read().capture.lost_events == 2);
}

TEST_CASE("mappings of a handler are written behind the event that it interrupts", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 1, HERE);
    begin_interrupted_record();
    record_map(Api::mmap, block_at(0x10000), 4096, MapClass::anonymous, MapPurpose::unknown, HERE);
    const ResizeStart start = begin_resize(HERE);
    record_remap(start, Api::mremap, block_at(0x10000), 4096, block_at(0x20000), 8192);
    record_map(Api::mmap, block_at(0x30000), 4096, MapClass::anonymous, MapPurpose::unknown, HERE);
    record_unmap(moment_before(), Api::munmap, block_at(0x30000), 4096);
    thread_state.inside = ThreadMode::program;
    record_acquire(Api::malloc, block_at(0x3000), 1, HERE);
    const analyzer::Model model = recording.read();
    CHECK(model.capture.lost_events == 0);
    CHECK(model.capture.anomalies == 0);
    for (const analyzer::Space& space : model.spaces) {
        if (space.name == "mmap") CHECK(space.totals.live_bytes == 8192);
    }
}

TEST_CASE("a handler that leaves by a jump takes one event with it", "[record]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 1, HERE);
    enter_record(thread_state);  // A record that nobody finishes: the next event is no deeper.
    record_acquire(Api::malloc, block_at(0x2000), 7, HERE);
    CHECK(thread_state.inside == ThreadMode::program);
    record_acquire(Api::malloc, block_at(0x3000), 7, HERE);
    const analyzer::Model model = recording.read();
    CHECK(heap_of(model).allocations == 3);
    CHECK(model.capture.lost_events == 1);
}
