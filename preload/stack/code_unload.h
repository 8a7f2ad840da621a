// SPDX-License-Identifier: Apache-2.0
//
// Code that has been unloaded. Other code may come to its addresses, so nothing that was remembered
// about it may be used again. The program unloads by dlclose(), which a hook watches. libc also
// unloads on its own what iconv_open() loaded. That shows when a new return address is met inside
// the code that is there now.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Forgets what was remembered about all code that is no longer loaded. Called after dlclose(),
// inside an EventScope and between begin_unload() and end_unload().
void forget_unloaded_code();

// The same for an unload that was not announced. Called while an event is recorded.
void forget_code_that_went_unseen();

}  // namespace memtrace::preload
