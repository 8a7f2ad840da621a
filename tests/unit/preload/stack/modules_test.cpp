// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/modules.h"

#include <dlfcn.h>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/preload/stack/loaded_library.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

uint64_t address_of(const void* place) { return reinterpret_cast<uint64_t>(place); }

int forgotten_modules() {
    static int forgotten;
    forgotten = 0;
    forget_unloaded_modules([](uint64_t, uint64_t) { ++forgotten; });
    return forgotten;
}

}  // namespace

TEST_CASE("an address leads to its module, which the dump then knows", "[modules]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const uint64_t in_libc = address_of(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    const uint32_t libc = find_module(lane, in_libc);
    const uint32_t self = find_module(lane, address_of(reinterpret_cast<void*>(&find_module)));
    CHECK(libc != no_module);
    CHECK(self != libc);
    CHECK(find_module(lane, in_libc + 1) == libc);
    CHECK(find_module(lane, 0x10) == no_module);
    const analyzer::Model model = recording.read();
    const analyzer::ModuleInfo& info = model.stacks.modules.at(libc);
    CHECK(info.path.find("libc.so.6") != std::string::npos);
    CHECK(info.build_id.size() == 20);
    CHECK(info.begin <= in_libc);
    CHECK(in_libc < info.end);
}

TEST_CASE("an unloaded module is forgotten, the others stay", "[modules]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    test::LoadedLibrary library(test::small_library);
    REQUIRE(find_module(lane, library.inside()) != no_module);
    CHECK(forgotten_modules() == 0);
    library.unload();
    CHECK(forgotten_modules() == 1);
    CHECK(find_module(lane, library.inside()) == no_module);
}

TEST_CASE("a library that comes back to its place is the same module", "[modules]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    test::LoadedLibrary first(test::small_library);
    const uint32_t id = find_module(lane, first.inside());
    first.unload();
    forgotten_modules();
    const test::LoadedLibrary again(test::small_library);
    if (again.inside() != first.inside()) {
        WARN("it came to another place: nothing to compare");
        return;
    }
    CHECK(find_module(lane, again.inside()) == id);
}

TEST_CASE("a module that went unseen is found out by what came to its place", "[modules]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    test::LoadedLibrary first(test::small_library);
    const uint32_t id = find_module(lane, first.inside());
    CHECK_FALSE(another_module_is_at(first.inside()));
    first.unload();
    CHECK_FALSE(another_module_is_at(first.inside()));
    const test::LoadedLibrary second(test::other_small_library);
    if (second.inside() != first.inside()) {
        WARN("it came to another place: nothing to compare");
        return;
    }
    CHECK(another_module_is_at(second.inside()));
    CHECK(forgotten_modules() == 1);
    const uint32_t other = find_module(lane, second.inside());
    CHECK(other != id);
    const analyzer::Model model = recording.read();
    CHECK(model.stacks.modules.at(other).path.find(test::other_small_library) != std::string::npos);
}
