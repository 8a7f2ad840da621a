// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/start_functions.h"

#include <algorithm>
#include <array>

namespace memtrace::analyzer {

bool is_start_function(std::string_view name) {
    static constexpr auto names = std::to_array<std::string_view>(
        {"_start", "main", "__libc_start_main", "__libc_start_main_impl", "_dl_start", "clone",
         "__clone", "clone3", "__libc_start_call_main", "_dl_start_user", "__clone3",
         "start_thread", "thread_start", "__start_context"});
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool follows_entry(std::string_view name) {
    return name == "__libc_start_main" || name == "__libc_start_main_impl";
}

}  // namespace memtrace::analyzer
