// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/mman.h>

#include "preload/unwind/rule_cache.h"
#include "preload/unwind/unwind_generation.h"
#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_frames.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {
namespace {

constexpr size_t stack_bytes = 256 << 10;

// Two libraries that differ in the size of their function's frame. The loader gives the second the
// addresses of the first.
struct Plugin {
    void* handle = nullptr;
    void* base = nullptr;
    void (*run)(Step*) = nullptr;

    void open(const char* path) {
        handle = dlopen(path, RTLD_NOW);
        run = handle == nullptr ? nullptr
                                : reinterpret_cast<void (*)(Step*)>(dlsym(handle, "truth_plugin"));
        Dl_info info{};
        if (run != nullptr && dladdr(reinterpret_cast<void*>(run), &info) != 0) {
            base = info.dli_fbase;
        }
    }
};

Plugin plugins[2];
bool end_before_the_new_one = false;
// Called from one place, nothing in the stack distinguishes the two libraries.
void (*call_both)(Step* self, Step* first, Step* second, Step* third) = truth_three_sites;

void forget(const Plugin& plugin) {
    const auto base = reinterpret_cast<uint64_t>(plugin.base);
    preload::forget_unwind_rules(base, base + (64 << 10));
}

// Runs on a stack of its own, so the words on the other stack stay.
void replace_plugin(Step* step) {
    preload::begin_unload();
    dlclose(plugins[0].handle);
    if (end_before_the_new_one) {
        forget(plugins[0]);
        preload::end_unload();
    }
    plugins[1].open(TRUTH_PLUGIN_LARGE);
    expect(plugins[1].base == plugins[0].base, "the second library is elsewhere");
    if (plugins[1].base != plugins[0].base) plugins[1].run = truth_nothing;
    step[1].run = plugins[1].run;
}

const Step* small_frame = nullptr;

void expect_stale(Step*) {
    expect(*small_frame->return_slot == reinterpret_cast<uint64_t>(small_frame->return_address),
           "the old return address does not lie on the stack any more");
}

// The frame of the small one, 32 bytes, and two plain ones around it, 16 bytes each, are together
// as large as the frame of the large one. So its call comes to the same place.
TRUTH_SHAPE void meet_both_plugins(char* stack) {
    const Call call(__builtin_return_address(0));
    plugins[0] = plugins[1] = {};
    plugins[0].open(TRUTH_PLUGIN_SMALL);
    expect(plugins[0].run != nullptr, "the library cannot be loaded");
    if (plugins[0].run == nullptr) return;
    Step sites;
    Step plain[2] = {{truth_frame_plain}, {truth_frame_plain}};
    Step small{plugins[0].run};
    Step seen[2] = {{see}, {see}};
    Step elsewhere{truth_frame_elsewhere, reinterpret_cast<uint64_t>(stack + stack_bytes)};
    // replace_plugin() finds the step that is called after it in the next element.
    Step steps[2] = {{replace_plugin}, {}};
    Step& large = steps[1];
    small_frame = &small;
    seen[1].before = expect_stale;
    link({&sites, &plain[0], &plain[1], &small, &seen[0]});
    link({&sites, &elsewhere, &steps[0]});
    link({&sites, &large, &seen[1]});
    call_both(&sites, &plain[0], &elsewhere, &large);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
    if (!end_before_the_new_one) {
        forget(plugins[0]);
        preload::end_unload();
    }
    if (plugins[1].handle != nullptr) {
        preload::begin_unload();
        dlclose(plugins[1].handle);
        forget(plugins[1]);
        preload::end_unload();
    }
}

TRUTH_SHAPE void other_code_at_the_same_address(char* stack) {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    end_before_the_new_one = true;
    meet_both_plugins(stack);
}

// The unload has not ended yet, and another library has been loaded already.
TRUTH_SHAPE void other_code_before_the_unload_is_over(char* stack) {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    end_before_the_new_one = false;
    meet_both_plugins(stack);
}

TRUTH_SHAPE void walks_while_something_unloads() {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    check();
    preload::begin_unload();
    check();
    preload::begin_unload();
    check();
    preload::end_unload();
    check();
    preload::end_unload();
    check();
}

}  // namespace

TRUTH_SHAPE void tell_stories_of_code() {
    const Call call(__builtin_return_address(0));
    void* stack =
        mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(stack != MAP_FAILED, "there is no memory for a stack");
    if (stack == MAP_FAILED) return;
    for (int turn = 0; turn < 4; ++turn) {
        call_both = turn % 2 == 0 ? truth_three_sites : truth_one_site;
        walks_while_something_unloads();
        other_code_at_the_same_address(static_cast<char*>(stack));
        other_code_before_the_unload_is_over(static_cast<char*>(stack));
    }
    munmap(stack, stack_bytes);
}

}  // namespace truth
