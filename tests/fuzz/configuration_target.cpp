// SPDX-License-Identifier: Apache-2.0
//
// memtrace.toml, which may be that of a stranger's project.
#include "analyzer/base/error.h"
#include "analyzer/check/project_config.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {

void run_configuration(const uint8_t* data, size_t size) {
    try {
        analyzer::parse_config({reinterpret_cast<const char*>(data), size}, "memtrace.toml");
    } catch (const analyzer::Error&) {
    }
}

}  // namespace memtrace::test
