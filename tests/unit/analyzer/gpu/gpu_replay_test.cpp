// SPDX-License-Identifier: Apache-2.0
//
// Tensors inside segments, PyTorch's own counts, and refused requests.
#include "analyzer/gpu/gpu_replay.h"

#include "tests/unit/analyzer/gpu/gpu_text.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// Stack 2 is PyTorch's allocator. Stack 4 is NCCL, which contains CUDA's runtime.
const std::string stacks = R"(
    gpu_source time=1 backend=driver driver_version=13000
    module time=1 id=1 path="/lib/libcudart.so.13"
    module time=1 id=2 path="/torch/lib/libc10_cuda.so"
    module time=1 id=3 path="/lib/libnccl.so.2"
    node time=1 id=1 parent=0 module=2 address=0x10
    node time=1 id=2 parent=1 module=1 address=0x10
    node time=1 id=3 parent=0 module=3 address=0x10
    node time=1 id=4 parent=3 module=3 address=0x20
)";

const GpuDeviceInfo& device_of(const Model& model, uint32_t number = 0) {
    for (const GpuDeviceInfo& device : model.gpu.devices) {
        if (device.device == number) return device;
    }
    throw std::out_of_range("no such device");
}

}  // namespace

TEST_CASE("tensors break their segments down and are added to nothing") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x2000 address=0xa0000
    tensor_acquire time=11 stack=1 size=0x800 address=0xa0000 allocated=0x800 reserved=0x2000
    tensor_acquire time=12 stack=1 size=0x400 address=0xa0c00 allocated=0xc00 reserved=0x2000
    tensor_release time=13 size=0x800 address=0xa0000 allocated=0x400 reserved=0x2000
    gpu_acquire time=14 memory=device stack=4 size=0x100 address=0xb0000
    tensor_acquire time=15 stack=1 size=0x10 address=0xcccc device_type=12
    )");
    CHECK(problems_of(model).empty());
    CHECK(unequal_sums(model).empty());
    CHECK(space_named(model, "device:0")->totals.live_bytes == 0x2100);
    CHECK(space_named(model, "tensors:cuda:0")->totals.live_bytes == 0x400);
    CHECK(space_named(model, "tensors:cuda:0")->totals.own_peak_bytes == 0xc00);
    CHECK(space_named(model, "tensors:xpu:0")->totals.live_blocks == 1);
    const GpuFigures& end = device_of(model).at_end;
    CHECK(end.segments == 0x2000);
    CHECK(end.tensors == 0x400);
    CHECK(end.fragmented() == 0x1c00);
    CHECK(end.holes == 2);
    CHECK(end.largest_hole == 0x1000);
    CHECK(device_of(model).check.moments == 3);
    CHECK(device_of(model).check.agreed == 3);
    CHECK(model.capture.events == 6);
}

TEST_CASE("expandable segments: reserved is what is mapped") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=5 api=cuMemAddressReserve memory=reserved size=0x100000 address=0x900000
    gpu_acquire time=10 api=cuMemCreate memory=physical stack=2 size=0x2000 address=0x51
    gpu_map time=11 api=cuMemMap address=0x900000 size=0x2000 handle=0x51
    gpu_release time=12 api=cuMemRelease address=0x51
    gpu_acquire time=13 api=cuMemCreate memory=physical stack=2 size=0x2000 address=0x52
    gpu_map time=14 api=cuMemMap address=0x902000 size=0x2000 handle=0x52
    gpu_release time=15 api=cuMemRelease address=0x52
    tensor_acquire time=16 stack=1 size=0x3000 address=0x900000 allocated=0x3000 reserved=0x4000
    tensor_release time=17 size=0x3000 address=0x900000 allocated=0 reserved=0x4000
    gpu_unmap time=18 api=cuMemUnmap address=0x902000 size=0x2000
    tensor_acquire time=19 stack=1 size=0x1000 address=0x900000 allocated=0x1000 reserved=0x2000
    )");
    CHECK(problems_of(model).empty());
    CHECK(device_of(model).check.agreed == 3);
    CHECK(device_of(model).at_peak.tensors == 0x3000);
    CHECK(device_of(model).at_peak.largest_hole == 0x1000);
    CHECK(device_of(model).at_end.segments == 0x2000);
    CHECK(space_named(model, "device:0")->totals.live_bytes == 0x2000);
}

TEST_CASE("a segment that nobody recorded is a coverage problem, with its first moment") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x1000 address=0xa0000
    tensor_acquire time=11 stack=1 size=0x100 address=0xa0000 allocated=0x100 reserved=0x1000
    tensor_acquire time=12 stack=1 size=0x100 address=0xf0000 allocated=0x200 reserved=0x3000
    )");
    CHECK(model.damaged);
    REQUIRE(model.problems.size() == 1);
    CHECK(model.problems[0].what.find("12,288 bytes of segments") != std::string::npos);
    CHECK(model.problems[0].what.find("agree at 1 of 2 moments") != std::string::npos);
    CHECK(device_of(model).check.time_ns == 12);
}

TEST_CASE("memory that another library took for PyTorch's allocator is a segment, too") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=10 memory=device stack=4 size=0x1000 address=0xa0000
    tensor_acquire time=11 stack=1 size=0x100 address=0xa0000 allocated=0x100 reserved=0x1000
    )");
    CHECK(problems_of(model).empty());
    CHECK(device_of(model).at_end.lent.size() == 1);
}

TEST_CASE("another thread in the middle of a call is no difference") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x1000 address=0xa0000
    tensor_acquire time=11 stack=1 size=0x100 address=0xa0000 allocated=0x100 reserved=0x1000
    gpu_acquire lane=1 time=20 memory=device stack=2 size=0x2000 address=0xb0000
    tensor_acquire time=21 stack=1 size=0x100 address=0xa0100 allocated=0x200 reserved=0x1000
    tensor_acquire lane=1 time=22 stack=1 size=0x100 address=0xb0000 allocated=0x300 reserved=0x3000
    )");
    CHECK(problems_of(model).empty());
    CHECK(device_of(model).check.in_between == 1);
}

TEST_CASE("without a record of the driver, or after a fork, nothing is compared") {
    const std::string block =
        "tensor_acquire time=11 size=1 address=0xa allocated=9 "
        "reserved=9\n";
    CHECK_FALSE(
        load_gpu("gpu_source lane=0 time=1 backend=none why=\"switched off\"\n" + block).damaged);
    CHECK_FALSE(load_gpu(block).damaged);
    CHECK_FALSE(load_gpu("process pid=2 forked_from=1\n" + stacks + block).damaged);
    CHECK(load_gpu(stacks + block).damaged);
}

TEST_CASE("what grew since a range of NVTX ended is called by that range's name") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire lane=0 time=10 memory=device stack=2 size=0x2000 address=0xa0000
    mark lane=0 time=11 kind=begin text="step 3" domain="app" source=nvtx scope=thread
    mark lane=1 time=12 kind=begin text="other thread" source=nvtx scope=thread
    mark lane=0 time=13 kind=end domain="app" source=nvtx scope=thread
    gpu_refused lane=0 time=30 api=cuMemAlloc stack=2 size=0x9000 result=2 free=5 memory=0x3000
    )");
    CHECK(model.gpu.holders.value().mark == "app: step 3");
}

TEST_CASE("a refusal: who held the device, its holes, and what grew since the mark") {
    const Model model = load_gpu(stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x2000 address=0xa0000
    tensor_acquire time=11 stack=1 size=0x800 address=0xa0000 allocated=0x800 reserved=0x2000
    mark time=15 kind=end text="step 3"
    mark time=16 kind=begin text="step 4"
    tensor_acquire time=20 stack=4 size=0x100 address=0xa1000 allocated=0x900 reserved=0x2000
    gpu_refused time=30 api=cuMemAlloc stack=2 size=0x9000 result=2 free=5 memory=0x3000
    tensor_refused time=31 stack=1 size=0x8000 allocated=0x900 reserved=0x2000
    tensor_release time=40 size=0x800 address=0xa0000 allocated=0x100 reserved=0x2000
    )");
    CHECK(problems_of(model).empty());
    REQUIRE(model.gpu.refusals.size() == 2);
    CHECK_FALSE(model.gpu.refusals[0].by_tensors);
    CHECK(model.gpu.refusals[1].by_tensors);
    CHECK(model.gpu.refusals[1].reserved == 0x2000);
    const GpuHolders& holders = model.gpu.holders.value();
    CHECK(holders.mark == "step 3");
    CHECK(holders.mark_time_ns == 15);
    REQUIRE(holders.tensors.size() == 2);
    CHECK(holders.tensors[0].bytes == 0x800);
    CHECK(holders.tensors[0].since_mark == 0);
    CHECK(holders.tensors[1].since_mark == 0x100);
    REQUIRE(holders.holes.size() == 2);
    CHECK(holders.holes[0].bytes == 0xf00);
    CHECK(holders.figures.held == 0x2000);
}

TEST_CASE("very many refusals: the last one is in the list") {
    std::string text = stacks;
    for (int i = 0; i < 1200; ++i) {
        text += "gpu_refused lane=0 time=" + std::to_string(100 + i) +
                " size=" + std::to_string(i) + "\n";
    }
    const Model model = load_gpu(text);
    CHECK(model.gpu.refusals.size() == 1000);
    CHECK(model.gpu.refusals_more == 200);
    CHECK(model.gpu.refusals.back().size == 1199);
}

TEST_CASE("a refusal of pinned or managed memory: who held it") {
    const std::string held = stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x2000 address=0xa0000
    gpu_acquire time=11 memory=pinned stack=1 size=0x700 address=0xb0000
    gpu_acquire time=12 memory=managed stack=4 size=0x100 address=0xc0000
    )";
    const Model pinned = load_gpu(
        held + "gpu_refused time=30 api=cuMemHostAlloc size=0x9000 result=2 free=5 memory=9\n");
    REQUIRE(pinned.gpu.holders.value().device.size() == 1);
    CHECK(pinned.gpu.holders->device[0].bytes == 0x700);
    CHECK(pinned.gpu.holders->figures.held == 0);
    const Model on_host =
        load_gpu(held + "gpu_refused time=30 api=cuMemCreate size=0x9000 device=0xffffffff\n");
    CHECK(on_host.gpu.holders.value().device[0].bytes == 0x700);
    CHECK(on_host.gpu.devices.size() == 1);  // The host is no device.
    const Model managed =
        load_gpu(held + "gpu_refused time=30 api=cuMemAllocManaged size=0x9000 result=2\n");
    CHECK(managed.gpu.holders.value().device[0].bytes == 0x100);
}

TEST_CASE("a device's refusal keeps its holders when other memory is refused later") {
    std::string text = stacks + R"(
    gpu_acquire time=10 memory=device stack=2 size=0x2000 address=0xa0000
    gpu_refused lane=0 time=30 api=cuMemAlloc stack=2 size=0x9000 result=2 free=5 memory=0x3000
    )";
    for (int i = 0; i < 1200; ++i) {
        text += "gpu_refused lane=0 time=" + std::to_string(100 + i) + " api=cuMemHostAlloc\n";
    }
    const Model model = load_gpu(text);
    CHECK(model.gpu.refusals.size() == 1000);
    CHECK(model.gpu.refusals_more == 201);
    CHECK(model.gpu.refusals.front().size == 0x9000);
    CHECK(model.gpu.holders.value().figures.held == 0x2000);
}

TEST_CASE("the last source counts; devices say what they are") {
    const Model model = load_gpu(R"(
    gpu_source time=1 backend=driver driver_version=12080
    gpu_source time=2 backend=cupti driver_version=12080 why="asked for"
    gpu_device time=3 device=1 memory=1000 pci="0000:3b:00.0" model="Card"
    gpu_usage time=4 device=1 scope=process used=77 memory=1000
    gpu_context time=5 change=created context=0xc0 device=0
    )");
    CHECK(model.gpu.source->backend == memtrace::GpuBackend::cupti);
    REQUIRE(model.gpu.devices.size() == 2);
    CHECK(device_of(model, 1).model == "Card");
    CHECK(model.gpu.usages.at(0).used == 77);
    CHECK(model.spaces.empty());
}

TEST_CASE("types of devices have PyTorch's names") {
    CHECK(GpuReplay::tensors_name(1, 3) == "tensors:cuda:3");
    CHECK(GpuReplay::tensors_name(12, 0) == "tensors:xpu:0");
    CHECK(GpuReplay::tensors_name(99, 0) == "tensors:type99:0");
}
