// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/libcuda/state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/doubles/libcuda/double.h"

namespace cuda_double {
namespace {

thread_local std::vector<Context*> stack_of_thread;
thread_local int capture_mode_of_thread = 0;

uint64_t number_from(const char* variable, uint64_t otherwise) {
    const char* const text = getenv(variable);
    return text == nullptr ? otherwise : strtoull(text, nullptr, 0);
}

void open_log() {
    const char* const base = getenv("CUDA_DOUBLE_LOG");
    if (base == nullptr) return;
    const std::string path = std::string(base) + "." + std::to_string(getpid());
    state().log = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

}  // namespace

// Never destroyed, because threads may call while the process ends.
State& state() {
    static State* const only = new State;
    return *only;
}

std::vector<Context*>& context_stack() { return stack_of_thread; }
int& capture_mode() { return capture_mode_of_thread; }

Context* current_context_of_thread() {
    return stack_of_thread.empty() ? nullptr : stack_of_thread.back();
}

Call::Call(const char* function, bool needs_init) : lock_(state().mutex) {
    State& all = state();
    ++all.calls[function];
    // The driver keeps books on the host too.
    free(malloc(48));
    if (needs_init && all.pid != getpid()) result_ = not_initialized;
    const auto failure = all.failures.find(function);
    if (result_ == success && failure != all.failures.end() && failure->second.second > 0) {
        --failure->second.second;
        result_ = failure->second.first;
    }
}

bool spoils_capture() {
    if (capture_mode() == capture_mode_relaxed) return false;
    bool is_spoiled = false;
    for (auto& [stream, spoiled] : state().captures) is_spoiled = spoiled = true;
    return is_spoiled;
}

uint64_t new_handle() { return state().next_handle += 0x100; }

uint64_t new_address(uint64_t size) {
    auto& free = state().free_addresses[size];
    if (!free.empty()) {
        const uint64_t address = free.back();
        free.pop_back();
        return address;
    }
    const uint64_t address = state().next_address;
    state().next_address += (size + 511) / 512 * 512;
    return address;
}

void address_is_free(uint64_t address, uint64_t size) {
    state().free_addresses[size].push_back(address);
}

bool take(Device device, uint64_t size) {
    if (device < 0 || device >= static_cast<Device>(state().devices.size())) return true;
    DeviceState& of = state().devices[device];
    if (size > of.memory - of.used) return false;
    of.used += size;
    return true;
}

void give(Device device, uint64_t size) {
    if (device < 0 || device >= static_cast<Device>(state().devices.size())) return;
    state().devices[device].used -= size;
}

void write_log(const char* format, ...) {
    if (state().log < 0) return;
    char line[400];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    line[length++] = '\n';
    if (write(state().log, line, length) != length) _exit(99);
}

void add_block(const char* api, uint64_t address, const Block& block) {
    state().blocks[address] = block;
    write_log(
        "gpu_acquire api=%s memory=%s size=%llu address=%#llx device=%d context=%#llx "
        "pool=%#llx",
        api, block.memory, static_cast<unsigned long long>(block.size),
        static_cast<unsigned long long>(address), block.device < 0 ? 0 : block.device,
        static_cast<unsigned long long>(block.context == nullptr ? 0 : block.context->id),
        static_cast<unsigned long long>(block.pool));
}

void forget_block(uint64_t address, const Block& block) {
    const std::string memory = block.memory;
    if (memory == "device" || memory == "array") give(block.device, block.size);
    if (block.pages != nullptr) munmap(block.pages, block.size);
    const bool is_handle = memory == "array" || memory == "imported";
    if (!is_handle && block.pages == nullptr && memory != "registered") {
        address_is_free(address, block.size);
    }
    state().blocks.erase(address);
}

void remove_block(const char* api, uint64_t address) {
    forget_block(address, state().blocks.at(address));
    write_log("gpu_release api=%s address=%#llx", api, static_cast<unsigned long long>(address));
}

}  // namespace cuda_double

using namespace cuda_double;

namespace {

// What the driver does with the library that a tool names.
void inject() {
    const char* const path = getenv("CUDA_INJECTION64_PATH");
    if (path == nullptr) return;
    void* const tool = dlopen(path, RTLD_NOW);
    void* const begin = tool == nullptr ? nullptr : dlsym(tool, "InitializeInjection");
    if (begin != nullptr) reinterpret_cast<int (*)()>(begin)();
}

}  // namespace

DOUBLE_EXPORT Result cuInit(unsigned) {
    const Call call("cuInit", false);
    if (call.has_ended()) return call.result();
    State& all = state();
    if (all.pid != 0 && all.pid != getpid()) return not_initialized;  // forked
    if (all.pid != 0) return success;
    all.pid = getpid();
    inject();
    all.version = static_cast<int>(number_from("CUDA_DOUBLE_DRIVER", 13000));
    open_log();
    const uint64_t memory = number_from("CUDA_DOUBLE_MEMORY", uint64_t{1} << 30);
    for (uint64_t i = number_from("CUDA_DOUBLE_DEVICES", 2); i > 0; --i) {
        DeviceState device;
        device.memory = memory;
        device.default_pool = device.current_pool = new_handle();
        all.pools[device.default_pool] = Pool{static_cast<Device>(all.devices.size())};
        all.devices.push_back(device);
    }
    return success;
}

DOUBLE_EXPORT void double_fail(const char* function, int result, int count) {
    const std::lock_guard lock(state().mutex);
    state().failures[function] = {result, count};
}

DOUBLE_EXPORT void double_linger_after_free(unsigned microseconds) {
    const std::lock_guard lock(state().mutex);
    state().linger = microseconds;
}

DOUBLE_EXPORT unsigned long long double_device_bytes(int device) {
    const std::lock_guard lock(state().mutex);
    return state().devices.at(device).used - state().devices.at(device).own;
}

namespace {

unsigned long long bytes_of_memory(const std::string& memory) {
    const std::lock_guard lock(state().mutex);
    unsigned long long sum = 0;
    for (const auto& [address, block] : state().blocks) {
        if (block.memory == memory) sum += block.size;
    }
    return sum;
}

}  // namespace

DOUBLE_EXPORT unsigned long long double_pinned_bytes() { return bytes_of_memory("pinned"); }
DOUBLE_EXPORT unsigned long long double_managed_bytes() { return bytes_of_memory("managed"); }

DOUBLE_EXPORT unsigned long long double_calls(const char* function) {
    const std::lock_guard lock(state().mutex);
    const auto found = state().calls.find(function);
    return found == state().calls.end() ? 0 : found->second;
}
