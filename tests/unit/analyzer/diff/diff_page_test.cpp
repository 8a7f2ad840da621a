// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_page.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr PageBundle bundle{"run();", "body{}"};

DiffPage page_of(const Story& before, const Story& after, const PageOptions& options = {}) {
    const Diff diff = compare(make_diff_side(before.recording, "/src", &options),
                              make_diff_side(after.recording, "/src", &options));
    return make_diff_page(diff, make_diff_page_side(before.recording, options),
                          make_diff_page_side(after.recording, options), bundle, options);
}

Story many(int count) {
    Story story;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i * 7919 % 100'003);
        story.site("host", story.stack({"f" + number + " a.cpp:" + std::to_string(i + 1)}), 1,
                   static_cast<uint64_t>(1 + i));
    }
    return story;
}

}  // namespace

TEST_CASE("diff page: no name of a program can become markup") {
    Story story = training();
    story.recording.model.process.command = {"</script><script>alert(1)</script>"};
    story.site("host", story.stack({"</script><b> /src/<img>.cpp:3"}), 1, 10);
    const std::string html = page_of(training(), story).html;
    CHECK(html.find("alert") == std::string::npos);
    CHECK(html.find("<img>") == std::string::npos);
    CHECK_THAT(html, Contains("default-src 'none'"));
}

TEST_CASE("diff page: it stays small, and says how much is folded") {
    PageOptions options;
    options.bytes_max = 60'000;
    const DiffPage page = page_of(many(3000), many(4000), options);
    CHECK(page.html.size() <= options.bytes_max);
    CHECK(page.stacks == 4000);
    CHECK(page.folded_stacks > 0);
    CHECK(page_of(many(5), many(9)).folded_stacks == 0);
}

TEST_CASE("diff page: recordings without memory have a page, too") {
    CHECK_THAT(page_of(Story(), Story()).html, Contains("<!doctype html>"));
}

TEST_CASE("diff page: without its program there is none") {
    const PageOptions options;
    const Story story = training();
    const Diff diff = compare(make_diff_side(story.recording, "/src", &options),
                              make_diff_side(story.recording, "/src", &options));
    const DiffPageSide side = make_diff_page_side(story.recording, options);
    CHECK_THROWS_AS(make_diff_page(diff, side, side, {}, options), Error);
}
