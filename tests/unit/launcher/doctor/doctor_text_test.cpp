// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/doctor.h"

#include <nlohmann/json.hpp>

#include "tests/unit/test.h"

using namespace memtrace::launcher;

namespace {

Diagnosis sample(bool works) {
    return {"Debian, Linux 6.1",
            works,
            {{"recording", works ? State::ok : State::no, "a trial left a dump", ""},
             {"disk", State::limited, "one two three four five six seven eight nine", "Do that."}}};
}

}  // namespace

TEST_CASE("one line for each finding, and what to do below it", "[launcher]") {
    const std::string text = doctor_text(sample(true), 60, false);
    CHECK(text.find("  ok       recording  a trial left a dump\n") != std::string::npos);
    CHECK(text.find("  limited  disk       one two three four five six seven\n"
                    "                      eight nine\n"
                    "                      -> Do that.\n") != std::string::npos);
    CHECK(text.find("works here, with 1 restriction:") != std::string::npos);
    CHECK(doctor_text(sample(false), 60, false).find("Nothing can be recorded here") !=
          std::string::npos);
}

TEST_CASE("the document has the same", "[launcher]") {
    const auto document = nlohmann::json::parse(doctor_json(sample(true)));
    CHECK(document["schema"] == 1);
    CHECK(document["recording"] == true);
    CHECK(document["checks"][1]["state"] == "limited");
    CHECK(document["checks"][1]["advice"] == "Do that.");
}

TEST_CASE("a program that was named and cannot be recorded is said at the end", "[launcher]") {
    Diagnosis diagnosis = sample(true);
    diagnosis.refused = {"/no/such/program"};
    CHECK(doctor_text(diagnosis, 60, false).find("works here, but not of /no/such/program;") !=
          std::string::npos);
    CHECK(nlohmann::json::parse(doctor_json(diagnosis))["recording"] == false);
}
