// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/python_heap.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace memtrace::analyzer {
namespace {

constexpr uint64_t word_bytes = sizeof(uint64_t);

// struct pool_header of CPython.
struct PoolHeader {
    uint64_t used;
    uint64_t free_cell;
    uint64_t next;
    uint64_t previous;
    uint32_t arena;
    uint32_t size_class;
    uint32_t next_offset;  // of the first cell that was never handed out
    uint32_t last_offset;  // of the last cell of the pool
};
constexpr uint64_t cells_offset = PythonPool::cells_offset;
static_assert(cells_offset == sizeof(PoolHeader));
constexpr uint64_t alignment = 16;
constexpr uint32_t classes = 32;                                     // up to 512 bytes
constexpr auto pool_sizes = std::to_array<uint64_t>({16384, 4096});  // since 3.10, and before

uint64_t cell_bytes(const PoolHeader& pool) { return (pool.size_class + uint64_t{1}) * alignment; }

bool is_sound(const PoolHeader& pool, uint64_t pool_bytes) {
    return pool.size_class < classes && pool.last_offset == pool_bytes - cell_bytes(pool) &&
           pool.next_offset >= cells_offset && pool.next_offset <= pool_bytes;
}

// Reads the beginnings of blocks that are visited in the order of addresses.
class BlockReader {
public:
    explicit BlockReader(Memory& memory) : memory_(memory), buffer_(window_bytes) {}

    // Copies words of the block; those behind its end are zero.
    template <size_t count>
    std::array<uint64_t, count> words(const SearchedBlock& block) {
        std::array<uint64_t, count> result{};
        if (block.address < begin_ || block.address + sizeof result > begin_ + buffer_.size()) {
            begin_ = block.address;
            const LostRange window{begin_, begin_ + buffer_.size()};
            memory_.read({&window, 1}, buffer_.data());
        }
        const uint64_t bytes =
            std::min<uint64_t>(block.size / word_bytes * word_bytes, sizeof result);
        std::memcpy(result.data(), buffer_.data() + (block.address - begin_), bytes);
        return result;
    }

private:
    static constexpr size_t window_bytes = 64 << 10;

    Memory& memory_;
    std::vector<uint8_t> buffer_;
    uint64_t begin_ = UINT64_MAX - window_bytes;
};

// What a type says of its objects.
struct TypeFacts {
    bool is_tracked = false;
    bool is_weak = false;
    bool is_module = false;
};

// The types of a process, by address: PyTypeObject of CPython.
class Types {
public:
    explicit Types(Memory& memory) : memory_(memory) {}

    TypeFacts of(uint64_t type) {
        const auto [known, is_new] = known_.try_emplace(type);
        if (is_new && is_type(type)) known->second = facts_of(type);
        return known->second;
    }

private:
    static constexpr uint64_t type_offset = 8;         // PyObject::ob_type
    static constexpr uint64_t name_offset = 24;        // PyTypeObject::tp_name
    static constexpr uint64_t flags_offset = 168;      // tp_flags
    static constexpr uint64_t base_offset = 256;       // tp_base
    static constexpr uint64_t is_collected = 1 << 14;  // Py_TPFLAGS_HAVE_GC
    static constexpr int ancestors_max = 16;

    // The type of a type is `type` in the end, which is its own type.
    bool is_type(uint64_t type) {
        constexpr uint64_t addresses_end = uint64_t{1} << 47;  // of programs
        if (type == 0 || type % word_bytes != 0 || type >= addresses_end) return false;
        if ((memory_.word(type + flags_offset) & is_collected) == 0) return false;
        uint64_t meta = memory_.word(type + type_offset);
        for (int i = 0; i < ancestors_max && meta != 0; ++i) {
            const uint64_t next = memory_.word(meta + type_offset);
            if (next == meta) return true;
            meta = next;
        }
        return false;
    }

    // References, proxies and what is derived from them have an ancestor "weakref",
    // "weakref.ReferenceType", "weakproxy", "weakref.ProxyType" or so.
    TypeFacts facts_of(uint64_t type) {
        TypeFacts facts{.is_tracked = true};
        for (int i = 0; i < ancestors_max && type != 0; ++i) {
            const uint64_t name = memory_.word(memory_.word(type + name_offset));
            char text[sizeof name + 1] = {};
            std::memcpy(text, &name, sizeof name);
            const std::string_view begin(text);
            if (is_static(type)) {
                facts.is_weak |= begin.starts_with("weakref") || begin.starts_with("weakprox");
                facts.is_module |= begin == "module";
            }
            type = memory_.word(type + base_offset);
        }
        return facts;
    }

    // A class of a program may have any name, but is made while it runs.
    bool is_static(uint64_t type) {
        constexpr uint64_t is_heap_type = 1 << 9;  // Py_TPFLAGS_HEAPTYPE
        return (memory_.word(type + flags_offset) & is_heap_type) == 0;
    }

    Memory& memory_;
    std::unordered_map<uint64_t, TypeFacts> known_;
};

struct Links {
    uint64_t head;  // the address of the two links
    uint64_t next;
    uint64_t previous;
    TrackedObject object;
};

// What may be an object with the head of the collector in front of it, in the order of addresses.
std::vector<Links> find_heads(Memory& memory, const BlockIndex& blocks) {
    // Before the head there may be two words for the object's dictionary and weak references, or
    // what the allocator of a debug build puts there.
    constexpr auto places = std::to_array<size_t>({0, 2, 4});
    constexpr size_t head_words = 2, type_word = 1;
    constexpr uint64_t flags = 7;  // in the lowest bits of both links
    std::vector<Links> heads;
    BlockReader reader(memory);
    Types types(memory);
    for (uint32_t block = 0; block < blocks.size(); ++block) {
        const auto words = reader.words<8>(blocks[block]);
        for (const size_t place : places) {
            const uint64_t next = words[place] & ~flags, previous = words[place + 1] & ~flags;
            const auto count = static_cast<uint32_t>(words[place + head_words]);
            if (next == 0 || previous == 0 || count == 0) continue;
            const TypeFacts type = types.of(words[place + head_words + type_word]);
            if (!type.is_tracked) continue;
            const auto offset = static_cast<uint32_t>((place + head_words) * word_bytes);
            heads.push_back({blocks[block].address + place * word_bytes,
                             next,
                             previous,
                             {block, offset, count, type.is_weak, type.is_module}});
            break;
        }
    }
    return heads;
}

// A piece of a stack: _PyStackChunk of CPython. The state of a thread has three words about its
// newest piece: where it begins, where its unused part does, and where it ends.
class StackPieces {
public:
    StackPieces(Memory& memory, std::vector<LostRange>& unused)
        : memory_(memory), unused_(unused) {}

    void look(const std::vector<uint64_t>& words) {
        for (size_t i = 0; i + 2 < words.size(); ++i) add(words[i], words[i + 1], words[i + 2]);
    }

private:
    static constexpr uint64_t page = 4096, bytes_min = 16 << 10, bytes_max = 64 << 20;
    static constexpr uint64_t size_offset = 8, top_offset = 16, data_offset = 24;
    static constexpr int pieces_max = 1000;

    void add(uint64_t begin, uint64_t top, uint64_t end) {
        const uint64_t bytes = end - begin;
        if (begin == 0 || begin % page != 0 || bytes < bytes_min || bytes > bytes_max) return;
        if (top < begin + data_offset || top > end) return;
        if (memory_.word(begin + size_offset) != bytes) return;
        unused_.push_back({top, end});
        uint64_t piece = memory_.word(begin);  // the one before
        for (int i = 0; i < pieces_max && piece != 0 && piece % page == 0; ++i) {
            const uint64_t size = memory_.word(piece + size_offset);
            const uint64_t used = data_offset + memory_.word(piece + top_offset) * word_bytes;
            if (size < bytes_min || size > bytes_max || used > size) return;
            unused_.push_back({piece + used, piece + size});
            piece = memory_.word(piece);
        }
    }

    Memory& memory_;
    std::vector<LostRange>& unused_;
};

std::vector<uint64_t> words_in(Memory& memory, LostRange range) {
    std::vector<uint64_t> words((range.end - range.begin) / word_bytes);
    range.end = range.begin + words.size() * word_bytes;
    memory.read({&range, 1}, reinterpret_cast<uint8_t*>(words.data()));
    return words;
}

// Calls visit(range) for the data of the interpreter.
void for_each_data(Memory& memory, const std::function<void(LostRange)>& visit) {
    constexpr uint64_t data_bytes_max = 64 << 20;
    uint64_t data_end = 0;
    for (const Mapping& mapping : memory.mappings()) {
        // What a module has beyond its file is mapped behind that.
        const bool is_data =
            is_interpreter(mapping.path) || (mapping.path.empty() && mapping.begin == data_end);
        if (!is_data) continue;
        data_end = mapping.end;
        if (mapping.write && mapping.end - mapping.begin <= data_bytes_max)
            visit({mapping.begin, mapping.end});
    }
}

// Lists of free objects are arrays: many words in a row point to objects of one type, or to cells
// of one size, where the lists are of tables of dictionaries.
class FreeLists {
public:
    FreeLists(Memory& memory, const BlockIndex& blocks, std::vector<uint64_t>& found)
        : memory_(memory), blocks_(blocks), types_(memory), found_(found) {}

    void look(LostRange range) {
        range.begin = (range.begin + word_bytes - 1) / word_bytes * word_bytes;
        const std::vector<uint64_t> words = words_in(memory_, range);
        for (size_t i = 0; i < words.size();) {
            const uint64_t kind = kind_at(words[i]);
            size_t end = i + 1;
            if (kind != 0) {
                while (end < words.size() && kind_at(words[end]) == kind) ++end;
            }
            if (end - i >= row_min) {
                for (; i < end; ++i) found_.push_back(range.begin + i * word_bytes);
            }
            i = end;
        }
    }

private:
    static constexpr size_t row_min = 8;

    // Returns the type of the object at this address, or the size of the cell; 0: neither.
    uint64_t kind_at(uint64_t address) {
        if (address % word_bytes != 0) return 0;
        const uint32_t block = blocks_.find(address);
        if (block == BlockIndex::none) return 0;
        const uint64_t type = memory_.word(address + word_bytes);
        if (types_.of(type).is_tracked) return type;
        constexpr uint64_t cell_bytes_max = classes * alignment;
        const SearchedBlock& found = blocks_[block];
        return address == found.address && found.size <= cell_bytes_max ? found.size : 0;
    }

    Memory& memory_;
    const BlockIndex& blocks_;
    Types types_;
    std::vector<uint64_t>& found_;
};

}  // namespace

bool is_interpreter(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with("python") || name.starts_with("libpython");
}

std::vector<LostRange> find_unused_stacks(Memory& memory, const BlockIndex& blocks) {
    // The state of the first thread lies in the interpreter's data, those of others in the heap.
    constexpr uint64_t state_bytes_min = 128, state_bytes_max = 16 << 10;
    std::vector<LostRange> unused;
    StackPieces pieces(memory, unused);
    for_each_data(memory, [&](LostRange data) { pieces.look(words_in(memory, data)); });
    for (uint32_t block = 0; block < blocks.size(); ++block) {
        const SearchedBlock& known = blocks[block];
        if (known.size >= state_bytes_min && known.size <= state_bytes_max)
            pieces.look(words_in(memory, {known.address, known.address + known.size}));
    }
    return unused;
}

std::vector<uint64_t> find_free_lists(Memory& memory, const BlockIndex& blocks) {
    // The state of an interpreter has the lists; it is data, or a block of the heap.
    constexpr uint64_t state_bytes_min = 16 << 10, state_bytes_max = 1 << 20;
    std::vector<uint64_t> found;
    FreeLists lists(memory, blocks, found);
    // The interpreter's data lead to the state. A list of the program is an array of such words,
    // too, but only its object leads to that.
    std::set<uint32_t> states;
    for_each_data(memory, [&](LostRange data) {
        lists.look(data);
        for (const uint64_t word : words_in(memory, data)) {
            const uint32_t block = blocks.find(word);
            if (block == BlockIndex::none || blocks[block].address != word) continue;
            if (blocks[block].size >= state_bytes_min && blocks[block].size <= state_bytes_max)
                states.insert(block);
        }
    });
    for (const uint32_t state : states)
        lists.look({blocks[state].address, blocks[state].address + blocks[state].size});
    return found;
}

std::vector<PythonPool> find_python_pools(Memory& memory, LostRange arena) {
    std::vector<PythonPool> pools;
    std::vector<uint8_t> bytes(arena.end - arena.begin);
    memory.read({&arena, 1}, bytes.data());
    for (const uint64_t pool_bytes : pool_sizes) {
        const uint64_t first = (arena.begin + pool_bytes - 1) / pool_bytes * pool_bytes;
        for (uint64_t at = first; at + pool_bytes <= arena.end; at += pool_bytes) {
            PoolHeader header;
            std::memcpy(&header, bytes.data() + (at - arena.begin), sizeof header);
            if (!is_sound(header, pool_bytes)) continue;
            const uint64_t size = cell_bytes(header);
            const uint64_t end = std::min<uint64_t>(header.next_offset, header.last_offset + size);
            pools.push_back({{at, at + pool_bytes}, size, (end - cells_offset) / size});
        }
        if (!pools.empty()) break;
    }
    return pools;
}

std::vector<TrackedObject> find_tracked_objects(Memory& memory, const BlockIndex& blocks) {
    const std::vector<Links> heads = find_heads(memory, blocks);
    const auto leads_to = [&](uint64_t from, uint64_t Links::*link, uint64_t to) {
        const auto found =
            std::lower_bound(heads.begin(), heads.end(), from,
                             [](const Links& each, uint64_t head) { return each.head < head; });
        return found != heads.end() && found->head == from && (*found).*link == to;
    };
    std::vector<TrackedObject> objects;
    for (const Links& links : heads) {
        // The ends of a list lie in the interpreter's own memory. What was freed is in no list.
        if (leads_to(links.next, &Links::previous, links.head) ||
            leads_to(links.previous, &Links::next, links.head))
            objects.push_back(links.object);
    }
    return objects;
}

}  // namespace memtrace::analyzer
