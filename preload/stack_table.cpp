// SPDX-License-Identifier: Apache-2.0
#include "preload/stack_table.h"

#include <atomic>

#include "preload/lane.h"
#include "preload/modules.h"
#include "preload/sys.h"

namespace memtrace::preload {
namespace {

constexpr unsigned first_bits = 13;
constexpr unsigned tables_max = 17;
constexpr unsigned probes_max = 64;
constexpr uint32_t dead_id = 0xffffffff;

// key:   address:48 parent:16 (low half); 0 = free
// value: id:32 kind:8 0:8 parent:16 (high half); 0 = being inserted
struct Entry {
    std::atomic<uint64_t> key;
    std::atomic<uint64_t> value;
};

struct Table {
    std::atomic<Entry*>   entries{nullptr};
    std::atomic<uint32_t> used{0};
};
Table tables[tables_max];
std::atomic<unsigned> newest{0};
std::atomic<unsigned> growing{0};  // Tables below this one have been copied, or are being.
std::atomic<uint32_t> next_id{1};
std::atomic<uint64_t> generation{1};

// The upper half of each node's path, by id: where it goes when the table grows.
constexpr uint32_t paths_a_piece = 1u << 18;
constexpr uint32_t pieces_max = 1u << 14;
std::atomic<uint32_t*> pieces[pieces_max];

uint64_t capacity_of(unsigned table) { return uint64_t{1} << (first_bits + table); }

struct Key {
    uint64_t key;
    uint64_t value_rest;  // what `value` must hold beside the id
};

Key key_of(uint32_t parent, uint64_t address, NodeKind kind) {
    return {(address & 0xffffffffffffu) | static_cast<uint64_t>(parent & 0xffff) << 48,
            static_cast<uint64_t>(kind) << 32 | static_cast<uint64_t>(parent >> 16) << 48};
}

bool matches(const Key& key, uint64_t value) {
    return (value & ~uint64_t{0xffffffff}) == key.value_rest;
}

Entry* entries_of(unsigned table) {
    return sys::map_once(tables[table].entries, capacity_of(table) * sizeof(Entry));
}

// Remembers where the node of this id lies. Without memory it will be defined again after growing.
void remember_place(uint32_t id, uint32_t place_hash) {
    uint32_t* const places =
        sys::map_once(pieces[id / paths_a_piece], paths_a_piece * sizeof(uint32_t));
    if (places == nullptr) return;
    __atomic_store_n(&places[id % paths_a_piece], place_hash, __ATOMIC_RELAXED);
}

uint32_t place_hash_of(uint32_t id) {
    const uint32_t* places = pieces[id / paths_a_piece].load(std::memory_order_acquire);
    return places == nullptr ? 0 : __atomic_load_n(&places[id % paths_a_piece], __ATOMIC_RELAXED);
}

// The id in this table, or 0.
uint32_t find(unsigned table, const Key& key, uint32_t place_hash) {
    Entry* entries = tables[table].entries.load(std::memory_order_acquire);
    if (entries == nullptr) return 0;
    const uint64_t mask = capacity_of(table) - 1;
    for (unsigned probe = 0; probe < probes_max; ++probe) {
        Entry& entry = entries[(place_hash + probe) & mask];
        const uint64_t found = entry.key.load(std::memory_order_acquire);
        if (found == 0) return 0;
        if (found != key.key) continue;
        const uint64_t value = entry.value.load(std::memory_order_acquire);
        if (value == 0) return 0;
        if (matches(key, value)) return static_cast<uint32_t>(value);
    }
    return 0;
}

// A value that matches no key. The key stays, so that probing goes on past it.
constexpr uint64_t dead_value = uint64_t{0xff} << 40 | dead_id;

// Writes key -> value into a table. nullptr: there is no place near enough.
Entry* place(unsigned table, const Key& key, uint32_t place_hash, uint64_t value) {
    Entry* entries = entries_of(table);
    if (entries == nullptr) return nullptr;
    const uint64_t mask = capacity_of(table) - 1;
    for (unsigned probe = 0; probe < probes_max; ++probe) {
        Entry& entry = entries[(place_hash + probe) & mask];
        uint64_t expected = 0;
        if (entry.key.load(std::memory_order_relaxed) != 0) continue;
        if (!entry.key.compare_exchange_strong(expected, key.key, std::memory_order_acq_rel)) {
            continue;
        }
        entry.value.store(value, std::memory_order_seq_cst);
        return &entry;
    }
    return nullptr;
}

// Copies what is in a full table to the next one, which then takes its place. Only one thread does
// so; meanwhile the others go on with the old one, and what they add there will be defined again.
// The old pages go back to the kernel: who still looks there finds nothing, which is harmless too.
void grow(unsigned table) {
    unsigned expected = table;
    if (table + 1 >= tables_max || !growing.compare_exchange_strong(expected, table + 1)) return;
    Entry* entries = tables[table].entries.load(std::memory_order_acquire);
    const uint64_t capacity = capacity_of(table);
    uint32_t copied = 0;
    for (uint64_t i = 0; entries != nullptr && i < capacity; ++i) {
        const uint64_t key = entries[i].key.load(std::memory_order_relaxed);
        const uint64_t value = entries[i].value.load(std::memory_order_acquire);
        if (key == 0 || static_cast<uint32_t>(value) == 0 ||
            static_cast<uint32_t>(value) == dead_id) {
            continue;
        }
        const Key whole{key, value & ~uint64_t{0xffffffff}};
        Entry* copy = place(table + 1, whole, place_hash_of(static_cast<uint32_t>(value)), value);
        copied += copy != nullptr;
        // Forgotten meanwhile, perhaps after forget_nodes() looked for the copy.
        if (copy != nullptr && entries[i].value.load(std::memory_order_seq_cst) != value) {
            copy->value.store(dead_value);
        }
    }
    tables[table + 1].used.fetch_add(copied, std::memory_order_relaxed);
    newest.store(table + 1, std::memory_order_release);
    if (entries != nullptr) sys::advise(entries, capacity * sizeof(Entry), MADV_DONTNEED);
}

// Publishes key -> id. Failing is harmless: the node will be defined again.
void insert(const Key& key, uint32_t place_hash, uint32_t id) {
    const unsigned table = newest.load(std::memory_order_acquire);
    const bool is_placed = place(table, key, place_hash, key.value_rest | id) != nullptr;
    const uint32_t used = tables[table].used.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!is_placed || used * 2 >= capacity_of(table)) grow(table);
}

}  // namespace

void prefetch_node(uint64_t path) {
    const unsigned table = newest.load(std::memory_order_relaxed);
    const Entry* entries = tables[table].entries.load(std::memory_order_relaxed);
    if (entries != nullptr) {
        __builtin_prefetch(&entries[(path >> 32) & (capacity_of(table) - 1)]);
    }
}

uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path) {
    const Key key = key_of(parent, address, kind);
    const auto place_hash = static_cast<uint32_t>(path >> 32);
    const unsigned last = newest.load(std::memory_order_acquire);
    if (const uint32_t id = find(last, key, place_hash)) return id;
    const uint32_t id = next_id.fetch_add(1, std::memory_order_relaxed);
    if (id >= dead_id - 1) return no_stack;
    Node node;
    node.id = id;
    node.parent = parent;
    node.kind = kind;
    node.address = address & 0xffffffffffffu;
    node.module = kind == NodeKind::truncated ? no_module : find_module(lane, address - 1);
    lane.put(pack_slot(node));
    remember_place(id, place_hash);
    insert(key, place_hash, id);
    return id;
}

uint64_t stack_table_generation() { return generation.load(std::memory_order_acquire); }

void forget_nodes(uint64_t begin, uint64_t end) {
    generation.fetch_add(1);
    for (unsigned table = 0; table < tables_max; ++table) {
        Entry* entries = tables[table].entries.load(std::memory_order_acquire);
        if (entries == nullptr) continue;
        for (uint64_t i = 0; i < capacity_of(table); ++i) {
            const uint64_t address =
                entries[i].key.load(std::memory_order_relaxed) & 0xffffffffffffu;
            if (address <= begin || address > end) continue;
            entries[i].value.store(dead_value, std::memory_order_seq_cst);
        }
    }
}

void forget_all_nodes() {
    generation.fetch_add(1);
    for (unsigned table = 0; table < tables_max; ++table) {
        Entry* entries = tables[table].entries.exchange(nullptr);
        if (entries != nullptr) sys::unmap(entries, capacity_of(table) * sizeof(Entry));
        tables[table].used.store(0);
    }
    newest.store(0);
    growing.store(0);
    next_id.store(1);
}

uint64_t stack_table_bytes() {
    uint64_t total = 0;
    for (unsigned table = 0; table < tables_max; ++table) {
        if (tables[table].entries.load() != nullptr) total += capacity_of(table) * sizeof(Entry);
    }
    return total;
}

}  // namespace memtrace::preload
