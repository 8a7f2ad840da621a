// SPDX-License-Identifier: Apache-2.0
//
// The shim's Python walker as a library that a Python script loads with ctypes. The script compares
// what only Python can provide (stories*.py). This file checks the invariants of each stack: kept
// frames are those of the previous walk, a walk without memory finds the same frames, and
// evaluation loops follow one another on the C stack.
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cstring>

#include "preload/python/python_codes.h"
#include "preload/python/python_walker.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace memtrace::preload;

namespace {

constexpr uint32_t texts_max = 1u << 20;
constexpr uint32_t text_bytes_max = 256;

struct Text {
    uint32_t first_line;
    uint32_t name_length;
    uint32_t file_length;
    uint32_t lines_length;
    uint8_t name_width;
    uint8_t file_width;
    uint8_t name[text_bytes_max];
    uint8_t file[text_bytes_max];
};

struct Thread {
    PythonWalker walker;
    PythonWalker forgetful;
    uint32_t length;
    PythonFrame last[PythonWalker::depth_max];
    uint32_t ids[PythonWalker::depth_max];
};

__thread Thread* own __attribute__((tls_model("initial-exec")));
Text* texts;
std::atomic<uint64_t> walks;
std::atomic<uint64_t> kept_frames;
std::atomic<uint64_t> seen_frames;
std::atomic<uint64_t> problem_count;
std::atomic<const char*> last_problem{""};

void* pages(size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
}

void expect(bool is_true, const char* otherwise) {
    if (is_true) return;
    problem_count.fetch_add(1);
    last_problem.store(otherwise);
}

void keep_text(const PythonText& from, uint8_t* to, uint32_t& length, uint8_t& width) {
    length = from.length < text_bytes_max ? from.length : text_bytes_max;
    width = from.width;
    std::memcpy(to, from.bytes, length);
}

void define(void*, const PythonCodeText& text) {
    if (text.id >= texts_max) return;
    Text& kept = texts[text.id];
    kept.first_line = text.first_line;
    kept.lines_length = text.lines_length;
    keep_text(text.name, kept.name, kept.name_length, kept.name_width);
    keep_text(text.file, kept.file, kept.file_length, kept.file_width);
}

void check_anchors(const PythonStack& stack) {
    auto inner = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    const bool has_none = python.layout.chain == PythonChain::frame_objects;
    bool is_any = stack.length == 0;
    for (uint32_t i = stack.length; i-- > 0;) {
        const uint64_t anchor = stack.frames[i].anchor;
        if (anchor == PythonFrame::unknown_loop) {
            expect(has_none, "an evaluation loop is unknown");
            is_any = true;
        } else if (anchor != PythonFrame::same_loop) {
            expect(!has_none && anchor > inner && anchor - inner < (uint64_t{1} << 30),
                   "evaluation loops are not in order on the C stack");
            inner = anchor;
            is_any = true;
        }
    }
    expect(is_any || stack.status == PythonStackStatus::truncated, "no evaluation loop at all");
    if (stack.status == PythonStackStatus::ok && stack.length != 0) {
        expect(stack.frames[0].anchor != PythonFrame::same_loop, "the outermost loop is missing");
    }
}

bool is_same(const PythonFrame* a, const PythonFrame* b, uint32_t count) {
    return std::memcmp(static_cast<const void*>(a), b, count * sizeof *a) == 0;
}

PythonStack checked_walk() {
    if (own == nullptr) own = static_cast<Thread*>(pages(sizeof(Thread)));
    const PythonStack stack = own->walker.walk();
    walks.fetch_add(1, std::memory_order_relaxed);
    kept_frames.fetch_add(stack.kept, std::memory_order_relaxed);
    seen_frames.fetch_add(stack.length, std::memory_order_relaxed);
    expect(stack.kept <= own->length && stack.kept <= stack.length &&
               is_same(stack.frames, own->last, stack.kept),
           "frames are said to be kept that were others");
    if (stack.status == PythonStackStatus::ok || stack.status == PythonStackStatus::truncated) {
        check_anchors(stack);
        own->forgetful.forget();
        const PythonStack again = own->forgetful.walk();
        if (again.status != PythonStackStatus::finalizing) {
            expect(again.length == stack.length && again.kept == 0 &&
                       is_same(stack.frames, again.frames, stack.length),
                   "a walk that remembers nothing finds another stack");
        }
    }
    // Kept frames keep their numbers, as in the shim.
    for (uint32_t i = stack.kept; i < stack.length; ++i) {
        own->ids[i] = python_code_id(stack.frames[i].code, define, nullptr);
    }
    own->length = stack.length;
    if (stack.length != 0) {
        std::memcpy(static_cast<void*>(own->last), stack.frames,
                    stack.length * sizeof(PythonFrame));
    }
    return stack;
}

}  // namespace

// 0: none, 1: validating, 2: on, 3: off
EXPORTED int pywalk_state() { return static_cast<int>(python_state()); }
EXPORTED const char* pywalk_why() { return python_why(); }
EXPORTED const char* pywalk_version() { return python.version; }
EXPORTED int pywalk_is_watched() { return FreedCodes::are_watched() ? 1 : 0; }

// Starts with `skew` bytes added to one offset. A wrong offset must be refused.
EXPORTED int pywalk_start(int skew) {
    texts = static_cast<Text*>(pages(sizeof(Text) * texts_max));
    start_python(nullptr);
    python.layout.frame_code += static_cast<uint32_t>(skew);
    return pywalk_state();
}

EXPORTED int pywalk_start_in(void* library) {
    start_python(library);
    return pywalk_state();
}

// Writes status and length, then (code, offset of the instruction in bytes, id) of each frame,
// innermost first.
EXPORTED uint64_t pywalk_walk(int64_t* out, uint64_t frames_max) {
    const PythonStack stack = checked_walk();
    out[0] = static_cast<int64_t>(stack.status);
    out[1] = stack.length;
    int64_t* at = out + 2;
    for (uint32_t i = stack.length; i-- > 0 && frames_max-- > 0;) {
        const PythonFrame& frame = stack.frames[i];
        const uint32_t position = python_position(python.layout, frame.code, frame.instruction);
        *at++ = static_cast<int64_t>(frame.code);
        *at++ = position == 0 ? -1 : (int64_t{position} - 1) * 2;
        *at++ = own->ids[i];
    }
    return stack.length;
}

// Walks repeatedly with only the checks of this file.
EXPORTED uint64_t pywalk_repeat(uint64_t rounds) {
    uint64_t total = 0;
    for (uint64_t i = 0; i < rounds; ++i) total += checked_walk().length;
    return total;
}

EXPORTED uint64_t pywalk_problems() { return problem_count.load(); }
EXPORTED const char* pywalk_last_problem() { return last_problem.load(); }
EXPORTED uint64_t pywalk_walks() { return walks.load(); }
EXPORTED uint64_t pywalk_kept_frames() { return kept_frames.load(); }
EXPORTED uint64_t pywalk_seen_frames() { return seen_frames.load(); }
EXPORTED const Text* pywalk_text(uint64_t id) { return texts + id; }
EXPORTED uint64_t pywalk_codes_bytes() { return python_codes_bytes(); }
EXPORTED void pywalk_forked_child() {
    PythonWalkFlag::lower_all();
    forget_all_python_codes();
    if (own != nullptr) own->walker.forget();
}

// ---- threads that are unknown to Python ---------------------------------------------------------

namespace {

using Callback = void (*)();

void* run_foreign(void* argument) {
    if (argument != nullptr) reinterpret_cast<Callback>(argument)();
    return reinterpret_cast<void*>(static_cast<uintptr_t>(checked_walk().status));
}

}  // namespace

// Returns the status of a walk on a new thread, after the callback if there is one.
EXPORTED int pywalk_on_foreign_thread(Callback callback) {
    pthread_t thread;
    void* status = nullptr;
    if (pthread_create(&thread, nullptr, run_foreign, reinterpret_cast<void*>(callback)) != 0) {
        return -1;
    }
    pthread_join(thread, &status);
    return static_cast<int>(reinterpret_cast<uintptr_t>(status));
}

// ---- the cost of a walk -------------------------------------------------------------------------

// Returns the picoseconds of one unchanged walk.
EXPORTED uint64_t pywalk_cost(uint64_t rounds) {
    if (own == nullptr) own = static_cast<Thread*>(pages(sizeof(Thread)));
    timespec begin, end;
    own->walker.walk();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t changed = 0;
    for (uint64_t i = 0; i < rounds; ++i) {
        const PythonStack stack = own->walker.walk();
        changed += stack.kept != stack.length ? 1 : 0;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    expect(changed == 0, "a stack changed by itself");
    own->length = 0;
    own->walker.forget();
    const int64_t ns = (end.tv_sec - begin.tv_sec) * 1'000'000'000 + end.tv_nsec - begin.tv_nsec;
    return static_cast<uint64_t>(ns) * 1000 / rounds;
}
