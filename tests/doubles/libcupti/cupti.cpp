// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for CUPTI: it decides who may subscribe, and makes callbacks of the calls that the
// stand-in for the driver reports. Its numbers of functions are its own, so code that trusts a
// header's numbers fails.
//
//   CUPTI_DOUBLE_VERSION   what cuptiGetVersion() returns (130001; 26 for the older one)
//   CUPTI_DOUBLE_NESTED    not empty: each call of the driver comes inside one of the runtime and
//                          holds another of the driver, and all subscribers receive all of them
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "preload/cuda/cupti_types.h"
#include "tests/doubles/libcuda/double.h"

using namespace memtrace::preload::cupti;

#define DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr Result no_driver = 999;
constexpr Result invalid_name = 1;
constexpr int runtime_calls = 2;

constexpr const char* names[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) #spelling,
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) #spelling,
#include "preload/cuda/cuda_entries.def"
};
constexpr uint32_t names_count = sizeof names / sizeof *names;
uint32_t id_of(uint32_t index) { return 7 + 3 * index; }

struct OneSubscriber {
    Callback callback;
    void* theirs;
    std::string name;
    bool is_new_kind;
    bool allows_others;
    std::set<std::pair<int, uint32_t>> enabled;
    std::set<int> domains;
};

struct State {
    std::recursive_mutex mutex;
    std::vector<OneSubscriber*> subscribers;
};
State& state() {
    static State* const only = new State;
    return *only;
}

uint32_t version() {
    const char* const text = getenv("CUPTI_DOUBLE_VERSION");
    if (text != nullptr) return static_cast<uint32_t>(strtoul(text, nullptr, 0));
    return CUPTI_DOUBLE_MAJOR == 13 ? 130001 : 26;
}

bool is_nested() {
    const char* const text = getenv("CUPTI_DOUBLE_NESTED");
    return text != nullptr && *text != 0;
}

template <class Function>
Function of_driver(const char* name) {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
    return driver == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(driver, name));
}

void tell(int domain, uint32_t id, const void* data, bool is_wanted_by_all) {
    std::vector<std::pair<Callback, void*>> wanted;
    {
        const std::lock_guard lock(state().mutex);
        for (const OneSubscriber* one : state().subscribers) {
            if (is_wanted_by_all || one->domains.count(domain) != 0 ||
                one->enabled.count({domain, id}) != 0) {
                wanted.push_back({one->callback, one->theirs});
            }
        }
    }
    for (const auto& [callback, theirs] : wanted) callback(theirs, domain, id, data);
}

void on_call(const char* function, const void* arguments, const int* result, void* context,
             unsigned long long* kept) {
    uint32_t id = 0;
    for (uint32_t i = 0; i < names_count; ++i) {
        if (std::strcmp(names[i], function) == 0) id = id_of(i);
    }
    CallData data{};
    data.site = result == nullptr ? call_begins : 1;
    data.function = function;
    data.parameters = arguments;
    data.result = const_cast<int*>(result);
    data.context = static_cast<Handle>(context);
    uint64_t own = *kept, of_others = 0;
    data.kept = &own;
    if (!is_nested()) {
        tell(driver_calls, id, &data, false);
        *kept = own;
        return;
    }
    CallData inner = data;
    inner.kept = &of_others;
    if (result != nullptr) tell(driver_calls, id, &inner, true);
    else tell(runtime_calls, id, &inner, true);
    tell(driver_calls, id, &data, false);
    *kept = own;
    if (result != nullptr) tell(runtime_calls, id, &inner, true);
    else tell(driver_calls, id, &inner, true);
}

void on_resource(unsigned id, void* context, const void* about) {
    const ResourceData data{static_cast<Handle>(context), nullptr, about};
    tell(resources, id, &data, false);
}

void say_holder(SubscriberParameters* parameters) {
    if (parameters == nullptr || parameters->holder == nullptr) return;
    const std::string& name = state().subscribers.front()->name;
    snprintf(parameters->holder, parameters->holder_size, "%s", name.c_str());
}

Result subscribe(Subscriber* subscriber, Callback callback, void* theirs,
                 SubscriberParameters* parameters) {
    const std::lock_guard lock(state().mutex);
    const auto listen = of_driver<decltype(&double_listen)>("double_listen");
    if (listen == nullptr) return no_driver;
    const bool wants_many = parameters != nullptr && version() >= first_with_many_subscribers &&
                            parameters->allows_others != 0;
    if (!state().subscribers.empty()) {
        const OneSubscriber& first = *state().subscribers.front();
        if (!first.allows_others || !wants_many) {
            say_holder(parameters);
            return other_subscriber;
        }
    }
    auto* const made =
        new OneSubscriber{callback, theirs, "", parameters != nullptr, wants_many, {}, {}};
    if (parameters != nullptr && parameters->name != nullptr) {
        made->name = std::string("CUPTI for ") + parameters->name;
    }
    state().subscribers.push_back(made);
    *subscriber = reinterpret_cast<Subscriber>(made);
    listen(on_call, on_resource);
    return success;
}

OneSubscriber* find(Subscriber subscriber) {
    auto* const wanted = reinterpret_cast<OneSubscriber*>(subscriber);
    const auto& all = state().subscribers;
    return std::find(all.begin(), all.end(), wanted) == all.end() ? nullptr : wanted;
}

}  // namespace

DOUBLE_EXPORT Result cuptiGetVersion(uint32_t* answer) {
    *answer = version();
    return success;
}

DOUBLE_EXPORT Result cuptiGetResultString(Result result, const char** text) {
    *text = result == no_driver ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR";
    return success;
}

DOUBLE_EXPORT Result cuptiGetCallbackName(int domain, uint32_t id, const char** name) {
    for (uint32_t i = 0; i < names_count && domain == driver_calls; ++i) {
        if (id_of(i) != id) continue;
        *name = names[i];
        return success;
    }
    return invalid_name;
}

DOUBLE_EXPORT Result cuptiGetDeviceId(Handle context, uint32_t* device) {
    const int found = of_driver<decltype(&double_device_of)>("double_device_of")(context);
    *device = static_cast<uint32_t>(found);
    return found < 0 ? invalid_parameter : success;
}

DOUBLE_EXPORT Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* theirs) {
    return subscribe(subscriber, callback, theirs, nullptr);
}

DOUBLE_EXPORT Result cuptiSubscribe_v2(Subscriber* subscriber, Callback callback, void* theirs,
                                       SubscriberParameters* parameters) {
    const size_t wanted =
        version() < first_with_long_parameters ? short_parameters : sizeof *parameters;
    if (parameters == nullptr || parameters->size != wanted) return invalid_parameter;
    return subscribe(subscriber, callback, theirs, parameters);
}

DOUBLE_EXPORT Result cuptiUnsubscribe(Subscriber subscriber) {
    const std::lock_guard lock(state().mutex);
    OneSubscriber* const found = find(subscriber);
    if (found == nullptr) return invalid_parameter;
    auto& all = state().subscribers;
    all.erase(std::find(all.begin(), all.end(), found));
    delete found;
    return success;
}

DOUBLE_EXPORT Result cuptiEnableCallback(uint32_t enable, Subscriber subscriber, int domain,
                                         uint32_t id) {
    const std::lock_guard lock(state().mutex);
    OneSubscriber* const found = find(subscriber);
    const char* name = nullptr;
    if (found == nullptr) return invalid_parameter;
    if (domain == driver_calls && cuptiGetCallbackName(domain, id, &name) != success) {
        return invalid_parameter;
    }
    if (enable != 0) found->enabled.insert({domain, id});
    else found->enabled.erase({domain, id});
    return success;
}

DOUBLE_EXPORT Result cuptiEnableDomain(uint32_t enable, Subscriber subscriber, int domain) {
    const std::lock_guard lock(state().mutex);
    OneSubscriber* const found = find(subscriber);
    if (found == nullptr) return invalid_parameter;
    if (enable != 0) found->domains.insert(domain);
    else found->domains.erase(domain);
    return success;
}

// The older kind: it does not work while subscribers of the newer kind share.
DOUBLE_EXPORT Result cuptiActivityEnable(int) {
    const std::lock_guard lock(state().mutex);
    for (const OneSubscriber* one : state().subscribers) {
        if (one->allows_others) return other_subscriber;
    }
    return success;
}

DOUBLE_EXPORT Result cuptiActivityRegisterCallbacks(void*, void*) { return cuptiActivityEnable(0); }

DOUBLE_EXPORT Result cuptiActivityEnable_v2(Subscriber, int) { return success; }
