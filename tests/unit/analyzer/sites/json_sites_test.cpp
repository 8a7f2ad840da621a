// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/json_sites.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using nlohmann::json;

namespace {

json sites_of(const Recording& recording) {
    std::string text = "[";
    write_json_sites(
        recording, [](const Totals& totals) { return totals.allocations > 1; },
        [&](std::string_view piece) { text += piece; }, {1000, false});
    return json::parse(text + "]");
}

}  // namespace

TEST_CASE("the sites that are wanted are elements of a list", "[json_sites]") {
    Story story;
    story.site("host", story.stack({"make", "main"}), 10, 100, 3);
    story.site("host", memtrace::no_stack, 1, 50);
    const json found = sites_of(story.recording);
    REQUIRE(found.size() == 1);
    CHECK(found[0]["allocations"] == 10);
    CHECK(found[0]["stack"].size() == 2);
    CHECK_FALSE(found[0].contains("ranges"));
}

TEST_CASE("a range counts what was recorded before the sample began", "[json_sites]") {
    Story story;
    story.site("host", story.stack({"make", "main"}), 10, 100'000);
    story.site("host", story.stack({"keep", "main"}), 10, 100'000);
    Space& host = story.recording.model.spaces[0];
    host.is_estimate = true;
    host.sample_interval = 4096;
    host.exact_until_ns = 1'000;
    host.estimated_bytes = {host.sites[0].totals.allocated_bytes, 0};
    const json found = sites_of(story.recording);
    REQUIRE(found.size() == 2);
    const json made = found[0]["ranges"]["allocated_bytes"];
    const json kept = found[1]["ranges"]["allocated_bytes"];
    CHECK(made[0] < found[0]["allocated_bytes"]);
    CHECK(kept[0] == found[1]["allocated_bytes"]);
    CHECK(kept[1] > kept[0]);
    // The peak was before the sample began.
    host.peak_time_ns = 500;
    const json at_peak = sites_of(story.recording)[0];
    CHECK(at_peak["ranges"]["at_peak_bytes"] ==
          json({at_peak["at_peak_bytes"], at_peak["at_peak_bytes"]}));
}

TEST_CASE("own lines have every row of every space, with the same sums as the spaces",
          "[json_sites]") {
    constexpr uint64_t mib = 1 << 20;
    Story story;
    const std::string importing = "py:_find_and_load <frozen importlib._bootstrap>:1";
    const std::string torch = "py:<module> /v/site-packages/torch/__init__.py:445";
    story.site("host", story.stack({"libc:malloc", "py:step /src/train.py:41"}), 8, mib, 2);
    story.site("host",
               story.stack({"libc:malloc", torch, importing, "py:<module> /src/train.py:3"}), 100,
               mib, 100);
    story.site("mmap", story.stack({"py:load /src/train.py:9"}), 1, 64 * mib, 1);
    const json rows = json::parse("{" + own_lines_json(story.recording) + "}")["own_lines"];
    uint64_t at_peak = 0, held = 0, blocks = 0;
    for (const json& row : rows) {
        if (row["space"] != "host") continue;
        at_peak += row["at_peak_bytes"].get<uint64_t>();
        held += row["held_bytes"].get<uint64_t>();
        blocks += row["held_blocks"].get<uint64_t>();
    }
    CHECK(at_peak == 108 * mib);
    CHECK(held == 102 * mib);
    CHECK(blocks == 102);
    const auto import = std::find_if(rows.begin(), rows.end(),
                                     [](const json& row) { return row["kind"] == "import"; });
    REQUIRE(import != rows.end());
    CHECK((*import)["package"] == "torch");
    CHECK((*import)["file"] == "/src/train.py");
    CHECK((*import)["line"] == 3);
    CHECK(own_lines_json(Story{}.recording) == "\"own_lines\": []");
}
