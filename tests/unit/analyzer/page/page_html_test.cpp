// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_html.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr PageBundle bundle{"run();", "body{}"};

Page page_of(const Recording& recording, const PageOptions& options = {}) {
    return make_page(recording, {.growth = find_growth(recording)}, bundle, options);
}

// A recording with more call stacks than fit into a small page.
Story large() {
    Story story;
    for (int i = 0; i < 3000; ++i) {
        const std::string number = std::to_string(i * 7919 % 100'003);
        story.site("host",
                   story.stack({"f" + number + " a.cpp:" + std::to_string(i + 1), "main a.cpp:9"}),
                   1, static_cast<uint64_t>(1 + i));
    }
    return story;
}

}  // namespace

TEST_CASE("a page has its program, its styles and a policy that forbids to load anything") {
    const std::string html = page_of(training().recording).html;
    CHECK_THAT(html, Contains("<title>train – memtrace</title>"));
    CHECK_THAT(html, Contains("default-src 'none'"));
    CHECK_THAT(html, Contains("<script>run();</script>"));
    CHECK_THAT(html, Contains("<style>body{}</style>"));
    CHECK(html.find("http://") == std::string::npos);
    CHECK(html.find("https://") == std::string::npos);
}

TEST_CASE("the name of the program cannot end the title") {
    Story story = training();
    story.recording.model.process.command = {"</title><script>alert(1)</script>"};
    const std::string html = page_of(story.recording).html;
    CHECK(html.find("<script>alert") == std::string::npos);
    story.recording.model.process.command = {"secret"};
    CHECK(page_of(story.recording, {.with_command = false}).html.find("secret") ==
          std::string::npos);
}

TEST_CASE("a page keeps fewer calls until it is small enough") {
    const Story story = large();
    const Page whole = page_of(story.recording);
    CHECK(whole.stacks == 3000);
    CHECK(whole.folded_stacks == 0);
    const size_t most = whole.html.size() / 2;
    const Page small = page_of(story.recording, {.bytes_max = most});
    CHECK(small.html.size() <= most);
    CHECK(small.folded_stacks > 0);
}

TEST_CASE("without a bundle there is no page, and it is said what is missing") {
    const Story story = training();
    CHECK_THROWS_WITH(make_page(story.recording, {}, {}, {}), Contains("Node 18 or newer"));
}
