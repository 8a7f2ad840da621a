// SPDX-License-Identifier: Apache-2.0
#include "preload/modules.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "tests/unit/preload/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

uint64_t address_of(void* symbol) { return reinterpret_cast<uint64_t>(symbol); }

}  // namespace

TEST_CASE("an address leads to its module, which the dump then knows", "[modules]") {
    const test::TestRecording recording;
    Lane& lane = *Lane::of_this_thread();
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
    Lane& lane = *Lane::of_this_thread();
    void* library = dlopen("libutil.so.1", RTLD_NOW);
    if (library == nullptr) {
        WARN("libutil.so.1 is not there: nothing to unload");
        return;
    }
    const uint64_t inside = address_of(dlsym(library, "openpty"));
    find_module(lane, inside);
    static int forgotten;
    forgotten = 0;
    forget_unloaded_modules([](uint64_t, uint64_t) { ++forgotten; });
    CHECK(forgotten == 0);
    dlclose(library);
    dl_find_object found;
    const bool gone = _dl_find_object(reinterpret_cast<void*>(inside), &found) != 0;
    forget_unloaded_modules([](uint64_t, uint64_t) { ++forgotten; });
    CHECK(forgotten == (gone ? 1 : 0));
}
