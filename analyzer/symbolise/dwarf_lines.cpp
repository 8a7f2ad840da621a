// SPDX-License-Identifier: Apache-2.0
//
// Debug information is a tree for each compilation unit:
//
//   compile_unit  [0x1000, 0x1400)
//   ├─ subprogram main  [0x1000, 0x1200)                    code 0x1050 lies in all of these:
//   │  └─ inlined_subroutine push_back  [0x1040, 0x1080)    three frames, push_back's own call
//   │     └─ inlined_subroutine grow  [0x1050, 0x1060)      of grow is at grow's call_line
//   └─ subprogram other …
//
// The line table contains the line of 0x1050 itself (inside grow). call_file and call_line of an
// inlined subroutine are the place of the call in its caller.
#include "analyzer/symbolise/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "analyzer/symbolise/dwarf_names.h"
#include "analyzer/symbolise/expression_lines.h"

namespace memtrace::analyzer {

namespace {

constexpr int depth_max = 256;  // limit for nested entries, because a file may be damaged

struct DwarfCloser {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using DwarfHandle = std::unique_ptr<Dwarf, DwarfCloser>;

uint64_t number_of(Dwarf_Die* die, unsigned kind) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(die, kind, &attribute) == nullptr) return 0;
    return dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

// Returns where the compiler ran; empty if that is not known or not a whole path.
std::filesystem::path folder_of(Dwarf_Die* die) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, DW_AT_comp_dir, &attribute) == nullptr) return {};
    const char* const folder = dwarf_formstring(&attribute);
    return folder != nullptr && *folder == '/' ? folder : "";
}

// One compilation unit and the addresses inside it.
class Unit {
public:
    Unit(const ElfFile& file, Dwarf_Die skeleton, Dwarf_Die body)
        : skeleton_(skeleton), body_(body), folder_(folder_of(&skeleton)), lines_(file, skeleton) {}

    void add(size_t index, uint64_t address) { wanted_.push_back({address, index}); }
    bool empty() const { return wanted_.empty(); }

    void resolve(DwarfNames& names, std::vector<std::vector<SourceFrame>>& frames) {
        std::sort(wanted_.begin(), wanted_.end());
        chains_.resize(wanted_.size());
        Dwarf_Die child;
        if (dwarf_child(&body_, &child) == 0) visit_siblings(child, 0, wanted_.size(), 0);
        for (std::vector<Dwarf_Die>& chain : chains_) {
            for (Dwarf_Die& die : chain) names.want(&die);
        }
        names.resolve();
        size_t count = 0;
        if (dwarf_getsrcfiles(&skeleton_, &files_, &count) == 0) file_count_ = count;
        for (size_t i = 0; i < wanted_.size(); ++i) {
            std::vector<SourceFrame> found = frames_at(names, i);
            if (!found.empty()) frames[wanted_[i].index] = std::move(found);
        }
    }

private:
    struct Wanted {
        uint64_t address = 0;
        size_t index = 0;
        auto operator<=>(const Wanted&) const = default;
    };

    // Visits entries of functions and blocks that contain some of wanted_[from, to).
    void visit_siblings(Dwarf_Die die, size_t from, size_t to, int depth) {
        if (depth > depth_max) return;
        do {
            visit(die, from, to, depth);
        } while (dwarf_siblingof(&die, &die) == 0);
    }

    void visit(Dwarf_Die& die, size_t from, size_t to, int depth) {
        Dwarf_Die child;
        switch (dwarf_tag(&die)) {
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_class_type:
            case DW_TAG_structure_type:
                if (dwarf_child(&die, &child) == 0) visit_siblings(child, from, to, depth + 1);
                return;
            case DW_TAG_subprogram:
            case DW_TAG_inlined_subroutine: visit_code(die, from, to, depth, true); return;
            case DW_TAG_lexical_block:
            case DW_TAG_try_block:
            case DW_TAG_catch_block:
            case DW_TAG_with_stmt: visit_code(die, from, to, depth, false); return;
            default: return;
        }
    }

    void visit_code(Dwarf_Die& die, size_t from, size_t to, int depth, bool is_function) {
        size_t low = to;
        size_t high = from;
        for (const Interval& range : ranges_of(&die)) {
            size_t i = std::lower_bound(wanted_.begin() + from, wanted_.begin() + to,
                                        Wanted{range.begin, 0}) -
                       wanted_.begin();
            for (low = std::min(low, i); i < to && wanted_[i].address < range.end; ++i) {
                if (is_function) chains_[i].push_back(die);
                high = std::max(high, i + 1);
            }
        }
        Dwarf_Die child;
        if (low < high && dwarf_child(&die, &child) == 0) {
            visit_siblings(child, low, high, depth + 1);
        }
    }

    const char* file_name(uint64_t number) const {
        return number < file_count_ ? dwarf_filesrc(files_, number, nullptr, nullptr) : nullptr;
    }

    // A file is named as the compiler was given it, which may be relative to where it ran.
    std::string path_of(const char* file) const {
        if (file == nullptr) return "";
        if (folder_.empty() || *file == '/' || *file == '<' || *file == '\0') return file;
        return (folder_ / file).lexically_normal().string();
    }

    // True if the compiler split a function and inlined the part back into it. The call line is
    // then the line of the function's own declaration. That is one function and not a recursion.
    static bool is_split_part(const SourceFrame& inner, const SourceFrame& outer, Dwarf_Die* die) {
        int declared = 0;
        return inner.inlined && inner.function == outer.function && inner.file == outer.file &&
               dwarf_decl_line(die, &declared) == 0 &&
               outer.line == static_cast<uint32_t>(declared);
    }

    // Converts the chain (outermost first) to frames (innermost first).
    std::vector<SourceFrame> frames_at(const DwarfNames& names, size_t i) {
        std::vector<SourceFrame> found;
        const char* file = nullptr;
        int line = 0;
        if (Dwarf_Line* row = dwarf_getsrc_die(&skeleton_, wanted_[i].address); row != nullptr) {
            file = dwarf_linesrc(row, nullptr, nullptr);
            dwarf_lineno(row, &line);
        }
        std::vector<Dwarf_Die>& chain = chains_[i];
        Interval code{wanted_[i].address, wanted_[i].address + 1};
        for (auto die = chain.rbegin(); die != chain.rend(); ++die) {
            SourceFrame frame;
            FunctionName name = names.name_of(&*die);
            frame.function = std::move(name.text);
            frame.mangled = name.mangled;
            frame.inlined = dwarf_tag(&*die) == DW_TAG_inlined_subroutine;
            line = lines_.line_of(&*die, code.begin, code.end, file, line);
            frame.line = static_cast<uint32_t>(std::max(line, 0));
            frame.file = path_of(file);
            const Interval part = part_with(&*die, code.begin);
            if (part.end != 0) code = part;
            file = file_name(number_of(&*die, DW_AT_call_file));
            line = static_cast<int>(number_of(&*die, DW_AT_call_line));
            const bool real = !frame.inlined;
            if (!found.empty() && is_split_part(found.back(), frame, &*die)) {
                found.back().inlined = frame.inlined;
            } else {
                found.push_back(std::move(frame));
            }
            if (real) return found;  // A nested function's parent is not its caller.
        }
        if (found.empty() && file != nullptr) {
            SourceFrame frame;
            frame.file = path_of(file);
            frame.line = static_cast<uint32_t>(std::max(line, 0));
            found.push_back(std::move(frame));
        }
        return found;
    }

    Dwarf_Die skeleton_;
    Dwarf_Die body_;
    std::filesystem::path folder_;
    ExpressionLines lines_;
    std::vector<Wanted> wanted_;
    std::vector<std::vector<Dwarf_Die>> chains_;  // outermost first
    Dwarf_Files* files_ = nullptr;
    size_t file_count_ = 0;
};

}  // namespace

bool find_lines(const ElfFile& file, std::span<const uint64_t> addresses,
                std::vector<std::vector<SourceFrame>>& frames) {
    if (!file.has_section(".debug_info") && !file.has_section(".zdebug_info")) return false;
    const DwarfHandle dwarf(dwarf_begin_elf(file.elf(), DWARF_C_READ, nullptr));
    if (dwarf == nullptr) return false;
    DwarfNames names;
    std::vector<bool> found(addresses.size());
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    uint8_t type = 0;
    Dwarf_Die skeleton{};
    Dwarf_Die split{};
    while (dwarf_get_units(dwarf.get(), unit, &unit, &version, &type, &skeleton, &split) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
        Unit candidate(file, skeleton, split.addr != nullptr ? split : skeleton);
        for (const Interval& range : ranges_of(&skeleton)) {
            auto at = std::lower_bound(addresses.begin(), addresses.end(), range.begin);
            for (; at != addresses.end() && *at < range.end; ++at) {
                const size_t index = at - addresses.begin();
                if (!found[index]) candidate.add(index, *at);
                found[index] = true;
            }
        }
        if (!candidate.empty()) candidate.resolve(names, frames);
    }
    return true;
}

}  // namespace memtrace::analyzer
