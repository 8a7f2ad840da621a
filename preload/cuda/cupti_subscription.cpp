// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cupti_subscription.h"

#include <atomic>

#include "preload/cuda/cuda_queries.h"

namespace memtrace::preload::cupti {
namespace {

enum class State : uint8_t { none, open, closed };

std::atomic<State> state{State::none};
Subscriber subscriber;
Functions found_functions;
Ids found_ids;
std::atomic<uint64_t> calls_begun{0};
std::atomic<uint64_t> calls_ended{0};

constexpr char name_of_ours[] = "memtrace";

// CUPTI writes the name of its current subscriber here, truncated to fit.
constexpr size_t holder_max = 128;

void say_refusal(Result result, const char* holder, Why& why) {
    if (result == other_subscriber) {
        why << "CUPTI belongs to "
            << (holder[0] != 0 ? std::string_view(holder) : "another profiler");
        return;
    }
    const char* text = nullptr;
    const auto get_text = found_functions.cuptiGetResultString;
    if (get_text == nullptr || get_text(result, &text) != success) text = nullptr;
    why << "CUPTI refuses it (" << result;
    if (text != nullptr) why << ", " << text;
    why << ')';
}

Result subscribe_newly(Callback callback, uint32_t version, char* holder) {
    SubscriberParameters parameters{};
    parameters.size = version < first_with_long_parameters ? short_parameters : sizeof parameters;
    parameters.name = name_of_ours;
    parameters.holder = holder;
    parameters.holder_size = holder_max;
    parameters.allows_others =
        version >= first_with_many_subscribers && found_functions.cuptiActivityEnable_v2 != nullptr;
    return found_functions.cuptiSubscribe_v2(&subscriber, callback, nullptr, &parameters);
}

bool take(Callback callback, Why& why) {
    uint32_t version = 0;
    found_functions.cuptiGetVersion(&version);
    char holder[holder_max] = {};
    Result result = invalid_parameter;
    if (found_functions.cuptiSubscribe_v2 != nullptr) {
        result = subscribe_newly(callback, version, holder);
    }
    // The first way of subscribing is the only way in older versions. It also works in a version
    // whose structure has another size.
    if (result == invalid_parameter) {
        result = found_functions.cuptiSubscribe(&subscriber, callback, nullptr);
    }
    holder[holder_max - 1] = 0;
    if (result != success) say_refusal(result, holder, why);
    return result == success;
}

bool ask_for_callbacks(Why& why) {
    const auto enable = found_functions.cuptiEnableCallback;
    unsigned enabled = 0;
    for (uint32_t id = 0; id < Ids::ids_max; ++id) {
        if (found_ids.entry_of(id) == cuda::Entry::none) continue;
        if (enable(1, subscriber, driver_calls, id) == success) ++enabled;
    }
    for (const uint32_t id : {context_ends, graph_node_created}) {
        enable(1, subscriber, resources, id);
    }
    if (enabled == 0) why << "CUPTI offers no callbacks of the driver's functions";
    return enabled != 0;
}

}  // namespace

bool subscribe(Why& why, Callback callback) {
    if (state.load(std::memory_order_acquire) != State::none) {
        why << "it was given to somebody else";
        return false;
    }
    const auto newest = static_cast<unsigned>(cuda::driver_version() / 1000);
    if (!find_cupti(found_functions, newest, why)) return false;
    if (found_ids.resolve(found_functions.cuptiGetCallbackName) == 0) {
        why << "CUPTI does not name the driver's functions";
        return false;
    }
    if (!take(callback, why)) return false;
    state.store(State::open, std::memory_order_release);
    if (ask_for_callbacks(why)) return true;
    state.store(State::closed, std::memory_order_release);
    found_functions.cuptiUnsubscribe(subscriber);
    return false;
}

bool is_open() { return state.load(std::memory_order_acquire) == State::open; }

void close() {
    if (is_open()) state.store(State::closed, std::memory_order_release);
}

const Ids& ids() { return found_ids; }
const Functions& functions() { return found_functions; }

uint64_t note_call_begun() { return calls_begun.fetch_add(1, std::memory_order_relaxed) + 1; }
void note_call_ended() { calls_ended.fetch_add(1, std::memory_order_relaxed); }

uint64_t calls_under_way() {
    return calls_begun.load(std::memory_order_relaxed) -
           calls_ended.load(std::memory_order_relaxed);
}

bool give_way() {
    State expected = State::open;
    return state.compare_exchange_strong(expected, State::closed, std::memory_order_acq_rel);
}

void unsubscribe() { found_functions.cuptiUnsubscribe(subscriber); }

bool forget() {
    const bool had_it = state.load(std::memory_order_acquire) != State::none;
    if (had_it) state.store(State::closed, std::memory_order_release);
    return had_it;
}

}  // namespace memtrace::preload::cupti
