// SPDX-License-Identifier: Apache-2.0
//
// The call tree as text and JSON: numbers add up, even if parts are left out.
#include "analyzer/report/report_tree.h"

#include <set>

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

constexpr uint64_t all_calls = UINT64_MAX;

nlohmann::json json_of(const Story& story, uint64_t calls_max = all_calls) {
    return nlohmann::json::parse(tree_json(story.recording, Measure::at_peak, {}, calls_max));
}

std::string tree_of(const Story& story, TextOptions options = {}) {
    std::string out;
    write_tree(out, story.recording, Measure::at_peak, options);
    return out;
}

Story branches() {
    Story story;
    story.site("host", story.stack({"a", "step", "main"}), 1, 6000);
    story.site("host", story.stack({"b", "step", "main"}), 1, 3000);
    story.site("host", story.stack({"c", "step", "main"}), 1, 500);
    story.site("host", story.stack({"d", "step", "main"}), 1, 300);
    story.site("host", story.stack({"step", "main"}), 1, 200);
    return story;
}

}  // namespace

TEST_CASE("the tree of a Python program") {
    TextOptions options;
    options.depth = 40;
    options.min_percent = 1;
    CHECK_THAT(tree_of(python_training(), options), EndsWith(R"(
Call tree of host, by bytes held at the peak
        BYTES   SHARE     BLOCKS  WHO CALLED, AND WHAT WAS CALLED
    300.0 MiB >99.9 %         12  src/train.py:90 <module>
                                    src/train.py:41 train_step
    200.0 MiB  66.7 %          8      itself
    100.0 MiB  33.3 %          4      at::empty  aten/empty.cpp:7
       1000 B  <0.1 %         10  1 root below the least
)"));
}

TEST_CASE("what is below the least, or too deep, has a line that says how much it is") {
    TextOptions options;
    options.min_value = 1000;
    CHECK_THAT(tree_of(branches(), options), EndsWith(R"(
      9.8 KiB 100.0 %          5  main  [train]
                                    step  [train]
        200 B   2.0 %          1      itself
      5.9 KiB  60.0 %          1      a  [train]
      2.9 KiB  30.0 %          1      b  [train]
        800 B   8.0 %          2      2 callees below the least
)"));
    options.depth = 2;
    CHECK_THAT(tree_of(branches(), options), EndsWith(R"(
                                    step  [train]
        200 B   2.0 %          1      itself
      9.6 KiB  98.0 %          4      4 callees, deeper than is shown
)"));
    options.depth = 1;
    CHECK_THAT(tree_of(branches(), options), EndsWith(R"(
      9.8 KiB 100.0 %          5  main  [train]
      9.8 KiB 100.0 %          5    1 callee, deeper than is shown
)"));
}

TEST_CASE("a space without anything, and a space that is not there") {
    CHECK_THAT(tree_of(Story()), Contains("Nothing was allocated."));
    TextOptions options;
    options.space = "mmap";
    CHECK_THAT(tree_of(branches(), options), Contains("No events in space \"mmap\""));
}

TEST_CASE("in JSON the tree is a list, callers first, and adds up") {
    const nlohmann::json list = json_of(python_training());
    REQUIRE(list.size() == 4);
    CHECK(list[0]["parent"] == nullptr);
    CHECK(list[0]["frame"]["function"] == "<module>");
    CHECK(list[0]["frame"]["kind"] == "python");
    CHECK(list[1]["parent"] == 0);
    CHECK(list[1]["total"]["allocations"] == 12);
    CHECK(list[1]["self"]["allocations"] == 8);
    uint64_t sum = 0;
    for (const auto& node : list) sum += node["self"]["at_peak_bytes"].get<uint64_t>();
    CHECK(sum == python_training().recording.model.spaces[0].totals.at_peak_bytes);
    CHECK(json_of(Story()).empty());
}

TEST_CASE("in JSON a large tree is cut to its largest calls, and says what it lacks") {
    const Story story = branches();
    const size_t whole = json_of(story).size();
    REQUIRE(whole == 6);
    for (uint64_t calls_max = 1; calls_max < whole; ++calls_max) {
        const nlohmann::json cut = json_of(story, calls_max);
        REQUIRE(cut.size() == calls_max);
        std::set<uint64_t> ids;
        for (const auto& call : cut) {
            CHECK((call["parent"].is_null() || ids.contains(call["parent"].get<uint64_t>())));
            ids.insert(call["id"].get<uint64_t>());
        }
        // A caller's total is the sum of its own, its listed callees, and the callees left out.
        for (const auto& call : cut) {
            uint64_t sum = call["self"]["at_peak_bytes"].get<uint64_t>();
            if (call.contains("left_out")) sum += call["left_out"]["at_peak_bytes"].get<uint64_t>();
            for (const auto& callee : cut) {
                if (callee["parent"] == call["id"] && callee["space"] == call["space"])
                    sum += callee["total"]["at_peak_bytes"].get<uint64_t>();
            }
            CHECK(sum == call["total"]["at_peak_bytes"].get<uint64_t>());
        }
    }
}

TEST_CASE("in the tree, what went backward is between the engine and what its node did") {
    TextOptions options;
    options.depth = 40;
    options.width = 120;
    const std::string tree = tree_of(backward_training(), options);
    CHECK_THAT(tree, EndsWith(R"(
        BYTES   SHARE     BLOCKS  WHO CALLED, AND WHAT WAS CALLED
      2.9 KiB  55.6 %          3  src/train.py:8 <module>
                                    torch/_tensor.py:625 backward
                                    run_backward  [train]
                                    Engine::execute  [train]
                                    Engine::evaluate_function  [train]
                                    backward of src/net.py:42 Net.forward (AddmmBackward0)
                                    AddmmBackward0::apply  [train]
                                    at::mm  aten/mm.cpp:7
      2.0 KiB  37.0 %          2  Engine::thread_init  [train]
                                    Engine::evaluate_function  [train]
                                    backward of src/net.py:42 Net.forward (AddmmBackward0)
                                    AddmmBackward0::apply  [train]
                                    at::mm  aten/mm.cpp:7
        400 B   7.4 %          1  src/train.py:7 <module>
                                    src/net.py:42 Net.forward
                                    nn/linear.py:134 Linear.forward
                                    at::addmm  aten/mm.cpp:9
)"));
}

TEST_CASE("a tree of temporary allocations of a sample says that they are not known") {
    Story story = branches();
    story.space("host").is_estimate = true;
    std::string out;
    write_tree(out, story.recording, Measure::temporary, {});
    CHECK_THAT(out, Contains("not known (-): host is estimated"));
}
