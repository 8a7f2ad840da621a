// SPDX-License-Identifier: Apache-2.0
#include "bench/unwind/unwind_captures.h"

#include <dlfcn.h>
#include <unwind.h>

#include "preload/stack/stack_table.h"

namespace memtrace::bench {
namespace {

using preload::StackMemo;

int (*unw_backtrace)(void** frames, int count);

// Returns the id of a stack. `frame(i)` is the i-th frame, counted from the outermost.
template <class Frame>
uint32_t name_stack(Capturing& run, uint32_t length, Frame frame) {
    LastStack& last = run.last;
    uint32_t same = 0;
    while (same < length && same < last.length && last.frames[same] == frame(same)) ++same;
    uint32_t id = same == 0 ? no_stack : last.ids[same - 1];
    uint64_t path = same == 0 ? 0 : last.paths[same - 1];
    for (uint32_t i = same; i < length; ++i) {
        last.frames[i] = frame(i);
        path = preload::stack_hash(path, last.frames[i], NodeKind::native);
        id = preload::find_or_add_node(*run.lane, id, last.frames[i], NodeKind::native, path);
        last.ids[i] = id;
        last.paths[i] = path;
    }
    last.length = length;
    return id;
}

// Returns the id of the `count` frames of run.found, without the frames inside the site.
uint32_t name_found(Capturing& run, uint32_t count, const void* caller) {
    uint32_t first = 0;
    while (first < count && run.found[first] != caller) ++first;
    while (count > first && run.found[count - 1] == nullptr) --count;
    return name_stack(run, count - first, [&](uint32_t i) {
        return reinterpret_cast<uint64_t>(run.found[count - 1 - i]);
    });
}

struct Found {
    void** frames;
    uint32_t count;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* out) {
    auto& found = *static_cast<Found*>(out);
    if (found.count == depth_max) return _URC_END_OF_STACK;
    found.frames[found.count++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

// ---- sites --------------------------------------------------------------------------------------

Capturing& of(Run& run) { return static_cast<Capturing&>(run); }

// The cost of the calls alone. It is subtracted from all other sites.
void site_of_nothing(Run&) {}

void site_of_memtrace(Run& run) {
    of(run).id = of(run).lane->capture_stack(__builtin_frame_address(0));
}

// The reference for the other unwinders.
void site_of_memo_walk(Run& run) {
    const StackMemo* memo = of(run).walker->walk(__builtin_frame_address(0), depth_max);
    of(run).id = name_stack(of(run), memo->length, [&](uint32_t i) { return memo->frames[i].pc; });
}

// A truncated stack is not remembered. With one frame left over, each walk starts anew.
void site_of_table_walk(Run& run) {
    const StackMemo* memo = of(run).walker->walk(__builtin_frame_address(0), of(run).depth);
    of(run).id = name_stack(of(run), memo->length, [&](uint32_t i) { return memo->frames[i].pc; });
}

void site_of_libunwind(Run& run) {
    const int count = unw_backtrace(of(run).found, depth_max);
    of(run).id = name_found(of(run), static_cast<uint32_t>(count), __builtin_return_address(0));
}

void site_of_libgcc(Run& run) {
    Found found{of(run).found, 0};
    _Unwind_Backtrace(add_frame, &found);
    of(run).id = name_found(of(run), found.count, __builtin_return_address(0));
}

}  // namespace

const Capture captures[captures_count] = {
    {"nothing", site_of_nothing, nullptr, false},
    {"memtrace", site_of_memtrace, site_of_memtrace, false},
    {"table_walk", site_of_table_walk, nullptr, true},
    {"unw_backtrace", site_of_libunwind, site_of_memo_walk, false},
    {"Unwind_Backtrace", site_of_libgcc, site_of_memo_walk, false},
};

// dlopen() instead of linking, because the library exports the names of the C++ runtime.
bool open_libunwind() {
    void* const library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    unw_backtrace = reinterpret_cast<int (*)(void**, int)>(dlsym(library, "unw_backtrace"));
    return unw_backtrace != nullptr;
}

uint32_t count_frames(preload::StackWalker& walker, const void* frame) {
    const StackMemo* const memo = walker.walk(frame, depth_max);
    return memo == nullptr || memo->end != preload::StackEnd::complete ? 0 : memo->length;
}

}  // namespace memtrace::bench
