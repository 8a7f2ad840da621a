// SPDX-License-Identifier: Apache-2.0
//
// Rules of accounting, one story each: no byte of a GPU is counted twice or forgotten.
#include "analyzer/gpu/gpu_ledger.h"

#include "tests/unit/analyzer/gpu/gpu_text.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// Loads the story with the stacks 1 to 3 defined.
Model load_calls(const std::string& story) {
    return load_gpu("node id=1 address=1\nnode id=2 address=2\nnode id=3 address=3\n" + story);
}

uint64_t live(const Model& model, const char* space) {
    const Space* found = space_named(model, space);
    return found == nullptr ? 0 : found->totals.live_bytes;
}

uint64_t peak(const Model& model, const char* space) {
    const Space* found = space_named(model, space);
    return found == nullptr ? 0 : found->totals.own_peak_bytes;
}

// Checks that the sums are correct and that there are no problems or anomalies.
void check_sound(const Model& model) {
    CHECK(unequal_sums(model).empty());
    CHECK(problems_of(model).empty());
    CHECK(model.capture.anomalies == 0);
}

}  // namespace

TEST_CASE("gpu rule 1: plain memory and arrays count from the call to the release") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=1000 address=0xa000
    gpu_acquire time=11 api=cuMemAllocPitch memory=device stack=1 size=500 address=0xb000
    gpu_acquire time=12 api=cuArray3DCreate memory=array stack=2 size=300 address=0x77
    gpu_release time=13 api=cuMemFree address=0xa000
    gpu_release time=14 api=cuArrayDestroy address=0x77
    )");
    check_sound(model);
    CHECK(peak(model, "device:0") == 1800);
    CHECK(live(model, "device:0") == 500);
    CHECK(space_named(model, "device:0")->classes.at("array").allocated_bytes == 300);
    CHECK(model.capture.events == 5);
}

TEST_CASE("gpu rule 1: managed and pinned memory are spaces of their own, on no device") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuMemAllocManaged memory=managed stack=1 size=100 address=0xa000
    gpu_acquire time=11 api=cuMemHostAlloc memory=pinned stack=2 size=70 address=0xb000
    gpu_acquire time=12 memory=device stack=3 size=1 address=0xc000 device=1
    gpu_release time=13 api=cuMemFreeHost address=0xb000
    )");
    check_sound(model);
    CHECK(live(model, "managed") == 100);
    CHECK(live(model, "pinned") == 0);
    CHECK(peak(model, "pinned") == 70);
    CHECK(live(model, "device:1") == 1);
    CHECK(space_named(model, "device:0") == nullptr);
}

TEST_CASE("gpu rule 2: physical memory is its maker's, and lives while it is mapped") {
    const Model model = load_calls(R"(
    gpu_acquire time=5 api=cuMemAddressReserve memory=reserved size=0x100000 address=0x900000
    gpu_acquire time=10 api=cuMemCreate memory=physical stack=1 size=0x2000 address=0x51
    gpu_map time=11 api=cuMemMap address=0x900000 size=0x2000 handle=0x51
    gpu_release time=12 api=cuMemRelease address=0x51
    gpu_acquire time=13 api=cuMemCreate memory=physical stack=2 size=0x1000 address=0x52
    gpu_retain time=14 api=cuMemRetainAllocationHandle handle=0x52
    gpu_release time=15 api=cuMemRelease address=0x52
    gpu_acquire time=16 api=cuMemCreate memory=physical_host stack=3 size=0x800 address=0x53
    gpu_unmap time=20 api=cuMemUnmap address=0x900000 size=0x2000
    gpu_release time=21 api=cuMemAddressFree address=0x900000
    )");
    check_sound(model);
    CHECK(peak(model, "device:0") == 0x3000);
    CHECK(live(model, "device:0") == 0x1000);  // one reference is left
    CHECK(live(model, "pinned") == 0x800);
    CHECK(model.gpu.reserved.most_bytes == 0x100000);
    CHECK(model.gpu.reserved.live_bytes == 0);
}

TEST_CASE("gpu rule 3: a pool's bytes are what it reserved; what it keeps is a site of its own") {
    const Model model = load_calls(R"(
    gpu_pool time=5 api=cuMemPoolCreate kind=pool pool=0x90 reserved=0 used=0
    gpu_acquire time=10 api=cuMemAllocAsync memory=pooled stack=1 size=100 address=0xa000 pool=0x90
    gpu_pool time=11 api=cuMemAllocAsync kind=pool pool=0x90 reserved=0x1000 used=100
    gpu_release time=12 api=cuMemFreeAsync address=0xa000
    )");
    check_sound(model);
    const Space& device = *space_named(model, "device:0");
    CHECK(device.totals.live_bytes == 0x1000);
    REQUIRE(device.sites.size() == 2);
    CHECK(model.stacks.nodes.at(device.sites[1].stack).group == Group::pool_cache);
    CHECK(device.sites[1].totals.live_bytes == 0x1000);
    CHECK(device.sites[1].totals.at_peak_bytes == 0x1000 - 100);
    CHECK(device.sites[0].totals.at_peak_bytes == 100);
}

TEST_CASE("gpu rule 3: pool memory may be freed like any other; a destroyed pool keeps nothing") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuMemAllocFromPoolAsync memory=pooled size=100 address=0xa000 pool=0x90
    gpu_acquire time=11 api=cuMemAllocFromPoolAsync memory=pooled size=30 address=0xb000 pool=0x90
    gpu_pool time=12 kind=pool pool=0x90 reserved=500
    gpu_release time=13 api=cuMemFree address=0xa000
    gpu_pool time=14 api=cuMemPoolDestroy kind=gone pool=0x90
    )");
    check_sound(model);
    CHECK(peak(model, "device:0") == 500);
    CHECK(live(model, "device:0") == 30);
}

TEST_CASE("gpu rule 3: what a pool handed out before the recording began is not kept by it") {
    for (const bool is_later : {true, false}) {
        const std::string off = "recording_switch time=0 state=off\n";
        const std::string on = "recording_switch time=5 state=on\n";
        const Model model = load_calls((is_later ? off + on : std::string()) + R"(
        gpu_acquire time=10 api=cuMemAllocAsync memory=pooled stack=1 size=2 address=0xa pool=0x90
        gpu_pool time=11 api=cuMemAllocAsync kind=pool pool=0x90 reserved=224 used=202
        )");
        CHECK(live(model, "device:0") == (is_later ? 24 : 224));
    }
}

TEST_CASE("gpu rule 4: nodes of graphs hold nothing, graphs hold what the driver says") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuGraphAddMemAllocNode memory=graph size=4000 address=0xa000 pool=0x60
    gpu_release time=11 api=cuGraphAddMemFreeNode address=0xa000
    gpu_acquire time=12 api=cuMemAllocAsync memory=graph stack=1 size=50 address=0xb000
    gpu_release time=13 api=cuMemFreeAsync address=0xb000
    gpu_pool time=14 api=cuGraphLaunch kind=graph reserved=0x2000 used=4000
    gpu_release time=15 api=cuMemFree address=0xa000
    gpu_release time=16 api=cuMemFree address=0xa000   # the graph ran again
    gpu_pool time=17 api=cuDeviceGraphMemTrim kind=graph reserved=0x1000
    )");
    check_sound(model);
    CHECK(peak(model, "device:0") == 0x2000);
    CHECK(live(model, "device:0") == 0x1000);
    CHECK(model.gpu.graph_nodes.count == 2);
}

TEST_CASE("gpu rule 5: what belongs to others is listed and not counted") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuIpcOpenMemHandle memory=imported stack=1 size=1000 address=0xa000
    gpu_acquire time=11 api=cuIpcOpenMemHandle memory=imported stack=1 size=1000 address=0xa000
    gpu_release time=12 api=cuIpcCloseMemHandle address=0xa000
    gpu_acquire time=13 api=cuMemImportFromShareableHandle memory=imported size=500 address=0x51
    gpu_map time=14 api=cuMemMap address=0x900000 size=500 handle=0x51
    gpu_release time=15 api=cuMemRelease address=0x51
    gpu_acquire time=16 api=cuImportExternalMemory memory=imported stack=1 size=70 address=0xe0
    gpu_acquire time=17 memory=imported size=70 address=0xb0 pool=0xe0   # its buffer
    gpu_release time=18 api=cuMemFree address=0xb0
    gpu_release time=19 api=cuDestroyExternalMemory address=0xe0
    gpu_acquire time=20 api=cuMulticastCreate memory=imported stack=1 size=4000 address=0x66
    gpu_release time=21 api=cuMemRelease address=0x66
    gpu_acquire time=22 api=cuMemPoolImportPointer memory=imported size=9 address=0xc000 pool=0x99
    gpu_pool time=23 api=cuMemPoolImportFromShareableHandle kind=imported pool=0x99 reserved=8000
    )");
    check_sound(model);
    CHECK(live(model, "device:0") == 0);
    CHECK(model.gpu.imported.count == 6);
    CHECK(model.gpu.imported.live == 3);
    CHECK(model.gpu.imported.live_bytes == 1509);
    CHECK(model.gpu.imported.most_bytes == 1570);
}

TEST_CASE("gpu rule 5: a multicast object's bindings are no references") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuMemCreate memory=physical stack=1 size=0x1000 address=0x51
    gpu_acquire time=11 api=cuMulticastCreate memory=imported size=0x1000 address=0x66
    gpu_retain time=12 api=cuMulticastBindMem handle=0x51
    gpu_unmap time=13 api=cuMulticastUnbind address=0 size=0x1000
    gpu_release time=14 api=cuMemRelease address=0x51
    )");
    check_sound(model);
    CHECK(peak(model, "device:0") == 0x1000);
    CHECK(live(model, "device:0") == 0);
}

TEST_CASE("gpu rule 6: a destroyed context frees what was acquired in it, and says so") {
    const Model model = load_calls(R"(
    gpu_context time=5 api=cuCtxCreate change=created context=0xc0
    gpu_context time=6 api=cuCtxCreate change=created context=0xc1
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000 context=0xc0
    gpu_acquire time=11 memory=device stack=1 size=20 address=0xb000 context=0xc1
    gpu_acquire time=12 api=cuMemHostAlloc memory=pinned stack=1 size=7 address=0xd000 context=0xc0
    gpu_acquire time=13 api=cuMemHostRegister memory=registered size=3 address=0xe000 context=0xc0
    gpu_acquire time=14 api=cuMemCreate memory=physical size=0x1000 address=0x51 context=0xc0
    gpu_context time=20 api=cuCtxDestroy change=destroyed context=0xc0
    gpu_acquire time=30 memory=device stack=1 size=50 address=0xa000 context=0xc1
    )");
    check_sound(model);
    CHECK(live(model, "device:0") == 20 + 50 + 0x1000);  // Physical memory belongs to the device.
    CHECK(live(model, "pinned") == 0);
    CHECK(model.gpu.implicit_frees == 2);
    CHECK(model.gpu.implicit_bytes == 107);
    CHECK(model.gpu.registered.live == 0);
}

TEST_CASE("gpu rule 7: what was refused is no allocation") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000
    gpu_refused time=20 api=cuMemAlloc stack=1 size=5000 result=2 free=10 memory=110
    )");
    check_sound(model);
    CHECK(live(model, "device:0") == 100);
    REQUIRE(model.gpu.refusals.size() == 1);
    CHECK(model.gpu.refusals[0].size == 5000);
    CHECK(model.capture.events == 1);
}

TEST_CASE("gpu rule 8.3: pinned memory and the driver's mapping are told apart from others") {
    const Model model = load_calls(R"(
    map time=10 api=mmap class=shared address=0x700000 size=0x1000 stack=1 purpose=gpu_driver
    gpu_acquire time=11 api=cuMemHostAlloc memory=pinned stack=1 size=0x1000 address=0x700000
    map time=12 api=mmap class=shared address=0x900000 size=0x2000 stack=1
    acquire time=13 api=malloc stack=1 size=64 address=0x5000
    gpu_acquire time=14 api=cuMemHostRegister memory=registered stack=1 size=64 address=0x5000
    gpu_release time=15 api=cuMemHostUnregister address=0x5000
    )");
    check_sound(model);
    const Space& mmap = *space_named(model, "mmap");
    CHECK(mmap.classes.at("gpu_driver").live_bytes == 0x1000);
    CHECK(mmap.classes.at("shared").live_bytes == 0x2000);
    CHECK(live(model, "pinned") == 0x1000);
    CHECK(live(model, "host") == 64);
    CHECK(model.gpu.registered.count == 1);
    CHECK(model.gpu.registered.most_bytes == 64);
}

TEST_CASE("gpu rule 8.7: an address that was freed may come again at the same tick") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000
    gpu_acquire lane=1 time=20 memory=device stack=2 size=70 address=0xa000
    gpu_release time=20 api=cuMemFree address=0xa000
    )");
    check_sound(model);
    CHECK(live(model, "device:0") == 70);
    CHECK(peak(model, "device:0") == 100);
}

TEST_CASE("gpu rule 8.10: what contradicts itself is counted, shown, and a damage") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000
    gpu_acquire time=20 memory=device stack=1 size=70 address=0xa000
    gpu_release time=30 api=cuMemFree address=0xb000
    gpu_map time=40 api=cuMemMap address=0x900000 size=0x1000 handle=0x51
    )");
    CHECK(unequal_sums(model).empty());
    CHECK(model.capture.anomalies == 3);
    CHECK(model.gpu.contradictions == 3);
    CHECK(model.damaged);
    REQUIRE(model.problems.size() == 1);
    CHECK(model.problems[0].what.find("3 times") != std::string::npos);
    CHECK(model.capture.first_anomalies[1].what == "used while not live");
    CHECK(model.capture.first_anomalies[2].what == "acquired while live");
    CHECK(model.capture.first_anomalies[2].time_ns == 20);
    CHECK(live(model, "device:0") == 70);
}

TEST_CASE("a child of fork may free what its parent had") {
    const Model model = load_calls(R"(
    process pid=20 forked_from=10
    gpu_release time=10 api=cuMemFree address=0xa000
    tensor_release time=11 size=1 address=0xb000 device_type=1
    )");
    CHECK(model.capture.inherited_frees == 2);
    CHECK_FALSE(model.damaged);
}

// The call of lane 0 began at 20, before lane 1 received the address, and is recorded later.
TEST_CASE("gpu rule 8.8: a release that began before an acquisition of its address is of before") {
    const Model plain = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000
    gpu_acquire lane=1 time=30 memory=device stack=2 size=70 address=0xa000
    gpu_release time=40 api=cuMemFree address=0xa000 lead=20
    )");
    check_sound(plain);
    CHECK(peak(plain, "device:0") == 100);
    CHECK(live(plain, "device:0") == 70);
    const Model missed = load_calls(R"(
    gpu_acquire time=10 memory=device stack=1 size=100 address=0xa000
    gpu_acquire lane=1 time=30 memory=device stack=2 size=70 address=0xa000
    gpu_release time=40 api=cuMemFree address=0xa000 lead=5
    )");
    CHECK(missed.capture.anomalies == 1);
    CHECK(live(missed, "device:0") == 0);
}

TEST_CASE("gpu rule 8.8: the same of handles and of mappings") {
    const Model model = load_calls(R"(
    gpu_acquire time=10 api=cuMemCreate memory=physical stack=1 size=0x1000 address=0x51
    gpu_map time=11 api=cuMemMap address=0x900000 size=0x1000 handle=0x51
    gpu_acquire time=12 api=cuMemCreate memory=physical stack=1 size=0x1000 address=0x52
    gpu_map lane=1 time=30 api=cuMemMap address=0x900000 size=0x1000 handle=0x52
    gpu_unmap time=40 api=cuMemUnmap address=0x900000 size=0x1000 lead=20
    gpu_acquire lane=1 time=50 api=cuMemCreate memory=physical stack=2 size=0x300 address=0x51
    gpu_release time=60 api=cuMemRelease address=0x51 lead=15
    gpu_release lane=1 time=70 api=cuMemRelease address=0x52
    )");
    check_sound(model);
    CHECK(live(model, "device:0") == 0x1300);
    CHECK(peak(model, "device:0") == 0x2000);
}
