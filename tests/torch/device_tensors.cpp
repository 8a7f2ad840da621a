// SPDX-License-Identifier: Apache-2.0
//
// Puts the tensors of a CPU build of PyTorch into PyTorch's own caching allocator of CUDA memory
// (libc10_cuda.so), on the doubles of the runtime and the driver. So a whole training runs with
// device blocks and segments, without a GPU. Loaded into a program by tests/training/truth.py,
// before its first tensor.
//
//   MEMTRACE_DEVICE_TIMES=N   asks for N times what a tensor needs, so that a small model's blocks
//                             are as large as those of a large one, which come from other pools
#include <c10/core/CPUAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*has)(c10::DeviceIndex));
}

namespace {

using c10::cuda::CUDACachingAllocator::CUDAAllocator;

CUDAAllocator& device_allocator() { return *c10::cuda::CUDACachingAllocator::get(); }

size_t times() {
    static const size_t number = [] {
        const char* const text = std::getenv("MEMTRACE_DEVICE_TIMES");
        return text == nullptr ? 1 : std::strtoul(text, nullptr, 10);
    }();
    return number;
}

void give_back(void* block) { device_allocator().raw_delete(block); }

class DeviceTensors final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override {
        void* const block = bytes == 0 ? nullptr : device_allocator().raw_alloc(bytes * times());
        return {block, block, block == nullptr ? nullptr : &give_back,
                c10::Device(c10::DeviceType::CPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        std::memcpy(to, from, bytes);
    }
};

// The double's device memory is numbers from here on. The processor computes there, so there must
// be memory; a bare system call makes it, which is no event of the program.
constexpr uint64_t device_begin = 0x7e0000000000;
constexpr uint64_t device_bytes = uint64_t{16} << 30;

void back_device_memory() {
    const long begin =
        syscall(SYS_mmap, device_begin, device_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (begin == static_cast<long>(device_begin)) return;
    std::fputs("device_tensors: the addresses of the double's device memory are taken\n", stderr);
    std::abort();
}

DeviceTensors device_tensors;

__attribute__((constructor)) void begin() {
    back_device_memory();
    c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
    device_allocator().init(1);
    c10::SetCPUAllocator(&device_tensors, 255);
}

}  // namespace
