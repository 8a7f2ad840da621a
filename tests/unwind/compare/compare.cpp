// SPDX-License-Identifier: Apache-2.0
//
// A library to preload: at each allocation it finds the stack five ways and compares.
//
//   memo        the walker with its memory, as the shim uses it
//   recognised  a cached stack, where there is one, as the shim recognises stacks that come again
//   plain       the walker without memory: every frame from the unwind tables
//   libunwind   unw_step() from a fresh cursor; unw_backtrace() has a memory of its own
//   libgcc      _Unwind_Backtrace()
//
// The first three must agree in everything. The two others must agree with them up to the first
// frame without unwind data; beyond that every unwinder guesses in its own way.
//
// MEMTRACE_COMPARE_OUTPUT names a file of counters (struct Counts) that all processes of a run
// share; compare_run.py reads it. MEMTRACE_COMPARE_EVERY=N calls the two slow unwinders at every
// Nth allocation only; 1 if absent. The first ten mismatches are also written to stderr.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "preload/base/sys.h"
#include "preload/unwind/rule_cache.h"
#include "preload/unwind/unwind_generation.h"
#include "tests/unwind/truth/truth_recognise.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

struct Counts {
    std::atomic<uint64_t> stacks;      // memo against plain
    std::atomic<uint64_t> recognised;  // of these, found in the stack cache
    std::atomic<uint64_t> asked;       // of these, compared with the two others as well
    std::atomic<uint64_t> frames;
    std::atomic<uint64_t> verified;  // frames that the memo had and compared
    std::atomic<uint64_t> mismatches_recognised, mismatches_plain, mismatches_libunwind,
        mismatches_libgcc;
    std::atomic<uint64_t> complete, guessed, no_data, failed, depth;  // how the stacks ended
};
// What one unwinder found.
constexpr uint32_t depth_max = 2048;
struct Stack {
    uint64_t pcs[depth_max];  // innermost first
    uint32_t length = 0;
};

Counts own_counts;
Counts* counts = &own_counts;
uint64_t every = 1;

// ---- the functions underneath ------------------------------------------------------------------

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
auto* real_malloc = static_cast<void* (*)(size_t)>(nullptr);
auto* real_calloc = static_cast<void* (*)(size_t, size_t)>(nullptr);
auto* real_realloc = static_cast<void* (*)(void*, size_t)>(nullptr);
auto* real_posix_memalign = static_cast<int (*)(void**, size_t, size_t)>(nullptr);
auto* real_aligned_alloc = static_cast<void* (*)(size_t, size_t)>(nullptr);
auto* real_dlclose = static_cast<int (*)(void*)>(nullptr);

// What dlsym() and the unwinders allocate before and during a comparison; never freed.
alignas(16) char early_bytes[1 << 20];
std::atomic<size_t> early_used;
void* allocate_early(size_t size) {
    const size_t place = early_used.fetch_add((size + 31) & ~size_t{15});
    return place + size > sizeof early_bytes ? nullptr : early_bytes + place;
}
bool is_early(const void* block) {
    return block >= early_bytes && block < early_bytes + sizeof early_bytes;
}

// ---- libunwind, opened and not linked: it exports the names of the C++ runtime ------------------

int (*unw_get_context)(ucontext_t*);
int (*unw_init)(void* cursor, ucontext_t*);
int (*unw_next)(void* cursor);
int (*unw_register)(void* cursor, int number, uint64_t* value);
void (*unw_flush)(void* space, uint64_t low, uint64_t high);
void* unw_space;
constexpr int unw_instruction_pointer = 16;

bool open_libunwind() {
    void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [library](auto*& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    void** space = nullptr;
    const bool found = find(unw_get_context, "_Ux86_64_getcontext") &&
                       find(unw_init, "_ULx86_64_init_local") && find(unw_next, "_ULx86_64_step") &&
                       find(unw_register, "_ULx86_64_get_reg") &&
                       find(unw_flush, "_Ux86_64_flush_cache");
    space = reinterpret_cast<void**>(dlsym(library, "_ULx86_64_local_addr_space"));
    if (space != nullptr) unw_space = *space;
    return found && space != nullptr;
}
bool has_libunwind;

// ---- one thread ---------------------------------------------------------------------------------

struct Thread {
    StackWalker memo;
    truth::Recogniser recogniser;
    StackWalker plain;
    Stack other;
    uint64_t turn = 0;
};
__thread Thread* thread __attribute__((tls_model("initial-exec")));
__thread bool inside __attribute__((tls_model("initial-exec")));
bool ready;

Thread* this_thread() {
    if (thread != nullptr) return thread;
    void* memory = sys::map_private(sizeof(Thread));
    return memory == nullptr ? nullptr : thread = new (memory) Thread;
}

// Drops the frames inside the hook, so the stack begins with the hook's caller.
void begin_at(Stack& stack, uint64_t caller) {
    uint32_t first = 0;
    while (first < stack.length && stack.pcs[first] != caller) ++first;
    for (uint32_t i = first; i < stack.length; ++i) stack.pcs[i - first] = stack.pcs[i];
    stack.length -= first;
    while (stack.length > 0 && stack.pcs[stack.length - 1] == 0) --stack.length;
}

__attribute__((noinline)) void walk_with_libunwind(Stack& stack) {
    ucontext_t context;
    alignas(16) uint64_t cursor[128];
    stack.length = 0;
    if (unw_get_context(&context) != 0 || unw_init(cursor, &context) != 0) return;
    do {
        uint64_t pc = 0;
        if (unw_register(cursor, unw_instruction_pointer, &pc) != 0) return;
        stack.pcs[stack.length++] = pc;
    } while (stack.length < depth_max && unw_next(cursor) > 0);
}

__attribute__((noinline)) void walk_with_libgcc(Stack& stack) {
    stack.length = 0;
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* out) {
            auto& found = *static_cast<Stack*>(out);
            if (found.length == depth_max) return _URC_END_OF_STACK;
            found.pcs[found.length++] = _Unwind_GetIP(context);
            return _URC_NO_REASON;
        },
        &stack);
}

// ---- comparison ---------------------------------------------------------------------------------

void print_stack(const char* name, const uint64_t* pcs, uint32_t length) {
    fprintf(stderr, "  %s (%u):", name, length);
    for (uint32_t i = 0; i < length && i < 200; ++i) {
        Dl_info where;
        const bool known = dladdr(reinterpret_cast<void*>(pcs[i]), &where) != 0;
        const char* file = known && where.dli_fname != nullptr ? where.dli_fname : "?";
        for (const char* c = file; *c != 0; ++c) {
            if (*c == '/') file = c + 1;
        }
        fprintf(stderr, " %s+%#lx(%s)", file,
                known ? pcs[i] - reinterpret_cast<uint64_t>(where.dli_fbase) : pcs[i],
                known && where.dli_sname != nullptr ? where.dli_sname : "");
    }
    fputc('\n', stderr);
}

void report(const char* whose, std::atomic<uint64_t>& mismatches, const Stack& ours,
            const uint64_t* pcs, uint32_t length) {
    if (mismatches.fetch_add(1) >= 10) return;
    fprintf(stderr, "compare: memo and %s differ in process %d\n", whose, getpid());
    print_stack("memo", ours.pcs, ours.length);
    print_stack(whose, pcs, length);
}

// Returns true if another unwinder found the same, up to where every unwinder guesses.
bool agrees(const Stack& ours, uint32_t certain, bool is_complete, const Stack& other) {
    if (other.length < certain || (is_complete && other.length != certain)) return false;
    for (uint32_t i = 0; i < certain; ++i) {
        if (ours.pcs[i] != other.pcs[i]) return false;
    }
    return true;
}

void count_end(const StackMemo& memo) {
    switch (memo.end) {
        case StackEnd::complete: ++counts->complete; break;
        case StackEnd::depth: ++counts->depth; break;
        case StackEnd::no_data: ++counts->no_data; break;
        case StackEnd::failed: ++counts->failed; break;
    }
}

void compare_recognised(Thread& own, const truth::KnownStack& known, const StackMemo& memo,
                        const Stack& ours) {
    counts->recognised.fetch_add(1, std::memory_order_relaxed);
    if (known.is(memo)) return;
    own.other.length = known.length;
    for (uint32_t i = 0; i < known.length; ++i) own.other.pcs[i] = known.frames[i].pc;
    report("recognised", counts->mismatches_recognised, ours, own.other.pcs, own.other.length);
}

void compare(Thread& own, const void* frame) {
    const truth::KnownStack* const known = own.recogniser.find(frame);
    const uint64_t verified_before = own.memo.counts.verified;
    StackMemo* memo = own.memo.walk(frame, depth_max);
    if (memo == nullptr) return;
    static thread_local Stack ours;  // of this library: initial-exec, no allocation
    ours.length = memo->length;
    uint32_t certain = memo->length;  // frames before the first that was guessed
    for (uint32_t i = 0; i < memo->length; ++i) {
        ours.pcs[i] = memo->frames[memo->length - 1 - i].pc;
        if (memo->frames[i].kind == NodeKind::guessed) certain = memo->length - i;
    }
    counts->stacks.fetch_add(1, std::memory_order_relaxed);
    counts->frames.fetch_add(memo->length, std::memory_order_relaxed);
    counts->verified.fetch_add(own.memo.counts.verified - verified_before,
                               std::memory_order_relaxed);
    count_end(*memo);
    if (certain != memo->length) ++counts->guessed;
    if (known != nullptr) compare_recognised(own, *known, *memo, ours);
    else own.recogniser.add(frame, *memo);
    const StackEnd end = memo->end;
    // The others have the same limit, and this library's frames count in it as well.
    if (end == StackEnd::depth) certain -= 16;

    own.plain.forget_thread();
    const StackMemo* plain = own.plain.walk(frame, depth_max);
    bool same = plain != nullptr && plain->length == ours.length && plain->end == end;
    for (uint32_t i = 0; same && i < ours.length; ++i) {
        same = plain->frames[plain->length - 1 - i].pc == ours.pcs[i];
    }
    if (!same && plain != nullptr) {
        Stack& other = own.other;
        other.length = plain->length;
        for (uint32_t i = 0; i < other.length; ++i) {
            other.pcs[i] = plain->frames[other.length - 1 - i].pc;
        }
        report("plain", counts->mismatches_plain, ours, other.pcs, other.length);
    }

    if (own.turn++ % every != 0) return;
    counts->asked.fetch_add(1, std::memory_order_relaxed);
    // Where the tables end in code without unwind data, the others may guess on.
    const bool is_whole = end == StackEnd::complete && certain == ours.length;
    Stack& other = own.other;
    walk_with_libgcc(other);
    begin_at(other, ours.pcs[0]);
    if (!agrees(ours, certain, is_whole, other)) {
        report("libgcc", counts->mismatches_libgcc, ours, other.pcs, other.length);
    }
    if (!has_libunwind) return;
    walk_with_libunwind(other);
    begin_at(other, ours.pcs[0]);
    if (!agrees(ours, certain, is_whole, other)) {
        report("libunwind", counts->mismatches_libunwind, ours, other.pcs, other.length);
    }
}

// The library itself allocates nothing through the hooks, but libunwind may.
void look(const void* frame) {
    if (!ready || inside) return;
    inside = true;
    const int error = errno;
    if (Thread* own = this_thread()) compare(*own, frame);
    errno = error;
    inside = false;
}

void find_real_functions() {
    if (real_malloc != nullptr) return;
    inside = true;
    real_calloc = next<void*(size_t, size_t)>("calloc");
    real_realloc = next<void*(void*, size_t)>("realloc");
    real_posix_memalign = next<int(void**, size_t, size_t)>("posix_memalign");
    real_aligned_alloc = next<void*(size_t, size_t)>("aligned_alloc");
    real_dlclose = next<int(void*)>("dlclose");
    real_malloc = next<void*(size_t)>("malloc");
    inside = false;
}

__attribute__((constructor)) void start() {
    find_real_functions();
    inside = true;
    has_libunwind = open_libunwind();
    if (!has_libunwind) fputs("compare: no libunwind.so.8 here; libgcc only\n", stderr);
    if (const char* number = getenv("MEMTRACE_COMPARE_EVERY")) every = strtoul(number, nullptr, 10);
    if (every == 0) every = 1;
    if (const char* path = getenv("MEMTRACE_COMPARE_OUTPUT")) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        void* shared = MAP_FAILED;
        if (fd >= 0 && ftruncate(fd, sizeof(Counts)) == 0) {
            shared = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        }
        if (fd >= 0) close(fd);
        if (shared != MAP_FAILED) counts = static_cast<Counts*>(shared);
        else fprintf(stderr, "compare: cannot write %s\n", path);
    }
    // The first walks allocate and cache inside the two libraries.
    static Stack warm;
    walk_with_libgcc(warm);
    if (has_libunwind) walk_with_libunwind(warm);
    inside = false;
    ready = true;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FRAME __builtin_frame_address(0)

EXPORT void* malloc(size_t size) {
    if (real_malloc == nullptr) {
        if (inside) return allocate_early(size);
        find_real_functions();
    }
    void* block = real_malloc(size);
    look(FRAME);
    return block;
}
EXPORT void* calloc(size_t count, size_t size) {
    if (real_malloc == nullptr) {
        if (inside) return allocate_early(count * size);
        find_real_functions();
    }
    void* block = real_calloc(count, size);
    look(FRAME);
    return block;
}
EXPORT void* realloc(void* old_block, size_t size) {
    if (real_malloc == nullptr) {
        if (inside) return allocate_early(size);
        find_real_functions();
    }
    void* block = real_realloc(is_early(old_block) ? nullptr : old_block, size);
    look(FRAME);
    return block;
}
EXPORT void free(void* block) {
    static void (*real_free)(void*) = nullptr;
    if (block == nullptr || is_early(block)) return;
    if (real_free == nullptr) real_free = next<void(void*)>("free");
    real_free(block);
}
EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
    find_real_functions();
    const int error = real_posix_memalign(out, alignment, size);
    look(FRAME);
    return error;
}
EXPORT void* aligned_alloc(size_t alignment, size_t size) {
    find_real_functions();
    void* block = real_aligned_alloc(alignment, size);
    look(FRAME);
    return block;
}
EXPORT int dlclose(void* library) {
    find_real_functions();
    begin_unload();
    const int result = real_dlclose(library);
    forget_unwind_rules(0, ~uint64_t{0});
    if (unw_flush != nullptr) unw_flush(unw_space, 0, 0);
    end_unload();
    return result;
}
