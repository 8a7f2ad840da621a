// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/torch/caching_allocator.h"

#include <map>
#include <mutex>

#include "tests/doubles/torch/c10.h"

extern "C" {
int cudaMalloc(void** result, size_t size);
int cudaFree(void* address);
int cudaSetDevice(int device);
}

namespace c10::cuda::CUDACachingAllocator {
namespace {

constexpr size_t block_unit = 512;
constexpr size_t small_size = size_t{1} << 20;
constexpr size_t small_segment = size_t{2} << 20;
constexpr size_t large_segment = size_t{20} << 20;
constexpr int devices_max = 8;

size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// Small blocks and large ones have segments of their own.
size_t segment_for(size_t size) {
    if (size <= small_size) return small_segment;
    return size < large_segment / 2 ? large_segment : round_up(size, small_segment);
}

struct Block {
    size_t size;
    char* segment;
    bool is_small;
    bool is_used;
};

}  // namespace

class DeviceCachingAllocator {
public:
    void* malloc(int device, size_t wanted) {
        const std::lock_guard guard(lock_);
        const size_t size = round_up(wanted, block_unit);
        auto found = find_free(size);
        if (found == blocks_.end() && add_segment(device, size)) found = find_free(size);
        if (found == blocks_.end()) {
            reportOutOfMemoryToProfiler(static_cast<int64_t>(size), allocated_, reserved_,
                                        device_of(device));
            return nullptr;
        }
        return alloc_found_block(device, found, size);
    }

    void free(int device, void* pointer) {
        const std::lock_guard guard(lock_);
        auto block = blocks_.find(static_cast<char*>(pointer));
        const auto size = static_cast<int64_t>(block->second.size);
        block->second.is_used = false;
        allocated_ -= block->second.size;
        join(block, std::next(block));
        if (block != blocks_.begin()) join(std::prev(block), block);
        reportMemoryUsageToProfiler(pointer, -size, allocated_, reserved_, device_of(device));
    }

    void empty_cache() {
        const std::lock_guard guard(lock_);
        release_cached_blocks();
    }

    void statistics(uint64_t& allocated, uint64_t& reserved) {
        const std::lock_guard guard(lock_);
        allocated = allocated_;
        reserved = reserved_;
    }

private:
    using Blocks = std::map<char*, Block>;

    static Device device_of(int device) { return {DeviceType::CUDA, static_cast<int8_t>(device)}; }

    Blocks::iterator find_free(size_t size) {
        auto best = blocks_.end();
        for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
            if (block->second.is_used || block->second.size < size ||
                block->second.is_small != (size <= small_size)) {
                continue;
            }
            if (best == blocks_.end() || block->second.size < best->second.size) best = block;
        }
        return best;
    }

    bool add_segment(int device, size_t size) {
        const size_t bytes = segment_for(size);
        void* segment = nullptr;
        cudaSetDevice(device);
        if (cudaMalloc(&segment, bytes) != 0) {
            release_cached_blocks();
            if (cudaMalloc(&segment, bytes) != 0) return false;
        }
        auto* const begin = static_cast<char*>(segment);
        blocks_[begin] = {bytes, begin, size <= small_size, false};
        reserved_ += bytes;
        return true;
    }

    void* alloc_found_block(int device, Blocks::iterator found, size_t size) {
        Block& block = found->second;
        if (block.size > size) {
            blocks_[found->first + size] = {block.size - size, block.segment, block.is_small,
                                            false};
            block.size = size;
        }
        block.is_used = true;
        allocated_ += size;
        reportMemoryUsageToProfiler(found->first, static_cast<int64_t>(size), allocated_, reserved_,
                                    device_of(device));
        return found->first;
    }

    // Two free neighbours of one segment become one.
    void join(Blocks::iterator block, Blocks::iterator next) {
        if (next == blocks_.end() || block->second.is_used || next->second.is_used ||
            block->second.segment != next->second.segment) {
            return;
        }
        block->second.size += next->second.size;
        blocks_.erase(next);
    }

    void release_cached_blocks() {
        for (auto block = blocks_.begin(); block != blocks_.end();) {
            const auto next = std::next(block);
            const bool is_whole =
                block->first == block->second.segment &&
                (next == blocks_.end() || next->second.segment != block->second.segment);
            if (is_whole && !block->second.is_used) {
                cudaFree(block->first);
                reserved_ -= block->second.size;
                blocks_.erase(block);
            }
            block = next;
        }
    }

    std::mutex lock_;
    Blocks blocks_;
    uint64_t allocated_ = 0;
    uint64_t reserved_ = 0;
};

namespace {

DeviceCachingAllocator allocators[devices_max];
std::mutex owners_lock;
std::map<void*, int> owners;

}  // namespace
}  // namespace c10::cuda::CUDACachingAllocator

using namespace c10::cuda::CUDACachingAllocator;

TORCH_DOUBLE void* double_torch_alloc(int device, size_t size) {
    void* const block = allocators[device].malloc(device, size);
    const std::lock_guard guard(owners_lock);
    if (block != nullptr) owners[block] = device;
    return block;
}

TORCH_DOUBLE void double_torch_free(void* block) {
    int device;
    {
        const std::lock_guard guard(owners_lock);
        const auto found = owners.find(block);
        device = found->second;
        owners.erase(found);
    }
    allocators[device].free(device, block);
}

TORCH_DOUBLE void double_torch_empty_cache() {
    for (DeviceCachingAllocator& allocator : allocators) allocator.empty_cache();
}

TORCH_DOUBLE void double_torch_statistics(int device, uint64_t* allocated, uint64_t* reserved) {
    allocators[device].statistics(*allocated, *reserved);
}

TORCH_DOUBLE void double_torch_report_host_memory(void* block, int64_t size) {
    c10::reportMemoryUsageToProfiler(block, size, 1000, 2000, {c10::DeviceType::CPU, 0});
}

TORCH_DOUBLE void double_torch_report_other_device(void* block, int64_t size, int index) {
    c10::reportMemoryUsageToProfiler(block, size, 1000, 2000,
                                     {c10::DeviceType::XPU, static_cast<int8_t>(index)});
}

TORCH_DOUBLE void double_torch_report_old_way(void* block, int64_t size, int index) {
    c10::reportMemoryUsageToProfiler(block, size,
                                     {c10::DeviceType::CUDA, static_cast<int8_t>(index)});
}
