// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/output_path.h"

#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

std::string path_for(const char* pattern, bool is_child = false) {
    setenv("MEMTRACE_OUTPUT", pattern, 1);
    Path path;
    make_output_path(path, is_child);
    unsetenv("MEMTRACE_OUTPUT");
    return std::string(path.view());
}

}  // namespace

TEST_CASE("patterns name pid, rank, counter and a percent sign", "[naming]") {
    const std::string pid = std::to_string(getpid());
    CHECK(path_for("/d/%p.bin") == "/d/" + pid + ".bin");
    CHECK(path_for("/d/%n%%.bin") == "/d/1%.bin");
    CHECK(path_for("/d/%r.bin") == "/d/0.bin");
    setenv("RANK", "3", 1);
    CHECK(path_for("/d/%r.bin") == "/d/3.bin");
    unsetenv("RANK");
}

TEST_CASE("a child of a fixed name has its pid behind it", "[naming]") {
    const std::string pid = std::to_string(getpid());
    CHECK(path_for("/d/run.bin", true) == "/d/run.bin." + pid);
    CHECK(path_for("/d/run.%p.bin", true) == "/d/run." + pid + ".bin");
}

TEST_CASE("a relative name starts at the folder of the start", "[naming]") {
    char folder[4096];
    REQUIRE(getcwd(folder, sizeof folder) != nullptr);
    CHECK(path_for("run.bin") == std::string(folder) + "/run.bin");
}

TEST_CASE("only a dump that nobody writes to may be cleared away", "[naming]") {
    const test::TempPath text;
    REQUIRE(truncate(text.path().c_str(), 500) == 0);
    CHECK_FALSE(clear_stale_dump(Path(text.path()), 0));
    CHECK(access(text.path().c_str(), F_OK) == 0);

    setenv("MEMTRACE_OUTPUT", "run.bin", 1);
    const test::TestRecording recording;  // claims to be of another process with our pid
    CHECK(clear_stale_dump(Path(recording.path()), 0));
    CHECK(access(recording.path().c_str(), F_OK) != 0);
    unsetenv("MEMTRACE_OUTPUT");
}
