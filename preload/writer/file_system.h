// SPDX-License-Identifier: Apache-2.0
//
// Whether rings may lie in the dump's own pages: only where the file system promises that a shared
// page which has its block can always be written.
#pragma once

#include <cstdint>
#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

using FileSystemName = FixedText<64>;

// Returns true if the file system of this number (statfs::f_type) keeps that promise by itself. For
// overlay, the file system below it decides.
bool is_safe_file_system(uint64_t type);

// Returns true if these mounts, as /proc/self/mountinfo lists them, may lie below an overlay and do
// not keep the promise.
bool has_unsafe_mount(std::string_view mounts);

// Returns true if shared pages of this open file are safe. If they are not, appends what a person
// would call the file system to `name`.
bool has_safe_pages(int fd, FileSystemName& name);

}  // namespace memtrace::preload
