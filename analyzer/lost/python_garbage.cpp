// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/python_garbage.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "analyzer/lost/python_heap.h"

namespace memtrace::analyzer {
namespace {

using State = PointerSearch::State;

// `ranges`: sorted.
bool lies_in(const std::vector<LostRange>& ranges, uint64_t address) {
    const auto next =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](uint64_t at, const LostRange& range) { return at < range.begin; });
    return next != ranges.begin() && address < std::prev(next)->end;
}

// The pools of Python's arenas, and their cells.
struct Cells {
    RangeSet pools;
    std::vector<SearchedBlock> blocks;
};

// Adds those of an arena, a piece at a time.
void add_cells(Memory& memory, LostRange arena, Cells& to) {
    constexpr uint64_t piece_bytes = 4 << 20, pool_bytes_max = 16384;
    while (arena.begin < arena.end) {
        const uint64_t next = (arena.begin + piece_bytes) / pool_bytes_max * pool_bytes_max;
        const LostRange piece{arena.begin, std::min(arena.end, next)};
        for (const PythonPool& pool : find_python_pools(memory, piece)) {
            to.pools.add(pool.range);
            for (uint64_t i = 0; i < pool.cells; ++i) {
                const uint64_t offset = PythonPool::cells_offset + i * pool.cell_bytes;
                to.blocks.push_back({pool.range.begin + offset, pool.cell_bytes});
            }
        }
        arena.begin = piece.end;
    }
}

// The memory of a process in which some words are zero.
class MemoryWithout : public Memory {
public:
    // `words`: their addresses, sorted.
    MemoryWithout(Memory& memory, std::vector<uint64_t> words)
        : memory_(memory), words_(std::move(words)) {}

    const std::vector<Mapping>& mappings() const override { return memory_.mappings(); }
    void read(std::span<const LostRange> ranges, uint8_t* to) override {
        memory_.read(ranges, to);
        for (const LostRange& range : ranges) {
            for (auto word = std::lower_bound(words_.begin(), words_.end(), range.begin);
                 word != words_.end() && *word + sizeof(uint64_t) <= range.end; ++word) {
                std::memset(to + (*word - range.begin), 0, sizeof(uint64_t));
            }
            to += range.end - range.begin;
        }
    }
    void for_each_own_part(LostRange range, const std::function<void(LostRange)>& visit) override {
        memory_.for_each_own_part(range, visit);
    }

private:
    Memory& memory_;
    std::vector<uint64_t> words_;
};

class GarbageFinder {
public:
    GarbageFinder(Memory& memory, const PythonFacts& facts, Cells cells)
        : facts_(facts),
          pools_(std::move(cells.pools)),
          pool_ranges_(pools_.ranges()),
          blocks_(all_blocks(std::move(cells.blocks))),
          objects_(find_tracked_objects(memory, blocks_)),
          object_of_(blocks_.size(), none),
          pointed_from_(blocks_.size(), PointerSearch::at_begin),
          memory_(memory, words_that_refer_to_nothing(memory)) {
        for (uint32_t block = 0; block < blocks_.size(); ++block) {
            if (is_cell(block)) pointed_from_[block] = 0;
        }
        for (uint32_t i = 0; i < objects_.size(); ++i) {
            object_of_[objects_[i].block] = i;
            pointed_from_[objects_[i].block] = static_cast<uint16_t>(objects_[i].offset);
        }
    }

    std::vector<uint64_t> run() {
        PointerSearch in_use = search();
        RangeSet no_roots = pools_;
        for (const LostRange& unused : find_unused_stacks(memory_, facts_.blocks))
            no_roots.add(unused);
        facts_.add_roots(in_use, blocks_, no_roots);
        // An interpreter that ends lets go of its modules first.
        for (const TrackedObject& object : objects_) {
            if (object.is_module) in_use.add_held(object.block);
        }
        in_use.follow();
        std::vector<uint32_t> unreached;  // objects
        for (uint32_t i = 0; i < objects_.size(); ++i) {
            if (in_use.states()[objects_[i].block] == State::unreached) unreached.push_back(i);
        }
        if (unreached.empty()) return {};
        PointerSearch held = search();
        for (const uint32_t i : unreached) held.add_held(objects_[i].block);
        held.follow();
        const std::vector<uint32_t> references = count_references(in_use, held);
        // Somebody outside counts for such an object, though no pointer to it is left.
        PointerSearch counted = search();
        for (const uint32_t i : unreached) {
            if (objects_[i].count > references[i]) counted.add_held(objects_[i].block);
        }
        counted.follow();
        std::vector<uint64_t> garbage;
        for (uint32_t block = 0; block < blocks_.size(); ++block) {
            if (in_use.states()[block] == State::unreached &&
                held.states()[block] == State::reachable &&
                counted.states()[block] == State::unreached && !is_cell(block))
                garbage.push_back(blocks_[block].address);
        }
        return garbage;
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    PointerSearch search() { return {blocks_, memory_, facts_.is_as_good, pointed_from_}; }
    bool is_cell(uint32_t block) const { return lies_in(pool_ranges_, blocks_[block].address); }

    std::vector<SearchedBlock> all_blocks(std::vector<SearchedBlock> cells) const {
        for (uint32_t block = 0; block < facts_.blocks.size(); ++block) {
            cells.push_back(facts_.blocks[block]);
        }
        return cells;
    }

    // Sorted.
    std::vector<uint64_t> words_that_refer_to_nothing(Memory& memory) const {
        std::vector<uint64_t> words = find_free_lists(memory, blocks_);
        for (const TrackedObject& object : objects_) {
            if (!object.is_weak) continue;
            words.push_back(blocks_[object.block].address + object.offset + weak_word_offset);
        }
        std::sort(words.begin(), words.end());
        return words;
    }

    // Returns how many references each object has from blocks that are held and not in use.
    std::vector<uint32_t> count_references(const PointerSearch& in_use, const PointerSearch& held) {
        std::vector<uint32_t> references(objects_.size());
        std::vector<uint64_t> words;
        for (uint32_t block = 0; block < blocks_.size(); ++block) {
            if (in_use.states()[block] != State::unreached ||
                held.states()[block] != State::reachable)
                continue;
            const uint64_t begin = (blocks_[block].address + 7) / 8 * 8;
            words.resize((blocks_[block].address + blocks_[block].size - begin) / 8);
            const LostRange range{begin, begin + words.size() * 8};
            memory_.read({&range, 1}, reinterpret_cast<uint8_t*>(words.data()));
            for (const uint64_t word : words) {
                const uint32_t to = blocks_.find(word);
                if (to == BlockIndex::none || object_of_[to] == none) continue;
                if (word - blocks_[to].address >= pointed_from_[to])
                    references[object_of_[to]] += 1;
            }
        }
        return references;
    }

    const PythonFacts& facts_;
    const RangeSet pools_;
    const std::vector<LostRange> pool_ranges_;
    const BlockIndex blocks_;
    const std::vector<TrackedObject> objects_;
    std::vector<uint32_t> object_of_;  // by block
    std::vector<uint16_t> pointed_from_;
    MemoryWithout memory_;
};

}  // namespace

bool has_python(Memory& memory, const std::vector<LostRange>& arenas) {
    return !arenas.empty() ||
           std::any_of(memory.mappings().begin(), memory.mappings().end(),
                       [](const Mapping& mapping) { return is_interpreter(mapping.path); });
}

std::vector<uint64_t> find_python_garbage(Memory& memory, const PythonFacts& facts) {
    Cells cells;
    for (const LostRange& arena : facts.arenas) add_cells(memory, arena, cells);
    return GarbageFinder(memory, facts, std::move(cells)).run();
}

}  // namespace memtrace::analyzer
