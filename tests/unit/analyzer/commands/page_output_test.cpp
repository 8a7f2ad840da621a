// SPDX-License-Identifier: Apache-2.0
//
// A page as the output of a command that is not `html`.
#include "analyzer/commands/page_output.h"

#include <fstream>
#include <iterator>

#include "tests/tools/files.h"
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

std::string text_of_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool has_program() { return !page_bundle().script.empty(); }

}  // namespace

TEST_CASE("page_output: a page is of the whole run, with the memory of the command") {
    const Request check = request_of({"check", "a.bin", "--max-leaked-bytes", "1K", "--thread", "t",
                                      "--phase", "step 1..2", "--json", "-"});
    const Request page = page_request(check);
    CHECK(page.command == &command_html);
    CHECK(page.phase.empty());
    CHECK(page.from.empty());
    CHECK(page.to.empty());
    CHECK(page.json.empty());
    CHECK(load_page(page).threads == std::vector<std::string>{"t"});
    CHECK(load_page(page).slices->covers_run);
}

TEST_CASE("page_output: the second dump has a page of its own") {
    CHECK(numbered_path("a/b.html", 1) == "a/b.html");
    CHECK(numbered_path("a/b.html", 2) == "a/b-2.html");
    CHECK(numbered_path("page", 3) == "page-3");
    CHECK(numbered_path(".hidden", 2) == ".hidden-2");
    CHECK(numbered_path("/a.b/c", 2) == "/a.b/c-2");
}

TEST_CASE("page_output: a folder that is not there is said before anything is read") {
    CHECK_NOTHROW(require_folder("--html", "x.html"));
    CHECK_NOTHROW(require_folder("--html", "/tmp/x.html"));
    CHECK_THROWS_WITH(require_folder("--html", "/no/such/x.html"),
                      Contains("--html /no/such/x.html: there is no folder /no/such"));
}

TEST_CASE("page_output: check leaves a page, and it changes no verdict") {
    const memtrace::test::TempFolder place;
    const std::string path = place.file("memory.html");
    const Recording recording = training().recording;
    for (const char* limit : {"--max-leaked-bytes=0", "--max-leaked-bytes=1T"}) {
        const Request plain = request_of({"check", "x", limit});
        const Request with_page = request_of({"check", "x", limit, "--html", path.c_str()});
        const std::unique_ptr<CommandRun> run = start_command(with_page);
        const Reload reload = [](const Request& request) {
            CHECK(request.command == &command_html);
            return training().recording;
        };
        const DumpReport report = run->add(recording, reload);
        CHECK(report.exit_code == output_of(plain, recording).exit_code);
        if (has_program()) CHECK_THAT(text_of_file(path), Contains("<!doctype html>"));
        std::string text;
        report.write_text([&](std::string_view piece) { text += piece; });
        CHECK(has_program() == (text.find(path) != std::string::npos));
        std::remove(path.c_str());
    }
}

TEST_CASE("page_output: a dump that cannot be read twice is judged all the same") {
    const memtrace::test::TempFolder place;
    const std::string path = place.file("memory.html");
    const Recording recording = training().recording;
    const Request request =
        request_of({"check", "x", "--max-leaked-bytes=1T", "--html", path.c_str()});
    const std::unique_ptr<CommandRun> run = start_command(request);
    CHECK(run->add(recording, load_once).exit_code == exit_fine);
    CHECK(is_refused({"check", "x", "--max-leaked-bytes=1T", "--html", "-"}));
}
