// SPDX-License-Identifier: Apache-2.0
//
// Code that is not there any more: other code may come to its addresses, so nothing that was
// remembered of it may be used again. The program unloads by dlclose(), which a hook watches. libc
// also unloads by itself, what iconv_open() loaded, and tells nobody: that shows when a return
// address is met that is new, in what is there now.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// After dlclose(): forgets what was remembered of all code that is no longer loaded.
void forget_unloaded_code();

// While an event is being recorded: the same, for an unload that nobody announced.
void forget_code_that_went_unseen();

}  // namespace memtrace::preload
