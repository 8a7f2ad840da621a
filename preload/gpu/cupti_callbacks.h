// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's callbacks, before and after each followed call of the driver, on the calling thread. They
// end in the same DriverCall as the hooks, so a dump is the same for both sources.
//
// Only calls of the driver are processed. The runtime does its work by calling the driver, and
// CUPTI reports those calls too, inside the runtime's. Processing both would count twice.
//
// The driver must not be queried in a callback. So unlike the hooks, CUPTI records nothing about
// what pools and graphs hold, what a context or a module costs, how much memory was free when the
// driver refused, and how large imported memory is.
#pragma once

#include <cstdint>

#include "preload/cuda/cupti_types.h"

namespace memtrace::preload::cupti {

void on_callback(void* ours, int domain, uint32_t id, const void* data);

}  // namespace memtrace::preload::cupti
