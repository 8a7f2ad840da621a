// SPDX-License-Identifier: Apache-2.0
//
// The real functions, which a call would have reached without the shim. They are found with
// RTLD_NEXT, so that another allocator preloaded behind the shim stays in use. A function that the
// next library does not have is nullptr. Its hook then uses a function that exists.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/types.h>

namespace memtrace::preload {

struct Real {
#define MEMTRACE_REAL(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
#include "preload/loader/real_functions.def"
};
[[gnu::visibility("hidden")]] extern Real real;
extern bool real_is_ready;

// Fills `real`. May be called from any hook, by several threads at once, and repeatedly.
void find_real_functions();

}  // namespace memtrace::preload
