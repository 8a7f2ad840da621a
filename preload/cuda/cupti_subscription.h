// SPDX-License-Identifier: Apache-2.0
//
// Our subscription to CUPTI. A process has one subscriber at a time, and profilers need it: it is
// taken only when the driver is used and our option asks for it, and given to whoever comes later.
//
// At the end of the process nothing is unsubscribed, since contexts may already be gone: callbacks
// are closed, and return at once.
#pragma once

#include <string_view>

#include "preload/cuda/cupti_callback_ids.h"
#include "preload/cuda/cupti_library.h"

namespace memtrace::preload::cupti {

// Finds CUPTI, subscribes, and asks for callbacks of all functions that are followed. False: `why`
// says why not, and who has it, if CUPTI tells. Not inside a call of the driver.
bool subscribe(Why& why);

// Whether callbacks are to be looked at.
bool is_open();
void close();

// What was found when we subscribed.
const Ids& ids();
const Functions& functions();

// Somebody else begins to use CUPTI, by this function. If it is ours, it is not any longer.
void give_way(std::string_view function);

// A forked child has no subscription, and no CUDA either if its parent had. Returns whether it had.
bool forget();

}  // namespace memtrace::preload::cupti
