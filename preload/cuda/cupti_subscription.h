// SPDX-License-Identifier: Apache-2.0
//
// The shim's subscription to CUPTI. A process has one subscriber at a time, and profilers need the
// subscription. So it is taken only when the driver is used and the option requests it, and is
// given up to any later user.
//
// At the end of the process nothing is unsubscribed, because contexts may already be gone.
// Callbacks are closed instead and return at once.
#pragma once

#include <cstdint>

#include "preload/cuda/cupti_callback_ids.h"
#include "preload/cuda/cupti_library.h"

namespace memtrace::preload::cupti {

// Finds CUPTI, subscribes, and requests callbacks of all functions that are followed. Returns false
// if that fails; `why` then contains the reason, with the name of the other subscriber if CUPTI
// tells it. Must not be called inside a call of the driver.
bool subscribe(Why& why, Callback callback);

// True if callbacks should be processed.
bool is_open();
void close();

// What subscribe() found.
const Ids& ids();
const Functions& functions();

// The callbacks count the calls of the driver that they see begin and end. A call's number is not
// 0.
uint64_t note_call_begun();
void note_call_ended();
uint64_t calls_under_way();

// Closes the callbacks because another user of CUPTI comes. Returns true if the subscription was
// open: the caller must then call unsubscribe(), after another source has begun to write.
bool give_way();
void unsubscribe();

// A forked child has no subscription, and no CUDA either if its parent had a subscription. Returns
// true if the parent had one.
bool forget();

}  // namespace memtrace::preload::cupti
