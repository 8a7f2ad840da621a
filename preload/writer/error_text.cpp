// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/error_text.h"

#include <errno.h>
#include <string.h>

// glibc has it since 2.32. It is weak, so that the shim can be loaded where it is not there.
extern "C" __attribute__((weak)) const char* strerrordesc_np(int) noexcept;

namespace memtrace::preload {
namespace {

struct Named {
    int error;
    const char* text;
};

// What creating and writing a dump meets, in glibc's words.
constexpr Named common[] = {
    {EPERM, "Operation not permitted"},
    {ENOENT, "No such file or directory"},
    {EIO, "Input/output error"},
    {ENOMEM, "Cannot allocate memory"},
    {EACCES, "Permission denied"},
    {EEXIST, "File exists"},
    {ENODEV, "No such device"},
    {ENOTDIR, "Not a directory"},
    {EISDIR, "Is a directory"},
    {EINVAL, "Invalid argument"},
    {ENFILE, "Too many open files in system"},
    {EMFILE, "Too many open files"},
    {ETXTBSY, "Text file busy"},
    {EFBIG, "File too large"},
    {ENOSPC, "No space left on device"},
    {EROFS, "Read-only file system"},
    {ENAMETOOLONG, "File name too long"},
    {ELOOP, "Too many levels of symbolic links"},
    {EOPNOTSUPP, "Operation not supported"},
    {ESTALE, "Stale file handle"},
    {EDQUOT, "Disk quota exceeded"},
};

}  // namespace

ErrorText error_text(int error) {
    ErrorText text;
    const char* known = &strerrordesc_np != nullptr ? strerrordesc_np(error) : nullptr;
    for (const Named& one : common) {
        if (known == nullptr && one.error == error) known = one.text;
    }
    if (known != nullptr) text << known;
    else text << "error " << static_cast<uint64_t>(error);
    return text;
}

}  // namespace memtrace::preload
