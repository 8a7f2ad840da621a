// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/gpu_facts.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::Api;

TEST_CASE("what comes and goes is counted, with the most at a time") {
    GpuAside aside;
    come(aside, 100);
    come(aside, 50);
    go(aside, 100);
    come(aside, 20);
    CHECK(aside.count == 3);
    CHECK(aside.live == 2);
    CHECK(aside.live_bytes == 70);
    CHECK(aside.most_bytes == 150);
}

namespace {

GpuRefusal refusal_of(Api api, uint32_t device = 0) {
    GpuRefusal refusal;
    refusal.api = api;
    refusal.device = device;
    return refusal;
}

}  // namespace

TEST_CASE("memory of the host that was refused is not a device's") {
    CHECK(refused_space(refusal_of(Api::cuMemAlloc, 2)) == "device:2");
    CHECK(refused_space(refusal_of(Api::cuGraphLaunch)) == "device:0");
    CHECK(refused_space(refusal_of(Api::cuMemHostAlloc, 2)) == "pinned");
    CHECK(refused_space(refusal_of(Api::cudaMallocHost)) == "pinned");
    CHECK(refused_space(refusal_of(Api::cuMemHostRegister)) == "pinned");
    CHECK(refused_space(refusal_of(Api::cuMemAllocManaged)) == "managed");
    CHECK(refused_space(refusal_of(Api::cuMemAddressReserve)) == "");
    CHECK(refused_space(refusal_of(Api::cuMemCreate, 1)) == "device:1");
    CHECK(refused_space(refusal_of(Api::cuMemCreate, memtrace::refused_on_host)) == "pinned");
    GpuRefusal tensors = refusal_of(Api::none, 3);
    tensors.by_tensors = true;
    CHECK(refused_space(tensors) == "device:3");
    CHECK(is_of_device(tensors));
    CHECK_FALSE(is_of_device(refusal_of(Api::cuMemAddressReserve)));
}

TEST_CASE("the last refusal of a device's memory is told in full, or the last of all") {
    GpuInfo gpu;
    gpu.refusals = {refusal_of(Api::cudaHostAlloc), refusal_of(Api::cuMemAllocManaged)};
    CHECK(told_refusal_at(gpu) == 1);
    CHECK(refusals_text(gpu) == "pinned memory was refused 1 time, managed memory 1 time");
    gpu.refusals.insert(gpu.refusals.begin() + 1, refusal_of(Api::cuMemAlloc));
    CHECK(told_refusal_at(gpu) == 1);
    CHECK(told_refusal(gpu).api == Api::cuMemAlloc);
    gpu.refusals.push_back(refusal_of(Api::cuMemAddressReserve));
    gpu.refusals_more = 1200;
    CHECK(refusals_text(gpu) ==
          "memory of a GPU was refused 1 time, pinned memory 1 time, managed memory 1 time, a "
          "range of addresses 1 time, and 1,200 more");
}
