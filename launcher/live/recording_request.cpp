// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/recording_request.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "analyzer/base/error.h"

namespace memtrace::launcher {

using analyzer::Error;

RecordingRequest::RecordingRequest(const std::string& dump, const std::string& name)
    : name_(name), page_(dump, name) {
    if (asked(now(page_.words().recording_obeyed)) != 0) return;
    throw Error(
        fmt::format("{} cannot be asked: the header of its dump lies in its own memory (memtrace "
                    "info says why under \"rings\"), or its memtrace is too old",
                    name));
}

// Others may ask at the same time. Each request has a number of its own.
void RecordingRequest::ask(bool record) {
    auto& word = page_.words().recording_asked;
    auto seen = now(word);
    do {
        request_ = asked(seen);
        if (asks_to_record(request_) == record) {
            if (!is_obeyed(0)) return;  // Somebody asked for the same, and it is to come.
            throw Error(fmt::format("{} is {}", name_,
                                    record ? "recorded already" : "not recorded already"));
        }
        request_ += 1;
    } while (!__atomic_compare_exchange_n(&word.word, &seen.word, word.of(request_).word, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

bool RecordingRequest::is_obeyed(uint64_t wait_ms) const {
    constexpr uint64_t step_ms = 2;
    for (uint64_t waited = 0;; waited += step_ms) {
        // The number of a later request means that this one was obeyed, or is of no matter.
        if (asked(now(page_.words().recording_obeyed)) >= request_) return true;
        if (waited >= wait_ms) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(step_ms));
    }
}

}  // namespace memtrace::launcher
