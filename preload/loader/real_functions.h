// SPDX-License-Identifier: Apache-2.0
//
// The functions underneath ours: what a call would have reached without us. Found with RTLD_NEXT,
// so that another allocator that is preloaded behind us stays in use. A function that the next
// library does not have is nullptr; hooks then do its work with one that exists.
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
extern Real real;
extern bool real_is_ready;

// Fills `real`. May be called from any hook, by several threads at once, and again.
void find_real_functions();

}  // namespace memtrace::preload
