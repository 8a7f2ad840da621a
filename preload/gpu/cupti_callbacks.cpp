// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/cupti_callbacks.h"

#include <new>

#include "preload/cuda/cuda_handles.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/cuda/cupti_parameters.h"
#include "preload/cuda/cupti_subscription.h"
#include "preload/gpu/driver_effects.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload::cupti {
namespace {

using cuda::DriverCall;
using cuda::Entry;

// What to do at the begin and end of a call to one function. Its arguments lie in a structure.
struct Watch {
    Api api;
    bool is_per_thread;
    void (*begin)(DriverCall& call, const void* arguments);
    void (*end)(DriverCall& call, const void* arguments, cuda::Result result);
};

enum class Stream : uint8_t { any, legacy, thread };

template <Api api, Stream stream, class Function>
struct WatchOf;

template <Api api, Stream stream, class... Parameters>
struct WatchOf<api, stream, cuda::Result(Parameters...)> {
    static void begin(DriverCall& call, const void* arguments) {
        with_arguments<Parameters...>(
            arguments, [&](Parameters... values) { before(cuda::Of<api>{}, call, values...); });
    }

    static void end(DriverCall& call, const void* arguments, cuda::Result result) {
        with_arguments<Parameters...>(arguments, [&](Parameters... values) {
            if (result == cuda::success) after(cuda::Of<api>{}, call, values...);
            if (result == cuda::out_of_memory) {
                call.refused(asked(cuda::Of<api>{}, values...), result);
            }
        });
    }

    static constexpr Watch watch{api, stream == Stream::thread, &begin, &end};
};

using cuda::AllocationNode;
using cuda::AllocationProperties;
using cuda::Array3DShape;
using cuda::ArrayShape;
using cuda::Device;
using cuda::DevicePointer;
using cuda::ExternalBuffer;
using cuda::ExternalMemory;
using cuda::GraphNode;
using cuda::IpcHandle;
using cuda::Location;
using cuda::MulticastProperties;
using cuda::PhysicalHandle;
using cuda::PoolProperties;

constexpr Watch nothing{Api::none, false, nullptr, nullptr};
constexpr Watch watches[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) nothing,
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    WatchOf<Api::api, Stream::stream, cuda::Result parameters>::watch,
#include "preload/cuda/cuda_entries.def"
};

// The call that a thread is in. CUPTI keeps `token` from the beginning of the call to its end. So
// the end of a call with an unseen beginning, or of another call inside this one, is not taken for
// the end of this call.
struct UnderWay {
    alignas(DriverCall) unsigned char place[sizeof(DriverCall)];
    const Watch* watch;
    const void* arguments;
    uint64_t token;
    bool made_memory_node;  // a memory node was added to a graph: the stream is captured

    DriverCall& call() { return *std::launder(reinterpret_cast<DriverCall*>(place)); }
};
UnderWay calls[cuda::callback_places + 1];

// Returns the call that this thread is in, or nullptr.
UnderWay* under_way() {
    return cuda::callback_place() == 0 ? nullptr : &calls[cuda::callback_place()];
}

cuda::Device device_of(Handle context) {
    const auto number = reinterpret_cast<uint64_t>(context);
    cuda::Device device = cuda::contexts.device_of(number);
    if (device != cuda::no_device || context == nullptr) return device;
    // The context is older than the subscription. A query to CUPTI is not a query to the driver.
    uint32_t answer = 0;
    const auto ask = functions().cuptiGetDeviceId;
    if (ask == nullptr || ask(context, &answer) != success) return cuda::no_device;
    device = static_cast<cuda::Device>(answer);
    cuda::contexts.remember(number, device);
    return device;
}

cuda::CallbackContext context_of(const CallData& data) {
    return {reinterpret_cast<uint64_t>(data.context), device_of(data.context)};
}

// The arguments lie in the frame of the driver's function, and stacks grow downwards. A call with
// arguments above those of the call under way is newer, and that call was left by a jump.
bool is_inside_of_another(const CallData& data) {
    const UnderWay* const other = under_way();
    return other != nullptr && data.parameters <= other->arguments;
}

void end_place() {
    under_way()->call().~DriverCall();
    cuda::give_callback_place();
}

void begin_call(const Watch& watch, const CallData& data, const void* frame) {
    if (data.kept != nullptr) *data.kept = 0;
    if (data.kept == nullptr || is_inside_of_another(data)) return;
    if (under_way() != nullptr) end_place();  // The earlier call was left by a jump.
    if (cuda::take_callback_place() == 0) {
        if (source_writes(GpuBackend::cupti)) dump_file::count_lost_events(1);
        return;
    }
    UnderWay& mine = *under_way();
    auto* const call =
        new (mine.place) DriverCall(watch.api, frame, GpuBackend::cupti, data.parameters);
    if (!call->is_recorded()) return end_place();
    const cuda::CallbackScope guard(context_of(data));
    call->is_per_thread = watch.is_per_thread;
    mine.made_memory_node = false;
    mine.watch = &watch;
    mine.arguments = data.parameters;
    mine.token = note_call_begun();
    *data.kept = mine.token;
    watch.begin(*call, data.parameters);
    call->begin();
}

void end_call(const CallData& data, const void* frame) {
    UnderWay* const mine = under_way();
    if (mine == nullptr || data.kept == nullptr || *data.kept != mine->token) return;
    {
        const cuda::CallbackScope guard(context_of(data));
        DriverCall& call = mine->call();
        call.end();
        call.is_now_in(frame);
        call.was_captured = mine->made_memory_node;
        mine->watch->end(call, data.parameters, *static_cast<const cuda::Result*>(data.result));
    }
    end_place();
    note_call_ended();
}

void look_at_resource(uint32_t id, const ResourceData& data) {
    if (id == context_ends) cuda::context_has_ended(reinterpret_cast<uint64_t>(data.context));
    if (id != graph_node_created || data.about == nullptr || under_way() == nullptr) return;
    const auto& node = *static_cast<const GraphData*>(data.about);
    if (node.node_type == cuda::graph_node_allocates) under_way()->made_memory_node = true;
}

}  // namespace

// Calls that began while callbacks were open are also completed after closing.
[[gnu::noinline]] void on_callback(void*, int domain, uint32_t id, const void* data) {
    const void* const frame = __builtin_frame_address(0);
    if (!is_open() && under_way() == nullptr) return;
    if (domain == resources) look_at_resource(id, *static_cast<const ResourceData*>(data));
    if (domain != driver_calls) return;
    const auto& call = *static_cast<const CallData*>(data);
    const Entry entry = ids().entry_of(id);
    if (entry == Entry::none) return;
    if (call.site != call_begins) return end_call(call, frame);
    if (is_open()) begin_call(watches[static_cast<unsigned>(entry)], call, frame);
}

}  // namespace memtrace::preload::cupti
