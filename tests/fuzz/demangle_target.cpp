// SPDX-License-Identifier: Apache-2.0
//
// A symbol's name.
#include <string>

#include "analyzer/symbolise/demangle.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {

void run_demangle(const uint8_t* data, size_t size) {
    const std::string name(reinterpret_cast<const char*>(data), size);
    analyzer::demangle(name);
    for (const char* prefix : {"_Z", "_R"}) analyzer::demangle(prefix + name);
}

}  // namespace memtrace::test
