// SPDX-License-Identifier: Apache-2.0
//
// A shim built with -DMEMTRACE_SWITCH=ON has this as well: its program switches recording off and
// on again, as it likes, to compare. What it frees meanwhile stays held in the dump, so such a dump
// is of no other use.
#include "preload/base/recording_state.h"

extern "C" __attribute__((visibility("default"))) void memtrace_switch(int is_on) {
    using namespace memtrace::preload;
    set_recording(is_on != 0 ? Recording::on : Recording::off);
}
