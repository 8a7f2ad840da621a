// SPDX-License-Identifier: Apache-2.0
//
// `lines` has a source file before its dumps.
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("the first word is the source file, the others are dumps") {
    const Request request = request_of({"lines", "src/train.py", "a.bin", "b.bin"});
    CHECK(request.source == "src/train.py");
    CHECK(request.dumps == std::vector<std::string>{"a.bin", "b.bin"});
    CHECK(is_refused({"lines"}));
}

TEST_CASE("a file is found by the end of its path, and its lines are in the text and in the JSON") {
    const CommandOutput output =
        output_of(request_of({"lines", "tensor.cpp", "a.bin"}), training().recording);
    CHECK_THAT(output.text, Contains("model/tensor.cpp") && Contains("42"));
    CHECK_THAT(output.json, Contains("model/tensor.cpp"));
}

TEST_CASE("a file without allocations is an error") {
    const Request request = request_of({"lines", "absent.cpp", "a.bin"});
    CHECK_THROWS_AS(output_of(request, training().recording), Error);
}
