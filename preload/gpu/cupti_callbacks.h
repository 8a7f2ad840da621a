// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's callbacks: before and after each call of the driver that is followed, on the thread that
// calls. They end in the same DriverCall as the hooks, so a dump is the same whoever wrote it.
//
// Only calls of the driver are looked at. What the runtime does it does by calling the driver, and
// CUPTI tells of those calls too, inside of the runtime's: to listen to both would count twice.
//
// In a callback the driver must not be asked. So unlike the hooks, CUPTI leaves nothing in the dump
// of what pools and graphs hold, what a context or a module costs, how much was free when the
// driver refused, and how large imported memory is.
#pragma once

#include <cstdint>

#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

void on_callback(void* ours, int domain, uint32_t id, const void* data);

}  // namespace memtrace::preload::cupti
