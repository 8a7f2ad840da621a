// SPDX-License-Identifier: Apache-2.0
//
// How often a random test repeats. Sanitizers make everything slow, and one run of it all without
// them is enough.
#pragma once

// g++ says it with macros, clang++ with features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMTRACE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMTRACE_SANITIZED 1
#endif
#endif

namespace memtrace::test {

// Returns `all`, or an eighth of it in a build with a sanitizer.
constexpr unsigned repetitions(unsigned all) {
#ifdef MEMTRACE_SANITIZED
    return all / 8;
#else
    return all;
#endif
}

}  // namespace memtrace::test
