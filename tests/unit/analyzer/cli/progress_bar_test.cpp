// SPDX-License-Identifier: Apache-2.0
//
// One line that shows how far the work is and how long it will take.
#include "analyzer/cli/progress_bar.h"

#include "analyzer/base/terminal.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the progress bar says how far and how long") {
    CHECK(progress_line("reading", 0.5, 10, 60) ==
          "reading  [============             ]  50 %  10 s left       ");
    CHECK(progress_line("reading", 0, 1, 60).find("left") == std::string::npos);
    CHECK(display_width(progress_line("a name that is long", 1, 1, 30)) <= 30);
}

TEST_CASE("nobody watches: there is nothing to call") {
    ProgressBar bar;
    CHECK(static_cast<bool>(bar.step("reading")) == is_terminal(2));
}
