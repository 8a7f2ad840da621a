// SPDX-License-Identifier: Apache-2.0
//
// Compares text without libc. Programs that are built with a sanitizer have a strcmp of their own,
// which must not be called before the sanitizer has started; its start looks up functions, and so
// reaches the shim.
#pragma once

namespace memtrace::preload {

inline bool same_text(const char* one, const char* other) {
    while (*one != 0 && *one == *other) {
        ++one;
        ++other;
    }
    return *one == *other;
}

}  // namespace memtrace::preload
