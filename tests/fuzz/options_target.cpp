// SPDX-License-Identifier: Apache-2.0
//
// MEMTRACE_OPTIONS, which the shim reads in the program's process.
#include <string_view>

#include "preload/base/options.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {

void run_options(const uint8_t* data, size_t size) {
    preload::options = preload::Options{};
    preload::Line problem;
    preload::parse_options({reinterpret_cast<const char*>(data), size}, problem);
}

}  // namespace memtrace::test
