// SPDX-License-Identifier: Apache-2.0
#include "preload/stack_table.h"

#include <array>
#include <atomic>

#include "preload/lane.h"
#include "preload/modules.h"
#include "preload/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t dead_id = 0xffffffff;

// path: 0 = free
// node: id:32 parent:32 (high half); 0 = being inserted
//
// A path and a parent's id together are one address and kind, and no other: for the children of one
// node path_hash() maps these one to one.
struct Entry {
    std::atomic<uint64_t> path;
    std::atomic<uint64_t> node;
};
constexpr uint64_t dead_node = ~uint64_t{0};  // no id, below no parent

// Entries are looked for in whole cache lines.
struct alignas(64) Bucket {
    static constexpr unsigned entries_max = 4;
    Entry entries[entries_max];
};
constexpr unsigned probes_max = 512;  // buckets; more than any of millions needs

// Tables grow by a quarter and are used up to 17/20: between 19 and 24 bytes a node.
constexpr unsigned tables_max = 64;
constexpr std::array<uint64_t, tables_max> bucket_counts = [] {
    std::array<uint64_t, tables_max> counts{};
    uint64_t count = 2048;
    for (uint64_t& place : counts) {
        place = count;
        count += count / 4;
    }
    return counts;
}();
constexpr uint64_t used_max(unsigned table) {
    return bucket_counts[table] * Bucket::entries_max * 17 / 20;
}

struct Table {
    std::atomic<Bucket*>  buckets{nullptr};
    std::atomic<uint64_t> used{0};
};
Table tables[tables_max];
std::atomic<unsigned> newest{0};
std::atomic<unsigned> growing{0};  // Tables below this one have been copied, or are being.
std::atomic<uint32_t> next_id{1};

// Behind the last home there is room for those that find no place nearer.
constexpr uint64_t bytes_of(unsigned table) {
    return (bucket_counts[table] + probes_max) * sizeof(Bucket);
}

Bucket* buckets_of(unsigned table) {
    return sys::map_once(tables[table].buckets, bytes_of(table));
}

// Homes are in the order of the paths, in small tables as in large ones: so a table is copied to
// the next one from front to back, both read and written in a straight line.
uint64_t home_of(unsigned table, uint64_t path) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(path) * bucket_counts[table] >> 64);
}

constexpr uint64_t node_word(uint32_t parent, uint32_t id) {
    return static_cast<uint64_t>(parent) << 32 | id;
}

// The id in this table, or 0.
uint32_t find(unsigned table, uint32_t parent, uint64_t path) {
    Bucket* bucket = tables[table].buckets.load(std::memory_order_acquire);
    if (bucket == nullptr) return 0;
    bucket += home_of(table, path);
    for (unsigned probe = 0; probe < probes_max; ++probe, ++bucket) {
        for (Entry& entry : bucket->entries) {
            const uint64_t found = entry.path.load(std::memory_order_acquire);
            if (found == 0) return 0;
            if (found != path) continue;
            const uint64_t node = entry.node.load(std::memory_order_acquire);
            if (node == 0) return 0;
            if (node >> 32 == parent) return static_cast<uint32_t>(node);
        }
    }
    return 0;
}

// Writes a node into a table. nullptr: there is no place near enough.
Entry* place(unsigned table, uint64_t path, uint64_t node) {
    Bucket* bucket = buckets_of(table);
    if (bucket == nullptr) return nullptr;
    bucket += home_of(table, path);
    for (unsigned probe = 0; probe < probes_max; ++probe, ++bucket) {
        for (Entry& entry : bucket->entries) {
            uint64_t expected = 0;
            if (entry.path.load(std::memory_order_relaxed) != 0) continue;
            if (!entry.path.compare_exchange_strong(expected, path, std::memory_order_acq_rel)) {
                continue;
            }
            entry.node.store(node, std::memory_order_seq_cst);
            return &entry;
        }
    }
    return nullptr;
}

// Calls visit(entry) for what is in the buckets [begin, end) of a table.
template <class Visit>
void for_each_entry(Bucket* begin, Bucket* end, Visit&& visit) {
    for (; begin != end; ++begin) {
        for (Entry& entry : begin->entries) {
            if (entry.path.load(std::memory_order_relaxed) != 0) visit(entry);
        }
    }
}

template <class Visit>
void for_each_entry(unsigned table, Visit&& visit) {
    Bucket* buckets = tables[table].buckets.load(std::memory_order_acquire);
    if (buckets == nullptr) return;
    for_each_entry(buckets, buckets + bucket_counts[table] + probes_max, visit);
}

// Copies an entry of a full table. False: there was nothing to be copied, or no place for it.
bool copy_entry(Entry& entry, unsigned to) {
    const uint64_t path = entry.path.load(std::memory_order_relaxed);
    const uint64_t node = entry.node.load(std::memory_order_acquire);
    if (node == 0 || node == dead_node) return false;
    Entry* copy = place(to, path, node);
    if (copy == nullptr) return false;
    // Forgotten meanwhile, perhaps after forget_nodes() looked for the copy.
    if (entry.node.load(std::memory_order_seq_cst) == dead_node) copy->node.store(dead_node);
    return true;
}

// Copies what is in a full table to the next one, which then takes its place. Only one thread does
// so; the others look into both meanwhile, and what they still add to the old one will be defined
// again. What has been copied goes back to the kernel at once: two whole tables are never resident.
// Who still looks there finds nothing, which is harmless.
void grow(unsigned table) {
    unsigned expected = table;
    if (table + 1 >= tables_max || !growing.compare_exchange_strong(expected, table + 1)) return;
    Bucket* const buckets = tables[table].buckets.load(std::memory_order_acquire);
    const uint64_t count = buckets == nullptr ? 0 : bucket_counts[table] + probes_max;
    constexpr uint64_t piece = (uint64_t{2} << 20) / sizeof(Bucket);
    uint64_t copied = 0;
    for (uint64_t done = 0; done < count; done += piece) {
        const uint64_t part = count - done < piece ? count - done : piece;
        for_each_entry(buckets + done, buckets + done + part,
                       [&](Entry& entry) { copied += copy_entry(entry, table + 1); });
        sys::advise(buckets + done, part * sizeof(Bucket), MADV_DONTNEED);
    }
    tables[table + 1].used.fetch_add(copied, std::memory_order_relaxed);
    newest.store(table + 1, std::memory_order_release);
    if (buckets != nullptr) sys::advise(buckets, bytes_of(table), MADV_DONTNEED);
}

// Makes the node findable. Failing is harmless: it will be defined again.
void insert(uint32_t parent, uint64_t path, uint32_t id) {
    if (path == 0) return;  // would look like a free place
    const unsigned table = newest.load(std::memory_order_acquire);
    const bool is_placed = place(table, path, node_word(parent, id)) != nullptr;
    const uint64_t used = tables[table].used.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!is_placed || used >= used_max(table)) grow(table);
}

}  // namespace

std::atomic<uint64_t> stack_generation{1};

void prefetch_node(uint64_t path) {
    const unsigned table = newest.load(std::memory_order_relaxed);
    const Bucket* buckets = tables[table].buckets.load(std::memory_order_relaxed);
    if (buckets != nullptr) __builtin_prefetch(&buckets[home_of(table, path)]);
}

uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path) {
    const unsigned last = newest.load(std::memory_order_acquire);
    if (const uint32_t id = find(last, parent, path)) return id;
    if (growing.load(std::memory_order_acquire) != last) [[unlikely]] {
        if (const uint32_t id = find(last + 1, parent, path)) return id;
    }
    const uint32_t id = next_id.fetch_add(1, std::memory_order_relaxed);
    if (id >= dead_id - 1) return no_stack;
    Node node;
    node.id = id;
    node.parent = parent;
    node.kind = kind;
    node.address = address & node_address_mask;
    const bool is_code = kind != NodeKind::truncated && kind != NodeKind::python;
    node.module = !is_code ? no_module : find_module(lane, address - 1);
    lane.put(pack_slot(node));
    insert(parent, path, id);
    return id;
}

uint32_t node_count() { return next_id.load(std::memory_order_relaxed) - 1; }

void forget_nodes(uint64_t begin, uint64_t end) {
    stack_generation.fetch_add(1);
    // The addresses are not in the table: they are calculated from the paths of node and parent,
    // which are brought together here. What is inserted meanwhile is newer than this unload.
    const uint32_t ids = next_id.load();
    auto* paths = static_cast<uint64_t*>(sys::map_private(ids * sizeof(uint64_t)));
    const unsigned last = newest.load(std::memory_order_acquire);
    const auto visit_all = [last](auto&& visit) {
        // The newest one may be growing into the next, or may just have grown out of the last.
        for (unsigned t = last > 0 ? last - 1 : 0; t < tables_max; ++t) for_each_entry(t, visit);
    };
    visit_all([&](Entry& entry) {
        const auto id = static_cast<uint32_t>(entry.node.load(std::memory_order_acquire));
        if (paths != nullptr && id < ids) paths[id] = entry.path.load(std::memory_order_relaxed);
    });
    visit_all([&](Entry& entry) {
        const uint64_t node = entry.node.load(std::memory_order_acquire);
        const uint64_t parent = node >> 32;
        // A parent that was not found a place is not known; its children are forgotten with it.
        const bool is_known =
            paths != nullptr && (parent == no_stack || (parent < ids && paths[parent] != 0));
        if (is_known) {
            const uint64_t outside = parent == no_stack ? 0 : paths[parent];
            const uint64_t path = entry.path.load(std::memory_order_relaxed);
            const uint64_t address = path_word(outside, path) & node_address_mask;
            if (address <= begin || address > end) return;
        }
        entry.node.store(dead_node, std::memory_order_seq_cst);
    });
    if (paths != nullptr) sys::unmap(paths, ids * sizeof(uint64_t));
}

void forget_all_nodes() {
    stack_generation.fetch_add(1);
    for (unsigned table = 0; table < tables_max; ++table) {
        Bucket* buckets = tables[table].buckets.exchange(nullptr);
        if (buckets != nullptr) sys::unmap(buckets, bytes_of(table));
        tables[table].used.store(0);
    }
    newest.store(0);
    growing.store(0);
    next_id.store(1);
}

uint64_t stack_table_bytes() {
    const unsigned table = newest.load(std::memory_order_acquire);
    return tables[table].buckets.load() == nullptr ? 0 : bytes_of(table);
}

}  // namespace memtrace::preload
