// SPDX-License-Identifier: Apache-2.0
//
// The shim's subscription to CUPTI. A process has one subscriber at a time, and profilers need the
// subscription. So it is taken only when the driver is used and the option requests it, and is
// given up to any later user.
//
// At the end of the process nothing is unsubscribed, because contexts may already be gone.
// Callbacks are closed instead and return at once.
#pragma once

#include <string_view>

#include "preload/cuda/cupti_callback_ids.h"
#include "preload/cuda/cupti_library.h"

namespace memtrace::preload::cupti {

// Finds CUPTI, subscribes, and requests callbacks of all functions that are followed. If it returns
// false, `why` holds the reason, and the current subscriber if CUPTI reports it. Must not be called
// inside a call of the driver.
bool subscribe(Why& why);

// True if callbacks should be processed.
bool is_open();
void close();

// What subscribe() found.
const Ids& ids();
const Functions& functions();

// Called when another tool starts using CUPTI, by this function. Gives up the subscription if the
// shim has it.
void give_way(std::string_view function);

// A forked child has no subscription, and no CUDA either if its parent had a subscription. Returns
// true if the parent had one.
bool forget();

}  // namespace memtrace::preload::cupti
