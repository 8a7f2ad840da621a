// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/frame_filter.h"

#include <algorithm>
#include <array>
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

constexpr auto plumbing_prefixes =
    std::to_array<std::string_view>({"operator new",
                                     "std::",
                                     "__gnu_cxx::",
                                     "__libc_",
                                     "__cxa_",
                                     "__gthread_",
                                     "_PyObject_Malloc",
                                     "_PyObject_Calloc",
                                     "_PyObject_Realloc",
                                     "_PyMem_",
                                     "PyMem_Raw",
                                     "pymalloc_",
                                     "new_arena",
                                     "allocate_from_new_pool",
                                     "arena_map_",
                                     "gc_alloc",
                                     "_PyObject_GC_New",
                                     "_PyObject_GC_Resize",
                                     "_PyObject_New",
                                     "_PyType_AllocNoTrack",
                                     "PyType_GenericAlloc",
                                     "PyObject_GC_",
                                     "PyObject_Free",
                                     "c10::alloc_cpu",
                                     "c10::DefaultCPUAllocator",
                                     "c10::DefaultMobileCPUAllocator",
                                     "c10::StorageImpl::StorageImpl",
                                     "c10::cuda::CUDACachingAllocator",
                                     "c10::cuda::CUDACachingDeviceAllocator",
                                     "alloc::alloc::",
                                     "alloc::raw_vec::",
                                     "__rust_alloc",
                                     "__rust_realloc",
                                     "__rdl_alloc",
                                     "__rdl_realloc",
                                     "__rg_alloc",
                                     "<alloc::alloc::Global",
                                     "core::alloc::"});

bool is_plumbing_module(std::string_view name) {
    return std::any_of(plumbing_modules.begin(), plumbing_modules.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

bool is_interesting(const Frame& frame) {
    if (frame.kind == FrameKind::cut || frame.kind == FrameKind::gap) return true;
    if (frame.kind == FrameKind::group) return true;
    if (frame.kind == FrameKind::backward) return true;
    // The importing code is interesting, but not the import machinery.
    if (frame.kind == FrameKind::python) return !frame.file.starts_with("<frozen importlib");
    if (is_plumbing_module(base_name(frame.module))) return false;
    if (!frame.named) return true;
    // main is interesting. The functions that only lead to it are not.
    if (frame.function != "main" && is_start_function(frame.function)) return false;
    const std::string name = shorten(frame.function);
    const auto is_name = [&](std::string_view other) { return name == other; };
    const auto is_begin = [&](std::string_view start) { return name.starts_with(start); };
    return std::none_of(plumbing_functions.begin(), plumbing_functions.end(), is_name) &&
           std::none_of(plumbing_prefixes.begin(), plumbing_prefixes.end(), is_begin);
}

}  // namespace memtrace::analyzer
