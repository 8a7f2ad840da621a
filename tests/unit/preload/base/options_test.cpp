// SPDX-License-Identifier: Apache-2.0
#include "preload/base/options.h"

#include <map>
#include <string>

#include "memtrace/dump/lost_request.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// Options are one global; each test begins with the defaults.
struct FreshOptions {
    FreshOptions() { options = Options{}; }
    ~FreshOptions() { options = Options{}; }
};

std::string complaint_about(const char* text) {
    Line problem;
    CHECK_FALSE(parse_options(text, problem));
    return std::string(problem.view());
}

}  // namespace

TEST_CASE("keys take effect, empty items do not matter", "[options]") {
    const FreshOptions fresh;
    Line problem;
    CHECK(parse_options("depth=64,,children=none,quiet=1,", problem));
    CHECK(options.depth == 64);
    CHECK(static_cast<Children>(options.children) == Children::none);
    CHECK(options.quiet == 1);
    CHECK(options.stacks == 1);
}

TEST_CASE("defaults are those of the table, wherever a choice stands in its list", "[options]") {
    STATIC_REQUIRE(number_of_choice("off|sample|all", "sample") == 1);
    STATIC_REQUIRE(number_of_choice("same|all|none", "none") == 2);
    const Options fresh;
    CHECK(static_cast<PythonAllocs>(fresh.python_allocs) == PythonAllocs::sample);
    CHECK(static_cast<Children>(fresh.children) == Children::same);
    CHECK(fresh.sample_ms == 10);
}

TEST_CASE("a wrong setting is named", "[options]") {
    const FreshOptions fresh;
    CHECK(complaint_about("dept=64").find("'dept'") != std::string::npos);
    CHECK(complaint_about("depth=0").find("1 to 4096") != std::string::npos);
    CHECK(complaint_about("children=some").find("same|all|none") != std::string::npos);
    CHECK(complaint_about("quiet").find("'quiet'") != std::string::npos);
    CHECK(complaint_about("ring=3000").find("power of two") != std::string::npos);
}

TEST_CASE("every option is listed with the value that is in force", "[options]") {
    const FreshOptions fresh;
    Line problem;
    REQUIRE(parse_options("children=all,ring=4096", problem));
    std::map<std::string, std::string> listed;
    for_each_option(
        [](void* context, std::string_view key, std::string_view value) {
            auto& into = *static_cast<std::map<std::string, std::string>*>(context);
            into[std::string(key)] = std::string(value);
        },
        &listed);
    CHECK(listed["children"] == "all");
    CHECK(listed["ring"] == "4096");
    CHECK(listed["depth"] == "4096");
    CHECK(listed.size() == 21);
}

TEST_CASE("a time is a word, or seconds, minutes, hours", "[options]") {
    const FreshOptions fresh;
    Line problem;
    CHECK(parse_options("lost=exit", problem));
    CHECK(options.lost == static_cast<uint64_t>(LostSearches::exit));
    CHECK(parse_options("lost=90s", problem));
    CHECK(options.lost == 90);
    CHECK(parse_options("lost=10m", problem));
    CHECK(options.lost == 600);
    CHECK(parse_options("lost=2h", problem));
    CHECK(options.lost == 7200);
    CHECK(parse_options("lost=off", problem));
    CHECK(options.lost == static_cast<uint64_t>(LostSearches::off));
    for (const char* wrong : {"lost=9s", "lost=10", "lost=m", "lost=169h", "lost=-1m", "lost=1d"}) {
        CHECK(complaint_about(wrong).find("is not a value for lost") != std::string::npos);
    }
}

TEST_CASE("a set is none, or words with a plus between them", "[options]") {
    const FreshOptions fresh;
    Line problem;
    CHECK(parse_options("lost_without=stacks+data", problem));
    CHECK(options.lost_without == (memtrace::lost_root_stacks | memtrace::lost_root_data));
    CHECK(parse_options("lost_without=mappings", problem));
    CHECK(options.lost_without == memtrace::lost_root_mappings);
    CHECK(parse_options("lost_without=none", problem));
    CHECK(options.lost_without == 0);
    for (const char* wrong : {"lost_without=", "lost_without=all", "lost_without=data+"}) {
        CHECK_FALSE(complaint_about(wrong).empty());
    }
}

TEST_CASE("a size may have a suffix, and 0 is one", "[options]") {
    const FreshOptions fresh;
    Line problem;
    CHECK(parse_options("sample=512K", problem));
    CHECK(options.sample == 512 * 1024);
    CHECK(parse_options("sample=1M", problem));
    CHECK(options.sample == 1024 * 1024);
    CHECK(parse_options("sample=0", problem));
    CHECK(options.sample == 0);
    for (const char* wrong : {"sample=1", "sample=1G", "sample=K", "sample=512KB", "sample=-1"}) {
        CHECK(complaint_about(wrong).find("is not a value for sample") != std::string::npos);
    }
}
