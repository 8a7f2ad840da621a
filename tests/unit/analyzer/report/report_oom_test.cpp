// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_oom.h"

#include "analyzer/base/json_text.h"
#include "tests/unit/analyzer/gpu/gpu_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

struct OomStory : GpuStory {
    OomStory() {
        GpuInfo& gpu = recording.model.gpu;
        site("tensors:cuda:0", torch, 2, story_mib);
        site("tensors:cuda:0", stack({"keep_loss src/train.cpp:7"}), 3, story_mib);
        GpuRefusal driver;
        driver.time_ns = 900'000'000;
        driver.api = memtrace::Api::cuMemAlloc;
        driver.stack = torch;
        driver.size = 32 * story_mib;
        driver.result = 2;
        driver.free = story_mib;
        driver.memory = 80 * story_mib;
        GpuRefusal torch_says = driver;
        torch_says.time_ns = 1'000'000'000;
        torch_says.by_tensors = true;
        torch_says.allocated = 5 * story_mib;
        torch_says.reserved = 12 * story_mib;
        gpu.refusals = {driver, torch_says};
        GpuHolders& holders = gpu.holders.emplace();
        holders.figures = gpu.devices[0].at_peak;
        holders.device = {
            {0, 12 * story_mib, 3, 0, 0}, {1, 3 * story_mib, 1, 0, 0}, {2, story_mib, 1, 0, 0}};
        holders.tensors = {{0, 2 * story_mib, 2, -1024, 0},
                           {1, 3 * story_mib, 3, 2 * static_cast<int64_t>(story_mib), 0}};
        holders.holes = {{0xa000, 4 * story_mib}, {0xb000, 3 * story_mib}};
        holders.mark = "step 3";
        holders.mark_time_ns = 800'000'000;
    }
};

}  // namespace

TEST_CASE("oom: what was asked, where, and who held the device") {
    OomStory story;
    std::string out;
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains(R"(
Refused after 1 s: 32.0 MiB (33,554,432 bytes) on device 0, by PyTorch's allocator
  it counted 5.0 MiB in blocks and 12.0 MiB in segments
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
     32.0 MiB 100.0 %          1  c10::cuda::make_segment  [train]
)"));
    CHECK_THAT(out, Contains("\nDevice 0 at that moment\n      20.0 MiB          measured"));
    CHECK_THAT(out, Contains("  largest free pieces of segments: 4.0 MiB, 3.0 MiB\n"));
    CHECK_THAT(out, Contains(R"(
Held then in tensors:cuda:0: 5.0 MiB in 5 blocks
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
      3.0 MiB  60.0 %          3  keep_loss  src/train.cpp:7
)"));
    CHECK_THAT(out, Contains(R"(
Grown in tensors:cuda:0 since the mark "step 3" (in the last 200 ms): 2.0 MiB
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
      2.0 MiB 100.0 %          -  keep_loss  src/train.cpp:7
)"));
    CHECK_THAT(out, Contains("\n1 refusal before this one: --all lists them.\n"));
}

TEST_CASE("oom: --all lists what was refused before") {
    OomStory story;
    std::string out;
    write_oom(out, story.recording, true, {});
    CHECK_THAT(out, Contains("\nAll refusals\n        900 ms  32.0 MiB (33,554,432 bytes) on "
                             "device 0, by the driver; cuMemAlloc answered 2 (out\n"));
    CHECK_THAT(out, Contains("of memory); 1.0 MiB of 80.0 MiB were free"));
}

TEST_CASE("oom: nothing was refused; no mark was set") {
    GpuStory calm;
    std::string out;
    write_oom(out, calm.recording, false, {});
    CHECK_THAT(out, Contains("No memory of a GPU was refused."));
    Story off;
    off.recording.model.options["gpu"] = "off";
    out.clear();
    write_oom(out, off.recording, false, {});
    CHECK_THAT(out, Contains("\nWhether memory of a GPU was refused is not known: it was switched "
                             "off (gpu=off).\n"));
    OomStory story;
    story.recording.model.gpu.holders->mark_time_ns.reset();
    story.recording.model.gpu.holders->half_time_ns = 500'000'000;
    out.clear();
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains("Grown in tensors:cuda:0 lately (in the last 500 ms): nothing"));
}

TEST_CASE("oom: pinned memory was refused, and no device has to do with it") {
    OomStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    story.site("pinned", story.stack({"stage"}), 2, 5 * story_mib);
    GpuRefusal pinned = gpu.refusals[0];
    pinned.api = memtrace::Api::cuMemHostAlloc;
    gpu.refusals = {pinned};
    gpu.holders->device = {{0, 10 * story_mib, 2, 0, static_cast<int64_t>(5 * story_mib)}};
    gpu.holders->tensors.clear();
    gpu.holders->figures = {};
    gpu.holders->mark_time_ns.reset();
    std::string out;
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains(" of pinned memory, which is the host's, by the"));
    CHECK_THAT(out, !Contains("were free"));
    CHECK_THAT(out, !Contains("at that moment"));
    CHECK_THAT(out, Contains(R"(
Held then in pinned: 10.0 MiB in 2 blocks
        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
     10.0 MiB 100.0 %          2  stage  [train]
)"));
    CHECK_THAT(out, Contains("      5.0 MiB 100.0 %          -  stage"));
    const Json json = Json::parse("{" + oom_json(story.recording) + "}");
    CHECK(json["refusals"][0]["space"] == "pinned");
    CHECK(json["refusals"][0]["device"].is_null());
    CHECK(json["refusals"][0]["free"].is_null());
    CHECK(json["holders"]["ledger"].is_null());
    CHECK(json["holders"]["device"]["space"] == "pinned");
}

TEST_CASE("oom: without a measurement, what the driver said was free is one") {
    OomStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    gpu.refusals = {gpu.refusals[0]};
    gpu.usages.clear();
    gpu.refusals[0].free = 60 * story_mib;
    gpu.holders->figures.time_ns = gpu.refusals[0].time_ns;
    std::string out;
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains("      20.0 MiB          measured of the whole device"));
    CHECK_THAT(out, Contains("  not explained\n"));
    gpu.refusals[0].memory = gpu.refusals[0].free = 0;  // nothing was known
    out.clear();
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains("             -          not measured"));
}

TEST_CASE("oom: a later refusal of other memory does not hide that of a device") {
    OomStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    GpuRefusal managed = gpu.refusals[0];
    managed.api = memtrace::Api::cuMemAllocManaged;
    gpu.refusals.push_back(managed);
    std::string out;
    write_oom(out, story.recording, false, {});
    CHECK_THAT(out, Contains("on device 0, by PyTorch's allocator"));
    CHECK_THAT(out, Contains("\nIn all, memory of a GPU was refused 2 times, managed memory 1"));
    const Json json = Json::parse("{" + oom_json(story.recording) + "}");
    CHECK(json["holders"]["refusal"] == 1);
}

TEST_CASE("oom: the size of a request may not be known, and its stack is") {
    OomStory story;
    GpuInfo& gpu = story.recording.model.gpu;
    GpuRefusal context = gpu.refusals[0];
    context.api = memtrace::Api::cuCtxCreate;
    context.size = 0;
    context.stack = story.stack({"cuCtxCreate", "open_device", "main"});
    gpu.refusals = {context};
    std::string out;
    write_oom(out, story.recording, true, {});
    CHECK_THAT(out, Contains(": memory of a size that is not known on device 0, by the"));
    CHECK_THAT(out, !Contains("0 B (0 bytes)"));
    CHECK_THAT(out, Contains("WHERE, AND WHO CALLED IT\n"));
    CHECK_THAT(out, Contains("open_device"));
    const Json json = Json::parse("{" + oom_json(story.recording) + "}");
    CHECK(json["refusals"][0]["size"].is_null());
}

TEST_CASE("oom: the same for programs") {
    OomStory story;
    const Json json = Json::parse("{" + oom_json(story.recording) + "}");
    CHECK(json["refusals"].size() == 2);
    CHECK(json["refusals"][0]["by"] == "driver");
    CHECK(json["refusals"][0]["free"] == story_mib);
    CHECK(json["refusals"][1]["reserved"] == 12 * story_mib);
    const Json& holders = json["holders"];
    CHECK(holders["tensors"]["bytes"] == 5 * story_mib);
    CHECK(holders["tensors"]["sites"][0]["since_mark"] == 2 * story_mib);
    CHECK(holders["device"]["sites"].size() == 3);
    CHECK(holders["ledger"]["recorded"] == 16 * story_mib);
    CHECK(holders["holes"][0]["bytes"] == 4 * story_mib);
    CHECK(holders["asked_by"][0]["function"] == "c10::cuda::make_segment");
    CHECK(Json::parse("{" + oom_json(Story().recording) + "}")["holders"].is_null());
}
