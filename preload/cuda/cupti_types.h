// SPDX-License-Identifier: Apache-2.0
//
// As much of CUPTI's interface as we use, in our own words: it is loaded, never linked, and the
// shim is built without its headers. Where the real headers are, tests/cuda_headers compares.
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

// Domains of callbacks.
inline constexpr int driver_calls = 1;
inline constexpr int resources = 3;

// Of the domain of resources.
inline constexpr uint32_t context_created = 1;
inline constexpr uint32_t context_ends = 2;
inline constexpr uint32_t graph_node_created = 13;

// Of a call: before and after.
inline constexpr int call_begins = 0;

struct CallData {
    int site;
    const char* function;
    const void* parameters;  // the arguments, as a structure
    void* result;
    const char* symbol;
    Handle context;  // the current one
    uint32_t context_number;
    uint64_t* kept;  // 64 bits of ours, from the beginning of the call to its end
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
    char* holder;  // who has it, if it cannot be had
    size_t holder_size;
    uint8_t allows_others;
    uint8_t rest[7];
};
// The last line of it came with 13.2, and earlier versions refuse the longer structure.
inline constexpr size_t short_parameters = 32;
inline constexpr uint32_t first_with_long_parameters = 130200;
inline constexpr uint32_t first_with_many_subscribers = 130300;

}  // namespace memtrace::preload::cupti
