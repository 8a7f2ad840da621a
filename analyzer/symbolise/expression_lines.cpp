// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/expression_lines.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memtrace::analyzer {
namespace {

bool is_compiled_by_gcc(Dwarf_Die& unit) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&unit, DW_AT_producer, &attribute) == nullptr) return false;
    const char* const producer = dwarf_formstring(&attribute);
    return producer != nullptr && std::string_view(producer).starts_with("GNU C++");
}

bool is_same(const char* a, const char* b) {
    return a == b || (a != nullptr && b != nullptr && std::strcmp(a, b) == 0);
}

// The last bytes of code before an address.
struct CodeEnd {
    std::array<uint8_t, 5> bytes{};
    uint64_t end = 0;  // behind them; what follows is padding
    uint64_t address = 0;
};

// Compilers fill room between blocks with instructions that do nothing, also with prefixes.
size_t without_padding(const uint8_t* code, size_t size) {
    static constexpr std::array<std::string_view, 6> fillers{
        std::string_view("\x90"),
        std::string_view("\x0f\x1f\0", 3),
        std::string_view("\x0f\x1f\x40\0", 4),
        std::string_view("\x0f\x1f\x44\0\0", 5),
        std::string_view("\x0f\x1f\x80\0\0\0\0", 7),
        std::string_view("\x0f\x1f\x84\0\0\0\0\0", 8)};
    const auto is_prefix = [](uint8_t byte) { return byte == 0x66 || byte == 0x2e; };
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const std::string_view filler : fillers) {
            if (size < filler.size() ||
                std::memcmp(code + size - filler.size(), filler.data(), filler.size()) != 0)
                continue;
            size -= filler.size();
            while (size > 0 && is_prefix(code[size - 1])) --size;
            is_cut = true;
        }
    }
    return size;
}

// Returns nothing for a file of debug information, which has no code.
std::optional<CodeEnd> code_before(const ElfFile& file, uint64_t address) {
    std::array<uint8_t, 48> code{};
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(file.elf(), section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
        if (address <= header.sh_addr || address > header.sh_addr + header.sh_size) continue;
        const size_t size = std::min<uint64_t>(code.size(), address - header.sh_addr);
        const uint64_t offset = header.sh_offset + (address - size - header.sh_addr);
        if (file.read(offset, code.data(), size) != size) return {};
        const size_t kept = without_padding(code.data(), size);
        CodeEnd found;
        if (kept < found.bytes.size()) return {};
        std::copy_n(code.data() + kept - found.bytes.size(), found.bytes.size(),
                    found.bytes.begin());
        found.end = address - (size - kept);
        found.address = address;
        return found;
    }
    return {};
}

constexpr uint8_t op_near_jump = 0xe9, op_short_jump = 0xeb, op_return = 0xc3;

// True if code ends with a return, as compilers write it: behind what takes the frame down.
bool returns(const CodeEnd& code) {
    constexpr uint8_t pop_first = 0x58, pop_last = 0x5f, leave = 0xc9;
    constexpr std::array<uint8_t, 3> add_to_stack{0x48, 0x83, 0xc4};
    const uint8_t before = code.bytes[3];
    return code.bytes[4] == op_return &&
           ((before >= pop_first && before <= pop_last) || before == leave ||
            std::equal(add_to_stack.begin(), add_to_stack.end(), code.bytes.begin()));
}

// True if code may end with a return. The byte is also the end of moves between two registers.
bool may_return(const CodeEnd& code) {
    constexpr std::array<uint8_t, 7> with_registers{0x89, 0x8b, 0x85, 0x01, 0x29, 0x31, 0x39};
    return code.bytes[4] == op_return && std::find(with_registers.begin(), with_registers.end(),
                                                   code.bytes[3]) == with_registers.end();
}

// Where the code goes on: behind it, or where it jumps to.
uint64_t next_after(const CodeEnd& code) {
    if (code.bytes[0] == op_near_jump) {
        int32_t distance;
        std::memcpy(&distance, &code.bytes[1], sizeof distance);
        return code.end + static_cast<uint64_t>(int64_t{distance});
    }
    if (code.bytes[3] == op_short_jump)
        return code.end + static_cast<uint64_t>(int64_t{static_cast<int8_t>(code.bytes[4])});
    return code.address;
}

}  // namespace

std::vector<Interval> ranges_of(Dwarf_Die* die) {
    std::vector<Interval> ranges;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
        if (begin < end) ranges.push_back({begin, end});
    }
    return ranges;
}

Interval part_with(Dwarf_Die* die, uint64_t address) {
    for (const Interval& part : ranges_of(die)) {
        if (part.begin <= address && address < part.end) return part;
    }
    return {};
}

ExpressionLines::ExpressionLines(const ElfFile& file, Dwarf_Die unit) : file_(file), unit_(unit) {}

// Most units have none of the addresses that are looked up, and reading their rows takes long.
bool ExpressionLines::has_rows() {
    if (std::exchange(is_read_, true)) return count_ != 0;
    const bool is_read =
        is_compiled_by_gcc(unit_) && dwarf_getsrclines(&unit_, &rows_, &count_) == 0;
    if (!is_read) count_ = 0;
    return count_ != 0;
}

ExpressionLines::Row ExpressionLines::row_at(size_t index, const char* source) const {
    Dwarf_Line* const row = dwarf_onesrcline(rows_, index);
    Dwarf_Addr address = 0;
    Row found;
    if (row == nullptr || dwarf_lineaddr(row, &address) != 0) return found;
    found.address = address;
    bool is_end = false;
    if (dwarf_lineendsequence(row, &is_end) == 0 && is_end) return found;
    if (is_same(dwarf_linesrc(row, nullptr, nullptr), source)) dwarf_lineno(row, &found.line);
    return found;
}

// Rows are sorted by address.
size_t ExpressionLines::first_row_from(uint64_t address) const {
    size_t low = 0, high = count_;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (row_at(middle, nullptr).address < address) low = middle + 1;
        else high = middle;
    }
    return low;
}

int ExpressionLines::closing_line(Dwarf_Die* function, const char* source) {
    const auto [entry, is_new] = closing_lines_.try_emplace({dwarf_dieoffset(function), source}, 0);
    if (!is_new) return entry->second;
    int last = 0;
    std::vector<uint64_t> ends;  // of code of the last line
    for (const auto& [begin, end] : ranges_of(function)) {
        for (size_t i = first_row_from(begin); i < count_; ++i) {
            const Row row = row_at(i, source);
            if (row.address >= end) break;
            if (row.line < last || row.line == 0) continue;
            if (row.line > last) ends.clear();
            last = row.line;
            ends.push_back(i + 1 < count_ ? std::min(row_at(i + 1, source).address, end) : end);
        }
    }
    const bool is_closing = std::any_of(ends.begin(), ends.end(), [&](uint64_t end) {
        const auto code = code_before(file_, end);
        return code && returns(*code);
    });
    return entry->second = is_closing ? last : 0;
}

// True if some code of the function's last line lies between code of this line.
bool ExpressionLines::has_parts_at_end(Dwarf_Die* function, const char* source, int declared,
                                       int last, int line) const {
    for (const auto& [begin, end] : ranges_of(function)) {
        int before = 0;
        bool is_last = false;
        for (size_t i = first_row_from(begin); i < count_; ++i) {
            const Row row = row_at(i, source);
            if (row.address >= end) break;
            if (row.line <= declared || row.line > last) continue;
            if (row.line == last) {
                is_last = true;
                continue;
            }
            if (is_last && before == line && row.line == line) return true;
            before = row.line;
            is_last = false;
        }
    }
    return false;
}

int ExpressionLines::line_at(uint64_t address, const char* source, int declared, int last) const {
    for (size_t i = first_row_from(address + 1); i-- > 0;) {
        const Row row = row_at(i, source);
        if (row.line > declared && row.line <= last) return row.line;
    }
    return last;
}

// True if the code of the piece comes from the line before it, and if all that is seen of where it
// goes are lines of the function before its last. A jump is seen where a row ends.
bool ExpressionLines::goes_on(const Piece& piece, const char* source, int declared,
                              int line) const {
    const auto first = code_before(file_, piece.begin);
    if (!first || may_return(*first) || next_after(*first) != piece.begin) return false;
    bool goes_on = false;
    for (size_t i = first_row_from(piece.begin + 1); i < count_; ++i) {
        const uint64_t at = std::min(row_at(i, source).address, piece.end);
        const auto code = code_before(file_, at);
        if (!code || may_return(*code)) return false;
        const uint64_t next = next_after(*code);
        if (next < piece.begin || next >= piece.end) {
            if (line_at(next, source, declared, line) == line) return false;
            goes_on = true;
        }
        if (at == piece.end) break;
    }
    return goes_on;
}

int ExpressionLines::line_of(Dwarf_Die* function, uint64_t begin, uint64_t end, const char* source,
                             int line) {
    if (source == nullptr || line <= 0 || dwarf_tag(function) != DW_TAG_subprogram) return line;
    if (!has_rows() || closing_line(function, source) != line) return line;
    const auto [part_begin, part_end] = part_with(function, begin);
    // Rows of other functions, which are inlined, say nothing.
    int declared = 0;
    dwarf_decl_line(function, &declared);
    const auto says = [&](const Row& row) { return row.line > declared && row.line < line; };
    Piece piece{begin, part_end, 0, 0};
    for (size_t i = first_row_from(begin + 1); i-- > 0;) {
        const Row row = row_at(i, source);
        if (row.address < part_begin) break;
        if (says(row)) {
            piece.before = row.line;
            break;
        }
        piece.begin = row.address;
    }
    if (piece.before == 0) return line;
    for (size_t i = first_row_from(end); i < count_; ++i) {
        const Row row = row_at(i, source);
        if (row.address >= part_end) break;
        if (!says(row)) continue;
        piece.end = row.address;
        piece.after = row.line;
        break;
    }
    if (piece.before == piece.after) return piece.before;
    // The expression may be that of either line: of the one that has other code at the last line
    // within it, or, if neither has, of the one that the code comes from.
    if (!goes_on(piece, source, declared, line)) return line;
    const auto is_of = [&](int other) {
        return other != 0 && has_parts_at_end(function, source, declared, line, other);
    };
    const bool is_before = is_of(piece.before), is_after = is_of(piece.after);
    if (is_before && is_after) return line;
    return is_after ? piece.after : piece.before;
}

}  // namespace memtrace::analyzer
