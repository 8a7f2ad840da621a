// truth: oracle
// run: manual libraries=double-torch-cuda
// Blocks of a double of the caching allocator, on two devices: at random, then until the device is
// full, then by four threads at once. At each step there is a mark, and the allocator's own count
// on stdout.
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include "include/memtrace/memtrace.h"
#include "tests/doubles/torch/c10.h"
#include "tests/doubles/torch/caching_allocator.h"

namespace {

constexpr int devices = 2;

void step(const char* name) {
    MEMTRACE_MARK(name);
    for (int device = 0; device < devices; ++device) {
        uint64_t allocated, reserved;
        double_torch_statistics(device, &allocated, &reserved);
        printf("%s: device %d allocated %lu reserved %lu\n", name, device, allocated, reserved);
    }
}

void free_all(std::vector<void*>& blocks) {
    for (void* block : blocks) double_torch_free(block);
    blocks.clear();
}

// Never inlined: the stacks of these blocks must name it.
__attribute__((noinline)) void allocate_at_random(std::mt19937& random,
                                                  std::vector<void*>& blocks) {
    const size_t sizes[] = {1, 512, 1000, 40'000, 1 << 20, 3 << 20, 30'000'000};
    const int device = static_cast<int>(random() % devices);
    blocks.push_back(double_torch_alloc(device, sizes[random() % std::size(sizes)]));
    if (blocks.back() == nullptr) exit(97);
}

__attribute__((noinline)) void fill_the_device(std::vector<void*>& blocks) {
    while (void* block = double_torch_alloc(1, size_t{1} << 30)) blocks.push_back(block);
}

void work(unsigned seed, int steps) {
    std::mt19937 random(seed);
    std::vector<void*> blocks;
    for (int i = 0; i < steps; ++i) {
        if (random() % 3 != 0 || blocks.empty()) {
            allocate_at_random(random, blocks);
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            double_torch_free(blocks.back());
            blocks.pop_back();
        }
        if (blocks.size() > 40) free_all(blocks);
    }
    free_all(blocks);
}

}  // namespace

int main() {
    std::mt19937 random(1);
    std::vector<void*> blocks;
    for (int i = 0; i < 200; ++i) {
        allocate_at_random(random, blocks);
        if (random() % 2 == 0) {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            double_torch_free(blocks.back());
            blocks.pop_back();
        }
        char name[32];
        snprintf(name, sizeof name, "step %d", i);
        step(name);
    }
    double_torch_empty_cache();
    step("cache emptied");
    fill_the_device(blocks);
    step("full");
    free_all(blocks);
    double_torch_empty_cache();
    step("all freed");
    std::vector<std::thread> threads;
    for (unsigned seed = 2; seed < 6; ++seed) threads.emplace_back(work, seed, 2'000);
    for (std::thread& thread : threads) thread.join();
    double_torch_empty_cache();  // How many segments the threads needed depends on chance.
    step("threads ended");

    int64_t bytes;
    uint64_t reports, refusals;
    double_c10_arrived(&bytes, &reports, &refusals);
    printf("arrived: %ld bytes, %lu reports, %lu refusals\n", bytes, reports, refusals);
    return 0;
}
