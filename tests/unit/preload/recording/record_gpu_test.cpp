// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/record_gpu.h"

#include <vector>

#include "analyzer/reader/dump_file.h"
#include "analyzer/reader/event_stream.h"
#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using test::block_at;

namespace {

#define HERE __builtin_frame_address(0)

template <class Record>
std::vector<Record> records_of(const test::TestRecording& recording) {
    std::vector<Record> found;
    analyzer::Problems problems;
    analyzer::DumpFile file(recording.path(), problems);
    const analyzer::DumpIndex index = analyzer::index_dump(file, problems);
    analyzer::EventStream records(file, index, problems, [](uint64_t) {});
    records.run([&](size_t, const analyzer::Event& event) {
        if (const auto* record = analyzer::record_if<Record>(event)) found.push_back(*record);
    });
    CHECK_FALSE(problems.damaged());
    return found;
}

}  // namespace

TEST_CASE("memory of a device comes out of the dump as it went in, with a stack", "[gpu]") {
    const test::TestRecording recording;
    GpuAcquire acquire;
    acquire.api = Api::cuMemAlloc;
    acquire.memory = GpuMemory::device;
    acquire.size = 4096;
    acquire.address = 0x7e0000000000;
    acquire.device = 3;
    acquire.context = 0x5d0000000100;
    record_gpu(acquire, HERE);
    const auto found = records_of<GpuAcquire>(recording);
    REQUIRE(found.size() == 1);
    CHECK(found[0].address == acquire.address);
    CHECK(found[0].size == 4096);
    CHECK(found[0].device == 3);
    CHECK(found[0].context == acquire.context);
    CHECK(found[0].stack != no_stack);
}

TEST_CASE("a release says when its call began, whatever was recorded meanwhile", "[gpu]") {
    const test::TestRecording recording;
    record_acquire(Api::malloc, block_at(0x1000), 100, HERE);
    const uint64_t began = ticks_now();
    GpuRelease release;
    release.api = Api::cuMemFree;
    release.address = 0x7e0000000000;
    SECTION("nothing") {
        record_gpu_release(release, began);
        const auto found = records_of<GpuRelease>(recording);
        REQUIRE(found.size() == 1);
        CHECK(found[0].time == began);
        CHECK(found[0].lead == 0);
    }
    SECTION("the driver freed something on the host") {
        record_release(Api::free, block_at(0x1000));
        record_gpu_release(release, began);
        const auto found = records_of<GpuRelease>(recording);
        REQUIRE(found.size() == 1);
        CHECK(found[0].time > began);
        CHECK(found[0].time - found[0].lead == began);
    }
}

TEST_CASE("the end of a context is stamped as a release is", "[gpu]") {
    const test::TestRecording recording;
    const uint64_t began = ticks_now();
    record_acquire(Api::malloc, block_at(0x1000), 100, HERE);
    GpuContext context;
    context.api = Api::cuCtxDestroy;
    context.change = GpuContextChange::destroyed;
    record_gpu_release(context, began);
    const auto found = records_of<GpuContext>(recording);
    REQUIRE(found.size() == 1);
    CHECK(found[0].time - found[0].lead == began);
}
