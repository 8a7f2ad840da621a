// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/gpu_table.h"

#include <map>

#include "tests/unit/analyzer/gpu/gpu_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

constexpr auto mib = static_cast<int64_t>(story_mib);

std::map<std::string, int64_t> rows_of(const GpuTable& table) {
    std::map<std::string, int64_t> rows;
    for (const GpuRow& row : table.rows) rows[row.key] = row.bytes;
    return rows;
}

}  // namespace

TEST_CASE("the ledger closes: rows and what is not explained are what was measured") {
    GpuStory story;
    const GpuTable table = gpu_table_at_peak(story.recording, story.recording.model.gpu.devices[0]);
    CHECK(rows_of(table) == std::map<std::string, int64_t>{{"tensors", 5 * mib},
                                                           {"cached", 4 * mib},
                                                           {"fragmented", 3 * mib},
                                                           {"owner:NCCL", 3 * mib},
                                                           {"kept_by_pools", mib},
                                                           {"context", 2 * mib}});
    CHECK(table.recorded == 16 * story_mib);
    CHECK(table.not_explained == 2 * mib);
}

TEST_CASE("at the end: what is alive then") {
    GpuStory story;
    const GpuTable table = gpu_table_at_end(story.recording, story.recording.model.gpu.devices[0]);
    CHECK(rows_of(table)["tensors"] == 0);
    CHECK(rows_of(table)["cached"] == 8 * mib);
    CHECK(table.recorded == 12 * story_mib);
    // When it was measured, 4 MiB more were recorded.
    CHECK(table.recorded_since == -4 * mib);
    CHECK(table.not_explained == 2 * mib);
}

TEST_CASE("more than was measured is shown as less than nothing; not measured is not zero") {
    GpuStory story;
    std::vector<GpuUsageInfo>& usages = story.recording.model.gpu.usages;
    usages[0].used = story_mib;
    const GpuDeviceInfo& device = story.recording.model.gpu.devices[0];
    CHECK(gpu_table_at_peak(story.recording, device).not_explained == -17 * mib);
    usages.clear();
    CHECK_FALSE(gpu_table_at_peak(story.recording, device).not_explained.has_value());
}

TEST_CASE("what was measured before anything was recorded is the driver's own") {
    GpuStory story;
    std::vector<GpuUsageInfo>& usages = story.recording.model.gpu.usages;
    usages = {{100'000'000, 0, memtrace::GpuUsageScope::process, 10 * story_mib, 0, 0},
              {300'000'000, 0, memtrace::GpuUsageScope::process, 13 * story_mib, 0, story_mib}};
    const GpuTable table = gpu_table_at_peak(story.recording, story.recording.model.gpu.devices[0]);
    CHECK(rows_of(table)["context"] == 10 * mib);
    CHECK(table.measured->used == 13 * story_mib);
    CHECK(table.recorded_since == 15 * mib);
    CHECK(table.not_explained == 2 * mib);
}

TEST_CASE("the nearest measurement counts, one of the process before one of the device") {
    GpuStory story;
    std::vector<GpuUsageInfo>& usages = story.recording.model.gpu.usages;
    const GpuDeviceInfo& device = story.recording.model.gpu.devices[0];
    usages.push_back({1'000'000'000, 0, memtrace::GpuUsageScope::device, 1, 2});
    usages.push_back({1'000'000'000, 1, memtrace::GpuUsageScope::process, 2, 2});
    CHECK(gpu_table_at_peak(story.recording, device).measured->used == 20 * story_mib);
    usages.push_back({950'000'000, 0, memtrace::GpuUsageScope::process, 3, 2});
    CHECK(gpu_table_at_peak(story.recording, device).measured->used == 3);
}

TEST_CASE("memory that NCCL took for PyTorch is PyTorch's") {
    GpuStory story;
    GpuFigures figures = story.recording.model.gpu.devices[0].at_peak;
    figures.lent = {{1, story_mib}};
    figures.segments += story_mib;
    figures.tensors += story_mib;
    const GpuTable table = make_gpu_table(story.recording, 0, figures, [&](size_t site) {
        return story.space("device:0").sites[site].totals.at_peak_bytes;
    });
    CHECK(rows_of(table)["owner:NCCL"] == 2 * mib);
    CHECK(rows_of(table)["tensors"] == 6 * mib);
    CHECK_FALSE(rows_of(table).contains("not_in_segments"));
    CHECK(table.recorded == 16 * story_mib);
}

TEST_CASE("memory of the allocator that is in no segment has a row, so that rows add up") {
    GpuStory story;
    GpuFigures figures = story.recording.model.gpu.devices[0].at_peak;
    figures.segments -= story_mib;  // a handle that is not mapped yet
    figures.cached -= story_mib;
    const GpuTable table = make_gpu_table(story.recording, 0, figures, [&](size_t site) {
        return story.space("device:0").sites[site].totals.at_peak_bytes;
    });
    CHECK(rows_of(table)["not_in_segments"] == mib);
}

TEST_CASE("who recorded, in a word, or why nobody did") {
    Model model;
    CHECK(gpu_state_text(model) == "none: the version that recorded this knew host memory only");
    model.options["gpu"] = "auto";
    CHECK(gpu_state_text(model) == "none: the program used no GPU");
    model.gpu.source = {memtrace::GpuBackend::none, 0, "gpu=off"};
    CHECK(gpu_state_text(model) == "none: gpu=off");
    model.gpu.source = {memtrace::GpuBackend::driver, 13000, "the default"};
    CHECK(gpu_state_text(model) == "driver");
}

TEST_CASE("what was switched off is not called unused") {
    Model model;
    model.options["gpu"] = "auto";
    CHECK(gpu_unknown_text(model).empty());
    model.options["gpu"] = "off";
    CHECK(gpu_unknown_text(model) == "it was switched off (gpu=off)");
    CHECK(gpu_state_text(model) == "none: it was switched off (gpu=off)");
    model.options["gpu"] = "runtime";  // The program may have called the driver itself.
    CHECK_THAT(gpu_unknown_text(model),
               Catch::Matchers::Contains("only calls of a shared libcudart"));
    model.gpu.source = {memtrace::GpuBackend::runtime, 13000, ""};
    CHECK_FALSE(gpu_unknown_text(model).empty());
    CHECK(gpu_state_text(model) == "runtime");
    model.gpu.devices.emplace_back();
    CHECK(gpu_unknown_text(model).empty());
    Model merged;
    merged.options["gpu_usage"] = "1";
    CHECK(gpu_unknown_text(merged) == "its processes had different options gpu");
}
