// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/python_check.h"

#include "tests/unit/test.h"

using namespace memtrace::launcher;
using nlohmann::json;

namespace {

json python(const json& torch) {
    return {{"executable", "/venv/bin/python"},
            {"version", "3.11.7"},
            {"implementation", "CPython"},
            {"torch", torch}};
}

Trial trial(const char* state) {
    Trial trial;
    trial.program.ended = true;
    if (state != nullptr) trial.dump = {{"capture", {{"python", state}}}};
    return trial;
}

}  // namespace

TEST_CASE("a Python is judged by the dump of its trial", "[launcher]") {
    CHECK(judge_python(python(nullptr), trial("on (3.11.7)"))[0].state == State::ok);
    const Findings off = judge_python(python(nullptr), trial("off: a free-threaded build"));
    REQUIRE(off.size() == 1);
    CHECK(off[0].state == State::limited);
    CHECK(off[0].found.find("free-threaded") != std::string::npos);
    CHECK(judge_python(python(nullptr), trial(nullptr))[0].state == State::no);
}

TEST_CASE("PyTorch is judged by its build", "[launcher]") {
    const auto judged = [](const json& torch) {
        return judge_python(python(torch), trial("on (3.11.7)")).at(1);
    };
    const json cpu = {{"version", "2.4.1+cpu"}, {"cuda", nullptr}, {"hip", nullptr}};
    const json cuda = {{"version", "2.4.1"}, {"cuda", "12.1"}, {"hip", nullptr}};
    const json rocm = {{"version", "2.4.1"}, {"cuda", nullptr}, {"hip", "6.1"}};
    CHECK(judged(cpu).found.find("for CPUs") != std::string::npos);
    CHECK(judged(cuda).found.find("CUDA 12.1") != std::string::npos);
    CHECK(judged(rocm).state == State::limited);
}

TEST_CASE("without a Python that is said, and none is invented", "[launcher]") {
    CHECK(find_pythons("/no/such/python").paths.empty());
    const Findings none = check_pythons("/no/such/python", ".", "");
    REQUIRE(none.size() == 1);
    CHECK(none[0].state == State::no);
    CHECK(check_pythons("/bin/true", ".", "")[0].found.find("does not answer") !=
          std::string::npos);
}
