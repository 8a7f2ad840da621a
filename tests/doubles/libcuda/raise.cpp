// SPDX-License-Identifier: Apache-2.0
//
// What the stand-in exports of cuda_entries.def: each call is reported to the listener, before and
// after, with its arguments as a structure.
#define CUDA_DOUBLE_RAISES

#include <atomic>

#include "preload/cuda/cupti_parameters.h"
#include "tests/doubles/libcuda/double.h"
#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

std::atomic<DoubleCallListener> call_listener{nullptr};
std::atomic<DoubleResourceListener> resource_listener{nullptr};

void* context_now() {
    const Context* const context = current_context_of_thread();
    return context == nullptr ? nullptr : handle_of(context->id);
}

template <class... Parameters>
Result raised(const char* name, Result (*plain)(Parameters...), Parameters... values) {
    const DoubleCallListener listener = call_listener.load();
    if (listener == nullptr) return plain(values...);
    using L = memtrace::preload::cupti::Layout<Parameters...>;
    alignas(16) char arguments[L::places.of[sizeof...(Parameters)]];
    size_t index = 0;
    ((std::memcpy(arguments + L::places.of[index++], &values, sizeof values)), ...);
    unsigned long long kept = 0;
    listener(name, arguments, nullptr, context_now(), &kept);
    const Result result = plain(values...);
    listener(name, arguments, &result, context_now(), &kept);
    return result;
}

}  // namespace

namespace cuda_double {

void raise_resource(uint32_t id, uint64_t context, const void* about) {
    if (const DoubleResourceListener listener = resource_listener.load()) {
        listener(id, handle_of(context), about);
    }
}

}  // namespace cuda_double

DOUBLE_EXPORT void double_listen(DoubleCallListener calls, DoubleResourceListener resources) {
    resource_listener.store(resources);
    call_listener.store(calls);
}

DOUBLE_EXPORT int double_device_of(void* context) {
    const std::lock_guard lock(state().mutex);
    const auto found = state().contexts.find(number_of(context));
    return found == state().contexts.end() ? -1 : found->second->device;
}

#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    extern "C" Result plain_##spelling parameters;                               \
    DOUBLE_EXPORT Result spelling parameters {                                   \
        return raised(#spelling, &plain_##spelling, MEMTRACE_VALUES arguments);  \
    }
#define MEMTRACE_VALUES(...) __VA_ARGS__
#include "preload/cuda/cuda_entries.def"
