// SPDX-License-Identifier: Apache-2.0
//
// The stand-in's memory at an address: device, managed, pinned, registered; arrays; imported
// memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/doubles/libcuda/state.h"

using namespace cuda_double;

namespace {

constexpr size_t pitch_unit = 512;

Result acquire(const char* api, DevicePointer* address, uint64_t size) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    if (size == 0) return invalid_value;
    if (!take(context->device, size)) return out_of_memory;
    *address = new_address(size);
    add_block(api, *address, Block{"device", size, context->device, context});
    return success;
}

// The driver maps pinned and managed memory itself.
Result acquire_pages(const char* api, const char* memory, void** address, size_t size) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    if (size == 0) return invalid_value;
    void* const pages =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return out_of_memory;
    *address = pages;
    Block block{memory, size, context->device, context};
    block.pages = pages;
    add_block(api, number_of(pages), block);
    return success;
}

Result release(const char* api, uint64_t address) {
    const auto found = state().blocks.find(address);
    if (found == state().blocks.end()) return invalid_value;
    remove_block(api, address);
    return success;
}

Result acquire_array(const char* api, Handle* array, uint64_t size) {
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    if (!take(context->device, size)) return out_of_memory;
    *array = handle_of(new_handle());
    add_block(api, number_of(*array), Block{"array", size, context->device, context});
    return success;
}

uint64_t bytes_of_element(int format, unsigned channels) {
    const bool is_one = format == 0x01 || format == 0x08;
    const bool is_two = format == 0x02 || format == 0x09 || format == 0x10;
    return uint64_t{is_one ? 1u : is_two ? 2u : 4u} * channels;
}

uint64_t or_one(uint64_t value) { return value == 0 ? 1 : value; }

}  // namespace

DOUBLE_EXPORT Result cuMemAlloc_v2(DevicePointer* address, size_t size) {
    DOUBLE_UNSAFE_CALL(cuMemAlloc_v2);
    return acquire("cuMemAlloc", address, size);
}

// For 32-bit programs, and one that a later driver may have.
DOUBLE_EXPORT Result cuMemAlloc(unsigned* address, unsigned) {
    DOUBLE_CALL(cuMemAlloc);
    *address = 0x1000;
    return success;
}

DOUBLE_EXPORT Result cuMemAllocOfTomorrow(DevicePointer* address, size_t) {
    DOUBLE_CALL(cuMemAllocOfTomorrow);
    *address = 0x1000;
    return success;
}

DOUBLE_EXPORT Result cuMemAllocPitch_v2(DevicePointer* address, size_t* pitch, size_t width,
                                        size_t height, unsigned) {
    DOUBLE_UNSAFE_CALL(cuMemAllocPitch_v2);
    *pitch = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
    return acquire("cuMemAllocPitch", address, *pitch * height);
}

DOUBLE_EXPORT Result cuMemAllocManaged(DevicePointer* address, size_t size, unsigned) {
    DOUBLE_UNSAFE_CALL(cuMemAllocManaged);
    void* pages = nullptr;
    const Result result = acquire_pages("cuMemAllocManaged", "managed", &pages, size);
    *address = number_of(pages);
    return result;
}

DOUBLE_EXPORT Result cuMemFree_v2(DevicePointer address) {
    unsigned linger = 0;
    {
        DOUBLE_UNSAFE_CALL(cuMemFree_v2);
        if (address == 0) return success;
        const auto found = state().blocks.find(address);
        if (found == state().blocks.end()) return invalid_value;
        if (found->second.pool != 0 && std::strcmp(found->second.memory, "pooled") == 0) {
            state().pools.at(found->second.pool).used -= found->second.size;
        }
        remove_block("cuMemFree", address);
        linger = state().linger;
    }
    if (linger != 0) usleep(linger);
    free(malloc(48));  // Its books, when another thread may already have the address.
    return success;
}

DOUBLE_EXPORT Result cuMemAllocHost_v2(void** address, size_t size) {
    DOUBLE_UNSAFE_CALL(cuMemAllocHost_v2);
    return acquire_pages("cuMemAllocHost", "pinned", address, size);
}

DOUBLE_EXPORT Result cuMemHostAlloc(void** address, size_t size, unsigned) {
    DOUBLE_UNSAFE_CALL(cuMemHostAlloc);
    return acquire_pages("cuMemHostAlloc", "pinned", address, size);
}

DOUBLE_EXPORT Result cuMemFreeHost(void* address) {
    DOUBLE_UNSAFE_CALL(cuMemFreeHost);
    return release("cuMemFreeHost", number_of(address));
}

DOUBLE_EXPORT Result cuMemHostRegister_v2(void* address, size_t size, unsigned) {
    DOUBLE_UNSAFE_CALL(cuMemHostRegister_v2);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    add_block("cuMemHostRegister", number_of(address),
              Block{"registered", size, context->device, context});
    return success;
}

DOUBLE_EXPORT Result cuMemHostRegister(void* address, size_t size, unsigned flags) {
    return cuMemHostRegister_v2(address, size, flags);
}

DOUBLE_EXPORT Result cuMemHostUnregister(void* address) {
    DOUBLE_UNSAFE_CALL(cuMemHostUnregister);
    return release("cuMemHostUnregister", number_of(address));
}

// ---- arrays ------------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuArrayCreate_v2(Handle* array, const ArrayShape* shape) {
    DOUBLE_UNSAFE_CALL(cuArrayCreate_v2);
    return acquire_array(
        "cuArrayCreate", array,
        shape->width * or_one(shape->height) * bytes_of_element(shape->format, shape->channels));
}

DOUBLE_EXPORT Result cuArray3DCreate_v2(Handle* array, const Array3DShape* shape) {
    DOUBLE_UNSAFE_CALL(cuArray3DCreate_v2);
    return acquire_array("cuArray3DCreate", array,
                         shape->width * or_one(shape->height) * or_one(shape->depth) *
                             bytes_of_element(shape->format, shape->channels));
}

DOUBLE_EXPORT Result cuArrayDestroy(Handle array) {
    DOUBLE_CALL(cuArrayDestroy);
    return release("cuArrayDestroy", number_of(array));
}

DOUBLE_EXPORT Result cuMipmappedArrayCreate(Handle* array, const Array3DShape* shape,
                                            unsigned levels) {
    DOUBLE_UNSAFE_CALL(cuMipmappedArrayCreate);
    uint64_t size = 0;
    for (unsigned i = 0; i < levels; ++i) {
        size += or_one(shape->width >> i) * or_one(shape->height >> i) * or_one(shape->depth >> i) *
                bytes_of_element(shape->format, shape->channels);
    }
    return acquire_array("cuMipmappedArrayCreate", array, size);
}

DOUBLE_EXPORT Result cuMipmappedArrayDestroy(Handle array) {
    DOUBLE_CALL(cuMipmappedArrayDestroy);
    return release("cuMipmappedArrayDestroy", number_of(array));
}

// ---- imported memory ---------------------------------------------------------------------------

DOUBLE_EXPORT Result cuIpcGetMemHandle(IpcHandle* handle, DevicePointer address) {
    DOUBLE_CALL(cuIpcGetMemHandle);
    const auto found = state().blocks.find(address);
    if (found == state().blocks.end()) return invalid_value;
    std::memcpy(handle->bytes, &found->second.size, sizeof found->second.size);
    return success;
}

DOUBLE_EXPORT Result cuIpcOpenMemHandle_v2(DevicePointer* address, IpcHandle handle, unsigned) {
    DOUBLE_UNSAFE_CALL(cuIpcOpenMemHandle_v2);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    uint64_t size = 0;
    std::memcpy(&size, handle.bytes, sizeof size);
    *address = new_address(size);
    add_block("cuIpcOpenMemHandle", *address, Block{"imported", size, context->device, context});
    return success;
}

DOUBLE_EXPORT Result cuIpcOpenMemHandle(DevicePointer* address, IpcHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(address, handle, flags);
}

DOUBLE_EXPORT Result cuIpcCloseMemHandle(DevicePointer address) {
    DOUBLE_UNSAFE_CALL(cuIpcCloseMemHandle);
    return release("cuIpcCloseMemHandle", address);
}

DOUBLE_EXPORT Result cuImportExternalMemory(Handle* memory, const ExternalMemory* what) {
    DOUBLE_UNSAFE_CALL(cuImportExternalMemory);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    *memory = handle_of(new_handle());
    add_block("cuImportExternalMemory", number_of(*memory),
              Block{"imported", what->size, context->device, context});
    return success;
}

DOUBLE_EXPORT Result cuExternalMemoryGetMappedBuffer(DevicePointer* address, Handle memory,
                                                     const ExternalBuffer* what) {
    DOUBLE_UNSAFE_CALL(cuExternalMemoryGetMappedBuffer);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    *address = new_address(what->size);
    Block block{"imported", what->size, context->device, context};
    block.pool = number_of(memory);
    add_block("cuExternalMemoryGetMappedBuffer", *address, block);
    return success;
}

DOUBLE_EXPORT Result cuExternalMemoryGetMappedMipmappedArray(Handle* array, Handle memory,
                                                             const void*) {
    DOUBLE_UNSAFE_CALL(cuExternalMemoryGetMappedMipmappedArray);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    *array = handle_of(new_handle());
    Block block{"imported", 0, context->device, context};
    block.pool = number_of(memory);
    add_block("cuExternalMemoryGetMappedMipmappedArray", number_of(*array), block);
    return success;
}

DOUBLE_EXPORT Result cuDestroyExternalMemory(Handle memory) {
    DOUBLE_CALL(cuDestroyExternalMemory);
    return release("cuDestroyExternalMemory", number_of(memory));
}

// ---- queries -----------------------------------------------------------------------------------

DOUBLE_EXPORT Result cuMemGetInfo_v2(size_t* free, size_t* total) {
    DOUBLE_UNSAFE_CALL(cuMemGetInfo_v2);
    Context* const context = current_context_of_thread();
    if (context == nullptr) return no_context;
    const DeviceState& device = state().devices[context->device];
    *free = device.memory - device.used;
    *total = device.memory;
    return success;
}

DOUBLE_EXPORT Result cuMemGetAddressRange_v2(DevicePointer* begin, size_t* size,
                                             DevicePointer address) {
    DOUBLE_UNSAFE_CALL(cuMemGetAddressRange_v2);
    const auto found = state().blocks.find(address);
    if (found == state().blocks.end()) return invalid_value;
    *begin = address;
    *size = found->second.size;
    return success;
}

DOUBLE_EXPORT Result cuPointerGetAttribute(void* value, int attribute, DevicePointer address) {
    DOUBLE_UNSAFE_CALL(cuPointerGetAttribute);
    const auto found = state().blocks.find(address);
    if (found == state().blocks.end()) return invalid_value;
    const Block& block = found->second;
    const bool is_on_host = std::strcmp(block.memory, "pinned") == 0;
    if (attribute == pointer_device) *static_cast<int*>(value) = block.device;
    else if (attribute == pointer_pool) *static_cast<uint64_t*>(value) = block.pool;
    else if (attribute == pointer_memory_type) *static_cast<unsigned*>(value) = is_on_host ? 1 : 2;
    else return invalid_value;
    return success;
}
