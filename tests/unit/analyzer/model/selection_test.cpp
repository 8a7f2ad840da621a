// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/selection.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what was selected, as it was typed") {
    Model model;
    CHECK(selection_text(model).empty());
    AskedPhase& phase = model.phase.emplace();
    phase.asked = "load";
    CHECK(selection_text(model) == "--phase load");
    phase.range = AskedRange{"1s", "step 3", 0, 0};
    CHECK(range_text(*phase.range) == "from 1s to step 3");
    SiteFilters filters;
    filters.threads = {"loader*", "17"};
    filters.own = true;
    CHECK(filters_text(filters) == "--thread loader* --thread 17 --own");
    CHECK(filter_words(filters) ==
          std::vector<std::string>{"--thread", "loader*", "--thread", "17", "--own"});
    model.filters = FilterInfo{filters, {}};
    CHECK(selection_text(model) ==
          "--phase load, from 1s to step 3, --thread loader* --thread 17 --own");
    CHECK(range_text({"", "2s", 0, 0}) == "to 2s");
}

TEST_CASE("filters that leave nothing are told from a program that allocates nothing") {
    Model model;
    CHECK(nothing_passes_text(model).empty());
    model.filters = FilterInfo{{.functions = {"nosuch"}}, {{"host", false, {}, {}}}};
    CHECK(nothing_passes_text(model).empty());
    Totals& whole = model.filters->spaces[0].whole;
    whole.allocations = 1;
    whole.at_peak_bytes = 2048;
    CHECK(nothing_passes_text(model) ==
          "no call site passes --function nosuch (without it: 2.0 KiB at the peak of host)");
    model.filters->filters.own = true;
    CHECK_THAT(nothing_passes_text(model), Catch::Matchers::Contains("--own (without them: "));
    model.spaces.resize(1);
    CHECK(nothing_passes_text(model).empty());
}
