// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/rule_cache.h"

#include <atomic>

#include "preload/base/sys.h"
#include "preload/unwind/unwind_generation.h"

namespace memtrace::preload {

std::atomic<uint64_t> unwind_rules[unwind_rules_max];

namespace {

// entry: address:48 rule:16; 0 = free. A forgotten entry has the address 0 and keeps its place
// until another entry takes it. Otherwise code that comes and goes at one address would fill the
// table.
using Entry = std::atomic<uint64_t>;
constexpr unsigned first_bits = 12;
constexpr unsigned tables_max = 8;
constexpr unsigned probes_max = 32;
constexpr uint64_t forgotten = 1;

struct Table {
    std::atomic<Entry*> entries{nullptr};
    std::atomic<uint32_t> used{0};
};
Table tables[tables_max];
std::atomic<unsigned> newest{0};

// A hash table of rule numbers, for finding the number of a rule.
constexpr uint32_t numbers_max = 2 * unwind_rules_max;
std::atomic<uint16_t> numbers[numbers_max];
std::atomic<uint32_t> next_rule{1};  // 0 numbers no rule

uint64_t capacity_of(unsigned table) { return uint64_t{1} << (first_bits + 2 * table); }

uint64_t mix(uint64_t number) {
    number *= 0x9e3779b97f4a7c15u;
    return number ^ number >> 29;
}

Entry* entries_of(unsigned table) {
    return sys::map_once(tables[table].entries, capacity_of(table) * sizeof(Entry));
}

// Returns the number of the rule and assigns one if it has none. Returns 0 if there are too many.
// Two threads may give one rule two numbers, which is harmless.
uint16_t number_of(const UnwindRule& rule) {
    const uint64_t word = rule.word();
    uint64_t place = mix(word) >> 20 & (numbers_max - 1);
    for (unsigned probe = 0; probe < probes_max; ++probe, place = (place + 1) & (numbers_max - 1)) {
        const uint16_t number = numbers[place].load(std::memory_order_acquire);
        if (number != 0) {
            if (unwind_rules[number].load(std::memory_order_relaxed) == word) return number;
            continue;
        }
        uint32_t fresh = next_rule.load(std::memory_order_relaxed);
        do {
            if (fresh == unwind_rules_max) return 0;
        } while (!next_rule.compare_exchange_weak(fresh, fresh + 1, std::memory_order_relaxed));
        unwind_rules[fresh].store(word, std::memory_order_relaxed);
        uint16_t expected = 0;
        numbers[place].compare_exchange_strong(expected, static_cast<uint16_t>(fresh),
                                               std::memory_order_release);
        return static_cast<uint16_t>(fresh);
    }
    return 0;
}

inline uint64_t find(unsigned table, uint64_t address) {
    Entry* entries = tables[table].entries.load(std::memory_order_acquire);
    if (entries == nullptr) return 0;
    const uint64_t mask = capacity_of(table) - 1;
    uint64_t place = mix(address);
    for (unsigned probe = 0; probe < probes_max; ++probe, ++place) {
        const uint64_t entry = entries[place & mask].load(std::memory_order_acquire);
        if (entry >> 16 == address) return entry;
        if (entry == 0) return 0;
    }
    return 0;
}

void insert(uint64_t entry) {
    const unsigned table = newest.load(std::memory_order_acquire);
    Entry* entries = entries_of(table);
    if (entries == nullptr) return;
    const uint64_t mask = capacity_of(table) - 1;
    uint64_t place = mix(entry >> 16);
    bool is_placed = false;
    for (unsigned probe = 0; probe < probes_max && !is_placed; ++probe, ++place) {
        uint64_t expected = entries[place & mask].load(std::memory_order_relaxed);
        if (expected >> 16 == entry >> 16) return;
        if (expected != 0 && expected != forgotten) continue;
        const bool is_fresh = expected == 0;
        is_placed = entries[place & mask].compare_exchange_strong(expected, entry,
                                                                  std::memory_order_release);
        if (is_placed && !is_fresh) return;
    }
    const uint32_t used = tables[table].used.fetch_add(1, std::memory_order_relaxed) + 1;
    if ((is_placed && used * 2 < capacity_of(table)) || table + 1 == tables_max) return;
    unsigned expected = table;
    newest.compare_exchange_strong(expected, table + 1);
}

UnwindRule compute_rule(uint64_t return_address, TableScratch& scratch) {
    switch (find_unwind_row(return_address - 1, scratch.row, scratch.workspace)) {
        case RowSearch::found: return reduce(scratch.row);
        case RowSearch::not_understood: return UnwindRule(StepKind::full);
        case RowSearch::no_data: break;
    }
    // No call lies in front of the first instruction of a function. If the start of a function
    // appears as a return address, the stack was made by hand and begins here. makecontext() does
    // this.
    return UnwindRule(begins_function(return_address) ? StepKind::made : StepKind::none);
}

}  // namespace

NumberedRule find_numbered_rule(uint64_t return_address, TableScratch& scratch) {
    const unsigned last = newest.load(std::memory_order_acquire);
    const uint64_t state = unload_state.load();
    const bool unloading = is_unloading_in(state);
    if (!unloading) {
        uint64_t entry = find(last, return_address);
        for (unsigned table = last; entry == 0 && table-- > 0;) {
            entry = find(table, return_address);
            if (entry != 0) insert(entry);
        }
        if (entry != 0) {
            const auto number = static_cast<uint16_t>(entry);
            return {unwind_rule_of(number), number};
        }
    }
    const UnwindRule rule = compute_rule(return_address, scratch);
    // Missing data is not remembered, because code with data may be loaded there later.
    if (rule.kind() == StepKind::none || unloading || return_address >> 48 != 0) return {rule, 0};
    const uint16_t number = number_of(rule);
    if (number != 0) insert(return_address << 16 | number);
    // An unload that began meanwhile may have passed this entry's place before the entry was there.
    // Code on this very stack stays, but a guessed address may be anywhere.
    if (unload_state.load() != state) forget_unwind_rules(return_address - 1, return_address);
    return {rule, number, true};
}

void forget_unwind_rules(uint64_t begin, uint64_t end) {
    for (unsigned table = 0; table < tables_max; ++table) {
        Entry* entries = tables[table].entries.load(std::memory_order_acquire);
        if (entries == nullptr) continue;
        for (uint64_t i = 0; i < capacity_of(table); ++i) {
            const uint64_t address = entries[i].load(std::memory_order_relaxed) >> 16;
            if (address > begin && address <= end) {
                entries[i].store(forgotten, std::memory_order_release);
            }
        }
    }
}

uint64_t rule_cache_bytes() {
    uint64_t total = 0;
    for (unsigned table = 0; table < tables_max; ++table) {
        if (tables[table].entries.load() != nullptr) total += capacity_of(table) * sizeof(Entry);
    }
    return total;
}

}  // namespace memtrace::preload
