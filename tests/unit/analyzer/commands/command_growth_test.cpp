// SPDX-License-Identifier: Apache-2.0
//
// `growth` reads histories, and takes the memory of the host from the command line.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("growth cuts a whole recording into slices, at the step that is named") {
    const LoadOptions whole = load_options_of({"growth", "a.bin", "--step", "batch 1"});
    REQUIRE(whole.slices.has_value());
    CHECK(whole.slices->step == "batch 1");
    CHECK(load_options_of({"growth", "a.bin"}).slices.has_value());
}

TEST_CASE("growth does not cut a phase") {
    const LoadOptions phase = load_options_of({"--phase", "train", "growth", "a.bin"});
    CHECK(phase.phases.only == "train");
    CHECK_FALSE(phase.slices.has_value());
}

TEST_CASE("the memory of the host is a size") {
    CHECK_FALSE(request_of({"growth", "a.bin"}).growth.memory.has_value());
    CHECK(request_of({"growth", "a.bin", "--memory", "64G"}).growth.memory == uint64_t{64} << 30);
    CHECK(is_refused({"growth", "a.bin", "--memory", "much"}));
}

TEST_CASE("frames of the interpreter are shown in growth, too, if that is requested") {
    CHECK_FALSE(request_of({"growth", "a.bin"}).growth.interpreter_frames);
    CHECK(request_of({"growth", "a.bin", "--interpreter-frames"}).growth.interpreter_frames);
}

TEST_CASE("growth without a history is reported as not judged") {
    const CommandOutput output = output_of(request_of({"growth", "a.bin"}), training().recording);
    CHECK_THAT(output.text, Contains("not judged"));
    CHECK_THAT(output.json, Contains("\"growth\""));
    CHECK(output.exit_code == exit_fine);
}
