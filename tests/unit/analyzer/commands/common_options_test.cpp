// SPDX-License-Identifier: Apache-2.0
//
// Options of several commands: typed text becomes values, or an Error.
#include "analyzer/commands/common_options.h"

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("what was not typed has the command's defaults") {
    Request request;
    read_text_options(request, {.top = 3, .depth = 4, .min_percent = 2});
    CHECK(request.text.top == 3);
    CHECK(request.text.depth == 4);
    CHECK(request.text.min_percent == 2);
    request.typed.top = 7;
    request.typed.depth = 8;
    read_text_options(request, {.top = 3, .depth = 4, .min_percent = 2});
    CHECK(request.text.top == 7);
    CHECK(request.text.depth == 8);
}

TEST_CASE("--min is a size or a part, and replaces the default of either kind") {
    Request request;
    request.typed.min = "500K";
    read_text_options(request, {.min_percent = 1});
    CHECK(request.text.min_value == 500 << 10);
    CHECK(request.text.min_percent == 0);
    request.typed.min = "2%";
    read_text_options(request, {.min_percent = 1});
    CHECK(request.text.min_value == 0);
    CHECK(request.text.min_percent == 2);
    for (const char* const wrong : {"much", "200%", "-1"}) {
        request.typed.min = wrong;
        CHECK_THROWS_WITH(read_text_options(request), Contains("--min " + std::string(wrong)));
    }
}

TEST_CASE("--sort has the names of measures") {
    Request request;
    read_sort(request);
    CHECK(request.sort == Measure::at_peak);
    request.typed.sort = "own-peak";
    read_sort(request);
    CHECK(request.sort == Measure::own_peak);
    request.typed.sort = "size";
    CHECK_THROWS_WITH(read_sort(request), Contains("--sort size") && Contains("at-peak"));
}

TEST_CASE("JSON is refused where there is no report") {
    Request request;
    CHECK_NOTHROW(refuse_json(request));
    request.json = "-";
    CHECK_THROWS_AS(refuse_json(request), Error);
}

TEST_CASE("a command loads the recording, or the phase that is requested, and no histories") {
    Request request;
    CHECK(load_phase_or_all(request).phases.only.empty());
    request.phase = "train*";
    const LoadOptions options = load_phase_or_all(request);
    CHECK(options.phases.only == "train*");
    CHECK_FALSE(options.phases.list);
    CHECK_FALSE(options.slices.has_value());
}

TEST_CASE("ranges and threads are loaded; steps are counted by --step") {
    Request request;
    request.from = "step 3";
    request.to = "2.5s";
    request.slices.step = "epoch";
    request.filters.threads = {"loader*"};
    const LoadOptions options = load_phase_or_all(request);
    CHECK(options.phases.from == "step 3");
    CHECK(options.phases.to == "2.5s");
    CHECK(options.phases.step == "epoch");
    CHECK(options.phases.has_range());
    CHECK(options.threads == std::vector<std::string>{"loader*"});
    CHECK_NOTHROW(read_text_options(request));
    request.to = "step 0";
    CHECK_THROWS_WITH(read_text_options(request), Contains("--to step 0"));
    CHECK_THROWS_WITH(refuse_range(request, "leave it out"),
                      Contains("--from step 3: leave it out"));
    CHECK_NOTHROW(refuse_range(Request{}, "leave it out"));
}
