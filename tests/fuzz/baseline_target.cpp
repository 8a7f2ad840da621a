// SPDX-License-Identifier: Apache-2.0
//
// A baseline. One that is read can be written and read again, and is then the same.
#include <cstdlib>
#include <string>

#include "analyzer/base/error.h"
#include "analyzer/check/baseline_file.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {

void run_baseline(const uint8_t* data, size_t size) {
    using namespace analyzer;
    std::string text(reinterpret_cast<const char*>(data), size);
    try {
        text = baseline_text(parse_baseline(text, "baseline.json"));
    } catch (const Error&) {
        return;
    }
    if (baseline_text(parse_baseline(text, "baseline.json")) != text) std::abort();
}

}  // namespace memtrace::test
