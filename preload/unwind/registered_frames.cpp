// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/registered_frames.h"

#include <dlfcn.h>

#include "memtrace/dump/format.h"
#include "preload/base/lock_free_table.h"
#include "preload/base/type_stable_blocks.h"
#include "preload/loader/loaded_object.h"
#include "preload/unwind/dwarf_bytes.h"
#include "preload/unwind/memo_checks.h"
#include "preload/unwind/stack_reader.h"
#include "preload/unwind/unwind_generation.h"

namespace memtrace::preload {
namespace {

struct Section {
    std::atomic<uint64_t> key;
    std::atomic<uint64_t> copy;  // 0 if all of its code is in loaded objects
    std::atomic<uint64_t> bytes;
    std::atomic<uint64_t> serial;          // later sections have higher numbers
    std::atomic<uint32_t> first_function;  // number in `functions`; 0 if none
    std::atomic<uint32_t> is_forwarded;
    std::atomic<uint32_t> was_met;  // a rule may have been made from it
};

struct Function {
    std::atomic<uint64_t> begin;
    std::atomic<uint64_t> end;
    std::atomic<uint64_t> entry;  // address of its FDE in the section's copy
    std::atomic<uint32_t> section;
    std::atomic<uint32_t> next;  // next function of the section
};

using Sections = LockFreeTable<Section, 14>;
using Functions = LockFreeTable<Function, 16>;
Sections sections;
Functions functions;
std::atomic<uint64_t> next_serial{1};

constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

uint64_t mix(uint64_t number) {
    number *= 0x9e3779b97f4a7c15u;
    return number >> 32 ^ number >> 12;
}

uint64_t address_of(const void* place) { return reinterpret_cast<uint64_t>(place); }
const uint8_t* bytes_at(uint64_t address) { return reinterpret_cast<const uint8_t*>(address); }

// ---- finding a function -------------------------------------------------------------------------

// Functions are sorted by size class. Within a class they are sorted by the cell of memory in which
// they begin. A cell is as large as the largest function of its class. So a function that covers an
// address begins in the cell of that address or in the cell before.
constexpr unsigned first_cell_bits = 8;
constexpr unsigned more_cell_bits = 4;
constexpr unsigned sizes = 7;  // 256 bytes, 4 KiB … 4 GiB
std::atomic<uint32_t> sizes_in_use;

constexpr unsigned cell_bits(unsigned size) { return first_cell_bits + more_cell_bits * size; }
uint64_t hash_of(unsigned size, uint64_t cell) { return mix(cell * sizes + size); }

unsigned size_of(uint64_t bytes) {
    unsigned size = 0;
    while (size < sizes && bytes > uint64_t{1} << cell_bits(size)) ++size;
    return size;
}

// A function as it was at one moment.
struct Found {
    const Functions::Record* record = nullptr;
    uint64_t version = 0;
    uint64_t serial = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t entry = 0;
    TableBounds copy{};
    Section* section = nullptr;
};

bool read(const Functions::Record& record, uint64_t version, uint64_t pc, Found& found) {
    Found now{&record, version};
    now.begin = record.content.begin.load(acquire);
    now.end = record.content.end.load(acquire);
    if (pc < now.begin || pc >= now.end) return false;
    now.section = &sections.at(record.content.section.load(acquire)).content;
    now.serial = now.section->serial.load(acquire);
    now.entry = record.content.entry.load(acquire);
    now.copy.begin = bytes_at(now.section->copy.load(acquire));
    now.copy.end = now.copy.begin + now.section->bytes.load(acquire);
    // A section does not change before its functions are removed.
    if (record.version.load() != version || now.serial <= found.serial) return false;
    found = now;
    return true;
}

Found find(uint64_t pc) {
    Found found;
    for (uint32_t in_use = sizes_in_use.load(acquire); in_use != 0; in_use &= in_use - 1) {
        const auto size = static_cast<unsigned>(__builtin_ctz(in_use));
        const uint64_t cell = pc >> cell_bits(size);
        for (const uint64_t either : {cell, cell - 1}) {
            functions.for_each(hash_of(size, either),
                               [&](const Functions::Record& record, uint64_t version) {
                                   read(record, version, pc, found);
                               });
        }
    }
    return found;
}

// ---- reading what the program registers ---------------------------------------------------------

// Returns the size of the section at `begin`, with its final zero, or 0 if it cannot be read.
uint64_t measure(const uint8_t* begin) {
    constexpr uint64_t room_for_length = 12;
    uint64_t readable_end = address_of(begin) & ~uint64_t{7};
    const auto can_read_to = [&](uint64_t end) {
        while (readable_end < end) {
            if (!is_readable(readable_end)) return false;
            readable_end = (readable_end & ~uint64_t{page_bytes - 1}) + page_bytes;
        }
        return true;
    };
    const TableBounds bounds{begin, begin + type_stable_block_bytes_max - room_for_length};
    const uint8_t* place = begin;
    for (;;) {
        uint32_t length = 0;
        const uint64_t length_bytes = sizeof length;
        if (!can_read_to(address_of(place) + length_bytes)) return 0;
        std::memcpy(&length, place, length_bytes);
        if (length == 0) return static_cast<uint64_t>(place - begin) + length_bytes;
        if (length == 0xffffffff && !can_read_to(address_of(place) + room_for_length)) return 0;
        place = behind_piece(place, bounds);
        if (place == nullptr) return 0;
    }
}

// A thread that reads these bytes meanwhile holds a removed record and will notice that. So the
// race is harmless and hidden from the sanitizer. memcpy() would be watched nevertheless.
__attribute__((no_sanitize("thread"))) void copy_bytes(volatile uint8_t* to, const uint8_t* from,
                                                       uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

struct CodeRange {
    uint64_t begin = ~uint64_t{0};
    uint64_t end = 0;

    void add(uint64_t from, uint64_t to) {
        if (from < begin) begin = from;
        if (to > end) end = to;
    }
};

// Invalidates everything made from tables for this code, because other code may come there.
void report(const CodeRange& code, CodeGone gone) {
    if (code.begin >= code.end || !makes(UnwindCheck::registration)) return;
    begin_unload();
    gone(code.begin, code.end);
    end_unload();
}

bool is_in_loaded_object(uint64_t address) {
    dl_find_object object;
    return find_loaded_object(reinterpret_cast<void*>(address), object);
}

// Adds one function to the section that is being added.
void add_function(Sections::Record& section, const UnwindEntry& entry, uint64_t place) {
    const unsigned size = size_of(entry.code_end - entry.code_begin);
    if (size == sizes) return;
    Functions::Record* record = functions.take(hash_of(size, entry.code_begin >> cell_bits(size)));
    if (record == nullptr) return;
    Function& function = record->content;
    function.begin.store(entry.code_begin, release);
    function.end.store(entry.code_end, release);
    function.entry.store(section.content.copy.load(acquire) + place, release);
    function.section.store(section.number, release);
    function.next.store(section.content.first_function.load(acquire), release);
    section.content.first_function.store(record->number, release);
    sizes_in_use.fetch_or(1u << size, release);
    Functions::publish(*record);
}

// Adds the functions of a section, and copies the section if there are any. Returns the code for
// which older functions were known and met.
CodeRange add_functions(Sections::Record& record, const uint8_t* begin, uint64_t bytes) {
    const TableBounds bounds{begin, begin + bytes};
    CodeRange stale;
    UnwindEntry entry;
    for (const uint8_t* place = begin; const uint8_t* next = behind_piece(place, bounds);
         place = next) {
        if (!read_entry(place, bounds, entry) || entry.code_begin >= entry.code_end) continue;
        // Code of loaded objects is found through the loader.
        if (is_in_loaded_object(entry.code_begin)) continue;
        if (record.content.copy.load(acquire) == 0) {
            uint8_t* copy = take_type_stable_block(bytes);
            if (copy == nullptr) return stale;
            copy_bytes(copy, begin, bytes);
            record.content.bytes.store(bytes, release);
            record.content.copy.store(address_of(copy), release);
        }
        const Found older = find(entry.code_begin);
        if (older.record != nullptr && older.section->was_met.load() != 0) {
            stale.add(entry.code_begin, entry.code_end);
        }
        add_function(record, entry, static_cast<uint64_t>(place - begin));
    }
    return stale;
}

// Removes the functions of a section. Returns their code if any of it was ever met.
CodeRange remove_functions(Section& section) {
    CodeRange code;
    for (uint32_t i = section.first_function.load(acquire); i != 0;) {
        Functions::Record& record = functions.at(i);
        i = record.content.next.load(acquire);
        code.add(record.content.begin.load(acquire), record.content.end.load(acquire));
        Functions::take_out(record);
        Functions::give_back(record);
    }
    // Read last. A thread that meets a function from now on will see that it was removed.
    return section.was_met.load() != 0 ? code : CodeRange{};
}

}  // namespace

bool has_registered_frames(const void* key) {
    bool found = false;
    sections.for_each(mix(address_of(key)), [&](Sections::Record& record, uint64_t) {
        found |= record.content.key.load(acquire) == address_of(key);
    });
    return found;
}

void add_registered_frames(const void* key, const void* section, bool is_forwarded, CodeGone gone) {
    Sections::Record* record = sections.take(mix(address_of(key)));
    if (record == nullptr) return;
    Section& content = record->content;
    content.key.store(address_of(key), release);
    content.copy.store(0, release);
    content.bytes.store(0, release);
    content.serial.store(next_serial.fetch_add(1), release);
    content.first_function.store(0, release);
    content.is_forwarded.store(is_forwarded, release);
    content.was_met.store(0);
    const auto* begin = static_cast<const uint8_t*>(section);
    CodeRange stale;
    if (const uint64_t bytes = measure(begin)) stale = add_functions(*record, begin, bytes);
    Sections::publish(*record);
    report(stale, gone);
}

bool remove_registered_frames(const void* key, CodeGone gone) {
    bool is_forwarded = true;
    CodeRange code;
    sections.for_each(mix(address_of(key)), [&](Sections::Record& record, uint64_t) {
        Section& section = record.content;
        if (section.key.load(acquire) != address_of(key) || !Sections::take_out(record)) return;
        const CodeRange met = remove_functions(section);
        if (met.begin < met.end) code.add(met.begin, met.end);
        is_forwarded = section.is_forwarded.load(acquire) != 0;
        if (const uint64_t copy = section.copy.load(acquire)) {
            give_back_type_stable_block(reinterpret_cast<uint8_t*>(copy),
                                        section.bytes.load(acquire));
        }
        Sections::give_back(record);
    });
    report(code, gone);
    return is_forwarded;
}

bool find_registered_entry(uint64_t pc, UnwindEntry& entry, RegisteredEntry& valid) {
    const Found found = find(pc);
    if (found.record == nullptr) return false;
    if (found.section->was_met.load() == 0) found.section->was_met.store(1);
    valid.version_ = &found.record->version;
    valid.seen_ = found.version;
    if (!valid.is_valid()) return false;
    if (!read_entry(bytes_at(found.entry), found.copy, entry)) return false;
    // Pointers relative to their own position are wrong in the copy. The range was read from the
    // original.
    entry.code_begin = found.begin;
    entry.code_end = found.end;
    if ((entry.pointer_encoding & encoding_base) != 0) entry.pointer_encoding = encoding_omit;
    return true;
}

bool is_registered_code(uint64_t pc) { return find(pc).record != nullptr; }

}  // namespace memtrace::preload
