// SPDX-License-Identifier: Apache-2.0
//
// Hooks of dlsym and dlvsym. A program that looks up a function of CUDA's driver receives the hook
// of that function.
//
// The loader finds the caller by the return address of the call; RTLD_NEXT, RTLD_DEFAULT and
// namespaces depend on it. So no frame of the shim may stand between caller and loader. The stubs
// look at the name. Unless it begins with "cu" and an upper-case letter (or with "cup" for CUPTI,
// "cud" for the runtime library), they jump on with all registers unchanged. Only for such a name
// does the shim itself call the loader, and only with a handle, because the answer is then the
// same. Calls with RTLD_NEXT are passed on, with one exception. Libraries that replace dlsym
// themselves find the next definition by dlvsym(RTLD_NEXT, "dlsym", version). With a version, the
// loader passes over the shim's dlsym, which has none. Such a library in front of the shim must
// find the shim's dlsym.
#include <dlfcn.h>

#include "preload/cuda/cuda_library.h"
#include "preload/cuda/cupti_library.h"
#include "preload/gpu/driver_coverage.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/hooks/hook_support.h"
#include "preload/hooks/hooks_cuda.h"
#include "preload/hooks/hooks_cupti.h"
#include "preload/loader/next_dlsym.h"
#include "preload/loader/same_text.h"

using namespace memtrace::preload;
using namespace memtrace::preload::cuda;

// The stubs below, under names that no library in front of the shim has.
extern "C" __attribute__((visibility("hidden"))) void own_dlsym();
extern "C" __attribute__((visibility("hidden"))) void own_dlvsym();

namespace {

// The layout matches a result in two registers.
struct Answer {
    void* function;
    long is_not_ours;
};
constexpr Answer not_ours{nullptr, 1};

// Functions by which a tool starts using CUPTI. A tool that loads CUPTI itself must reach their
// hooks as well.
Answer look_up_in_cupti(void* handle, const char* name, const char* version) {
    void* const hook = cupti::hook_named(name);
    if (hook == nullptr || !driver_hooks_are_wanted()) return not_ours;
    void* const found =
        version == nullptr ? real_dlsym()(handle, name) : real_dlvsym()(handle, name, version);
    if (found == nullptr) return not_ours;  // Repeated, so the error names the caller.
    if (found == hook && cupti::find_in_loaded_cupti(name) == nullptr) {
        return {real_dlsym()(RTLD_NEXT, name), 0};  // Without the shim there would be none.
    }
    return {hook, 0};
}

// The hooks of the runtime library are only for libraries that call these functions by name. A
// caller of dlsym receives the runtime's own function, or nothing if there is no runtime.
Answer look_up_in_runtime(void* handle, const char* name, const char* version) {
    if (version != nullptr) return not_ours;  // The hooks have no version.
    void* const found = real_dlsym()(handle, name);
    if (found == nullptr || !is_own_code(found)) return not_ours;
    return {real_dlsym()(RTLD_NEXT, name), 0};
}

bool is_look_up(const char* name) { return same_text(name, "dlsym") || same_text(name, "dlvsym"); }

}  // namespace

extern "C" {

__attribute__((visibility("hidden"), used)) Answer look_up_in_driver(void* handle, const char* name,
                                                                     const char* version) {
    if (handle == RTLD_NEXT) return not_ours;
    if (name[2] == 'p') return look_up_in_cupti(handle, name, version);
    if (name[2] == 'd') return look_up_in_runtime(handle, name, version);
    const Entry entry = find_spelling(name);
    if (entry == Entry::none) {
        if (seems_to_give_memory(name) && driver_exports(name)) {
            note_uncovered(name, 0);
        }
        return not_ours;
    }
    void* found =
        version == nullptr ? real_dlsym()(handle, name) : real_dlvsym()(handle, name, version);
    if (found == nullptr) return not_ours;  // Repeated, so the error names the caller.
    void* const hook = hook_of(entry);
    if (found == hook && !find_driver()) {
        // Without the shim, there would be no such function, or only a definition behind the shim.
        return {real_dlsym()(RTLD_NEXT, name), 0};
    }
    if (driver_hooks_are_wanted() && find_driver() && found == real_entry(entry)) found = hook;
    return {found, 0};
}

__attribute__((visibility("hidden"), used)) Answer look_up_version(void* handle, const char* name,
                                                                   const char* version,
                                                                   const void* caller) {
    if (handle == RTLD_NEXT && is_look_up(name) && is_in_front_of_us(caller)) {
        return {same_text(name, "dlsym") ? reinterpret_cast<void*>(&own_dlsym)
                                         : reinterpret_cast<void*>(&own_dlvsym),
                0};
    }
    const bool is_of_driver =
        name[0] == 'c' && name[1] == 'u' && ((name[2] >= 'A' && name[2] <= 'Z') || name[2] == 'p');
    return is_of_driver ? look_up_in_driver(handle, name, version) : not_ours;
}

__attribute__((visibility("hidden"), used)) void* find_real_dlsym() {
    return reinterpret_cast<void*>(real_dlsym());
}

__attribute__((visibility("hidden"), used)) void* find_real_dlvsym() {
    return reinterpret_cast<void*>(real_dlvsym());
}
}

// Each stub has its handle in rdi, the name in rsi and the version in rdx (dlvsym only). `filter`
// jumps to 1 if the answer is not ours. `query` passes the remaining arguments and calls the
// function that answers.
#define MEMTRACE_LOOK_UP_STUB(name, filter, query, address, finder)           \
    asm(".text\n.p2align 4\n.globl " name ", own_" name "\n.hidden own_" name \
        "\n"                                                                  \
        ".type " name ", @function\n" name ":\nown_" name                     \
        ":\n"                                                                 \
        ".cfi_startproc\n"                                                    \
        "    endbr64\n"                                                       \
        "    testq %rsi, %rsi\n    je 1f\n" filter                            \
        "    pushq %rdi\n    .cfi_adjust_cfa_offset 8\n"                      \
        "    pushq %rsi\n    .cfi_adjust_cfa_offset 8\n"                      \
        "    pushq %rdx\n    .cfi_adjust_cfa_offset 8\n" query                \
        "    movq %rdx, %rcx\n"                                               \
        "    popq %rdx\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    popq %rsi\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    popq %rdi\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    testq %rcx, %rcx\n    jne 1f\n    ret\n"                         \
        "1:  movq " address                                                   \
        "(%rip), %rax\n"                                                      \
        "    testq %rax, %rax\n    je 2f\n    jmp *%rax\n"                    \
        "2:  pushq %rdi\n    .cfi_adjust_cfa_offset 8\n"                      \
        "    pushq %rsi\n    .cfi_adjust_cfa_offset 8\n"                      \
        "    pushq %rdx\n    .cfi_adjust_cfa_offset 8\n"                      \
        "    call " finder                                                    \
        "\n"                                                                  \
        "    popq %rdx\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    popq %rsi\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    popq %rdi\n    .cfi_adjust_cfa_offset -8\n"                      \
        "    jmp *%rax\n"                                                     \
        ".cfi_endproc\n.size " name ", . - " name "\n")

MEMTRACE_LOOK_UP_STUB("dlsym",
                      "    cmpb $'c', (%rsi)\n    jne 1f\n"
                      "    cmpb $'u', 1(%rsi)\n    jne 1f\n"
                      "    movzbl 2(%rsi), %eax\n    cmpl $'p', %eax\n    je 3f\n"
                      "    cmpl $'d', %eax\n    je 3f\n"
                      "    subl $'A', %eax\n    cmpl $25, %eax\n    ja 1f\n3:\n",
                      "    xorl %edx, %edx\n    call look_up_in_driver\n", "real_dlsym_address",
                      "find_real_dlsym");
MEMTRACE_LOOK_UP_STUB("dlvsym", "", "    movq 24(%rsp), %rcx\n    call look_up_version\n",
                      "real_dlvsym_address", "find_real_dlvsym");
