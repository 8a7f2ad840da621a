// SPDX-License-Identifier: Apache-2.0
//
// Places in which the files of a recorded module are searched, and files that are refused.
#include "analyzer/symbolise/binary_finder.h"

#include "tests/unit/analyzer/symbolise/fixture.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the recorded path comes first, and needs no debug file if it has everything") {
    const Binary found = find_binary(fixture().module, {});
    REQUIRE(found.image != nullptr);
    CHECK(found.image->path() == fixture().module.path);
    CHECK(found.debug == nullptr);
    CHECK(found.rebuilt.empty());
}

TEST_CASE("a debug path may hold copies of binaries, and of debug files") {
    ModuleInfo module = fixture().module;
    module.path = "/nowhere/libfixture.so";
    const Binary copy = find_binary(module, {"", {fixture_folder}, false});
    REQUIRE(copy.image != nullptr);
    CHECK(copy.image->path() == fixture_folder + "/libfixture.so");

    module.path = fixture_folder + "/stripped/libfixture.so";
    const Binary stripped = find_binary(module, {"", {fixture_folder + "/debug"}, false});
    REQUIRE(stripped.debug != nullptr);
    CHECK(stripped.debug->path() == fixture_folder + "/debug/libfixture.so.debug");
}

TEST_CASE("another build is refused and named") {
    ModuleInfo module = fixture().module;
    module.build_id = std::string(20, '\x01');
    const Binary found = find_binary(module, {});
    CHECK(found.image == nullptr);
    CHECK(found.rebuilt == module.path);
}

TEST_CASE("a module without a build-id is taken as it is, but gets no stranger's debug file") {
    ModuleInfo module = fixture().module;
    module.build_id.clear();
    module.path = fixture_folder + "/stripped/libfixture.so";
    const Binary found = find_binary(module, {"", {fixture_folder + "/debug"}, false});
    CHECK(found.image != nullptr);
    CHECK(found.debug == nullptr);
}

TEST_CASE("names that are no paths are not looked up in the current folder") {
    ModuleInfo module;
    for (const char* name : {"", "[vdso]", "linux-vdso.so.1"}) {
        module.path = name;
        CHECK(find_binary(module, {}).image == nullptr);
    }
}

TEST_CASE("of modules that were not found, the first few are named, and none that has no file") {
    CHECK(note_of_missing({}).empty());
    CHECK(note_of_missing({"", "[vdso]", "linux-vdso.so.1"}).empty());
    CHECK(note_of_missing({"/opt/a.so", "[vdso]", "/opt/b.so"}) ==
          "not found here, so shown as offsets: a.so, b.so (--sysroot or --debug-path says where "
          "to look)");
    const std::string many = note_of_missing({"/a", "/b", "/c", "/d", "/e", "/f", "/g"});
    CHECK(many.find(": a, b, c, d, e and 2 more (") != many.npos);
}
