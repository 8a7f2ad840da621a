// SPDX-License-Identifier: Apache-2.0
//
// The state of the stand-in for CUDA's driver, and what all its functions begin and end with.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "preload/cuda/cuda_types.h"

#define DOUBLE_EXPORT extern "C" __attribute__((visibility("default")))

namespace cuda_double {

using namespace memtrace::preload::cuda;

inline constexpr Result invalid_value = 1;
inline constexpr Result not_initialized = 3;
inline constexpr Result no_context = 201;
inline constexpr Result not_found = 500;
inline constexpr Result capture_spoiled = 900;

inline constexpr uint64_t context_bytes = uint64_t{96} << 20;
inline constexpr uint64_t module_bytes = uint64_t{3} << 20;

struct Context {
    uint64_t id;
    Device device;
    unsigned references = 0;
    bool is_primary = false;
};

struct Block {
    const char* memory;  // the name of the GpuMemory
    uint64_t size;
    Device device;
    Context* context = nullptr;
    uint64_t pool = 0;
    void* pages = nullptr;  // pages that were mapped for it
};

struct Physical {
    uint64_t size;
    Location location;
    unsigned references = 1;
    unsigned mappings = 0;
    bool is_imported = false;
};

struct Mapping {
    uint64_t size;
    uint64_t handle;
};

struct Pool {
    Device device;
    bool is_on_host = false;
    bool is_imported = false;
    uint64_t reserved = 0;
    uint64_t used = 0;
    uint64_t reserved_high = 0;  // the most that it ever was
    uint64_t used_high = 0;
};

struct Graph {
    std::map<uint64_t, uint64_t> memory;  // address and size of its nodes' memory
};

struct DeviceState {
    uint64_t memory;
    uint64_t used = 0;  // of `memory`, with what the driver took for itself
    uint64_t own = 0;   // what the driver took for itself
    Context* primary = nullptr;
    uint64_t default_pool = 0;
    uint64_t current_pool = 0;
    uint64_t graph_reserved = 0;
    uint64_t graph_used = 0;
};

struct State {
    std::recursive_mutex mutex;
    int pid = 0;  // the process that called cuInit; 0: none did
    int log = -1;
    int version = 13000;
    unsigned linger = 0;
    std::vector<DeviceState> devices;
    std::map<uint64_t, Context*> contexts;
    std::map<uint64_t, Block> blocks;  // by address, or by handle for arrays and imports
    std::map<uint64_t, uint64_t> reservations;
    std::map<uint64_t, Physical> physical;
    std::map<uint64_t, Mapping> mappings;
    std::map<uint64_t, Pool> pools;
    std::map<uint64_t, Graph> graphs;
    std::map<uint64_t, bool> captures;                         // captured streams; true if spoiled
    std::map<uint64_t, std::vector<uint64_t>> free_addresses;  // by size
    std::map<std::string, std::pair<Result, int>> failures;
    std::map<std::string, uint64_t> calls;
    uint64_t next_address = 0x7e0000000000;
    uint64_t next_handle = 0x5d0000000000;
};

State& state();

// The stack of this thread's contexts, innermost last, and the mode of its captures.
std::vector<Context*>& context_stack();
int& capture_mode();
Context* current_context_of_thread();

// The beginning of each function: locks the state, counts the call, and ends it at once if the
// driver is not initialised, the process was forked, or a test made the function fail.
class Call {
public:
    explicit Call(const char* function, bool needs_init = true);
    bool has_ended() const { return result_ != success; }
    Result result() const { return result_; }

private:
    std::lock_guard<std::recursive_mutex> lock_;
    Result result_ = success;
};

#define DOUBLE_CALL(function)                \
    const cuda_double::Call call(#function); \
    if (call.has_ended()) return call.result()

// The same for functions that spoil a capture.
#define DOUBLE_UNSAFE_CALL(function) \
    DOUBLE_CALL(function);           \
    if (cuda_double::spoils_capture()) return cuda_double::capture_spoiled
bool spoils_capture();

// Reports to the listener, as CUPTI's callbacks for resources do.
void raise_resource(uint32_t id, uint64_t context, const void* about = nullptr);

uint64_t new_handle();
uint64_t new_address(uint64_t size);
void address_is_free(uint64_t address, uint64_t size);

// Takes bytes of a device. Returns false if it does not have that many.
bool take(Device device, uint64_t size);
void give(Device device, uint64_t size);

void write_log(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A block comes into being, or goes, each with its line in the log.
void add_block(const char* api, uint64_t address, const Block& block);
void remove_block(const char* api, uint64_t address);
void forget_block(uint64_t address, const Block& block);  // without a line

inline uint64_t number_of(const void* handle) { return reinterpret_cast<uint64_t>(handle); }
inline Handle handle_of(uint64_t number) { return reinterpret_cast<Handle>(number); }

}  // namespace cuda_double

// The functions of the table are defined under other names: raise.cpp exports them, and reports
// each call to the listener.
#ifndef CUDA_DOUBLE_RAISES
using namespace cuda_double;
extern "C" {
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    __attribute__((visibility("default"))) Result spelling parameters asm("plain_" #spelling);
#include "preload/cuda/cuda_entries.def"
}
#endif
