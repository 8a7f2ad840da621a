// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_table.h"

#include <atomic>

#include "preload/base/hot_data.h"
#include "preload/base/sys.h"
#include "preload/stack/modules.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA std::atomic<uint64_t> stack_generation{1};

namespace {

constexpr uint32_t ids_end = 0xffffffff;

// node: id:32 parent:32 (high half)
// tag:  path ^ mixed(node); 0 = free
//
// The two words of an entry are written and read one after the other. If they are not of one node,
// the tag does not fit, and nothing is found.
//
// A path together with a parent's id determines one address and kind: for the children of one
// node, stack_hash() maps addresses and kinds to hashes one to one.
struct Entry {
    std::atomic<uint64_t> tag;
    std::atomic<uint64_t> node;
};
constexpr uint64_t mixed(uint64_t node) { return node * 0xc4ceb9fe1a85ec53u; }

// A probe looks at a whole cache line.
struct alignas(64) Bucket {
    static constexpr unsigned entries_max = 4;
    Entry entries[entries_max];
};
constexpr unsigned probes_max = 4;  // buckets

// Numbers of buckets, from 128 KiB to 6 MiB. Each of the first tables is larger than the one before
// it. From usual_size on, tables grow only if nodes are defined again and again for want of room:
// most large programs meet new stacks all the time and gain nothing from remembering old ones.
constexpr uint32_t sizes[] = {2048, 4096, 8192, 16384, 32768, 65536, 98304};
constexpr unsigned sizes_max = sizeof sizes / sizeof sizes[0];
constexpr unsigned usual_size = 3;
constexpr uint64_t buckets_max = sizes[sizes_max - 1] + probes_max;
constexpr uint64_t place_bytes = buckets_max * sizeof(Bucket);
static_assert(2 * place_bytes <= stack_table_bytes_max);

// A table is full with this many entries.
constexpr uint32_t used_max(unsigned size) { return sizes[size] / 8 * 5 * Bucket::entries_max; }

// Tables are numbered in the order of their use, and take turns in two places.
//
// number:32 size of the table before it:8 size:8
class Turn {
public:
    Turn() = default;
    explicit Turn(uint64_t word) : word_(word) {}

    uint32_t number() const { return static_cast<uint32_t>(word_ >> 16); }
    unsigned size() const { return word_ & 0xff; }
    unsigned old_size() const { return word_ >> 8 & 0xff; }
    uint64_t word() const { return word_; }
    Turn next(unsigned size) const {
        return Turn(uint64_t{number() + 1} << 16 | uint64_t{this->size()} << 8 | size);
    }

private:
    uint64_t word_ = 0;
};
MEMTRACE_HOT_DATA std::atomic<uint64_t> turn{0};

// The buckets of both places. They are mapped at once: what the program maps later should not lie
// elsewhere because a table was needed.
std::atomic<Bucket*> all_buckets{nullptr};

struct Place {
    std::atomic<uint32_t> used;  // entries; more than fit, if nobody begins the next table
    std::atomic<uint32_t> size;  // of the last table in this place
};
constinit Place places[2] = {};
std::atomic<uint32_t> next_id{1};

// A table, or nothing if there is none or no memory for it.
class View {
public:
    View(uint32_t place, unsigned size) : count_(sizes[size]) {
        Bucket* const all = sys::map_once(all_buckets, 2 * place_bytes, sys::map_private);
        if (all != nullptr) buckets_ = all + place * buckets_max;
    }
    static View young(Turn now) { return {now.number() % 2, now.size()}; }
    static View old(Turn now) {
        return now.number() == 0 ? View() : View((now.number() - 1) % 2, now.old_size());
    }

    void prefetch(uint64_t path) const { __builtin_prefetch(home(path)); }

    // Returns the id of a node, or 0.
    [[gnu::always_inline]] uint32_t find(uint32_t parent, uint64_t path) const {
        if (buckets_ == nullptr) [[unlikely]]
            return 0;
        const Entry* entry = home(path)->entries;
        const Entry* const end = entry + probes_max * Bucket::entries_max;
        for (; entry != end; ++entry) {
            const uint64_t tag = entry->tag.load(std::memory_order_relaxed);
            if (tag == 0) return 0;
            const uint64_t node = entry->node.load(std::memory_order_acquire);
            if ((tag ^ mixed(node)) == path && node >> 32 == parent)
                return static_cast<uint32_t>(node);
        }
        return 0;
    }

    void insert(uint32_t id, uint32_t parent, uint64_t path) const {
        if (buckets_ == nullptr) return;
        const uint64_t node = static_cast<uint64_t>(parent) << 32 | id;
        const uint64_t tag = path ^ mixed(node);
        Entry* entry = home(path)->entries;
        Entry* const end = entry + probes_max * Bucket::entries_max;
        for (; entry != end; ++entry) {
            uint64_t expected = 0;
            if (entry->tag.load(std::memory_order_relaxed) != 0) continue;
            if (!entry->tag.compare_exchange_strong(expected, tag, std::memory_order_relaxed)) {
                continue;
            }
            entry->node.store(node, std::memory_order_release);
            return;
        }
    }

    void clear() const {
        if (buckets_ == nullptr) return;
        for (uint64_t i = 0; i < count_ + probes_max; ++i) {
            for (Entry& entry : buckets_[i].entries) {
                entry.tag.store(0, std::memory_order_relaxed);
                entry.node.store(0, std::memory_order_relaxed);
            }
        }
    }

    void ask_for_huge_pages() const {
        if (buckets_ != nullptr) sys::advise(buckets_, place_bytes, MADV_HUGEPAGE);
    }

private:
    View() = default;
    Bucket* home(uint64_t path) const {
        return buckets_ + (static_cast<unsigned __int128>(path) * count_ >> 64);
    }

    Bucket* buckets_ = nullptr;
    uint64_t count_ = 0;
};

// ---- growth -------------------------------------------------------------------------------------

// The nodes that were defined lately, one bit each, by their paths. If a new node's bit is set, it
// was probably defined before and forgotten.
constexpr unsigned lately_bits = 20;      // logarithm of their number
constexpr uint32_t lately_max = 400'000;  // then it begins anew
std::atomic<uint64_t> lately[(1u << lately_bits) / 64];
std::atomic<uint32_t> lately_from{1};  // the first id in it
std::atomic<uint32_t> young_from{1};   // the first id that was defined since the young table began
std::atomic<uint32_t> again{0};        // nodes that were probably defined again since then

void note_definition(uint64_t path) {
    const uint64_t bit = mixed(path) >> (64 - lately_bits);
    std::atomic<uint64_t>& word = lately[bit / 64];
    const uint64_t before = word.load(std::memory_order_relaxed);
    const uint64_t mask = uint64_t{1} << bit % 64;
    if ((before & mask) != 0) again.fetch_add(1, std::memory_order_relaxed);
    else word.store(before | mask, std::memory_order_relaxed);
}

void begin_lately(uint32_t id) {
    lately_from.store(id, std::memory_order_relaxed);
    for (std::atomic<uint64_t>& word : lately) {
        // A forked child shares the pages that it does not write to.
        if (word.load(std::memory_order_relaxed) != 0) word.store(0, std::memory_order_relaxed);
    }
}

unsigned size_after(Turn full) {
    const uint32_t id = next_id.load(std::memory_order_relaxed);
    const uint64_t defined = id - young_from.exchange(id, std::memory_order_relaxed);
    const uint64_t defined_again = again.exchange(0, std::memory_order_relaxed);
    if (id - lately_from.load(std::memory_order_relaxed) > lately_max) begin_lately(id);
    const bool is_wanted = full.size() < usual_size || defined_again * 2 > defined;
    return is_wanted && full.size() + 1 < sizes_max ? full.size() + 1 : full.size();
}

// Begins the table after `full`. If two threads do it, what other threads have put there meanwhile
// is forgotten.
[[gnu::cold, gnu::noinline]] void begin_table_after(Turn full) {
    if (turn.load(std::memory_order_acquire) != full.word()) return;
    const Turn next = full.next(size_after(full));
    Place& place = places[next.number() % 2];
    View(next.number() % 2, place.size.load(std::memory_order_relaxed)).clear();
    if (next.size() == usual_size) View(next.number() % 2, next.size()).ask_for_huge_pages();
    place.size.store(next.size(), std::memory_order_relaxed);
    place.used.store(0, std::memory_order_relaxed);
    uint64_t expected = full.word();
    turn.compare_exchange_strong(expected, next.word());
}

void insert(Turn now, const View& young, uint32_t id, uint32_t parent, uint64_t path) {
    young.insert(id, parent, path);
    Place& place = places[now.number() % 2];
    const uint32_t used = place.used.fetch_add(1, std::memory_order_relaxed) + 1;
    // A thread that begins a table may be stopped or leave by a jump. Others try again later.
    const uint32_t full = used_max(now.size());
    if (used >= full && (used - full) % (full / 8) == 0) begin_table_after(now);
}

void define_node(Lane& lane, uint32_t id, uint32_t parent, uint64_t word) {
    Node node;
    node.id = id;
    node.parent = parent;
    node.kind = kind_of(word);
    node.address = word & node_address_mask;
    const bool is_code = node.kind != NodeKind::truncated && node.kind != NodeKind::python;
    node.module = !is_code ? no_module : find_module(lane, node.address - 1);
    lane.put(pack_slot(node));
}

uint32_t add_node(Lane& lane, uint32_t parent, uint64_t word) {
    uint32_t id = next_id.load(std::memory_order_relaxed);
    do {
        if (id == ids_end) return no_stack;
    } while (!next_id.compare_exchange_weak(id, id + 1, std::memory_order_relaxed));
    define_node(lane, id, parent, word);
    return id;
}

// Finds the nodes from `begin` inward, of which the first is not in the young table.
[[gnu::noinline, gnu::hot]] void find_old_or_add(Lane& lane, uint32_t parent,
                                                 const NodesOfStack& nodes, uint32_t begin,
                                                 Turn now, const View& young, const View& old) {
    uint32_t i = begin;
    for (; i < nodes.count; ++i) {
        const uint64_t path = nodes.paths[i];
        uint32_t id = i == begin ? 0 : young.find(parent, path);
        if (id == 0) {
            id = old.find(parent, path);
            if (id == 0) break;
            insert(now, young, id, parent, path);
        }
        nodes.ids[i] = parent = id;
    }
    // What is below a new node is new.
    for (; i < nodes.count; ++i) {
        const uint64_t path = nodes.paths[i];
        const uint32_t id = add_node(lane, parent, nodes.words[i]);
        note_definition(path);
        if (id != no_stack) insert(now, young, id, parent, path);
        nodes.ids[i] = parent = id;
    }
}

}  // namespace

// Most frames were met before, but few of their entries are in a near cache, and memory access
// takes most of the time. So all entries are prefetched before the first is read.
[[gnu::hot]] void find_or_add_nodes(Lane& lane, uint32_t parent, const NodesOfStack& nodes) {
    const Turn now(turn.load(std::memory_order_acquire));
    const View young = View::young(now);
    const View old = View::old(now);
    for (uint32_t i = 0; i < nodes.count; ++i) {
        young.prefetch(nodes.paths[i]);
        old.prefetch(nodes.paths[i]);
    }
    for (uint32_t i = 0; i < nodes.count; ++i) {
        const uint32_t id = young.find(parent, nodes.paths[i]);
        if (id == 0) [[unlikely]]
            return find_old_or_add(lane, parent, nodes, i, now, young, old);
        nodes.ids[i] = parent = id;
    }
}

uint32_t find_or_add_node(Lane& lane, uint32_t parent, uint64_t address, NodeKind kind,
                          uint64_t path) {
    const uint64_t word = node_word(address, kind);
    uint32_t id = no_stack;
    find_or_add_nodes(lane, parent, {&word, &path, &id, 1});
    return id;
}

uint32_t node_count() { return next_id.load(std::memory_order_relaxed) - 1; }

void forget_nodes() { stack_generation.fetch_add(1); }

void forget_all_nodes() {
    forget_nodes();
    Bucket* const all = all_buckets.exchange(nullptr);
    if (all != nullptr) sys::unmap(all, 2 * place_bytes);
    for (Place& place : places) {
        place.used.store(0);
        place.size.store(0);
    }
    turn.store(0);
    next_id.store(1);
    begin_lately(1);
    young_from.store(1);
    again.store(0);
}

uint64_t stack_table_bytes() {
    const Turn now(turn.load(std::memory_order_acquire));
    if (all_buckets.load() == nullptr) return 0;
    const uint64_t buckets = sizes[now.size()] + (now.number() == 0 ? 0 : sizes[now.old_size()]);
    return buckets * sizeof(Bucket);
}

}  // namespace memtrace::preload
