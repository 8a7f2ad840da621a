// SPDX-License-Identifier: Apache-2.0
//
// Messages are whole lines on standard error that begin with the program's name.
#include "analyzer/base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string written_by(auto&& speak) {
    const Folder place;
    const auto path = place.path / "stderr";
    const int kept = dup(STDERR_FILENO);
    const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
    dup2(file, STDERR_FILENO);
    speak();
    dup2(kept, STDERR_FILENO);
    close(file);
    close(kept);
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

TEST_CASE("errors and notes are said, details only when asked for") {
    const auto speak = [] {
        log_error("a {} is broken");
        log_note("a note");
        log_detail("a detail");
    };
    CHECK(written_by([&] { start_log(false), speak(); }) ==
          "memtrace-report: a {} is broken\nmemtrace-report: a note\n");
    CHECK_THAT(written_by([&] { start_log(true), speak(); }),
               Catch::Matchers::Contains("a detail"));
    start_log(false);
}
