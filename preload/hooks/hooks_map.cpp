// SPDX-License-Identifier: Apache-2.0
//
// Hooks of mappings that the program makes itself. Mappings made inside malloc belong to the
// allocator and are not seen here. Sizes are whole pages, as the kernel takes them.
#include <stdarg.h>
#include <sys/mman.h>

#include "memtrace/dump/format.h"
#include "preload/hooks/hook_support.h"
#include "preload/python/python_arenas.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

size_t whole_pages(size_t size) { return (size + page_bytes - 1) & ~(page_bytes - 1); }

MapClass class_of(int protection, int flags) {
    if (protection == PROT_NONE) return MapClass::reserved;
    // MAP_SHARED_VALIDATE has both bits set.
    if ((flags & MAP_TYPE) != MAP_PRIVATE) return MapClass::shared;
    return flags & MAP_ANONYMOUS ? MapClass::anonymous : MapClass::file;
}

MapPurpose purpose_of(size_t size, const void* frame) {
    if (is_inside_driver(frame)) [[unlikely]]
        return MapPurpose::gpu_driver;
    const uint64_t caller = static_cast<const uint64_t*>(frame)[1];
    return is_python_arena(caller, size) ? MapPurpose::python_arena : MapPurpose::unknown;
}

}  // namespace

MEMTRACE_EXPORT void* mmap(void* address, size_t size, int protection, int flags, int fd,
                           off_t offset) {
    void* pages = real_functions().mmap(address, size, protection, flags, fd, offset);
    if (pages != MAP_FAILED && !inside_own_code()) {
        record_map(Api::mmap, pages, whole_pages(size), class_of(protection, flags),
                   purpose_of(size, MEMTRACE_FRAME), MEMTRACE_FRAME);
    }
    return pages;
}

MEMTRACE_EXPORT void* mmap64(void* address, size_t size, int protection, int flags, int fd,
                             off_t offset) {
    void* pages = real_functions().mmap64(address, size, protection, flags, fd, offset);
    if (pages != MAP_FAILED && !inside_own_code()) {
        record_map(Api::mmap64, pages, whole_pages(size), class_of(protection, flags),
                   purpose_of(size, MEMTRACE_FRAME), MEMTRACE_FRAME);
    }
    return pages;
}

MEMTRACE_EXPORT int munmap(void* address, size_t size) {
    const uint64_t time = moment_before();
    const int result = real_functions().munmap(address, size);
    if (result == 0 && !inside_own_code()) {
        record_unmap(time, Api::munmap, address, whole_pages(size));
    }
    return result;
}

MEMTRACE_EXPORT void* mremap(void* old_address, size_t old_size, size_t size, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    void* wanted = flags & MREMAP_FIXED ? va_arg(rest, void*) : nullptr;
    va_end(rest);
    const ResizeStart start = inside_own_code() ? ResizeStart{} : begin_resize(MEMTRACE_FRAME);
    void* pages = real_functions().mremap(old_address, old_size, size, flags, wanted);
    if (pages != MAP_FAILED) {
        record_remap(start, Api::mremap, old_address, whole_pages(old_size), pages,
                     whole_pages(size));
    }
    return pages;
}
