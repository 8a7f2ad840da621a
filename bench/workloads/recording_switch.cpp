// SPDX-License-Identifier: Apache-2.0
//
// An addition to a shim built with -DMEMTRACE_SWITCH=ON: the program switches recording off and on
// for comparison. Blocks freed while recording is off stay live in the dump, so such a dump has no
// other use.
#include "preload/base/recording_state.h"

extern "C" __attribute__((visibility("default"))) void memtrace_switch(int is_on) {
    using namespace memtrace::preload;
    set_recording(is_on != 0 ? Recording::on : Recording::off);
}
