// SPDX-License-Identifier: Apache-2.0
//
// The process of the unit tests is not recorded. Without this, the first test that asks if it is
// would start a recording, as the first event of a program does.
#include "preload/base/recording_state.h"

namespace {

[[maybe_unused]] const bool decided = [] {
    memtrace::preload::set_recording(memtrace::preload::Recording::off);
    return true;
}();

}  // namespace
