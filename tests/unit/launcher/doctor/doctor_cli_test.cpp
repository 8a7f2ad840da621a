// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/doctor_cli.h"

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("--json alone is standard output", "[launcher]") {
    const auto json_of = [](const std::vector<std::string>& words) {
        return std::get<DoctorRequest>(parse_doctor(words)).json;
    };
    CHECK(json_of({}).empty());
    CHECK(json_of({"--json"}) == "-");
    CHECK(json_of({"--json", "-"}) == "-");
    CHECK(json_of({"--json", "file.json"}) == "file.json");
    CHECK(json_of({"--json", "--python", "p"}) == "-");
}

TEST_CASE("a misspelt option is exit code 2", "[launcher]") {
    CHECK(std::get<int>(parse_doctor({"--jsn"})) == 2);
    CHECK(std::get<int>(parse_doctor({"word"})) == 2);
}
