// SPDX-License-Identifier: Apache-2.0
//
// Programs that are built with a sanitizer, which has an allocator of its own.
#pragma once

namespace memtrace::preload {

// Returns the name of the sanitizer beside which the shim must stay off, or nullptr:
// ThreadSanitizer sees the shim's accesses without the order that the shim gives them.
const char* excluding_sanitizer();

}  // namespace memtrace::preload
