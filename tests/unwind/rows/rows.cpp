// SPDX-License-Identifier: Apache-2.0
//
// unwind-rows FILE: what preload/unwind/cfi.cpp reads in an ELF file, in a form that can be
// compared with what others read. Reads hexadecimal link-time addresses from stdin, one a line, and
// prints one line for each:
//
//     rsp+16 rbp=c-16 ra=c-8 sp_save 16 -16     the row, without registers that stay the same, and
//                                               what preload/unwind/unwind_rule.cpp makes of it
//     exp:77a00106 rbp=exp:7600 signal full 0 0 expressions as bytes; a signal frame
//     no entry                                  no entry covers the address
//     not understood                            one does, and cannot be read
//
// The file is mapped as the loader would do it, and nothing else is done to it: addresses in
// .eh_frame are relative to its own place, so it needs no relocation.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "preload/unwind/cfi.h"
#include "preload/unwind/unwind_rule.h"

using namespace memtrace::preload;

namespace {

constexpr const char* register_names[register_count] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                        "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                        "r12", "r13", "r14", "r15", "ra"};
constexpr const char* kind_names[] = {"none",    "sp_keep",  "sp_save", "fp_keep",
                                      "fp_save", "indirect", "end",     "full"};

// An ELF file in memory. `bias` is what the loader would add to its link-time addresses.
struct Image {
    uint64_t bias = 0;
    const uint8_t* eh_frame_header = nullptr;
};

constexpr uint64_t page_bytes = 4096;
uint64_t page_of(uint64_t address) { return address / page_bytes * page_bytes; }

bool map_segments(int file, const std::vector<Elf64_Phdr>& headers, Image& image) {
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    for (const Elf64_Phdr& header : headers) {
        if (header.p_type != PT_LOAD) continue;
        begin = std::min(begin, page_of(header.p_vaddr));
        end = std::max(end, header.p_vaddr + header.p_memsz);
    }
    if (begin >= end) return false;
    void* place =
        mmap(nullptr, end - begin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return false;
    image.bias = reinterpret_cast<uint64_t>(place) - begin;
    for (const Elf64_Phdr& header : headers) {
        if (header.p_type != PT_LOAD || header.p_filesz == 0) continue;
        const uint64_t from = page_of(header.p_vaddr);
        void* wanted = reinterpret_cast<void*>(image.bias + from);
        if (mmap(wanted, header.p_vaddr + header.p_filesz - from, PROT_READ,
                 MAP_PRIVATE | MAP_FIXED, file,
                 static_cast<off_t>(page_of(header.p_offset))) == MAP_FAILED) {
            return false;
        }
    }
    return true;
}

// Why the file cannot be used; empty if it can.
std::string map_image(const char* path, Image& image) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return "cannot be opened";
    Elf64_Ehdr elf{};
    if (pread(file, &elf, sizeof elf, 0) != sizeof elf ||
        std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_machine != EM_X86_64 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr)) {
        return "is no program or library for x86-64";
    }
    std::vector<Elf64_Phdr> headers(elf.e_phnum);
    const auto bytes = static_cast<ssize_t>(headers.size() * sizeof(Elf64_Phdr));
    if (pread(file, headers.data(), static_cast<size_t>(bytes), static_cast<off_t>(elf.e_phoff)) !=
        bytes) {
        return "ends within its program headers";
    }
    if (!map_segments(file, headers, image)) return "cannot be mapped";
    close(file);
    for (const Elf64_Phdr& header : headers) {
        if (header.p_type != PT_GNU_EH_FRAME) continue;
        image.eh_frame_header = reinterpret_cast<const uint8_t*>(image.bias + header.p_vaddr);
    }
    return image.eh_frame_header == nullptr ? "has no PT_GNU_EH_FRAME" : "";
}

void append_offset(std::string& line, int64_t offset) {
    if (offset >= 0) line += '+';
    line += std::to_string(offset);
}

void append_expression(std::string& line, const char* name, const Expression& expression) {
    line += name;
    for (uint32_t i = 0; i < expression.size; ++i) {
        constexpr char digits[] = "0123456789abcdef";
        line += digits[expression.begin[i] >> 4];
        line += digits[expression.begin[i] & 15];
    }
}

void append_register(std::string& line, uint64_t number) {
    if (number < register_count) line += register_names[number];
    else line += 'r' + std::to_string(number);
}

void append_rule(std::string& line, const RegisterRule& rule) {
    switch (rule.kind) {
        case RegisterRule::same: line += 's'; break;
        case RegisterRule::undefined: line += 'u'; break;
        case RegisterRule::at_offset:
            line += 'c';
            append_offset(line, rule.offset);
            break;
        case RegisterRule::is_offset:
            line += 'v';
            append_offset(line, rule.offset);
            break;
        case RegisterRule::in_register:
            append_register(line, static_cast<uint64_t>(rule.offset));
            break;
        case RegisterRule::at_expression: append_expression(line, "exp:", rule.expression); break;
        case RegisterRule::is_expression: append_expression(line, "vexp:", rule.expression); break;
    }
}

void append_row(std::string& line, const UnwindRow& row) {
    if (row.cfa_expression.size != 0) {
        append_expression(line, "exp:", row.cfa_expression);
    } else {
        append_register(line, row.cfa_register);
        append_offset(line, row.cfa_offset);
    }
    for (unsigned number = 0; number < register_count; ++number) {
        if (row.registers[number].kind == RegisterRule::same) continue;
        line += ' ';
        line += register_names[number];
        line += '=';
        append_rule(line, row.registers[number]);
    }
    if (row.is_signal_frame) line += " signal";
    const UnwindRule rule = reduce(row);
    const auto kind = static_cast<size_t>(rule.kind());
    line += ' ';
    line += kind < std::size(kind_names) ? kind_names[kind] : "a kind without a name";
    line += ' ' + std::to_string(rule.cfa_offset()) + ' ' + std::to_string(rule.save_offset());
}

void append_answer(std::string& answers, const Image& image, std::string_view address) {
    static RowWorkspace workspace;
    uint64_t place = 0;
    std::from_chars(address.data(), address.data() + address.size(), place, 16);
    const uint64_t pc = image.bias + place;
    UnwindEntry entry;
    UnwindRow row;
    if (!find_unwind_entry(image.eh_frame_header, pc, entry)) answers += "no entry";
    else if (!find_row(entry, pc, row, workspace)) answers += "not understood";
    else append_row(answers, row);
    answers += '\n';
}

// The other program may wait for answers before it sends more: everything requested is answered
// before more is read.
bool answer_all(const Image& image) {
    std::string asked;
    std::string answers;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
        if (got <= 0) return got == 0;
        asked.append(buffer, static_cast<size_t>(got));
        size_t begin = 0;
        for (size_t end; (end = asked.find('\n', begin)) != std::string::npos; begin = end + 1) {
            append_answer(answers, image, std::string_view(asked).substr(begin, end - begin));
        }
        asked.erase(0, begin);
        if (std::fwrite(answers.data(), 1, answers.size(), stdout) != answers.size() ||
            std::fflush(stdout) != 0) {
            return false;
        }
        answers.clear();
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "unwind-rows FILE: addresses come on stdin, one a line\n");
        return 2;
    }
    Image image;
    const std::string fault = map_image(arguments[1], image);
    if (!fault.empty()) {
        std::fprintf(stderr, "unwind-rows: %s %s\n", arguments[1], fault.c_str());
        return 1;
    }
    return answer_all(image) ? 0 : 1;
}
