// SPDX-License-Identifier: Apache-2.0
#include "preload/session/sanitizers.h"

#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/next_dlsym.h"

namespace memtrace::preload {
namespace {

// A program into which a sanitizer is linked may hide the sanitizer's own names. It still refers to
// a function that users may define for any sanitizer; and only ThreadSanitizer has barriers of its
// own.
bool contains_thread_sanitizer(const DynamicSymbols& program) {
    return program.refers_to("__sanitizer_symbolize_code") &&
           program.find("pthread_barrier_wait") != nullptr;
}

}  // namespace

const char* excluding_sanitizer() {
    const link_map* const program = main_program();
    const bool is_inside =
        program != nullptr && contains_thread_sanitizer(DynamicSymbols(*program));
    return is_inside || is_defined_anywhere("__tsan_init") ? "ThreadSanitizer" : nullptr;
}

}  // namespace memtrace::preload
