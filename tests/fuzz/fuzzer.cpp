// SPDX-License-Identifier: Apache-2.0
//
// One target as libFuzzer wants it. MEMTRACE_TARGET is its name.
#include "tests/fuzz/targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t size_max);

namespace {

#define MEMTRACE_JOINED(a, b) a##b
#define MEMTRACE_RUN(name) MEMTRACE_JOINED(run_, name)

struct Row {
    void (*run)(const uint8_t*, size_t);
    memtrace::test::Mutator* mutator;
};

constexpr Row row() {
    using namespace memtrace::test;
#define MEMTRACE_FUZZ_TARGET(name, mutator) \
    if (run_##name == MEMTRACE_RUN(MEMTRACE_TARGET)) return {run_##name, mutator};
#include "tests/fuzz/targets.def"
    return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    row().run(data, size);
    return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t size_max,
                                          unsigned seed) {
    return row().mutator(data, size, size_max, seed, LLVMFuzzerMutate);
}
