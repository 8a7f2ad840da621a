// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/frame_filter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/base/paths.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/frames/start_functions.h"

namespace memtrace::analyzer {

namespace {

// Libraries that are allocators or only pass calls on.
constexpr auto plumbing_modules = std::to_array<std::string_view>(
    {"libc.so",     "libc-2",      "libstdc++.so", "libc++.so", "libc++abi.so", "ld-linux",
     "ld-2",        "ld-musl",     "libpthread",   "libdl.so",  "libmemtrace",  "libgcc_s",
     "libjemalloc", "libtcmalloc", "libmimalloc",  "librt.so",  "linux-vdso",   "[vdso]",
     "libcuda.so",  "libcudart",   "libcupti"});

// Functions that allocate for their callers, in any module.
constexpr auto plumbing_functions =
    std::to_array<std::string_view>({"execute_native_thread_routine",
                                     "malloc",
                                     "calloc",
                                     "realloc",
                                     "reallocarray",
                                     "posix_memalign",
                                     "memalign",
                                     "aligned_alloc",
                                     "valloc",
                                     "pvalloc",
                                     "strdup",
                                     "mmap",
                                     "mmap64",
                                     "mremap",
                                     "xmalloc",
                                     "xcalloc",
                                     "xrealloc",
                                     "PyObject_Malloc",
                                     "PyObject_Calloc",
                                     "PyObject_Realloc",
                                     "PyMem_Malloc",
                                     "PyMem_Calloc",
                                     "PyMem_Realloc",
                                     "PyMem_RawMalloc",
                                     "PyMem_RawCalloc"});

constexpr auto plumbing_prefixes = std::to_array<std::string_view>(
    {"operator new", "std::", "__gnu_cxx::", "__libc_", "__cxa_", "__gthread_",
     // of namespace std: names that no demangler reads, as of generic lambdas in C++20
     "_ZSt", "_ZNSt", "_ZNKSt", "_ZZSt", "_ZZNSt", "_ZZNKSt",
     // of a libstdc++ that is linked into the program
     "_GLOBAL__sub_I_eh_alloc.cc", "_GLOBAL__sub_I__ZN9__gnu_cxx9__freeresEv", "_PyObject_Malloc",
     "_PyObject_Calloc", "_PyObject_Realloc", "_PyMem_", "PyMem_Raw", "pymalloc_", "new_arena",
     "allocate_from_new_pool", "arena_map_", "gc_alloc", "_PyObject_GC_New", "_PyObject_GC_Resize",
     "_PyObject_New", "_PyType_AllocNoTrack", "PyType_GenericAlloc", "PyObject_GC_",
     "PyObject_Free", "c10::alloc_cpu", "c10::DefaultCPUAllocator",
     "c10::DefaultMobileCPUAllocator", "c10::StorageImpl::StorageImpl",
     "c10::cuda::CUDACachingAllocator", "c10::cuda::CUDACachingDeviceAllocator",
     "alloc::alloc::", "alloc::raw_vec::", "__rust_alloc", "__rust_realloc", "__rdl_alloc",
     "__rdl_realloc", "__rg_alloc", "<alloc::alloc::Global", "core::alloc::"});

// By character: some name of the two lists begins with it.
constexpr auto plumbing_initials = [] {
    std::array<bool, 256> initials{};
    for (const std::string_view name : plumbing_functions) {
        initials[static_cast<uint8_t>(name[0])] = true;
    }
    for (const std::string_view start : plumbing_prefixes) {
        initials[static_cast<uint8_t>(start[0])] = true;
    }
    return initials;
}();

// By character: guess_plumbing() must look at it.
constexpr auto has_meaning = [] {
    std::array<bool, 256> found{};
    for (const char c : std::string_view("()<>[]{}o *&")) found[static_cast<uint8_t>(c)] = true;
    return found;
}();

bool has_plumbing_prefix(std::string_view name) {
    if (name.empty() || !plumbing_initials[static_cast<uint8_t>(name[0])]) return false;
    return std::any_of(plumbing_prefixes.begin(), plumbing_prefixes.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

bool is_plumbing_function(std::string_view name) {
    return has_plumbing_prefix(name) ||
           std::find(plumbing_functions.begin(), plumbing_functions.end(), name) !=
               plumbing_functions.end();
}

enum class Guess { no, yes, unsure };

// True if a name that begins like this may become a plumbing function's when it is shortened.
// Shortening also removes the versions of namespaces, as in "c10::__1::alloc_cpu".
bool may_become_plumbing(std::string_view rest) {
    if (!plumbing_initials[static_cast<uint8_t>(rest[0])]) return false;
    const std::string_view head = rest.substr(0, std::min(rest.find('<'), rest.find('(')));
    const bool has_version = head.find("::__") != head.npos || head.find("::_V2::") != head.npos;
    const auto is_begin = [&](std::string_view start) {
        return rest.starts_with(has_version ? start.substr(0, start.find("::")) : start);
    };
    return std::any_of(plumbing_prefixes.begin(), plumbing_prefixes.end(), is_begin) ||
           std::any_of(plumbing_functions.begin(), plumbing_functions.end(), is_begin);
}

// True if what is behind a space, outside of brackets, may belong to the name before the space and
// not be a name of its own: "f(int) const volatile", "f [clone .cold]", "A::operator bool".
bool may_be_no_name(std::string_view before, std::string_view rest) {
    static constexpr auto others =
        std::to_array<std::string_view>({"const", "volatile", "&", "[", "as "});
    return before.ends_with("operator") ||
           std::any_of(others.begin(), others.end(),
                       [&](std::string_view other) { return rest.starts_with(other); });
}

// Guesses without shortening the name, which takes much longer. Shortening removes brackets, and
// what is before the function's name: its result begins where the name begins, or behind a space
// outside brackets.
Guess guess_plumbing(std::string_view name) {
    if (name.empty()) return Guess::no;
    const bool has_prefix = has_plumbing_prefix(name) && !name.starts_with("__gnu_cxx");
    if (!has_prefix && may_become_plumbing(name)) return Guess::unsure;
    // Behind a space some function begins, and the name before is its type; or it may be so.
    bool is_type = false, may_be_type = false;
    int depth = 0;
    for (size_t at = 0; at < name.size(); ++at) {
        const char c = name[at];
        if (!has_meaning[static_cast<uint8_t>(c)]) continue;
        const char before = at == 0 ? 0 : name[at - 1];
        const std::string_view rest = name.substr(at + 1);
        if (c == '(' || c == '<' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}' || (c == '>' && before != '-')) {
            if (--depth < 0) return Guess::unsure;
        } else if (c == 'o') {
            // The brackets of such names are not brackets.
            if (rest.starts_with("perator<") || rest.starts_with("perator>") ||
                rest.starts_with("perator-")) {
                return Guess::unsure;
            }
        } else if (depth == 0 && c != '>') {  // a space, '*' or '&'
            if (!rest.empty() && may_become_plumbing(rest)) return Guess::unsure;
            if (c != ' ' || before == ')') continue;
            if (may_be_no_name(name.substr(0, at), rest)) may_be_type = true;
            else is_type = true;
        }
    }
    if (!has_prefix) return Guess::no;
    if (may_be_type) return Guess::unsure;
    return is_type ? Guess::no : Guess::yes;
}

}  // namespace

bool is_plumbing_module(std::string_view path) {
    const std::string name = base_name(path);
    return std::any_of(plumbing_modules.begin(), plumbing_modules.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

bool is_interesting(const Frame& frame) {
    if (frame.kind == FrameKind::cut || frame.kind == FrameKind::gap) return true;
    if (frame.kind == FrameKind::group) return true;
    if (frame.kind == FrameKind::backward) return true;
    // The importing code is interesting, but not the import machinery.
    if (frame.kind == FrameKind::python) return !frame.file.starts_with("<frozen importlib");
    if (is_plumbing_module(frame.module)) return false;
    if (!frame.named) return true;
    // main is interesting. The functions that only lead to it are not.
    if (frame.function != "main" && is_start_function(frame.function)) return false;
    const Guess guess = guess_plumbing(frame.function);
    if (guess == Guess::unsure) return !is_plumbing_function(shorten(frame.function));
    return guess == Guess::no;
}

}  // namespace memtrace::analyzer
