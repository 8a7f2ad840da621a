// SPDX-License-Identifier: Apache-2.0
//
// Our subscription to CUPTI. A process has one subscriber at a time, and profilers need it: it is
// taken only when the driver is used and our option asks for it, and given to whoever comes later.
//
// At the end of the process nothing is unsubscribed, since contexts may already be gone: callbacks
// are closed, and return at once.
#pragma once

#include <cstdint>

#include "preload/cuda/cupti_callback_ids.h"
#include "preload/cuda/cupti_library.h"

namespace memtrace::preload::cupti {

// Finds CUPTI, subscribes, and requests callbacks of all functions that are followed. Returns false
// if that fails; `why` then contains the reason, with the name of the other subscriber if CUPTI
// tells it. Must not be called inside a call of the driver.
bool subscribe(Why& why, Callback callback);

// Whether callbacks are to be looked at.
bool is_open();
void close();

// What was found when we subscribed.
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

// A forked child has no subscription, and no CUDA either if its parent had. Returns whether it had.
bool forget();

}  // namespace memtrace::preload::cupti
