// SPDX-License-Identifier: Apache-2.0
//
// Exercises PyTorch's own caching allocator of CUDA memory (libc10_cuda.so) without a GPU: on the
// doubles of the runtime and the driver. Built and run by scripts/measure/torch-allocator.
//
// After each step a mark goes to the dump, and the allocator's own statistics to stdout. The most
// that it had handed out, which differs from run to run with four threads, goes to stderr.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "include/memtrace/memtrace.h"

extern "C" void double_cudart_hold_events(int held);

// Exported for libtorch_cuda.so; not in the headers of all versions.
namespace c10::cuda {
namespace _internal {
void setHasPrimaryContext(bool (*has)(c10::DeviceIndex));
}
namespace detail {
__attribute__((weak)) void init_p2p_access_cache(int64_t device_count);
}
}  // namespace c10::cuda

namespace {

using c10::cuda::CUDACachingAllocator::CUDAAllocator;

constexpr int devices = 2;

CUDAAllocator& allocator() { return *c10::cuda::CUDACachingAllocator::get(); }

void step(const std::string& name) {
    MEMTRACE_MARK(name.c_str());
    for (int device = 0; device < devices; ++device) {
        const auto statistics = allocator().getDeviceStats(static_cast<int8_t>(device));
        std::printf("%s: device %d allocated %ld reserved %ld active %ld\n", name.c_str(), device,
                    statistics.allocated_bytes[0].current, statistics.reserved_bytes[0].current,
                    statistics.active_bytes[0].current);
    }
}

// Blocks that one thread holds.
class Holder {
public:
    explicit Holder(unsigned seed) : random_(seed) {}
    ~Holder() { free_all(); }

    void allocate(int device, size_t size) {
        const c10::cuda::CUDAGuard guard(static_cast<int8_t>(device));
        blocks_.push_back(allocator().raw_alloc(size));
    }

    void allocate_at_random() {
        constexpr size_t sizes[] = {1, 512, 700, 40'000, 1 << 20, 3 << 20, 9'000'000, 30'000'000};
        const size_t size = sizes[random_() % std::size(sizes)];
        allocate(static_cast<int>(random_() % devices), size);
    }

    void free_at_random() {
        if (blocks_.empty()) return;
        std::swap(blocks_[random_() % blocks_.size()], blocks_.back());
        allocator().raw_delete(blocks_.back());
        blocks_.pop_back();
    }

    void free_all() {
        for (void* block : blocks_) allocator().raw_delete(block);
        blocks_.clear();
    }

    bool flips_a_coin() { return random_() % 2 == 0; }

private:
    std::mt19937 random_;
    std::vector<void*> blocks_;
};

void splits_and_frees() {
    Holder holder(1);
    for (int i = 0; i < 150; ++i) {
        holder.allocate_at_random();
        if (holder.flips_a_coin()) holder.free_at_random();
        step("split " + std::to_string(i));
    }
    allocator().emptyCache();
    step("cache emptied while blocks live");
    holder.free_all();
    step("all freed");
    allocator().emptyCache();
    step("cache emptied");
}

// A block that two streams use goes back to the cache when the second one is done with it.
void two_streams() {
    const auto other = c10::cuda::getStreamFromPool(false, 0);
    {
        double_cudart_hold_events(1);
        c10::DataPtr block = allocator().allocate(5'000'000);
        allocator().recordStream(block, other);
        step("used by two streams");
    }
    step("freed, and still in use");
    Holder holder(2);
    holder.allocate(0, 5'000'000);
    step("another one meanwhile");
    double_cudart_hold_events(0);
    holder.allocate(0, 5'000'000);
    step("no longer in use");
    void* const on_other = allocator().raw_alloc_with_stream(7'000'000, other);
    step("a block of the other stream");
    allocator().raw_delete(on_other);
    holder.free_all();
    allocator().emptyCache();
    step("streams done");
}

bool is_refused(size_t size) {
    try {
        allocator().raw_delete(allocator().raw_alloc(size));
    } catch (const c10::OutOfMemoryError&) {
        return true;
    }
    return false;
}

void out_of_memory() {
    Holder holder(3);
    holder.allocate(0, 100'000'000);
    step("before the refusal");
    std::printf("refused: %d\n", is_refused(size_t{1} << 42));
    step("after the refusal");
    holder.free_all();
    allocator().emptyCache();
    step("refusal done");
}

void several_threads() {
    std::vector<std::thread> threads;
    for (unsigned seed = 4; seed < 8; ++seed) {
        threads.emplace_back([seed] {
            Holder holder(seed);
            for (int i = 0; i < 2'000; ++i) {
                holder.allocate_at_random();
                if (holder.flips_a_coin()) holder.free_at_random();
                if (i % 60 == 0) holder.free_all();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    allocator().emptyCache();
    step("threads ended");
}

bool has_primary_context(c10::DeviceIndex) { return true; }

// What libtorch_cuda.so does, which is not here.
void prepare() {
    c10::cuda::_internal::setHasPrimaryContext(has_primary_context);
    if (c10::cuda::detail::init_p2p_access_cache != nullptr) {
        c10::cuda::detail::init_p2p_access_cache(devices);
    }
}

}  // namespace

int main() {
    prepare();
    allocator().init(devices);
    std::printf("backend: %s\n", allocator().name().c_str());
    splits_and_frees();
    two_streams();
    out_of_memory();
    several_threads();
    for (int device = 0; device < devices; ++device) {
        const auto statistics = allocator().getDeviceStats(static_cast<int8_t>(device));
        std::fprintf(stderr, "peak of device %d: %ld\n", device,
                     statistics.allocated_bytes[0].peak);
    }
    return 0;
}
