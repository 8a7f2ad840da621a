// SPDX-License-Identifier: Apache-2.0
//
// The words after `memtrace run` become a request, or exit code 2.
#include "launcher/cli.h"

#include "tests/unit/test.h"

using namespace memtrace;
using launcher::RunRequest;
using Words = std::vector<std::string>;

namespace {

RunRequest request(const Words& words) {
    const auto parsed = launcher::parse_run(words);
    REQUIRE(std::holds_alternative<RunRequest>(parsed));
    return std::get<RunRequest>(parsed);
}

int refused(const Words& words) {
    const auto parsed = launcher::parse_run(words);
    REQUIRE(std::holds_alternative<int>(parsed));
    return std::get<int>(parsed);
}

}  // namespace

TEST_CASE("the program begins at the first word that is no option", "[launcher]") {
    CHECK(request({"./test", "--check", "-o", "x"}).program ==
          Words{"./test", "--check", "-o", "x"});
    const RunRequest found = request({"-o", "x.bin", "--options=depth=3", "python", "-c", "1"});
    CHECK(found.program == Words{"python", "-c", "1"});
    CHECK(found.output == "x.bin");
    CHECK(found.options == "depth=3");
    CHECK_FALSE(found.does_something_at_the_end());
}

TEST_CASE("behind the first -- everything is the program's", "[launcher]") {
    CHECK(request({"--", "bash", "-c", "true", "--", "a"}).program ==
          Words{"bash", "-c", "true", "--", "a"});
    CHECK(request({"--output", "x", "--", "-odd-name"}).program == Words{"-odd-name"});
}

TEST_CASE("a report is the summary unless it is named, and has options of its own", "[launcher]") {
    CHECK(request({"--report", "--", "a"}).report->command == &analyzer::command_summary);
    CHECK(request({"--report=peak", "--", "a"}).report->command == &analyzer::command_peak);
    const RunRequest found = request({"--report", "leaks", "--top", "3", "--", "a"});
    CHECK(found.report->command == &analyzer::command_leaks);
    CHECK(found.report->text.top == 3);
    CHECK(found.report->dumps.empty());
}

TEST_CASE("report and check stand together, with options of the launcher between", "[launcher]") {
    const RunRequest found = request({"--check", "--max-leaked-bytes", "1K", "-o", "x", "--report",
                                      "peak", "--report-file", "r.txt", "--", "a"});
    CHECK(found.output == "x");
    CHECK(found.report_file == "r.txt");
    CHECK(found.report->command == &analyzer::command_peak);
    CHECK(found.check->command == &analyzer::command_check);
    CHECK(found.check->check.limits.size() == 1);
}

TEST_CASE("the page is beside the dump, or in the file behind =", "[launcher]") {
    CHECK_FALSE(request({"a"}).html.has_value());
    CHECK(request({"--html", "a", "--html=x"}).program == Words{"a", "--html=x"});
    CHECK(request({"--html", "a"}).html == "");
    CHECK(request({"--html", "a"}).does_something_at_the_end());
    CHECK(request({"--html=x y.html", "a"}).html == "x y.html");
    CHECK(request({"--report", "leaks", "--html=x", "--top", "3", "--", "a"}).html == "x");
    CHECK(refused({"--html=", "a"}) == 2);
    CHECK(refused({"--html=-", "a"}) == 2);
}

TEST_CASE("--open makes a page to open", "[launcher]") {
    CHECK_FALSE(request({"--html", "a"}).open);
    CHECK(request({"--open", "a"}).open);
    CHECK(request({"--open", "a"}).html == "");
    CHECK(request({"--check", "--max-leaked-bytes", "1", "--open", "--html=x", "--", "a"}).open);
}

TEST_CASE("--html behind --check is the check's", "[launcher]") {
    const RunRequest found =
        request({"--check", "--max-leaked-bytes", "1", "--html", "x.html", "--", "a"});
    CHECK_FALSE(found.html.has_value());
    CHECK(found.check->check.html == "x.html");
    CHECK(request({"--check", "--max-leaked-bytes", "1", "--html=x.html", "--", "a"})
              .check->check.html == "x.html");
    CHECK(refused({"--check", "--max-leaked-bytes", "1", "--html", "/no/such/x", "--", "a"}) == 2);
}

TEST_CASE("what could only fail at the end is refused at the beginning", "[launcher]") {
    CHECK(refused({}) == 2);
    CHECK(refused({"--report"}) == 2);
    CHECK(refused({"--check", "./test"}) == 2);
    CHECK(refused({"--check", "--max-leaked-bytes", "many", "--", "./test"}) == 2);
    CHECK(refused({"--check", "--", "./test"}) == 2);
    CHECK(refused({"--check", "--baseline", "/no/such/file", "--", "./test"}) == 2);
    CHECK(refused({"--report", "leeks", "--", "./test"}) == 2);
    CHECK(refused({"--report", "leaks", "other.bin", "--", "./test"}) == 2);
    CHECK(refused({"--nonsense", "--", "./test"}) == 2);
    CHECK(refused({"-o", "x.bin"}) == 2);
}
