// SPDX-License-Identifier: Apache-2.0
//
// The document that outside scripts rely on: every field of schema 1, and sums that agree.
#include "analyzer/report/report_json.h"

#include <nlohmann/json.hpp>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using nlohmann::json;

namespace {

json document(const Recording& recording, SiteFilter filter = SiteFilter::all,
              const std::string& more = "") {
    JsonOptions options;
    options.more = more;
    std::string text;
    write_json(
        recording, filter, [&](std::string_view piece) { text += piece; }, options);
    return json::parse(text);
}

Story two_sites() {
    Story story;
    story.site("host", story.stack({"libc:malloc", "make src/make.cpp:42", "main src/main.cpp:9"}),
               10, 100, 3);
    story.site("host", memtrace::no_stack, 1, 50);
    story.site("mmap", story.stack({"map_it", "main src/main.cpp:9"}), 2, 4096, 1);
    return story;
}

void check_fields(const json& object, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        INFO(name);
        CHECK(object.contains(name));
    }
}

}  // namespace

TEST_CASE("every field of schema 1 is there") {
    const json found = document(two_sites().recording);
    CHECK(found["schema"] == 1);
    check_fields(found, {"program", "capture", "problems", "spaces", "sites"});
    check_fields(found["program"], {"command", "pid", "rank", "duration_ns", "end"});
    check_fields(found["capture"],
                 {"mode", "events", "lost_events", "anomalies", "dump_bytes", "stacks", "captures",
                  "captures_complete", "captures_truncated", "python", "gpu"});
    check_fields(found["spaces"]["host"],
                 {"allocations", "frees", "allocated_bytes", "peak_bytes", "peak_time_ns",
                  "leaked_blocks", "leaked_bytes", "temporary"});
    check_fields(found["sites"][0],
                 {"space", "stack", "allocations", "allocated_bytes", "at_peak_bytes",
                  "own_peak_bytes", "leaked_blocks", "leaked_bytes", "temporary"});
    check_fields(found["sites"][0]["stack"][0], {"function", "file", "line", "module", "kind"});
    CHECK(found["program"]["command"] == json({"train", "--steps", "3"}));
    CHECK(found["program"]["rank"] == nullptr);
    CHECK(found["capture"]["mode"] == "full");
    CHECK(found["capture"]["python"] == "off: the dump has native frames only");
    CHECK(found["capture"]["gpu"] == "none: the version that recorded this knew host memory only");
}

TEST_CASE("stacks are innermost first, with all frames") {
    const json site = document(two_sites().recording)["sites"][0];
    REQUIRE(site["stack"].size() == 3);
    CHECK(site["stack"][0]["function"] == "malloc");
    CHECK(site["stack"][1] == json({{"function", "make"},
                                    {"file", "src/make.cpp"},
                                    {"line", 42},
                                    {"module", "/app/train"},
                                    {"kind", "native"}}));
    CHECK(site["stack"][2]["function"] == "main");
    CHECK(site["leaked_blocks"] == 3);
    CHECK(site["leaked_bytes"] == 300);
}

TEST_CASE("the sum over sites is the space's total") {
    const json found = document(two_sites().recording);
    CHECK(found["sites"].size() == 3);
    for (const char* space : {"host", "mmap"}) {
        for (const char* field : {"allocations", "frees", "allocated_bytes", "leaked_blocks",
                                  "leaked_bytes", "temporary"}) {
            uint64_t sum = 0;
            for (const json& site : found["sites"]) {
                if (site["space"] == space) sum += site[field].get<uint64_t>();
            }
            INFO(space << " " << field);
            CHECK(sum == found["spaces"][space][field]);
        }
    }
}

TEST_CASE("complete and truncated captures add up") {
    Story story = two_sites();
    const json found = document(story.recording)["capture"];
    CHECK(found["captures"] == 13);
    CHECK(found["captures_complete"] == 12);  // The site without a stack is not complete.
    CHECK(found["captures_truncated"] == 1);
}

TEST_CASE("why stacks were cut, what was guessed, and in which modules") {
    Story story;
    const uint32_t cut = story.stack({"draw", "libjit", "[stack cut]"});
    const uint32_t guessed = story.stack({"fill", "libold", "main"});
    StackTree& tree = story.recording.model.stacks;
    tree.modules[1] = {0, 0, 0, "/opt/libold.so", ""};
    story.change_node(cut - 2, [](StackNode& node) {
        node.kind = memtrace::NodeKind::truncated;
        node.address = static_cast<uint64_t>(memtrace::Cut::no_data);
    });
    story.change_node(guessed - 1, [](StackNode& node) {
        node.kind = memtrace::NodeKind::guessed;
        node.module = 1;
    });
    story.site("host", cut, 3, 10);
    story.site("host", guessed, 2, 10);
    story.recording.model.capture.cuts[memtrace::Cut::no_data] = 3;
    story.recording.symbols.complete[cut] = false;
    const json found = document(story.recording);
    CHECK(found["capture"]["cuts"] == json({{"no_data", 3}}));
    CHECK(found["capture"]["cut_modules"] == json({{"no_data", {{"code made at run time", 3}}}}));
    CHECK(found["capture"]["captures_guessed"] == 2);
    CHECK(found["capture"]["guessed_modules"] == json({{"libold.so", 2}}));
    const json& stack = found["sites"][1]["stack"];
    CHECK(stack[1]["function"] == "libold");
    CHECK(stack[1]["guessed"] == true);
    CHECK_FALSE(stack[0].contains("guessed"));
    CHECK_FALSE(stack[2].contains("guessed"));
}

TEST_CASE("reasons that are newer than this program are one") {
    Story story;
    story.recording.model.capture.cuts[static_cast<memtrace::Cut>(100)] = 3;
    story.recording.model.capture.cuts[static_cast<memtrace::Cut>(101)] = 4;
    CHECK(document(story.recording)["capture"]["cuts"] == json({{"other", 7}}));
}

TEST_CASE("the host is always there, also when nothing was allocated") {
    const json found = document(Story().recording);
    CHECK(found["spaces"]["host"]["allocations"] == 0);
    CHECK(found["sites"] == json::array());
}

TEST_CASE("ranks are numbers where they are") {
    Story story;
    story.recording.model.process.rank = "RANK=3";
    CHECK(document(story.recording)["program"]["rank"] == 3);
    story.recording.model.process.rank = "SLURM_PROCID=x";
    CHECK(document(story.recording)["program"]["rank"] == "x");
}

TEST_CASE("problems have their extent; damage is said, and what the caller adds") {
    Story story = two_sites();
    story.recording.model.damaged = true;
    story.recording.model.problems.push_back({"a chunk is damaged", 4096, 128});
    story.recording.symbols.problems.push_back({"libx.so was rebuilt", 0, 0});
    const json found = document(story.recording, SiteFilter::none, R"("more": [1], "most": 2)");
    CHECK(found["damaged"] == true);
    CHECK(found["problems"][0] ==
          json({{"what", "a chunk is damaged"}, {"offset", 4096}, {"bytes", 128}}));
    CHECK(found["problems"][1]["what"] == "libx.so was rebuilt");
    CHECK(found["more"] == json({1}));
    CHECK(found["most"] == 2);
    CHECK(found["sites"].empty());
}

TEST_CASE("commands list the sites that they are about") {
    const Story story = two_sites();
    CHECK(document(story.recording, SiteFilter::leaked)["sites"].size() == 2);
    CHECK(document(story.recording, SiteFilter::at_peak)["sites"].size() == 3);
}

TEST_CASE("names that are no UTF-8 do not break the document") {
    Story story;
    story.site("host", story.stack({"caf\xe9 \x80\xff", "quote\"back\\slash\n"}), 1, 1);
    story.recording.model.process.command = {"\xc3"};
    const json found = document(story.recording);
    CHECK(found["sites"][0]["stack"][1]["function"] == "quote\"back\\slash\n");
    CHECK(found["sites"][0]["stack"][0]["function"].get<std::string>().starts_with("caf"));
}

TEST_CASE("the hook's own frames are not the program's") {
    Story story;
    const uint32_t stack = story.stack({"hook", "make"});
    story.recording.symbols.frames[1].module = "/opt/memtrace/libmemtrace.so";
    story.site("host", stack, 1, 1);
    const json site = document(story.recording)["sites"][0];
    REQUIRE(site["stack"].size() == 1);
    CHECK(site["stack"][0]["function"] == "make");
}

TEST_CASE("stacks of Python: the interpreter's frames are hidden unless they are asked for") {
    const Story story = python_training();
    const json found = document(story.recording);
    REQUIRE(found["sites"].size() == 3);
    const json& stack = found["sites"][0]["stack"];
    REQUIRE(stack.size() == 3);
    CHECK(stack[0]["function"] == "malloc");
    CHECK(stack[1] == json({{"function", "train_step"},
                            {"file", "/src/train.py"},
                            {"line", 41},
                            {"module", ""},
                            {"kind", "python"}}));
    CHECK(found["sites"][2]["stack"].size() == 4);
    std::string text;
    JsonOptions options;
    options.interpreter_frames = true;
    options.more = "\"tree\": []";
    write_json(
        story.recording, SiteFilter::all, [&](std::string_view piece) { text += piece; }, options);
    const json whole = json::parse(text);
    CHECK(whole["sites"][0]["stack"].size() == 10);
    CHECK(whole["tree"].empty());
}

TEST_CASE("a site that went backward says for what, beside its stack and in it") {
    const json found = document(backward_training().recording);
    const json forward = found["sites"][0], backward = found["sites"][1];
    CHECK_FALSE(forward.contains("backward"));
    CHECK(backward["backward"] == json({{"function", "backward of Net.forward (AddmmBackward0)"},
                                        {"file", "/src/net.py"},
                                        {"line", 42},
                                        {"module", ""},
                                        {"kind", "backward"},
                                        {"operation", "AddmmBackward0"}}));
    CHECK(backward["stack"][3] == backward["backward"]);
    CHECK(backward["stack"][4]["function"] == "Engine::evaluate_function");
}
