// SPDX-License-Identifier: Apache-2.0
//
// Lists of call sites: sorted, fitted to the terminal, callers below their site.
#include "analyzer/report/report_sites.h"

#include "analyzer/report/report_summary.h"
#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

size_t widest_line(const std::string& text) {
    size_t widest = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        widest = std::max(widest, display_width(text.substr(at, end - at)));
        at = end + 1;
    }
    return widest;
}

std::string list_of(const Story& story, const TextOptions& options = {}) {
    std::string out;
    write_site_list(out, story.recording, story.recording.model.spaces[0], Measure::at_peak,
                    options);
    return out;
}

}  // namespace

TEST_CASE("sites sort by what is asked for") {
    std::string out;
    write_sites(out, training().recording, Measure::allocations, {});
    CHECK_THAT(out, Contains(R"(
Call sites of host, by number of allocations
        CALLS   SHARE      BYTES  WHERE, AND WHO CALLED IT
          100  89.3 %   97.7 KiB  load_batch  src/data.cpp:7
           12  10.7 %  300.0 MiB  Model::make_tensor  model/tensor.cpp:42
            8   7.1 %  200.0 MiB    train_step  src/train.cpp:17
)"));
}

TEST_CASE("lines fit the terminal, and long names give way first") {
    Story story;
    std::string name = "at::native::templates::fill_everything<std::vector<int>>(int)";
    story.site("host",
               story.stack({name + " aten/src/ATen/native/a_rather_long_name.cpp:1234",
                            "main src/train.cpp:90"}),
               8, 25 << 20);
    for (const size_t width : {60, 80, 100}) {
        TextOptions options;
        options.width = width;
        std::string out;
        write_peak(out, story.recording, options);
        INFO(out);
        CHECK(widest_line(out.substr(out.find("WHERE"))) <= width);
    }
}

TEST_CASE("recursion says how often, small callers are counted, cut stacks say so") {
    Story story;
    story.site("host", story.stack({"walk t.c:9", "walk t.c:7", "walk t.c:7", "main m.c:1"}), 1,
               1 << 20);
    for (int i = 0; i < 30; ++i) {
        story.site("host", story.stack({"get g.c:1", "user" + std::to_string(i) + " u.c:5"}), 1, 9);
    }
    TextOptions options;
    options.depth = 2;
    CHECK(list_of(story, options) ==
          R"(        BYTES   SHARE     BLOCKS  WHERE, AND WHO CALLED IT
      1.0 MiB >99.9 %          1  walk  t.c:9  (x3)
                                    main  m.c:1
        270 B  <0.1 %         30  get  g.c:1
                                    30 callers
)");
    options.depth = 1;
    CHECK_THAT(list_of(story, options),
               Contains("walk  t.c:9  (x3)\n" + std::string(36, ' ') + "...\n"));
}

TEST_CASE("what went backward has a line that says for what, and whoever called backward") {
    const std::string text = list_of(backward_training());
    CHECK_THAT(text, Contains(R"(
      4.9 KiB  92.6 %          5  at::mm  aten/mm.cpp:7
                                    AddmmBackward0::apply  [train]
                                    backward of src/net.py:42 Net.forward (AddmmBackward0)
)"));
    CHECK_THAT(text, Contains("torch/_tensor.py:625 backward"));
    TextOptions options;
    options.depth = 3;  // even with few lines
    CHECK_THAT(list_of(backward_training(), options), Contains("backward of src/net.py:42"));
}

TEST_CASE("where memory is spread over many places, the largest are shown all the same") {
    Story story;
    for (int line = 1; line <= 300; ++line) {
        const std::string place = "make" + std::to_string(line) + " a.cpp:" + std::to_string(line);
        story.site("host", story.stack({"libc:malloc", place}), 1, 1000 + line);
    }
    TextOptions options;
    options.min_percent = 1;
    CHECK_THAT(list_of(story, options), !Contains("make300"));
    options.shown_least = 3;
    const std::string list = list_of(story, options);
    CHECK_THAT(list, Contains("make300") && Contains("make299") && Contains("make298"));
    CHECK_THAT(list, !Contains("make297") && Contains("297 places more"));
}

TEST_CASE("the temporary allocations of a sample are not known, which is no empty list") {
    Story story = training();
    for (Space& space : story.recording.model.spaces) space.is_estimate = true;
    std::string out;
    write_sites(out, story.recording, Measure::temporary, {});
    CHECK_THAT(out, Contains("by temporary allocations\n  not known (-): host is estimated"));
    out.clear();
    write_sites(out, story.recording, Measure::allocations, {});
    CHECK_THAT(out, !Contains("not known"));
}
