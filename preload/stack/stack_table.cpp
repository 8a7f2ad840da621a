// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_table.h"

#include <array>
#include <atomic>

#include "preload/base/hot_data.h"
#include "preload/base/sys.h"
#include "preload/stack/modules.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA std::atomic<uint64_t> stack_generation{1};

namespace {

constexpr uint32_t dead_id = 0xffffffff;

// path: 0 = free
// node: id:32 parent:32 (high half); 0 = being inserted
//
// A path together with a parent's id determines one address and kind: for the children of one
// node, stack_hash() maps addresses and kinds to hashes one to one.
struct Entry {
    std::atomic<uint64_t> path;
    std::atomic<uint64_t> node;
};
constexpr uint64_t dead_node = ~uint64_t{0};  // no id, below no parent

// A probe looks at a whole cache line.
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
constexpr uint64_t entries_in(unsigned table) {
    // Behind the last home there is room for entries that find no place nearer.
    return (bucket_counts[table] + probes_max) * Bucket::entries_max;
}
constexpr uint64_t bytes_of(unsigned table) { return entries_in(table) * sizeof(Entry); }

struct Table {
    std::atomic<Bucket*> buckets;
    std::atomic<uint64_t> full_at;  // the id of the node with which the table is full
};
constinit Table tables[tables_max] = {{nullptr, used_max(0)}};
std::atomic<unsigned> newest{0};
std::atomic<unsigned> growing{0};  // Tables below this one have been copied, or are being copied.
std::atomic<uint32_t> next_id{1};

Bucket* buckets_of(unsigned table) { return sys::map_once(tables[table].buckets, bytes_of(table)); }

// Homes are in the order of the paths, in small and in large tables. So a table is copied to the
// next table from front to back, and both are accessed in a straight line.
uint64_t home_of(unsigned table, uint64_t path) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(path) * bucket_counts[table] >> 64);
}

constexpr uint64_t node_word(uint32_t parent, uint32_t id) {
    return static_cast<uint64_t>(parent) << 32 | id;
}

// The places where a path may lie in a table, nearest first.
struct Places {
    Entry* begin;
    Entry* end;
};
// Empty if there is no memory for the table.
Places places_of(unsigned table, Bucket* buckets, uint64_t path) {
    if (buckets == nullptr) [[unlikely]]
        return {nullptr, nullptr};
    Entry* const home = buckets[home_of(table, path)].entries;
    return {home, home + probes_max * Bucket::entries_max};
}

// Returns the id in these places, or 0; then `places` begins with the first free place.
[[gnu::always_inline]] inline uint32_t find(Places& places, uint32_t parent, uint64_t path) {
    for (Entry*& entry = places.begin; entry != places.end; ++entry) {
        const uint64_t found = entry->path.load(std::memory_order_acquire);
        if (found == 0) return 0;
        if (found != path) continue;
        const uint64_t node = entry->node.load(std::memory_order_acquire);
        if (node == 0) return 0;
        if (node >> 32 == parent) return static_cast<uint32_t>(node);
    }
    return 0;
}

// Writes a node into the first free place. Returns false if there is none.
bool insert(const Places& places, uint64_t path, uint64_t node) {
    for (Entry* entry = places.begin; entry != places.end; ++entry) {
        uint64_t expected = 0;
        if (entry->path.load(std::memory_order_relaxed) != 0) continue;
        if (!entry->path.compare_exchange_strong(expected, path, std::memory_order_acq_rel)) {
            continue;
        }
        entry->node.store(node, std::memory_order_release);
        return true;
    }
    return false;
}

// The same, into a table that no other thread writes to.
void insert_alone(const Places& places, uint64_t path, uint64_t node) {
    Entry* entry = places.begin;
    while (entry != places.end && entry->path.load(std::memory_order_relaxed) != 0) ++entry;
    if (entry == places.end) return;
    entry->node.store(node, std::memory_order_relaxed);
    entry->path.store(path, std::memory_order_release);
}

// Calls visit(entry) for each entry in [begin, end).
template <class Visit>
void for_each_entry(Entry* begin, Entry* end, Visit&& visit) {
    for (; begin != end; ++begin) {
        if (begin->path.load(std::memory_order_relaxed) != 0) visit(*begin);
    }
}

template <class Visit>
void for_each_entry(unsigned table, Visit&& visit) {
    Bucket* const buckets = tables[table].buckets.load(std::memory_order_acquire);
    if (buckets == nullptr) return;
    for_each_entry(buckets->entries, buckets->entries + entries_in(table), visit);
}

// Calls of forget_nodes() that have ended; stack_generation counts those that have begun.
std::atomic<uint64_t> forgotten_generation{1};

// Copies the nodes in [begin, end), part of a full table. Returns the number of copies.
uint32_t copy_entries(Entry* begin, Entry* end, unsigned to, Bucket* buckets) {
    const uint64_t before = forgotten_generation.load(std::memory_order_acquire);
    uint32_t copied = 0;
    for_each_entry(begin, end, [&](Entry& entry) {
        const uint64_t path = entry.path.load(std::memory_order_relaxed);
        const uint64_t node = entry.node.load(std::memory_order_acquire);
        if (node == 0 || node == dead_node) return;
        insert_alone(places_of(to, buckets, path), path, node);
        ++copied;
    });
    // A thread that begins to forget nodes after this sees the copies. The generation tells
    // whether a thread began before.
    if (stack_generation.fetch_add(0) == before) [[likely]]
        return copied;
    for_each_entry(begin, end, [&](Entry& entry) {
        if (entry.node.load(std::memory_order_acquire) != dead_node) return;
        const uint64_t path = entry.path.load(std::memory_order_relaxed);
        Places places = places_of(to, buckets, path);
        for (; places.begin != places.end; ++places.begin) {
            const uint64_t found = places.begin->path.load(std::memory_order_relaxed);
            if (found == 0) break;
            // The parent is not known any more, so other nodes with that path are forgotten too.
            if (found == path) {
                places.begin->node.store(dead_node, std::memory_order_release);
            }
        }
    });
    return copied;
}

// Copies the entries of a full table to the next table, which then takes its place. Only one
// thread copies. The others look into both tables meanwhile, and nodes that they still add to the
// old table will be defined again. Copied pieces go back to the kernel at once, so two whole
// tables are never resident. A thread that still looks there finds nothing, which is harmless.
void grow(unsigned table) {
    unsigned expected = table;
    if (table + 1 >= tables_max || !growing.compare_exchange_strong(expected, table + 1)) return;
    Bucket* const from = tables[table].buckets.load(std::memory_order_acquire);
    Bucket* const to = buckets_of(table + 1);
    constexpr uint64_t piece = (uint64_t{2} << 20) / sizeof(Entry);
    const uint64_t count = from == nullptr ? 0 : entries_in(table);
    uint32_t copied = 0;
    for (uint64_t done = 0; done < count; done += piece) {
        Entry* const begin = from->entries + done;
        const uint64_t part = count - done < piece ? count - done : piece;
        if (to != nullptr) copied += copy_entries(begin, begin + part, table + 1, to);
        sys::advise(begin, part * sizeof(Entry), MADV_DONTNEED);
    }
    // Each further id is one further node.
    const uint64_t more = used_max(table + 1) > copied ? used_max(table + 1) - copied : 0;
    tables[table + 1].full_at.store(next_id.load() + more);
    newest.store(table + 1, std::memory_order_release);
    if (from != nullptr) sys::advise(from, bytes_of(table), MADV_DONTNEED);
}

void define_node(Lane& lane, uint32_t id, uint32_t parent, uint64_t address, NodeKind kind) {
    Node node;
    node.id = id;
    node.parent = parent;
    node.kind = kind;
    node.address = address & node_address_mask;
    const bool is_code = kind != NodeKind::truncated && kind != NodeKind::python;
    node.module = !is_code ? no_module : find_module(lane, address - 1);
    lane.put(pack_slot(node));
}

}  // namespace

// Most frames were met before, but few of their entries are in a near cache, and memory access
// takes most of the time. So all entries are prefetched before the first is read.
[[gnu::hot]] void find_or_add_nodes(Lane& lane, uint32_t parent, const NodesOfStack& nodes) {
    const unsigned last = newest.load(std::memory_order_acquire);
    Bucket* const buckets = buckets_of(last);
    if (buckets != nullptr) [[likely]] {
        for (uint32_t i = 0; i < nodes.count; ++i) {
            __builtin_prefetch(&buckets[home_of(last, nodes.paths[i])]);
        }
    }
    for (uint32_t i = 0; i < nodes.count; ++i) {
        const uint64_t path = nodes.paths[i];
        Places places = places_of(last, buckets, path);
        uint32_t id = find(places, parent, path);
        if (id == 0) [[unlikely]] {
            const uint64_t word = nodes.words[i];
            id = find_or_add_node(lane, parent, word & node_address_mask, kind_of(word), path);
        }
        nodes.ids[i] = parent = id;
    }
}

uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path) {
    const unsigned last = newest.load(std::memory_order_acquire);
    Places places = places_of(last, buckets_of(last), path);
    if (const uint32_t id = find(places, parent, path)) return id;
    if (growing.load(std::memory_order_acquire) != last) [[unlikely]] {
        Places larger = places_of(last + 1, tables[last + 1].buckets.load(), path);
        if (const uint32_t id = find(larger, parent, path)) return id;
    }
    const uint32_t id = next_id.fetch_add(1, std::memory_order_relaxed);
    if (id >= dead_id - 1) return no_stack;
    define_node(lane, id, parent, address, kind);
    if (path == 0) return id;  // It would look like a free place. The node will be defined again.
    const bool is_findable = insert(places, path, node_word(parent, id));
    if (!is_findable || id >= tables[last].full_at.load(std::memory_order_relaxed)) grow(last);
    return id;
}

uint32_t node_count() { return next_id.load(std::memory_order_relaxed) - 1; }

void forget_nodes(uint64_t begin, uint64_t end) {
    stack_generation.fetch_add(1);
    // The table does not contain addresses. They are calculated from the paths of node and
    // parent, which are collected here. Entries that are inserted meanwhile are newer than this
    // unload.
    const uint32_t ids = next_id.load();
    auto* paths = static_cast<uint64_t*>(sys::map_private(ids * sizeof(uint64_t)));
    const unsigned last = newest.load(std::memory_order_acquire);
    const auto visit_all = [last](auto&& visit) {
        // The newest table may be growing into the next, or may just have grown out of the last.
        for (unsigned t = last > 0 ? last - 1 : 0; t < tables_max; ++t) for_each_entry(t, visit);
    };
    visit_all([&](Entry& entry) {
        const auto id = static_cast<uint32_t>(entry.node.load(std::memory_order_acquire));
        if (paths != nullptr && id < ids) paths[id] = entry.path.load(std::memory_order_relaxed);
    });
    visit_all([&](Entry& entry) {
        const uint64_t node = entry.node.load(std::memory_order_acquire);
        const uint64_t parent = node >> 32;
        // A parent that found no place is not known, and its children are forgotten too.
        const bool is_known =
            paths != nullptr && (parent == no_stack || (parent < ids && paths[parent] != 0));
        if (is_known) {
            const uint64_t outside = parent == no_stack ? 0 : paths[parent];
            const uint64_t path = entry.path.load(std::memory_order_relaxed);
            const uint64_t address = path_word(outside, path) & node_address_mask;
            if (address <= begin || address > end) return;
        }
        entry.node.store(dead_node, std::memory_order_release);
    });
    forgotten_generation.fetch_add(1);
    if (paths != nullptr) sys::unmap(paths, ids * sizeof(uint64_t));
}

void forget_all_nodes() {
    forgotten_generation.store(stack_generation.fetch_add(1) + 1);
    for (unsigned table = 0; table < tables_max; ++table) {
        Bucket* buckets = tables[table].buckets.exchange(nullptr);
        if (buckets != nullptr) sys::unmap(buckets, bytes_of(table));
        tables[table].full_at.store(table == 0 ? used_max(0) : 0);
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
