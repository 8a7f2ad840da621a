// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_codes.h"

#include <atomic>

#include "memtrace/dump/hash.h"
#include "preload/base/sys.h"
#include "preload/python/python_runtime.h"

namespace memtrace::preload {
namespace {

// Fields that a later code object at the same address would hardly share with an earlier one.
struct Identity {
    uint64_t name;
    uint64_t file;
    uint64_t lines;
    uint32_t first_line;

    bool operator==(const Identity& other) const {
        return name == other.name && file == other.file && lines == other.lines &&
               first_line == other.first_line;
    }
};

struct Entry {
    // Address of the code object; 0 if free. The lowest bit is set while the entry is being filled.
    std::atomic<uint64_t> code;
    uint32_t id;
    Identity identity;
};

constexpr uint64_t being_filled = 1;
// A used and released entry. Searches continue past it, and a new code object may take it.
constexpr uint64_t forgotten = 2;

constexpr unsigned first_bits = 10;
constexpr unsigned tables_max = 8;
constexpr unsigned probes_max = 32;

struct Table {
    std::atomic<Entry*> entries{nullptr};
    std::atomic<uint32_t> used{0};
};
Table tables[tables_max];
std::atomic<unsigned> newest{0};
std::atomic<uint32_t> last_id{0};

// Code objects that were met lately, by a hash of their texts. A program that executes the same
// source again and again makes new code objects with the same texts, and each gets the number of
// the first. Bounded: a newer one takes the place of an older one, which then gets a new number.
//
// text: the hash; id: the number, with the rest of the hash above it. The two are written and read
// one after the other. If they are not of one code object, the rest does not fit.
struct Met {
    std::atomic<uint64_t> text;
    std::atomic<uint64_t> id;
};
constexpr uint64_t met_max = uint64_t{1} << 14;
constexpr unsigned id_bits = 28;
std::atomic<Met*> met_lately{nullptr};

// Code objects that this thread is freeing. A nested function is freed within the outer function.
struct Dying {
    static constexpr uint32_t codes_max = 4;
    uint32_t count;
    uint64_t codes[codes_max];
};
__thread Dying dying __attribute__((tls_model("initial-exec")));

uint64_t capacity_of(unsigned table) { return uint64_t{1} << (first_bits + 2 * table); }

uint64_t place_of(uint64_t code) {
    const uint64_t mixed = code * 0x9e3779b97f4a7c15u;
    return mixed >> 32;
}

bool is_dying(uint64_t code) {
    const uint32_t count = dying.count < Dying::codes_max ? dying.count : Dying::codes_max;
    for (uint32_t i = 0; i < count; ++i) {
        if (dying.codes[i] == code) return true;
    }
    return false;
}

// Calls visit(entry) for the places where the code object may be, until it returns true.
template <class Visit>
Entry* search(unsigned table, uint64_t code, Visit&& visit) {
    Entry* const entries = tables[table].entries.load(std::memory_order_acquire);
    if (entries == nullptr) return nullptr;
    const uint64_t mask = capacity_of(table) - 1;
    uint64_t place = place_of(code);
    for (unsigned probe = 0; probe < probes_max; ++probe, ++place) {
        Entry& entry = entries[place & mask];
        const uint64_t there = entry.code.load(std::memory_order_acquire);
        if (visit(entry, there)) return &entry;
        if (there == 0) return nullptr;
    }
    return nullptr;
}

uint32_t find(unsigned table, uint64_t code, const Identity& identity) {
    const Entry* const found = search(table, code, [&](Entry& entry, uint64_t there) {
        if (there != code) return false;
        if (entry.identity == identity) return true;
        // Another code object, freed without being seen.
        entry.code.store(forgotten, std::memory_order_release);
        return false;
    });
    return found == nullptr ? no_python_code : found->id;
}

void insert(uint64_t code, const Identity& identity, uint32_t id) {
    const unsigned table = newest.load(std::memory_order_acquire);
    if (sys::map_once(tables[table].entries, capacity_of(table) * sizeof(Entry)) == nullptr) return;
    bool was_free = false;
    const bool is_placed = search(table, code, [&](Entry& entry, uint64_t there) {
                               if (there > forgotten || there == being_filled) return false;
                               if (!entry.code.compare_exchange_strong(there, code | being_filled))
                                   return false;
                               was_free = there == 0;
                               entry.id = id;
                               entry.identity = identity;
                               entry.code.store(code, std::memory_order_release);
                               return true;
                           }) != nullptr;
    if (is_placed && !was_free) return;
    const uint32_t used = tables[table].used.fetch_add(1, std::memory_order_relaxed) + 1;
    if ((is_placed && used * 2 < capacity_of(table)) || table + 1 == tables_max) return;
    unsigned expected = table;
    newest.compare_exchange_strong(expected, table + 1);
}

void forget(uint64_t code) {
    for (unsigned table = 0; table < tables_max; ++table) {
        search(table, code, [&](Entry& entry, uint64_t there) {
            if (there == code) entry.code.store(forgotten, std::memory_order_release);
            return false;
        });
    }
}

// ---- contents of a code object ------------------------------------------------------------------

uint32_t int_at(uint64_t address) { return *reinterpret_cast<const uint32_t*>(address); }

const uint8_t* bytes_at(uint64_t address) { return reinterpret_cast<const uint8_t*>(address); }

bool is_a(uint64_t object, uint64_t type) {
    return object != 0 && (object & 7) == 0 && word_at(object + python.layout.object_type) == type;
}

// Empty for anything but a plain str: a subclass, or the two-part strings of 3.8 to 3.11.
PythonText text_of(uint64_t string) {
    const PythonLayout& layout = python.layout;
    PythonText text;
    if (!is_a(string, python.string_type)) return text;
    const uint32_t state = int_at(string + layout.string_state);
    const uint32_t width = state >> 2 & 7;
    const bool is_compact = (state >> 5 & 1) != 0;
    const bool is_ascii = (state >> 6 & 1) != 0;
    if (!is_compact || (width != 1 && width != 2 && width != 4)) return text;
    const uint64_t characters = word_at(string + layout.string_length);
    const uint64_t characters_max = PythonText::bytes_max / width;
    const uint64_t shown = characters < characters_max ? characters : characters_max;
    text.bytes = bytes_at(string + (is_ascii ? layout.string_ascii : layout.string_others));
    text.length = static_cast<uint32_t>(shown * width);
    text.width = static_cast<uint8_t>(width);
    return text;
}

Identity identity_of(uint64_t code) {
    const PythonLayout& layout = python.layout;
    return {word_at(code + layout.code_name), word_at(code + layout.code_file),
            word_at(code + layout.code_lines), int_at(code + layout.code_first_line)};
}

PythonCodeText describe(uint32_t id, const Identity& identity) {
    const PythonLayout& layout = python.layout;
    PythonCodeText text;
    text.id = id;
    text.lines_format = layout.lines;
    text.first_line = identity.first_line;
    text.name = text_of(identity.name);
    text.file = text_of(identity.file);
    if (is_a(identity.lines, python.bytes_type)) {
        const uint64_t length = word_at(identity.lines + layout.bytes_length);
        if (length <= PythonCodeText::lines_bytes_max) {
            text.lines = bytes_at(identity.lines + layout.bytes_data);
            text.lines_length = static_cast<uint32_t>(length);
        }
    }
    return text;
}

// ---- code objects with the same texts -----------------------------------------------------------

struct TextHash {
    uint64_t text;  // 0: not all of the texts are known
    uint64_t rest;  // in the bits above those of a number
};

TextHash hash_of(const PythonCodeText& text) {
    const PythonText& name = text.name;
    const PythonText& file = text.file;
    const bool is_whole = name.bytes != nullptr && name.length < PythonText::bytes_max - 4 &&
                          file.bytes != nullptr && file.length < PythonText::bytes_max - 4 &&
                          text.lines != nullptr;
    if (!is_whole) return {};
    const uint64_t words[] = {hash_bytes(name.bytes, name.length),
                              hash_bytes(file.bytes, file.length),
                              hash_bytes(text.lines, text.lines_length),
                              uint64_t{name.length} << 32 | file.length,
                              uint64_t{text.lines_length} << 32 | text.first_line,
                              uint64_t{name.width} << 8 | file.width};
    const uint64_t hash = hash_bytes(words, sizeof words);
    return {hash, hash_bytes(&hash, sizeof hash) << id_bits};
}

Met* place_of(const TextHash& hash) {
    if (hash.text == 0) return nullptr;
    Met* const all = sys::map_once(met_lately, met_max * sizeof(Met));
    return all == nullptr ? nullptr : &all[hash.text % met_max];
}

uint32_t find(const Met* place, const TextHash& hash) {
    if (place == nullptr || place->text.load(std::memory_order_acquire) != hash.text) {
        return no_python_code;
    }
    const uint64_t id = place->id.load(std::memory_order_acquire);
    const uint64_t number = id & python_code_id_max;
    return (id ^ number) == hash.rest ? static_cast<uint32_t>(number) : no_python_code;
}

uint32_t new_id() {
    uint32_t id = last_id.load(std::memory_order_relaxed);
    do {
        if (id == python_code_id_max) return no_python_code;
    } while (!last_id.compare_exchange_weak(id, id + 1, std::memory_order_relaxed));
    return id + 1;
}

// Returns the number of a code object that is not in the tables. Its texts are handed out before
// any thread can find the number.
uint32_t define_code(const Identity& identity, DefinePythonCode define, void* context) {
    PythonCodeText text = describe(no_python_code, identity);
    const TextHash hash = hash_of(text);
    Met* const place = place_of(hash);
    if (const uint32_t same = find(place, hash)) return same;
    text.id = new_id();
    if (text.id == no_python_code) return no_python_code;
    define(context, text);
    if (place != nullptr) {
        place->text.store(hash.text, std::memory_order_relaxed);
        place->id.store(hash.rest | text.id, std::memory_order_release);
    }
    return text.id;
}

}  // namespace

uint32_t python_code_id(uint64_t code, DefinePythonCode define, void* context) {
    if (!is_a(code, python.code_type) || is_dying(code)) return no_python_code;
    const Identity identity = identity_of(code);
    const unsigned last = newest.load(std::memory_order_acquire);
    uint32_t id = find(last, code, identity);
    for (unsigned table = last; id == no_python_code && table-- > 0;) {
        id = find(table, code, identity);
        if (id != no_python_code) insert(code, identity, id);
    }
    if (id != no_python_code) return id;
    id = define_code(identity, define, context);
    if (id != no_python_code) insert(code, identity, id);
    return id;
}

uint32_t python_position(const PythonLayout& layout, uint64_t code, uint64_t instruction) {
    constexpr int64_t position_max = python_position_max;
    int64_t index = 0;
    switch (layout.instruction) {
        case PythonInstruction::byte_offset: index = static_cast<int32_t>(instruction) >> 1; break;
        case PythonInstruction::unit_offset: index = static_cast<int32_t>(instruction); break;
        case PythonInstruction::pointer:
            index = static_cast<int64_t>(instruction - code - layout.code_instructions) >> 1;
            break;
    }
    if (index < 0) return 0;
    return static_cast<uint32_t>(index < position_max ? index + 1 : position_max);
}

void begin_freeing_python_code(uint64_t code) {
    if (dying.count < Dying::codes_max) dying.codes[dying.count] = code;
    ++dying.count;
    forget(code);
}

void end_freeing_python_code(uint64_t) {
    if (dying.count != 0) --dying.count;
}

void forget_all_python_codes() {
    for (unsigned table = 0; table < tables_max; ++table) {
        Entry* const entries = tables[table].entries.load(std::memory_order_acquire);
        if (entries == nullptr) continue;
        for (uint64_t i = 0; i < capacity_of(table); ++i) entries[i].code.store(0);
        tables[table].used.store(0);
    }
    if (Met* const all = met_lately.load(std::memory_order_acquire)) {
        for (uint64_t i = 0; i < met_max; ++i) all[i].text.store(0);
    }
    newest.store(0);
    last_id.store(0);
}

uint64_t python_codes_bytes() {
    uint64_t total = 0;
    for (unsigned table = 0; table < tables_max; ++table) {
        if (tables[table].entries.load() != nullptr) total += capacity_of(table) * sizeof(Entry);
    }
    return met_lately.load() == nullptr ? total : total + met_max * sizeof(Met);
}

}  // namespace memtrace::preload
