// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/unrecorded_spaces.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::vector<Limit> limits_on(const std::vector<std::string>& spaces) {
    std::vector<Limit> limits;
    for (const std::string& space : spaces) {
        limits.push_back(limit_of(Metric::peak_bytes, space + "=1K"));
        limits.push_back(limit_of(Metric::leaked_bytes, space + "=1K", Scope::site));
    }
    return limits;
}

}  // namespace

TEST_CASE("memory of GPUs that was not recorded keeps no limit") {
    Story story = program({{"load", 100'000}});
    Model& model = story.recording.model;
    for (const char* choice : {"off", "runtime"}) {
        model.options["gpu"] = choice;
        std::vector<Limit> limits =
            limits_on({"host", "device:0", "pinned", "managed", "tensors:cuda:0"});
        const std::vector<std::string> why = leave_out_unrecorded(story.recording, limits);
        REQUIRE(why.size() == 3);  // once for each space
        CHECK_THAT(why[0], Contains("Limits on device:0 cannot be checked"));
        CHECK_THAT(why[0], Contains(std::string("gpu=") + choice));
        CHECK_THAT(why[0], Contains("MEMTRACE_OPTIONS=gpu=auto"));
        CHECK(limits.size() == 4);  // host's and PyTorch's stay
    }
}

TEST_CASE("a program without a GPU took nothing of one") {
    Story story = program({{"load", 100'000}});
    story.recording.model.options["gpu"] = "auto";
    std::vector<Limit> limits = limits_on({"device:0", "pinned"});
    CHECK(leave_out_unrecorded(story.recording, limits).empty());
    CHECK(limits.size() == 4);
}

TEST_CASE("what was recorded is judged, by whatever it was") {
    Story story = program({{"load", 100'000}});
    Model& model = story.recording.model;
    model.options["gpu"] = "runtime";
    model.gpu.source = {memtrace::GpuBackend::runtime, 13000, ""};
    model.gpu.devices.emplace_back();
    std::vector<Limit> limits = limits_on({"device:0", "pinned"});
    CHECK(leave_out_unrecorded(story.recording, limits).empty());
    model.options["gpu"] = "off";  // A space that is there was recorded.
    model.gpu = {};
    story.site("device:0", story.stack({"take"}), 1, 4096, 1);
    CHECK(leave_out_unrecorded(story.recording, limits).size() == 1);  // pinned
    CHECK(limits.size() == 2);
}

TEST_CASE("objects of Python that were not recorded keep no limit") {
    Story story = program({{"load", 100'000}});
    Model& model = story.recording.model;
    model.capture.python.emplace().state = memtrace::PythonState::on;
    ObjectsInfo& objects = model.capture.python_objects.emplace();
    objects.why = "python_allocs=off";
    std::vector<Limit> limits = limits_on({"python"});
    const std::vector<std::string> why = leave_out_unrecorded(story.recording, limits);
    REQUIRE(why.size() == 1);
    CHECK_THAT(why[0], Contains("python_allocs=off"));
    CHECK(limits.empty());
    limits = limits_on({"python"});
    objects.state = memtrace::PythonObjectsState::whole;
    CHECK(leave_out_unrecorded(story.recording, limits).empty());
    objects.state = memtrace::PythonObjectsState::off;
    model.capture.python->state = memtrace::PythonState::none;
    CHECK(leave_out_unrecorded(story.recording, limits).empty());  // There is no Python.
    CHECK(limits.size() == 2);
}
