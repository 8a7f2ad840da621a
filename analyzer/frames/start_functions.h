// SPDX-License-Identifier: Apache-2.0
//
// The functions in which threads start, by name. thread_root.h finds them without names.
#pragma once

#include <string_view>

namespace memtrace::analyzer {

// True for _start, main, clone, start_thread and the like. A stack is complete if its outermost
// frame is one of them.
bool is_start_function(std::string_view name);

// True for functions of libc that only the entry of a program calls (_start).
bool follows_entry(std::string_view name);

}  // namespace memtrace::analyzer
