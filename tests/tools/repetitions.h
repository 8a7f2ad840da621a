// SPDX-License-Identifier: Apache-2.0
//
// How often a random test repeats. Sanitizers make everything slow, and one run of it all without
// them is enough.
#pragma once

namespace memtrace::test {

// Returns `all`, or an eighth of it in a build with a sanitizer.
constexpr unsigned repetitions(unsigned all) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return all / 8;
#else
    return all;
#endif
}

}  // namespace memtrace::test
