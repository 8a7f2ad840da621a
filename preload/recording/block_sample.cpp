// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/block_sample.h"

#include <bit>

#include "preload/base/clock.h"
#include "preload/base/sys.h"

namespace memtrace::preload {

bool BlockSample::start(SampleLevels levels) {
    // Room for this many bytes of live blocks, with three empty places for each taken place. A
    // smaller heap has seven: a page of places has the blocks of a few pieces of addresses, or one.
    constexpr uint64_t live_bytes = uint64_t{1} << 36;
    constexpr unsigned bits_min = 16, places_bits = 3, address_bits_min = 3;
    levels_ = levels;
    const uint64_t interval = levels.interval(1);
    const auto interval_bits = static_cast<unsigned>(std::bit_width(interval)) - 1;
    table_bits_ = static_cast<unsigned>(std::bit_width(live_bytes / interval)) + 1;
    address_bits_ = interval_bits - places_bits;
    if (address_bits_ < address_bits_min) address_bits_ = address_bits_min;
    if (table_bits_ < bits_min) table_bits_ = bits_min;
    if (table_ != nullptr) {
        forget();
        return true;
    }
    table_ = static_cast<std::atomic<uint64_t>*>(
        sys::map_private(sizeof(std::atomic<uint64_t>) << table_bits_));
    return table_ != nullptr;
}

// Computes -ln(u) with u = random / 2^64. For u = 2^-k * m with m in [1/2, 1), it is k * ln 2 - ln
// m. The latter comes from the series of ln((1 + z) / (1 - z)).
double BlockSample::exponential(uint64_t random) {
    constexpr double ln_2 = 0.693147180559945309;
    random |= 1;
    const int zeros = std::countl_zero(random);
    const double m = static_cast<double>(random << zeros >> 11) / 9007199254740992.0;
    const double z = (1 - m) / (1 + m);  // at most 1/3
    const double z2 = z * z;
    const double series = 1 + z2 * (1.0 / 3 + z2 * (1.0 / 5 + z2 * (1.0 / 7 + z2 / 9)));
    return zeros * ln_2 + 2 * z * series;
}

namespace {
std::atomic<uint64_t> sequence{0};
constexpr uint64_t step = 0x9e3779b97f4a7c15u;
uint64_t begin_of_sequence() { return (__rdtsc() ^ static_cast<uint64_t>(sys::pid()) * step) | 1; }
}  // namespace

void BlockSample::begin_sequence() { sequence.store(begin_of_sequence()); }

// One sequence for all threads together (splitmix64), different in each run and each process.
uint64_t BlockSample::next_random() {
    if (sequence.load(std::memory_order_relaxed) == 0) {
        uint64_t none = 0;
        sequence.compare_exchange_strong(none, begin_of_sequence());
    }
    uint64_t value = sequence.fetch_add(step, std::memory_order_relaxed);
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

// The longest distance is 45 intervals, which fits 32 bits (drawn_interval()).
uint32_t BlockSample::draw_distance(unsigned level) const {
    const auto interval = static_cast<double>(levels_.drawn_interval(level));
    return static_cast<uint32_t>(exponential(next_random()) * interval) + 1;
}

unsigned BlockSample::takes_next(uint32_t& left, uint8_t& level, uint64_t size) {
    const uint8_t now = level_of_samples();
    if (left == 0) {  // a thread's first block
        level = now;
        left = draw_distance(level);
    }
    unsigned chosen = 0;
    while (size >= left) {
        const unsigned thinning = levels_.thinning(level);
        if (thinning == 0 || next_random() >> (64 - thinning) == 0) {
            chosen = level;
            break;
        }
        size -= left;
        left = draw_distance(level);
    }
    if (chosen == 0 && level == now) {
        left -= static_cast<uint32_t>(size);
        return 0;
    }
    level = now;
    left = draw_distance(level);
    return chosen;
}

std::atomic<uint64_t>* BlockSample::find(uint64_t address) const {
    const uint64_t mask = (uint64_t{1} << table_bits_) - 1;
    uint64_t place = place_in_table(address);
    for (unsigned i = 0; i < probes_max; ++i, ++place) {
        std::atomic<uint64_t>& entry = table_[place & mask];
        const uint64_t seen = entry.load(std::memory_order_relaxed);
        if (seen == address) return &entry;
        if (seen == 0) return nullptr;
    }
    return nullptr;
}

bool BlockSample::add(uint64_t address) {
    // The address is already in the table if the end of an earlier block was not seen.
    if (may_have(address) && find(address) != nullptr) return true;
    const uint64_t mask = (uint64_t{1} << table_bits_) - 1;
    uint64_t place = place_in_table(address);
    for (unsigned i = 0; i < probes_max; ++i, ++place) {
        uint64_t seen = table_[place & mask].load(std::memory_order_relaxed);
        if (seen > removed) continue;
        if (!table_[place & mask].compare_exchange_strong(seen, address)) continue;
        std::atomic<uint8_t>& count = filter_[hash(address, filter_bits)];
        if (count.load(std::memory_order_relaxed) < count_max) count.fetch_add(1);
        return true;
    }
    return false;
}

bool BlockSample::remove(uint64_t address) {
    std::atomic<uint64_t>* const entry = find(address);
    if (entry == nullptr || !entry->compare_exchange_strong(address, removed)) return false;
    std::atomic<uint8_t>& count = filter_[hash(address, filter_bits)];
    if (count.load(std::memory_order_relaxed) < count_max) count.fetch_sub(1);
    return true;
}

void BlockSample::forget() {
    if (table_ == nullptr) return;
    // The pages are the parent's until they are written to.
    sys::advise(table_, sizeof(std::atomic<uint64_t>) << table_bits_, MADV_DONTNEED);
    for (std::atomic<uint8_t>& count : filter_) {
        if (count.load(std::memory_order_relaxed) != 0) count.store(0, std::memory_order_relaxed);
    }
}

}  // namespace memtrace::preload
