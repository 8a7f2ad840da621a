// SPDX-License-Identifier: Apache-2.0
//
// Shared memory has pages that a process has not in its page table: another process may have
// written them, or this one through another mapping. The kernel copies no such entry for a forked
// child, either. So the reporter would not see which of these pages there are, and reading one that
// is not there would make it, for the program as well.
#pragma once

#include <string_view>

namespace memtrace::preload {

// Enters all pages that shared memory has into the page table of this process, which is a copy. No
// page is made.
void enter_shared_pages();

// True if a mapping with these rights ("rw-s") and this path may have such pages.
bool may_have_shared_pages(std::string_view access, std::string_view path);

}  // namespace memtrace::preload
