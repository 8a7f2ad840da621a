// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/driver_coverage.h"

#include <atomic>
#include <cstdint>

#include "preload/base/fixed_text.h"
#include "preload/cuda/cuda_entry_names.h"
#include "preload/recording/record.h"

namespace memtrace::preload::cuda {
namespace {

constexpr unsigned noted_max = 64;
std::atomic<uint64_t> noted[noted_max];

uint64_t hash_of(std::string_view text) {
    uint64_t hash = 14695981039346656037ull;
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ull;
    return hash | 1;
}

// True at the first call with this text, as long as there is room to remember it.
bool is_new(std::string_view text) {
    const uint64_t hash = hash_of(text);
    for (std::atomic<uint64_t>& place : noted) {
        uint64_t found = 0;
        if (place.compare_exchange_strong(found, hash, std::memory_order_relaxed)) return true;
        if (found == hash) return false;
    }
    return false;
}

}  // namespace

void note_gpu_gap(std::string_view sentence) {
    if (is_new(sentence)) record_note("gpu coverage", sentence);
}

void note_uncovered(std::string_view name, int version) {
    if (!seems_to_give_memory(name)) return;
    FixedText<300> text("the program uses ");
    text << name;
    if (version != 0) text << " of CUDA " << version;
    text << ", which memtrace does not know: memory that it gives is not recorded.";
    note_gpu_gap(text.view());
}

}  // namespace memtrace::preload::cuda
