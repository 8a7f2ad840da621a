// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_gpu.h"

#include "analyzer/report/report_summary.h"
#include "tests/unit/analyzer/gpu/gpu_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("gpu: the ledger at the peak and at the end") {
    GpuStory story;
    std::string out;
    write_gpu(out, story.recording, {});
    CHECK_THAT(out, Contains(R"(
GPU 0  Card, 80.0 MiB, 0000:3b:00.0
  PyTorch's own counts agree at 10 of 10 moments

At the peak, after 1 s
      20.0 MiB          measured of this process, 100 ms later
      16.0 MiB  80.0 %  recorded, of this process:
       5.0 MiB  25.0 %    PyTorch: tensors
       4.0 MiB  20.0 %    PyTorch: free segments
       3.0 MiB  15.0 %    PyTorch: holes in segments (all free parts: 2 pieces, the largest of 4.0
                        MiB)
       3.0 MiB  15.0 %    NCCL (most at ncclCudaMalloc)
       1.0 MiB   5.0 %    kept by the driver's pools (as last asked)
                        estimated:
      ~2.0 MiB  10.0 %    contexts and modules (what was free before and after)
       2.0 MiB  10.0 %  not explained

At the end, after 2 s
)"));
}

TEST_CASE("gpu: a device that nobody measured, and no device at all") {
    GpuStory story;
    story.recording.model.gpu.usages.clear();
    std::string out;
    write_gpu(out, story.recording, {});
    CHECK_THAT(out, Contains("             -          not measured: nobody said"));
    CHECK_THAT(out, !Contains("not explained"));
    out.clear();
    write_gpu(out, Story().recording, {});
    CHECK_THAT(out, Contains("No memory of a GPU was recorded; the version that recorded this"));
}

TEST_CASE("gpu: the whole device was measured, and more is known of than that") {
    GpuStory story;
    story.recording.model.gpu.usages[0].scope = memtrace::GpuUsageScope::device;
    story.recording.model.gpu.usages[0].used = 17 * story_mib;
    std::string out;
    write_gpu(out, story.recording, {});
    CHECK_THAT(out, Contains("measured of the whole device, other processes included"));
    CHECK_THAT(out, Contains("      -1.0 MiB          not explained: more is known of than was"));
}

TEST_CASE("gpu: what is in no space, and what lies beside the devices") {
    GpuStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    gpu.imported = {3, 1, story_mib, 2 * story_mib};
    gpu.implicit_frees = 2;
    gpu.implicit_bytes = 4096;
    gpu.refusals.emplace_back();
    gpu.devices[0].check.agreed = 9;
    gpu.devices[0].check.time_ns = 5'000'000;
    story.site("pinned", story.nccl, 1, 4096, 1);
    story.site("mmap", story.nccl, 1, 8192, 1);
    story.space("mmap").classes["gpu_driver"] = story.space("mmap").totals;
    std::string out;
    write_gpu(out, story.recording, {});
    CHECK_THAT(out, Contains("imported from other processes or interfaces: 3 in all, at most 2.0 "
                             "MiB at a time, 1.0 MiB at the\n    end"));
    CHECK_THAT(out, Contains("freed with their context: 4.0 KiB in 2 blocks"));
    CHECK_THAT(out, Contains("agree at 9 of 10 moments; first not after 5 ms"));
    CHECK_THAT(out, Contains("pinned memory lies in mappings of the driver's, 8.0 KiB at the end"));
    CHECK_THAT(out, Contains("Memory was refused 1 time: memtrace-report oom"));
}

TEST_CASE("gpu: nodes of graphs are said to allocate, and not to be there at the end") {
    GpuStory story;
    story.recording.model.gpu.graph_nodes = {2, 2, 8 * story_mib, 8 * story_mib};
    std::string out;
    write_gpu(out, story.recording, {});
    CHECK_THAT(out,
               Contains("nodes of graphs: 2 in all, which allocate 8.0 MiB when their graphs"));
    const Json nodes = gpu_json(story.recording.model)["graph_nodes"];
    CHECK(nodes == Json{{"count", 2}, {"most_bytes", 8 * story_mib}});
}

TEST_CASE("gpu: the JSON has the same rows, and every document says what there is") {
    GpuStory story;
    const Json list = Json::parse("{" + gpu_ledger_json(story.recording) + "}")["gpu_ledger"];
    REQUIRE(list.size() == 1);
    CHECK(list[0]["peak"]["rows"][0]["key"] == "tensors");
    CHECK(list[0]["peak"]["rows"][0]["bytes"] == 5 * story_mib);
    CHECK(list[0]["peak"]["not_explained"] == 2 * story_mib);
    CHECK(list[0]["peak"]["segments"]["holes"] == 2);
    CHECK(list[0]["end"]["measured"]["scope"] == "process");
    const Json gpu = gpu_json(story.recording.model);
    CHECK(gpu["source"]["backend"] == "driver");
    CHECK(gpu["devices"][0]["model"] == "Card");
    CHECK(gpu["devices"][0]["torch_agreement"]["agreed"] == 10);
    story.recording.model.gpu.devices[0].check.agreed = 9;
    story.recording.model.gpu.devices[0].check.their_reserved = 7;
    CHECK(gpu_json(
              story.recording.model)["devices"][0]["torch_agreement"]["first"]["their_reserved"] ==
          7);
}

TEST_CASE("bytes that may be less than nothing") {
    CHECK(signed_bytes(1536) == "1.5 KiB");
    CHECK(signed_bytes(-1536) == "-1.5 KiB");
    CHECK(gpu_device_text({}) == "a device of an unknown model");
}

TEST_CASE("the summary has the spaces of GPUs, says where to read on, and lists nothing twice") {
    GpuStory story;
    story.site("tensors:cuda:0", story.torch, 2, story_mib);
    story.space("tensors:cuda:0").totals.own_peak_bytes = 2 * story_mib;
    story.site("pinned", story.nccl, 1, 4096, 1);
    story.space("pinned").totals.own_peak_bytes = 4096;
    story.site("mmap", story.nccl, 1, 8192, 1);
    story.space("mmap").classes["gpu_driver"] = story.space("mmap").totals;
    story.space("mmap").classes["gpu_driver"].own_peak_bytes = 8192;
    story.recording.model.gpu.refusals.resize(3);
    std::string out;
    write_summary(out, story.recording, {});
    CHECK_THAT(out, Contains("\n  SPACE                 PEAK        AFTER"));
    CHECK_THAT(out, Contains("\n  tensors:cuda:0     2.0 MiB"));
    CHECK_THAT(out, Contains("\n  pinned lies in mappings of the GPU's driver, which are part of "
                             "mmap (8.0 KiB at most): the same"));
    CHECK_THAT(out, Contains("\n  memtrace-report gpu says who takes what of each device\n"));
    CHECK_THAT(out, Contains("refused 3 times: memtrace-report oom says who held it\n"));
    CHECK_THAT(out, Contains("\nPeak of device:0: 16.0 MiB"));
    CHECK_THAT(out, Contains("\nStill allocated at the end in pinned: as much as at the peak, "
                             "4.0 KiB\n"));
    CHECK_THAT(out, Contains("\nStill allocated at the end in device:0: 12.0 MiB"));
}
