// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's devices, contexts and modules. A context and a module take memory of the device
// without any call that a hook could see.
#include <algorithm>
#include <cstdio>

#include "preload/cuda/cupti_types.h"
#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

bool is_device(Device device) {
    return device >= 0 && device < static_cast<Device>(state().devices.size());
}

bool take_for_itself(Device device, uint64_t size) {
    if (!take(device, size)) return false;
    state().devices[device].own += size;
    return true;
}

void give_back(Device device, uint64_t size) {
    give(device, size);
    state().devices[device].own -= size;
}

void log_context(const char* api, const char* change, uint64_t context, Device device) {
    write_log("gpu_context api=%s change=%s context=%#llx device=%d", api, change,
              static_cast<unsigned long long>(context), device);
}

void drop_memory_of(const Context* context) {
    std::vector<std::pair<uint64_t, Block>> gone;
    for (const auto& [address, block] : state().blocks) {
        if (block.context == context) gone.push_back({address, block});
    }
    for (const auto& [address, block] : gone) forget_block(address, block);
}

Result create(const char* api, Handle* context, Device device) {
    if (!is_device(device)) return 101;
    if (!take_for_itself(device, context_bytes)) return out_of_memory;
    Context* const made = new Context{new_handle(), device, 1};
    state().contexts[made->id] = made;
    context_stack().push_back(made);
    *context = handle_of(made->id);
    log_context(api, "created", made->id, device);
    return success;
}

Result destroy(const char* api, Handle handle) {
    const auto found = state().contexts.find(number_of(handle));
    if (found == state().contexts.end() || found->second->is_primary) return 201;
    Context* const context = found->second;
    raise_resource(memtrace::preload::cupti::context_ends, context->id);
    drop_memory_of(context);
    give_back(context->device, context_bytes);
    auto& stack = context_stack();
    stack.erase(std::remove(stack.begin(), stack.end(), context), stack.end());
    state().contexts.erase(found);
    log_context(api, "destroyed", context->id, context->device);
    return success;
}

Result release_primary(Device device) {
    if (!is_device(device) || state().devices[device].primary == nullptr) return 201;
    DeviceState& of = state().devices[device];
    const uint64_t id = of.primary->id;
    if (--of.primary->references != 0) {
        log_context("cuDevicePrimaryCtxRelease", "released", id, device);
        return success;
    }
    raise_resource(memtrace::preload::cupti::context_ends, id);
    drop_memory_of(of.primary);
    give_back(device, context_bytes);
    auto& stack = context_stack();
    stack.erase(std::remove(stack.begin(), stack.end(), of.primary), stack.end());
    state().contexts.erase(id);
    of.primary = nullptr;
    log_context("cuDevicePrimaryCtxRelease", "destroyed", id, device);
    return success;
}

Result reset_primary(Device device) {
    if (!is_device(device)) return 101;
    Context* const primary = state().devices[device].primary;
    if (primary == nullptr) return success;
    drop_memory_of(primary);
    log_context("cuDevicePrimaryCtxReset", "destroyed", primary->id, device);
    return success;
}

Result load(Handle* module) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    if (!take_for_itself(context->device, module_bytes)) return out_of_memory;
    *module = handle_of(new_handle());
    return success;
}

Result unload() {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    give_back(context->device, module_bytes);
    return success;
}

}  // namespace

// ---- devices -----------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuDriverGetVersion(int* version) {
    const Call call("cuDriverGetVersion", false);
    *version = state().version;
    return success;
}

DOUBLE_EXPORT Result cuDeviceGetCount(int* count) {
    DOUBLE_CALL(cuDeviceGetCount);
    *count = static_cast<int>(state().devices.size());
    return success;
}

DOUBLE_EXPORT Result cuDeviceGet(Device* device, int ordinal) {
    DOUBLE_CALL(cuDeviceGet);
    if (!is_device(ordinal)) return 101;
    *device = ordinal;
    return success;
}

DOUBLE_EXPORT Result cuDeviceGetName(char* name, int size, Device device) {
    DOUBLE_CALL(cuDeviceGetName);
    snprintf(name, size, "Double %d", device);
    return success;
}

DOUBLE_EXPORT Result cuDeviceGetPCIBusId(char* name, int size, Device device) {
    DOUBLE_CALL(cuDeviceGetPCIBusId);
    snprintf(name, size, "0000:%02x:00.0", 0x3b + device);
    return success;
}

DOUBLE_EXPORT Result cuDeviceTotalMem_v2(size_t* size, Device device) {
    DOUBLE_CALL(cuDeviceTotalMem_v2);
    *size = state().devices.at(device).memory;
    return success;
}

// ---- contexts ----------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuCtxCreate_v2(Handle* context, unsigned, Device device) {
    DOUBLE_CALL(cuCtxCreate_v2);
    return create("cuCtxCreate", context, device);
}

DOUBLE_EXPORT Result cuCtxCreate(Handle* context, unsigned, Device device) {
    DOUBLE_CALL(cuCtxCreate);
    return create("cuCtxCreate", context, device);
}

DOUBLE_EXPORT Result cuCtxCreate_v3(Handle* context, void*, int, unsigned, Device device) {
    DOUBLE_CALL(cuCtxCreate_v3);
    return create("cuCtxCreate", context, device);
}

DOUBLE_EXPORT Result cuCtxCreate_v4(Handle* context, void*, unsigned, Device device) {
    DOUBLE_CALL(cuCtxCreate_v4);
    return create("cuCtxCreate", context, device);
}

DOUBLE_EXPORT Result cuCtxDestroy_v2(Handle context) {
    DOUBLE_CALL(cuCtxDestroy_v2);
    return destroy("cuCtxDestroy", context);
}

DOUBLE_EXPORT Result cuCtxDestroy(Handle context) {
    DOUBLE_CALL(cuCtxDestroy);
    return destroy("cuCtxDestroy", context);
}

DOUBLE_EXPORT Result cuGreenCtxCreate(Handle* context, void*, Device device, unsigned) {
    DOUBLE_CALL(cuGreenCtxCreate);
    if (!take_for_itself(device, context_bytes)) return out_of_memory;
    Context* const made = new Context{new_handle(), device, 1};
    state().contexts[made->id] = made;
    *context = handle_of(made->id);
    log_context("cuGreenCtxCreate", "created", made->id, device);
    return success;
}

DOUBLE_EXPORT Result cuGreenCtxDestroy(Handle context) {
    DOUBLE_CALL(cuGreenCtxDestroy);
    return destroy("cuGreenCtxDestroy", context);
}

DOUBLE_EXPORT Result cuCtxGetCurrent(Handle* context) {
    DOUBLE_CALL(cuCtxGetCurrent);
    Context* const current = current_context_of_thread();
    *context = current == nullptr ? nullptr : handle_of(current->id);
    return success;
}

DOUBLE_EXPORT Result cuCtxSetCurrent(Handle context) {
    DOUBLE_CALL(cuCtxSetCurrent);
    auto& stack = context_stack();
    if (!stack.empty()) stack.pop_back();
    if (context == nullptr) return success;
    const auto found = state().contexts.find(number_of(context));
    if (found == state().contexts.end()) return no_context;
    stack.push_back(found->second);
    return success;
}

DOUBLE_EXPORT Result cuCtxGetDevice(Device* device) {
    DOUBLE_CALL(cuCtxGetDevice);
    Context* const current = current_context_of_thread();
    if (current == nullptr) return no_context;
    *device = current->device;
    return success;
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxRetain(Handle* context, Device device) {
    DOUBLE_CALL(cuDevicePrimaryCtxRetain);
    if (!is_device(device)) return 101;
    DeviceState& of = state().devices[device];
    const bool is_new = of.primary == nullptr;
    if (is_new) {
        if (!take_for_itself(device, context_bytes)) return out_of_memory;
        of.primary = new Context{new_handle(), device, 0, true};
        state().contexts[of.primary->id] = of.primary;
    }
    ++of.primary->references;
    *context = handle_of(of.primary->id);
    log_context("cuDevicePrimaryCtxRetain", is_new ? "created" : "retained", of.primary->id,
                device);
    return success;
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxRelease_v2(Device device) {
    DOUBLE_CALL(cuDevicePrimaryCtxRelease_v2);
    return release_primary(device);
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxRelease(Device device) {
    DOUBLE_CALL(cuDevicePrimaryCtxRelease);
    return release_primary(device);
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxReset_v2(Device device) {
    DOUBLE_CALL(cuDevicePrimaryCtxReset_v2);
    return reset_primary(device);
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxReset(Device device) {
    DOUBLE_CALL(cuDevicePrimaryCtxReset);
    return reset_primary(device);
}

DOUBLE_EXPORT Result cuDevicePrimaryCtxGetState(Device device, unsigned* flags, int* active) {
    DOUBLE_CALL(cuDevicePrimaryCtxGetState);
    *flags = 0;
    *active = state().devices.at(device).primary != nullptr;
    return success;
}

// ---- modules -----------------------------------------------------------------------------------

#define DOUBLE_LOAD(name, ...)                               \
    DOUBLE_EXPORT Result name(Handle* module, __VA_ARGS__) { \
        DOUBLE_CALL(name);                                   \
        return load(module);                                 \
    }
DOUBLE_LOAD(cuModuleLoad, const char*)
DOUBLE_LOAD(cuModuleLoadData, const void*)
DOUBLE_LOAD(cuModuleLoadDataEx, const void*, unsigned, int*, void**)
DOUBLE_LOAD(cuModuleLoadFatBinary, const void*)
DOUBLE_LOAD(cuLibraryLoadData, const void*, int*, void**, unsigned, int*, void**, unsigned)
DOUBLE_LOAD(cuLibraryLoadFromFile, const char*, int*, void**, unsigned, int*, void**, unsigned)

DOUBLE_EXPORT Result cuModuleUnload(Handle) {
    DOUBLE_CALL(cuModuleUnload);
    return unload();
}

DOUBLE_EXPORT Result cuLibraryUnload(Handle) {
    DOUBLE_CALL(cuLibraryUnload);
    return unload();
}

DOUBLE_EXPORT Result cuCtxSetLimit(int, size_t value) {
    DOUBLE_CALL(cuCtxSetLimit);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    return take_for_itself(context->device, value) ? success : out_of_memory;
}
