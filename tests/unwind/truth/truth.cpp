// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth.h"

#include <atomic>
#include <cstdio>

#include "preload/unwind/rule_cache.h"

namespace truth {

using preload::StackEnd;
using preload::StackMemo;

constinit thread_local Thread* current = nullptr;

namespace {

constexpr unsigned reports_max = 20;
// The longest way through code that keeps no truth: qsort, raise.
constexpr unsigned unknown_frames_max = 12;

std::atomic<uint64_t> stacks_compared{0};
std::atomic<uint64_t> stacks_wrong{0};
std::atomic<const char*> last_story_wrong{nullptr};
std::atomic<uint64_t> stories_not_set{0};

// The result of a walk. The walker may overwrite its own copy.
struct Walked {
    uint64_t pcs[depth_max];
    memtrace::NodeKind kinds[depth_max];
    uint32_t length = 0;
    StackEnd end = StackEnd::failed;
};

// Innermost first, as in the calls' own view.
void copy(const StackMemo& memo, Walked& walked) {
    walked.length = memo.length;
    walked.end = memo.end;
    for (uint32_t i = 0; i < memo.length; ++i) {
        const preload::StackFrame& frame = memo.frames[memo.length - 1 - i];
        walked.pcs[i] = frame.pc;
        walked.kinds[i] = frame.kind;
    }
}

// Sets ids as the shim does. Returns false if an id of a frame that the walker reports as kept is
// not right.
bool ids_are_right(StackMemo& memo) {
    uint32_t id = static_cast<uint32_t>(memo.end) + 1;
    bool right = true;
    for (uint32_t i = 0; i < memo.length; ++i) {
        const auto pc = static_cast<uint32_t>(memo.frames[i].pc ^ memo.frames[i].pc >> 29);
        id = (id ^ pc ^ static_cast<uint32_t>(memo.frames[i].kind) << 30) * 0x9e3779b1u | 1;
        if (i < memo.kept && memo.numbers[i] != id) right = false;
        memo.numbers[i] = id;
    }
    return right;
}

// Returns false if no cached stack matches.
bool recognise(Thread& thread, const void* frame, Walked& walked) {
    const KnownStack* const known = thread.recogniser.find(frame);
    if (known == nullptr) return false;
    walked.length = known->length;
    walked.end = known->end;
    for (uint32_t i = 0; i < known->length; ++i) {
        walked.pcs[i] = known->frames[i].pc;
        walked.kinds[i] = known->frames[i].kind;
    }
    return true;
}

bool is_unknown(const void* address) { return address == interrupted || address == some_library; }

// Returns nullptr if they agree.
const char* difference(const Walked& walked, const Calls& calls, const void* return_address,
                       uint32_t depth) {
    const bool is_cut = walked.end == StackEnd::depth;
    if (is_cut != (walked.length == depth) && is_cut) return "cut before the limit";
    if (walked.length == 0 || walked.length > depth) return "its length";
    if (walked.pcs[0] != reinterpret_cast<uint64_t>(return_address)) return "the innermost frame";
    uint32_t at = 1;
    for (unsigned i = calls.depth; i-- > 0; ++at) {
        const void* wanted = calls.returns_to[i];
        if (is_unknown(wanted)) {
            const uint32_t first = at;
            if (wanted == interrupted && at < walked.length &&
                walked.kinds[at] != memtrace::NodeKind::entry) {
                return "no mark where the signal came";
            }
            if (i == 0) return nullptr;
            wanted = calls.returns_to[--i];
            while (at < walked.length && at - first < unknown_frames_max &&
                   walked.pcs[at] != reinterpret_cast<uint64_t>(wanted)) {
                ++at;
            }
        }
        if (at == walked.length) return is_cut ? nullptr : "it ends too early";
        if (walked.pcs[at] != reinterpret_cast<uint64_t>(wanted)) return "a frame";
    }
    if (calls.is_rooted && !is_cut && walked.end != StackEnd::complete) return "its end";
    return nullptr;
}

const char* difference(const Walked& memo, const Walked& fresh) {
    if (memo.length != fresh.length) return "its length is not that of a fresh walk";
    if (memo.end != fresh.end) return "its end is not that of a fresh walk";
    for (uint32_t i = 0; i < memo.length; ++i) {
        if (memo.pcs[i] != fresh.pcs[i]) return "a frame is not that of a fresh walk";
        if (memo.kinds[i] != fresh.kinds[i]) return "a mark is not that of a fresh walk";
    }
    return nullptr;
}

void print(const char* title, const Walked& walked) {
    std::fprintf(stderr, "  %s, end %d:", title, static_cast<int>(walked.end));
    for (uint32_t i = 0; i < walked.length; ++i) std::fprintf(stderr, " %lx", walked.pcs[i]);
    std::fprintf(stderr, "\n");
}

void report(const char* why, const Walked& memo, const Walked& fresh, const Calls& calls,
            const void* return_address) {
    stacks_wrong.fetch_add(1);
    // One for each story is enough.
    static std::atomic<unsigned> reports{0};
    if (last_story_wrong.exchange(current->story) == current->story) return;
    if (reports.fetch_add(1) >= reports_max) return;
    flockfile(stderr);
    std::fprintf(stderr, "wrong stack: %s (%s, seed %lu)\n", why, current->story, current->seed);
    print("walked", memo);
    print("fresh ", fresh);
    std::fprintf(stderr, "  truth        : %lx", reinterpret_cast<uint64_t>(return_address));
    for (unsigned i = calls.depth; i-- > 0;) {
        const void* address = calls.returns_to[i];
        if (is_unknown(address)) std::fprintf(stderr, " ...");
        else std::fprintf(stderr, " %lx", reinterpret_cast<uint64_t>(address));
    }
    std::fprintf(stderr, "\n  main is at %p\n", reinterpret_cast<void*>(&result));
    funlockfile(stderr);
}

}  // namespace

void begin_thread(const char* story, uint64_t seed) {
    // Never deleted: destructors of a thread that ends read it last.
    current = new Thread;
    current->story = story;
    current->seed = seed;
}

TRUTH_SHAPE void compare(const void* frame, void* return_address, uint32_t depth) {
    static thread_local Walked walked;
    static thread_local Walked recognised;
    static thread_local Walked fresh;
    Thread& thread = *current;
    // A walker gets its memory for the depth of its first walk.
    static thread_local bool is_prepared = false;
    if (!is_prepared) {
        is_prepared = true;
        thread.walker.walk(frame, depth_max);
        thread.fresh.walk(frame, depth_max);
        thread.walker.forget_thread();
    }
    // In a program all stacks have the same limit.
    const bool may_recognise = depth == depth_max;
    const bool is_recognised = may_recognise && recognise(thread, frame, recognised);
    StackMemo* const memo = thread.walker.walk(frame, depth);
    thread.fresh.forget_thread();
    StackMemo* const other = thread.fresh.walk(frame, depth);
    stacks_compared.fetch_add(1, std::memory_order_relaxed);
    if (memo == nullptr || other == nullptr) return expect(false, "there is no memory");
    copy(*memo, walked);
    copy(*other, fresh);
    const char* why = difference(walked, *thread.calls, return_address, depth);
    if (why == nullptr) why = difference(walked, fresh);
    if (why == nullptr && is_recognised) why = difference(recognised, fresh);
    if (may_recognise && !is_recognised) thread.recogniser.add(frame, *memo);
    if (!ids_are_right(*memo) && why == nullptr) why = "frames said to be kept are others";
    if (why != nullptr) report(why, walked, fresh, *thread.calls, return_address);
}

TRUTH_SHAPE void check(uint32_t depth) {
    compare(__builtin_frame_address(0), __builtin_return_address(0), depth);
    asm volatile("");  // This frame must last until here.
}

void expect(bool condition, const char* what) {
    if (condition) return;
    stories_not_set.fetch_add(1);
    std::fprintf(stderr, "the story did not happen: %s (%s, seed %lu)\n", what, current->story,
                 current->seed);
}

int result() {
    const preload::StackWalker::Counts& counts = current->walker.counts;
    const uint64_t recognised = current->recogniser.found();
    std::printf(
        "%lu stacks compared, %lu wrong; this thread: %lu frames stepped, %lu verified, "
        "%lu mismatches, %lu full steps; %lu stacks known from the cache\n",
        stacks_compared.load(), stacks_wrong.load(), counts.stepped, counts.verified,
        counts.mismatches, counts.full_steps, recognised);
    expect(counts.verified > 0, "the memo was never used");
    expect(recognised > 0, "no stack was known from the cache");
    if (stacks_wrong != 0) return 1;
    return stories_not_set != 0 ? 2 : 0;
}

}  // namespace truth
