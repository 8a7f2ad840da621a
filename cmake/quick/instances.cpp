// SPDX-License-Identifier: Apache-2.0
//
// Templates of libraries that many sources use, compiled once. See MEMTRACE_QUICK_BUILD.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#ifdef MEMTRACE_FMT_INSTANCE
MEMTRACE_FMT_INSTANCE;
#endif
#ifdef MEMTRACE_JSON_INSTANCE
MEMTRACE_JSON_INSTANCE;
#endif
