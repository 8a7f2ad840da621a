// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_names.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("a phase's name has its domain in front") {
    Mark mark;
    mark.text = "step 7";
    CHECK(full_name(mark) == "step 7");
    mark.domain = "loader";
    CHECK(full_name(mark) == "loader: step 7");
    mark.text = "";
    CHECK(full_name(mark) == "loader: (no name)");
}

TEST_CASE("names that differ only in their numbers are one") {
    CHECK(grouped_name("step 1") == "step #");
    CHECK(grouped_name("step 10000") == "step #");
    CHECK(grouped_name("epoch 3, batch 41") == "epoch #, batch #");
    CHECK(grouped_name("conv2d") == "conv#d");
    CHECK(grouped_name("load") == "load");
    CHECK(grouped_name("") == "");
}

TEST_CASE("what somebody types is the name, its group, or a pattern") {
    CHECK(PhasePattern("step 3").matches("step 3"));
    CHECK_FALSE(PhasePattern("step 3").matches("step 33"));
    CHECK(PhasePattern("step #").matches("step 33"));
    CHECK(PhasePattern("step*").matches("step 33"));
    CHECK(PhasePattern("*3").matches("step 33"));
    CHECK(PhasePattern("s*p*3").matches("step 33"));
    CHECK(PhasePattern("epoch #*").matches("epoch 2, batch 1"));
    CHECK(PhasePattern("*").matches(""));
    CHECK_FALSE(PhasePattern("s*4").matches("step 33"));
    CHECK_FALSE(PhasePattern("step").matches("step 3"));
    // Only * is special, and a name that contains one can be typed as it is.
    CHECK(PhasePattern("a[0]?").matches("a[0]?"));
    CHECK_FALSE(PhasePattern("a[0]?").matches("a0x"));
    CHECK(PhasePattern("2 * 3").matches("2 * 3"));
}

TEST_CASE("the nearest names: by edits, in any case, or as a part") {
    const std::vector<std::string> names{"forward", "backward", "optimizer step", "load batch #"};
    CHECK(nearest_names("foward", names).at(0) == "forward");
    CHECK(nearest_names("BACKWARD", names).at(0) == "backward");
    CHECK(nearest_names("optimizer", names).at(0) == "optimizer step");
    CHECK(nearest_names("", {}).empty());
    CHECK(nearest_names("x", std::vector<std::string>(9, "y")).size() == 5);
}

TEST_CASE("what was meant as a time is called one") {
    using Catch::Matchers::Contains;
    for (const char* text : {"-5s", "1e-3", "+2", ".5s", "1:30", "5 S"}) {
        for (const char* option : {"--from", "--to"})
            CHECK_THAT(unknown_phase(option, text, {"step #"}), Contains("that is no time"));
    }
    for (const char* text : {"step", "s", "-", "2nd pass", ""})
        CHECK_THAT(unknown_phase("--from", text, {"step #"}), !Contains("no time"));
    CHECK_THAT(unknown_phase("--phase", "-5s", {"step #"}), !Contains("no time"));
}
