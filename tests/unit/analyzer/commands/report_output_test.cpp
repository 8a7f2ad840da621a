// SPDX-License-Identifier: Apache-2.0
//
// A report is written, or an Error contains the reason.
#include "analyzer/commands/report_output.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("what was written is in the file") {
    const Folder place;
    const auto path = place.path / "report.json";
    ReportOutput output(path);
    output.write("one ");
    output.write("two");
    output.finish();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    CHECK(line == "one two");
}

TEST_CASE("a file that cannot be made is named") {
    CHECK_THROWS_WITH(ReportOutput("/nonexistent/report.json"),
                      Contains("/nonexistent/report.json") && Contains("No such file"));
}

TEST_CASE("a full disk is noticed") {
    ReportOutput output("/dev/full");
    output.write(std::string(1 << 20, 'x'));
    CHECK_THROWS_WITH(output.finish(), Contains("/dev/full") && Contains("No space left"));
}

TEST_CASE("a file is replaced as a whole, through a link too, and nothing is left beside it") {
    const Folder place;
    const std::string path = (place.path / "base.json").string();
    replace_file(path, "old");
    std::filesystem::create_symlink(path, place.path / "link.json");
    replace_file((place.path / "link.json").string(), "new");
    std::ifstream file(path);
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "new");
    CHECK(std::filesystem::is_symlink(place.path / "link.json"));
    CHECK(std::distance(std::filesystem::directory_iterator(place.path), {}) == 2);
    CHECK_THROWS_AS(replace_file((place.path / "missing" / "x").string(), "new"), Error);
}
