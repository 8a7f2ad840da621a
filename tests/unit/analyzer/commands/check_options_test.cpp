// SPDX-License-Identifier: Apache-2.0
//
// The options that `check` and `baseline` share become limits, files and suppressions.
#include "analyzer/commands/check_options.h"

#include <filesystem>
#include <fstream>

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string& typed(CheckOptions& options, Metric metric) {
    return options.typed.of_spaces[static_cast<size_t>(metric)].emplace_back();
}

std::string write_config(const Folder& place, const std::string& text) {
    const std::string path = (place.path / "project.toml").string();
    std::ofstream(path) << text;
    return path;
}

}  // namespace

TEST_CASE("typed limits are read by metric, then those of sites, then those of new sites") {
    const Folder place;
    CheckOptions options;
    options.config = write_config(place, "");
    options.typed.of_new_sites = {"leaked-bytes=64K"};
    options.typed.of_sites = {"leaked-bytes=mmap=1M"};
    typed(options, Metric::leaked_blocks) = "3";
    typed(options, Metric::peak_bytes) = "mmap=2G";
    read_check_options(options);
    REQUIRE(options.limits.size() == 4);
    CHECK(options.limits[0].metric == Metric::peak_bytes);
    CHECK(options.limits[0].space == "mmap");
    CHECK(options.limits[1].metric == Metric::leaked_blocks);
    CHECK(options.limits[1].value == 3);
    CHECK(options.limits[2].scope == Scope::site);
    CHECK(options.limits[2].space == "mmap");
    CHECK(options.limits[3].scope == Scope::new_site);
    CHECK(options.limits[3].value == 64 << 10);
    CHECK(options.default_suppressions);
}

TEST_CASE("a limit that makes no sense is refused with the name of its option") {
    CheckOptions options;
    typed(options, Metric::leaked_bytes) = "many";
    CHECK_THROWS_WITH(read_check_options(options), Contains("--max-leaked-bytes"));
    CheckOptions of_site;
    of_site.typed.of_sites = {"64K"};
    CHECK_THROWS_WITH(read_check_options(of_site), Contains("--max-site"));
}

TEST_CASE("the configuration fills what the command line leaves open, and adds suppressions") {
    const Folder place;
    CheckOptions options;
    options.config = write_config(place,
                                  "junit = \"config.xml\"\nsarif = \"config.sarif\"\n"
                                  "suppressions = \"config.supp\"\ngithub = true\n");
    options.junit = "typed.xml";
    options.suppressions = {"typed.supp"};
    read_check_options(options);
    CHECK(options.junit == "typed.xml");
    CHECK(options.sarif == (place.path / "config.sarif").string());
    CHECK(options.suppressions ==
          std::vector<std::string>{"typed.supp", (place.path / "config.supp").string()});
    CHECK(options.github);
    CHECK(options.default_suppressions);
}

TEST_CASE("default suppressions are off if the command line or the configuration says so") {
    const Folder place;
    CheckOptions by_config;
    by_config.config = write_config(place, "default-suppressions = false\n");
    read_check_options(by_config);
    CHECK_FALSE(by_config.default_suppressions);
    CheckOptions by_option;
    by_option.config = write_config(place, "default-suppressions = true\n");
    by_option.typed.no_default_suppressions = true;
    read_check_options(by_option);
    CHECK_FALSE(by_option.default_suppressions);
}

TEST_CASE("a baseline that is to be written has a name even if none is given") {
    const Folder place;
    CheckOptions options;
    options.config = write_config(place, "");
    options.update_baseline = true;
    read_check_options(options);
    CHECK(options.baseline == default_baseline);
    CHECK(std::filesystem::path(options.root).is_absolute());
}

TEST_CASE("only a limit on growth that is not off asks for growth") {
    CheckOptions options;
    options.limits = {Limit{}};
    CHECK_FALSE(asks_for_growth(options));
    Limit& growth = options.limits.emplace_back();
    growth.metric = Metric::growth_per_hour;
    CHECK(asks_for_growth(options));
    growth.is_off = true;
    CHECK_FALSE(asks_for_growth(options));
}

TEST_CASE("the suppressions of files come before the default ones") {
    const Folder place;
    CheckOptions options;
    options.suppressions = {(place.path / "a.supp").string()};
    std::ofstream(options.suppressions[0]) << "leak:keep\n";
    const std::vector<Suppression> all = all_suppressions(options);
    REQUIRE(all.size() == 1 + default_suppressions().size());
    CHECK(all[0].name == "leak:keep");
    CHECK_FALSE(all[0].is_default);
    CHECK(all[1].is_default);
    options.default_suppressions = false;
    CHECK(all_suppressions(options).size() == 1);
    options.suppressions = {"/nonexistent.supp"};
    CHECK_THROWS_AS(all_suppressions(options), Error);
}
