// SPDX-License-Identifier: Apache-2.0
//
// The part of CUPTI's interface that the shim uses, declared here. CUPTI is loaded, never linked,
// and the shim is built without its headers. If the real headers are installed, tests/cuda_headers
// compares the declarations with them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cupti {

using cuda::Handle;
using Result = int;
using Subscriber = struct OpaqueSubscriber*;
using Callback = void (*)(void* ours, int domain, uint32_t id, const void* data);

inline constexpr Result success = 0;
inline constexpr Result invalid_parameter = 1;
inline constexpr Result not_initialized = 15;
inline constexpr Result other_subscriber = 39;

// Callback domains.
inline constexpr int driver_calls = 1;
inline constexpr int resources = 3;

// Callbacks of the domain `resources`.
inline constexpr uint32_t context_created = 1;
inline constexpr uint32_t context_ends = 2;
inline constexpr uint32_t graph_node_created = 13;

// Sites of a call's callbacks: before and after it.
inline constexpr int call_begins = 0;

struct CallData {
    int site;
    const char* function;
    const void* parameters;  // the arguments, as a structure
    void* result;
    const char* symbol;
    Handle context;  // the current context
    uint32_t context_number;
    uint64_t* kept;  // 64 bits for the shim, kept from the beginning of the call to its end
    uint32_t number;
};

struct ResourceData {
    Handle context;
    Handle stream;
    const void* about;
};

struct GraphData {
    Handle graph;
    Handle original_graph;
    Handle node;
    Handle original_node;
    int node_type;  // as in cuda::GraphNode
    Handle dependency;
    Handle executable;
};

struct SubscriberParameters {
    size_t size;
    const char* name;
    char* holder;  // the current subscriber, if subscribing fails
    size_t holder_size;
    uint8_t allows_others;
    uint8_t rest[7];
};
// The last line of members came with 13.2. Earlier versions refuse the longer structure.
inline constexpr size_t short_parameters = 32;
inline constexpr uint32_t first_with_long_parameters = 130200;
inline constexpr uint32_t first_with_many_subscribers = 130300;

}  // namespace memtrace::preload::cupti
