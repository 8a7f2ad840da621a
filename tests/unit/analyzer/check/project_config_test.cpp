// SPDX-License-Identifier: Apache-2.0
//
// memtrace.toml: its settings, and the messages about mistakes in it.
#include "analyzer/check/project_config.h"

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string complaint(const char* text) {
    try {
        parse_config(text, "p/memtrace.toml");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("a configuration names files beside it, and limits") {
    const ProjectConfig found = parse_config(R"(
baseline = "memory.json"
suppressions = ["ci/a.supp", "/etc/b.supp"]
default-suppressions = false
junit = "out/memory.xml"
html = "out/memory.html"
github = true

[limits]
peak-bytes = "+10%"
allocations = 5000

[limits."device:0"]
peak-bytes = "2G"

[sites]
leaked-bytes = "+10%+64K"

[new-sites.mmap]
leaked-bytes = "off"

[phases.train.limits]
peak-bytes = "1G"
)",
                                             "p/memtrace.toml");
    CHECK(found.folder == "p");
    CHECK(found.baseline == "p/memory.json");
    CHECK(found.suppressions == std::vector<std::string>{"p/ci/a.supp", "/etc/b.supp"});
    CHECK(found.default_suppressions == false);
    CHECK(found.junit == "p/out/memory.xml");
    CHECK(found.html == "p/out/memory.html");
    CHECK(found.sarif.empty());
    CHECK(found.github == true);
    REQUIRE(found.limits.size() == 6);
    const auto has = [&](const char* title, uint64_t value) {
        for (const Limit& limit : found.limits) {
            if (title_of(limit) == title && limit.value == value) return true;
        }
        return false;
    };
    CHECK(has("host peak-bytes", 0));
    CHECK(has("host allocations", 5000));
    CHECK(has("device:0 peak-bytes", uint64_t{2} << 30));
    CHECK(has("host leaked-bytes of a site", 64u << 10));
    CHECK(has("mmap leaked-bytes of a new site", 0));
    CHECK(has("train: host peak-bytes", uint64_t{1} << 30));
}

TEST_CASE("the project says what is its own code") {
    const ProjectConfig found = parse_config(
        "[code]\nown = \"site-packages/ours\"\n"
        "libraries = [\"third_party\", \"/opt/vendor\"]\n",
        "p/memtrace.toml");
    CHECK(found.code.own == std::vector<std::string>{"site-packages/ours"});
    CHECK(found.code.libraries == std::vector<std::string>{"third_party", "/opt/vendor"});
    CHECK_THAT(complaint("[code]\nlibrarys = []\n"),
               Contains("toml:2:") && Contains("did you mean \"libraries\"?"));
    CHECK_THAT(complaint("[code]\nown = [\"a\",\n\"/\"]\n"),
               Contains("toml:3:") && Contains("no path fits"));
    CHECK_THAT(complaint("[code]\nown = 5\n"), Contains("is not a text"));
    CHECK_THAT(complaint("code = 5\n"), Contains("is not a table"));
}

TEST_CASE("a mistake is named with its line, and with what was perhaps meant") {
    CHECK_THAT(complaint("\nbasline = \"x\"\n"), Contains("p/memtrace.toml:2:") &&
                                                     Contains("\"basline\"") &&
                                                     Contains("did you mean \"baseline\"?"));
    CHECK_THAT(complaint("[limits]\npeak-byte = 1\n"),
               Contains("toml:2:") && Contains("did you mean \"peak-bytes\"?"));
    CHECK_THAT(complaint("colour = 1\n"), Contains("there are baseline, "));
    CHECK_THAT(complaint("[limits]\npeak-bytes = \"lots\"\n"),
               Contains("toml:2: limits.peak-bytes =") && Contains("not a size"));
    CHECK_THAT(complaint("[limits.hots]\npeak-bytes = 1\n"), Contains("no space \"hots\""));
    CHECK_THAT(complaint("[limits]\npeak-bytes = true\n"), Contains("is not a text"));
    CHECK_THAT(complaint("github = \"yes\"\n"), Contains("neither true nor false"));
    CHECK_THAT(complaint("baseline = \"\"\n"), Contains("names no file"));
    CHECK_THAT(complaint("limits = 5\n"), Contains("is not a table"));
    CHECK_THAT(complaint("[phases.a.limit]\n"), Contains("did you mean \"limits\"?"));
    CHECK_THAT(complaint("a = [\n"), Contains("p/memtrace.toml:"));
    CHECK_THROWS_AS(read_config("/nonexistent.toml"), Error);
}

TEST_CASE("the nearest word is one that a slip of the finger leads to") {
    const std::vector<std::string> words{"peak-bytes", "leaked-bytes", "leaked-blocks"};
    CHECK(nearest("peak-byte", words) == "peak-bytes");
    CHECK(nearest("leaked_bytes", words) == "leaked-bytes");
    CHECK(nearest("something", words).empty());
}
