// SPDX-License-Identifier: Apache-2.0
//
// Records about the memory of GPUs. The shim records requests to the driver and their results. The
// reader derives who holds how much of a card.
//
// There are three nested layers, and no byte is counted in two of them:
//
//   driver    what the process took from the driver: GpuAcquire … GpuUnmap. This is what counts.
//   pool      a pool of the driver holds more than it has handed out: GpuPool.
//   tensors   blocks that PyTorch's caching allocator cuts from its segments, which are memory of
//             the driver layer: TensorAcquire, TensorRelease. They are a breakdown of the segments.
//
// Exactly one source writes records of the driver layer at a time (see GpuSource).
//
// A release is stamped before the call and written only if the call succeeded. Meanwhile, on the
// same thread, the driver may cause earlier records (it frees its own memory on the host), and the
// times of a lane never decrease. So `lead` tells how long before `time` the call began. From then
// on another thread can receive the same address or handle.
//
// Memory is identified by its address, physical memory by its handle (stored in `address`). Both
// are unique in a process during their lifetime. Devices have the driver's numbers in this process.
#pragma once

#include <cstdint>

#include "memtrace/dump/field_coding.h"
#include "memtrace/dump/names.h"

namespace memtrace {

// From here on this source writes the records of the driver layer. The last record counts.
struct GpuSource {
    static constexpr uint8_t tag = 28;
    static constexpr const char* name = "gpu_source";
    uint64_t time = 0;
    GpuBackend backend = GpuBackend::none;
    uint64_t driver_version = 0;  // as from cuDriverGetVersion(): 13000 is 13.0; 0: not known
    Text why = {};                // a sentence; why this source is used, or why there is none

    static constexpr void fields(auto&& self, auto&& each) {
        each("backend", self.backend, coding::plain);
        each("driver_version", self.driver_version, coding::plain);
        each("why", self.why, coding::text);
    }
};

// A device that the process uses. Comes before anything else that refers to it.
struct GpuDevice {
    static constexpr uint8_t tag = 29;
    static constexpr const char* name = "gpu_device";
    uint64_t time = 0;
    uint32_t device = 0;
    uint64_t memory = 0;  // bytes of the device; 0: not known
    Text pci = {};        // "0000:3b:00.0", as nvidia-smi prints it; empty: not known
    Text model = {};      // "NVIDIA H200"; empty: not known

    static constexpr void fields(auto&& self, auto&& each) {
        each("device", self.device, coding::plain);
        each("memory", self.memory, coding::plain);
        each("pci", self.pci, coding::text);
        each("model", self.model, coding::text);
    }
};

// Memory came into being.
struct GpuAcquire {
    static constexpr uint8_t tag = 30;
    static constexpr const char* name = "gpu_acquire";
    uint64_t time = 0;  // after the call
    Api api = Api::none;
    GpuMemory memory = GpuMemory::unknown;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // what the driver took: with its padding, if it is reported
    uint64_t address = 0;
    uint32_t device = 0;
    uint64_t context = 0;  // the context that ends it at the latest; 0: none
    uint64_t pool = 0;     // pooled: the pool; graph: the graph; imported buffers: their source

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("memory", self.memory, coding::plain);
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::size);
        each("address", self.address, coding::delta);
        each("device", self.device, coding::plain);
        each("context", self.context, coding::delta);
        each("pool", self.pool, coding::delta);
    }
};

// Memory goes away. For physical memory, one reference goes away.
struct GpuRelease {
    static constexpr uint8_t tag = 31;
    static constexpr const char* name = "gpu_release";
    uint64_t time = 0;  // before the call; written only if it succeeded
    Api api = Api::none;
    uint64_t address = 0;
    uint64_t lead = 0;  // ticks before `time` at which the call began

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("address", self.address, coding::delta);
        each("lead", self.lead, coding::plain);
    }
};

// Physical memory has one more reference.
struct GpuRetain {
    static constexpr uint8_t tag = 32;
    static constexpr const char* name = "gpu_retain";
    uint64_t time = 0;  // after the call
    Api api = Api::none;
    uint64_t handle = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("handle", self.handle, coding::delta);
    }
};

// Physical memory becomes accessible at these addresses. It lives while it has references or
// mappings.
struct GpuMap {
    static constexpr uint8_t tag = 33;
    static constexpr const char* name = "gpu_map";
    uint64_t time = 0;  // after the call
    Api api = Api::none;
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t handle = 0;
    uint64_t offset = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("address", self.address, coding::delta);
        each("size", self.size, coding::plain);
        each("handle", self.handle, coding::delta);
        each("offset", self.offset, coding::plain);
    }
};

// Mappings inside these addresses are gone.
struct GpuUnmap {
    static constexpr uint8_t tag = 34;
    static constexpr const char* name = "gpu_unmap";
    uint64_t time = 0;  // before the call; written only if it succeeded
    Api api = Api::none;
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t lead = 0;  // ticks before `time` at which the call began

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("address", self.address, coding::delta);
        each("size", self.size, coding::plain);
        each("lead", self.lead, coding::plain);
    }
};

// A context came into being or went away, and with it all memory that was acquired in it. Its end
// is stamped before the call, as a release is.
struct GpuContext {
    static constexpr uint8_t tag = 35;
    static constexpr const char* name = "gpu_context";
    uint64_t time = 0;
    Api api = Api::none;
    GpuContextChange change = GpuContextChange::created;
    uint32_t stack = no_stack;
    uint64_t context = 0;
    uint32_t device = 0;
    uint64_t lead = 0;  // released, destroyed: ticks before `time` at which the call began

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("change", self.change, coding::plain);
        each("stack", self.stack, coding::stack);
        each("context", self.context, coding::delta);
        each("device", self.device, coding::plain);
        each("lead", self.lead, coding::plain);
    }
};

// The change of a device's free memory by a call in which the driver takes memory for itself: for a
// context, a module's code and variables, or a heap of the device. An estimate, because other
// processes may take or release memory meanwhile.
struct GpuOverhead {
    static constexpr uint8_t tag = 36;
    static constexpr const char* name = "gpu_overhead";
    uint64_t time = 0;  // after the call
    Api api = Api::none;
    uint32_t stack = no_stack;
    uint64_t object = 0;  // the context, module or library
    uint32_t device = 0;
    uint64_t free_before = 0;  // of the device; both 0: not known
    uint64_t free_after = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("stack", self.stack, coding::stack);
        each("object", self.object, coding::delta);
        each("device", self.device, coding::plain);
        each("free_before", self.free_before, coding::plain);
        each("free_after", self.free_after, coding::plain);
    }
};

// What a pool of the driver holds at this moment.
struct GpuPool {
    static constexpr uint8_t tag = 37;
    static constexpr const char* name = "gpu_pool";
    uint64_t time = 0;
    Api api = Api::none;  // the call after which it was queried
    GpuPoolKind kind = GpuPoolKind::pool;
    uint64_t pool = 0;  // 0 for graphs: all graphs of a device share one
    uint32_t device = 0;
    uint64_t reserved = 0;  // bytes that it holds
    uint64_t used = 0;      // bytes of these that it has handed out

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("kind", self.kind, coding::plain);
        each("pool", self.pool, coding::delta);
        each("device", self.device, coding::plain);
        each("reserved", self.reserved, coding::plain);
        each("used", self.used, coding::plain);
    }
};

// The driver refused a request for memory.
struct GpuRefused {
    static constexpr uint8_t tag = 38;
    static constexpr const char* name = "gpu_refused";
    uint64_t time = 0;
    Api api = Api::none;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // requested bytes
    uint32_t device = 0;
    uint64_t result = 0;  // of the call, a CUresult: 2 is out of memory
    uint64_t free = 0;    // bytes free on the device; with `memory`: 0, 0: not known
    uint64_t memory = 0;  // bytes of the device

    static constexpr void fields(auto&& self, auto&& each) {
        each("api", self.api, coding::plain);
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::plain);
        each("device", self.device, coding::plain);
        each("result", self.result, coding::plain);
        each("free", self.free, coding::plain);
        each("memory", self.memory, coding::plain);
    }
};

// What is in use on a device at this moment, according to an independent source.
struct GpuUsage {
    static constexpr uint8_t tag = 39;
    static constexpr const char* name = "gpu_usage";
    uint64_t time = 0;
    uint32_t device = 0;
    GpuUsageScope scope = GpuUsageScope::device;
    uint64_t used = 0;    // bytes, in the scope of `scope`
    uint64_t memory = 0;  // bytes of the device

    static constexpr void fields(auto&& self, auto&& each) {
        each("device", self.device, coding::plain);
        each("scope", self.scope, coding::plain);
        each("used", self.used, coding::delta);
        each("memory", self.memory, coding::plain);
    }
};

// PyTorch's caching allocator handed out a block of one of its segments. The totals are the
// allocator's own for the device, after this block.
struct TensorAcquire {
    static constexpr uint8_t tag = 40;
    static constexpr const char* name = "tensor_acquire";
    uint64_t time = 0;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // of the block: the requested bytes, rounded up
    uint64_t address = 0;
    uint32_t device_type = 0;  // c10::DeviceType: 1 is CUDA
    uint32_t device = 0;       // PyTorch's number, which is the driver's
    uint64_t allocated = 0;    // bytes of all blocks
    uint64_t reserved = 0;     // bytes of all segments

    static constexpr void fields(auto&& self, auto&& each) {
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::size);
        each("address", self.address, coding::delta);
        each("device_type", self.device_type, coding::plain);
        each("device", self.device, coding::plain);
        each("allocated", self.allocated, coding::delta);
        each("reserved", self.reserved, coding::delta);
    }
};

// A block was returned to the caching allocator.
struct TensorRelease {
    static constexpr uint8_t tag = 41;
    static constexpr const char* name = "tensor_release";
    uint64_t time = 0;
    uint64_t size = 0;
    uint64_t address = 0;
    uint32_t device_type = 0;
    uint32_t device = 0;
    uint64_t allocated = 0;
    uint64_t reserved = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("size", self.size, coding::plain);
        each("address", self.address, coding::delta);
        each("device_type", self.device_type, coding::plain);
        each("device", self.device, coding::plain);
        each("allocated", self.allocated, coding::delta);
        each("reserved", self.reserved, coding::delta);
    }
};

// The caching allocator is about to throw an error, because there is no memory for a block.
struct TensorRefused {
    static constexpr uint8_t tag = 42;
    static constexpr const char* name = "tensor_refused";
    uint64_t time = 0;
    uint32_t stack = no_stack;
    uint64_t size = 0;  // requested bytes
    uint32_t device_type = 0;
    uint32_t device = 0;
    uint64_t allocated = 0;
    uint64_t reserved = 0;

    static constexpr void fields(auto&& self, auto&& each) {
        each("stack", self.stack, coding::stack);
        each("size", self.size, coding::plain);
        each("device_type", self.device_type, coding::plain);
        each("device", self.device, coding::plain);
        each("allocated", self.allocated, coding::plain);
        each("reserved", self.reserved, coding::plain);
    }
};

}  // namespace memtrace
