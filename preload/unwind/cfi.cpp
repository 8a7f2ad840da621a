// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/cfi.h"

#include <cstring>

#include "preload/unwind/dwarf_bytes.h"

namespace memtrace::preload {
namespace {

// The tables of a loaded object come from the linker. They are trusted to end where they say.
constexpr uintptr_t address_max = 0x7fffffffffff;
const TableBounds everywhere{nullptr, reinterpret_cast<const uint8_t*>(address_max)};

// Begin and end of one CIE or FDE, found by its length. `id_place` is the position of its CIE
// pointer. read_piece() returns false at the zero that ends a table.
struct Piece {
    const uint8_t* id_place;
    const uint8_t* end;
};
bool read_piece(const uint8_t* place, const TableBounds& bounds, Piece& piece) {
    if (place < bounds.begin || place > bounds.end) return false;
    DwarfBytes bytes(place, bounds.end);
    uint64_t length = bytes.number<uint32_t>();
    if (length == 0xffffffff) length = bytes.number<uint64_t>();
    constexpr uint64_t length_max = 0x7fffffff;  // a larger length means that the table is damaged
    if (!bytes.is_sound() || length == 0 || length > length_max) return false;
    if (length > static_cast<uint64_t>(bounds.end - bytes.at())) return false;
    piece = {bytes.at(), bytes.at() + length};
    return true;
}

bool read_common(const uint8_t* place, const TableBounds& bounds, UnwindEntry& entry) {
    Piece piece;
    if (!read_piece(place, bounds, piece)) return false;
    DwarfBytes bytes(piece.id_place, piece.end);
    if (bytes.number<uint32_t>() != 0) return false;  // not a CIE
    const auto version = bytes.number<uint8_t>();
    if (version != 1 && version != 3) return false;
    const auto* augmentation = reinterpret_cast<const char*>(bytes.at());
    while (!bytes.is_done() && bytes.number<char>() != 0) {
    }
    entry.code_alignment = bytes.unsigned_leb();
    entry.data_alignment = bytes.signed_leb();
    const uint64_t return_column = version == 1 ? bytes.number<uint8_t>() : bytes.unsigned_leb();
    if (return_column != register_return) return false;
    entry.pointer_encoding = 0;
    entry.is_signal_frame = false;
    entry.has_augmentation = *augmentation == 'z';
    if (entry.has_augmentation) {
        const uint64_t size = bytes.unsigned_leb();
        if (!bytes.is_sound() || size > static_cast<uint64_t>(piece.end - bytes.at())) return false;
        const uint8_t* instructions = bytes.at() + size;
        for (++augmentation; *augmentation != 0 && bytes.is_sound(); ++augmentation) {
            switch (*augmentation) {
                case 'R': entry.pointer_encoding = bytes.number<uint8_t>(); break;
                case 'L': bytes.skip(1); break;
                case 'P': {
                    const auto encoding = bytes.number<uint8_t>();
                    bytes.pointer(encoding & encoding_width, 0);
                    break;
                }
                case 'S': entry.is_signal_frame = true; break;
                default: return false;
            }
        }
        entry.common_begin = instructions;
    } else if (*augmentation == 0) {
        entry.common_begin = bytes.at();
    } else {
        return false;
    }
    entry.common_end = piece.end;
    return bytes.is_sound();
}

// For the few objects whose search table is missing or has an unusual form.
bool search_all_entries(const uint8_t* place, uint64_t pc, UnwindEntry& entry) {
    for (Piece piece; read_piece(place, everywhere, piece); place = piece.end) {
        if (!read_entry(place, everywhere, entry)) continue;
        if (pc >= entry.code_begin && pc < entry.code_end) return true;
    }
    return false;
}

// One entry of the search table of .eh_frame_hdr in its usual form. Both are relative to the
// header.
struct SearchRow {
    int32_t code_begin;
    int32_t entry;
};
constexpr uint8_t usual_table_encoding = 0x3b;  // data-relative, four signed bytes

// Interprets the instructions, one row at a time.
class RowProgram {
public:
    RowProgram(const UnwindEntry& entry, uint64_t pc, UnwindRow& row, RowWorkspace& workspace)
        : entry_(entry), pc_(pc), row_(row), workspace_(workspace) {}

    bool run() {
        row_ = {};
        row_.is_signal_frame = entry_.is_signal_frame;
        location_ = entry_.code_begin;
        if (!run(entry_.common_begin, entry_.common_end)) return false;
        workspace_.initial = row_;
        return run(entry_.own_begin, entry_.own_end);
    }

private:
    // Moves on to a later row. Returns false if that row begins behind the pc.
    bool advance(uint64_t units) { return advance_to(location_ + units * entry_.code_alignment); }
    bool advance_to(uint64_t location) {
        if (location > pc_) return false;
        location_ = location;
        return true;
    }

    // Returns the rule of a register. Rules of registers that are not followed (vector registers)
    // are discarded.
    RegisterRule& rule(uint64_t number) {
        return number < register_count ? row_.registers[number] : ignored_;
    }

    bool run(const uint8_t* begin, const uint8_t* end) {
        DwarfBytes bytes(begin, end);
        while (!bytes.is_done()) {
            const auto byte = bytes.number<uint8_t>();
            const uint8_t low = byte & 0x3f;
            switch (byte >> 6) {
                case 1:  // DW_CFA_advance_loc
                    if (!advance(low)) return true;
                    break;
                case 2:  // DW_CFA_offset
                    rule(low) = at(factored(bytes.unsigned_leb()));
                    break;
                case 3:  // DW_CFA_restore
                    rule(low) = initial(low);
                    break;
                default: {
                    const Next next = run_extended(low, bytes);
                    if (next != Next::go_on) return next == Next::arrived;
                }
            }
        }
        return bytes.is_sound();
    }

    enum class Next { go_on, arrived, not_understood };

    Next run_extended(uint8_t code, DwarfBytes& bytes) {
        const auto unless = [](bool moved) { return moved ? Next::go_on : Next::arrived; };
        switch (code) {
            case 0x00: break;  // DW_CFA_nop
            case 0x01:         // DW_CFA_set_loc
                return unless(advance_to(bytes.pointer(entry_.pointer_encoding, 0)));
            case 0x02: return unless(advance(bytes.number<uint8_t>()));
            case 0x03: return unless(advance(bytes.number<uint16_t>()));
            case 0x04: return unless(advance(bytes.number<uint32_t>()));
            case 0x05: {  // DW_CFA_offset_extended
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = at(factored(bytes.unsigned_leb()));
                break;
            }
            case 0x06: {  // DW_CFA_restore_extended
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = initial(number);
                break;
            }
            case 0x07: rule(bytes.unsigned_leb()) = {RegisterRule::undefined, 0, {}}; break;
            case 0x08: rule(bytes.unsigned_leb()) = {}; break;  // DW_CFA_same_value
            case 0x09: {                                        // DW_CFA_register
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = {
                    RegisterRule::in_register, static_cast<int64_t>(bytes.unsigned_leb()), {}};
                break;
            }
            case 0x0a:  // DW_CFA_remember_state
                if (remembered_ == RowWorkspace::remembered_max) return Next::not_understood;
                workspace_.remembered[remembered_++] = row_;
                break;
            case 0x0b:  // DW_CFA_restore_state
                if (remembered_ == 0) return Next::not_understood;
                row_ = workspace_.remembered[--remembered_];
                break;
            case 0x0c: {  // DW_CFA_def_cfa
                const uint64_t number = bytes.unsigned_leb();
                define_cfa(number, static_cast<int64_t>(bytes.unsigned_leb()));
                break;
            }
            case 0x0d: define_cfa(bytes.unsigned_leb(), row_.cfa_offset); break;
            case 0x0e: row_.cfa_offset = static_cast<int64_t>(bytes.unsigned_leb()); break;
            case 0x0f: row_.cfa_expression = bytes.expression(); break;
            case 0x10: {  // DW_CFA_expression
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = {RegisterRule::at_expression, 0, bytes.expression()};
                break;
            }
            case 0x11: {  // DW_CFA_offset_extended_sf
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = at(factored(signed_leb(bytes)));
                break;
            }
            case 0x12: {  // DW_CFA_def_cfa_sf
                const uint64_t number = bytes.unsigned_leb();
                define_cfa(number, factored(signed_leb(bytes)));
                break;
            }
            case 0x13: row_.cfa_offset = factored(signed_leb(bytes)); break;
            case 0x14:    // DW_CFA_val_offset
            case 0x15: {  // DW_CFA_val_offset_sf
                const uint64_t number = bytes.unsigned_leb();
                const uint64_t factor = code == 0x14 ? bytes.unsigned_leb() : signed_leb(bytes);
                rule(number) = {RegisterRule::is_offset, factored(factor), {}};
                break;
            }
            case 0x16: {  // DW_CFA_val_expression
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = {RegisterRule::is_expression, 0, bytes.expression()};
                break;
            }
            case 0x2e: bytes.unsigned_leb(); break;  // DW_CFA_GNU_args_size
            case 0x2f: {                             // DW_CFA_GNU_negative_offset_extended
                const uint64_t number = bytes.unsigned_leb();
                rule(number) = at(factored(0 - bytes.unsigned_leb()));
                break;
            }
            default: return Next::not_understood;
        }
        return Next::go_on;
    }

    static uint64_t signed_leb(DwarfBytes& bytes) {
        return static_cast<uint64_t>(bytes.signed_leb());
    }

    // Converts from the CIE's units. Unsigned, because a damaged table may contain any number.
    int64_t factored(uint64_t number) const {
        return static_cast<int64_t>(number * static_cast<uint64_t>(entry_.data_alignment));
    }

    static RegisterRule at(int64_t offset) { return {RegisterRule::at_offset, offset, {}}; }

    RegisterRule initial(uint64_t number) const {
        return number < register_count ? workspace_.initial.registers[number] : RegisterRule{};
    }

    void define_cfa(uint64_t number, int64_t offset) {
        row_.cfa_register = number < register_count ? static_cast<uint8_t>(number) : 0xff;
        row_.cfa_offset = offset;
        row_.cfa_expression = {};
    }

    const UnwindEntry& entry_;
    uint64_t pc_;
    UnwindRow& row_;
    RowWorkspace& workspace_;
    RegisterRule ignored_;
    uint64_t location_ = 0;
    unsigned remembered_ = 0;
};

}  // namespace

bool read_entry(const uint8_t* place, const TableBounds& bounds, UnwindEntry& entry) {
    Piece piece;
    if (!read_piece(place, bounds, piece)) return false;
    DwarfBytes bytes(piece.id_place, piece.end);
    const auto distance = bytes.number<uint32_t>();
    if (distance == 0 || distance > static_cast<uint64_t>(piece.id_place - bounds.begin) ||
        !read_common(piece.id_place - distance, bounds, entry)) {
        return false;
    }
    const uint8_t base = entry.pointer_encoding & encoding_base;
    if ((entry.pointer_encoding & encoding_indirect) != 0 || (base != 0 && base != base_pc)) {
        return false;
    }
    entry.code_begin = bytes.pointer(entry.pointer_encoding, 0);
    entry.code_end = entry.code_begin + bytes.pointer(entry.pointer_encoding & encoding_width, 0);
    if (entry.has_augmentation) {
        const uint64_t size = bytes.unsigned_leb();
        bytes.skip(size);
    }
    entry.own_begin = bytes.at();
    entry.own_end = piece.end;
    return bytes.is_sound();
}

const uint8_t* behind_piece(const uint8_t* place, const TableBounds& bounds) {
    Piece piece;
    return read_piece(place, bounds, piece) ? piece.end : nullptr;
}

bool find_unwind_entry(const uint8_t* header, uint64_t pc, UnwindEntry& entry) {
    constexpr size_t header_bytes_max = 4 + 8 + 8;
    DwarfBytes bytes(header, header + header_bytes_max);
    const auto data = reinterpret_cast<uint64_t>(header);
    if (bytes.number<uint8_t>() != 1) return false;  // version
    const auto frame_encoding = bytes.number<uint8_t>();
    const auto count_encoding = bytes.number<uint8_t>();
    const auto table_encoding = bytes.number<uint8_t>();
    const auto* eh_frame = reinterpret_cast<const uint8_t*>(bytes.pointer(frame_encoding, data));
    if (!bytes.is_sound()) return false;
    if (count_encoding == encoding_omit || table_encoding != usual_table_encoding) {
        return search_all_entries(eh_frame, pc, entry);
    }
    const uint64_t count = bytes.pointer(count_encoding, data);
    if (!bytes.is_sound() || count == 0) return false;
    const uint8_t* table = bytes.at();
    const auto row = [&](uint64_t i) {
        SearchRow found;
        std::memcpy(&found, table + i * sizeof found, sizeof found);
        return found;
    };
    // Finds the last row with code that begins at or before pc.
    const auto wanted = static_cast<int64_t>(pc - data);
    uint64_t low = 0;
    uint64_t high = count;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (row(middle).code_begin <= wanted) low = middle;
        else high = middle;
    }
    const SearchRow found = row(low);
    if (found.code_begin > wanted) return false;
    if (!read_entry(header + found.entry, everywhere, entry)) return false;
    return pc >= entry.code_begin && pc < entry.code_end;
}

bool find_row(const UnwindEntry& entry, uint64_t pc, UnwindRow& row, RowWorkspace& workspace) {
    return RowProgram(entry, pc, row, workspace).run();
}

}  // namespace memtrace::preload
