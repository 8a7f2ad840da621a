// SPDX-License-Identifier: Apache-2.0
#include "launcher/environment.h"

#include <cstdlib>
#include <filesystem>

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("the shim stands in front of what is preloaded already", "[launcher]") {
    CHECK(preload_list("", "/m/libmemtrace.so") == "/m/libmemtrace.so");
    CHECK(preload_list("liba.so /b/libb.so", "/m/libmemtrace.so") ==
          "/m/libmemtrace.so:liba.so:/b/libb.so");
}

TEST_CASE("a shim that is there already makes room", "[launcher]") {
    CHECK(preload_list("/old/libmemtrace.so:liba.so", "/m/libmemtrace.so") ==
          "/m/libmemtrace.so:liba.so");
    CHECK(list_without_shim("/old/libmemtrace.so:liba.so") == "liba.so");
    CHECK(list_without_shim("/old/libmemtrace.so") == "");
    CHECK(names_shim("liba.so:/old/libmemtrace.so"));
    CHECK_FALSE(names_shim("/libmemtrace.so.d/liba.so"));
    CHECK_FALSE(names_shim(""));
}

TEST_CASE("MEMTRACE_LIBRARY names the shim, and must name a file", "[launcher]") {
    setenv("MEMTRACE_LIBRARY", "/no/such/libmemtrace.so", 1);
    CHECK_THROWS_AS(find_shim(), memtrace::analyzer::Error);
    setenv("MEMTRACE_LIBRARY", "/proc/self/exe", 1);
    CHECK(find_shim().ends_with("memtrace-unit-tests"));
    unsetenv("MEMTRACE_LIBRARY");
}

TEST_CASE("the folder of this program is known", "[launcher]") {
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    CHECK(own_folder() == self.parent_path().string());
}
