// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/loaded_objects.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "launcher/doctor/captured.h"
#include "launcher/program.h"

namespace memtrace::launcher {
namespace {

using Names = std::unordered_set<std::string_view>;

// The names among `wanted` that one table of symbols defines.
void read_table(Elf* elf, Elf_Scn* section, const Names& wanted, Names& found) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) return;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr) return;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, i, &symbol) == nullptr) return;
        const bool is_global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
        if (symbol.st_shndx == SHN_UNDEF || !is_global) continue;
        const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name == nullptr) continue;
        // "malloc@@GLIBC_2.2.5": the table of a linker has versions in the names.
        const std::string_view whole(name);
        const auto place = wanted.find(whole.substr(0, whole.find('@')));
        if (place != wanted.end()) found.insert(*place);
    }
}

// What a file defines. `all`: also what it does not export, as a program need not.
Names defined_in(const std::string& path, const Names& wanted, bool all) {
    Names found;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return found;
    elf_version(EV_CURRENT);
    if (Elf* const elf = elf_begin(file, ELF_C_READ_MMAP, nullptr)) {
        Elf_Scn* section = nullptr;
        while ((section = elf_nextscn(elf, section)) != nullptr) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) == nullptr) break;
            const bool is_table =
                header.sh_type == SHT_DYNSYM || (all && header.sh_type == SHT_SYMTAB);
            if (is_table) read_table(elf, section, wanted, found);
        }
        elf_end(elf);
    }
    close(file);
    return found;
}

}  // namespace

void read_list(std::string_view list, LoadedObjects& loaded) {
    while (!list.empty()) {
        const size_t end = std::min(list.find('\n'), list.size());
        std::string_view line = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const size_t arrow = line.find(" => ");
        if (arrow != line.npos && line.substr(arrow + 4).starts_with("not found")) {
            loaded.missing.emplace_back(line.substr(0, arrow));
            continue;
        }
        if (arrow != line.npos) line.remove_prefix(arrow + 4);
        const size_t address = line.rfind(" (0x");
        if (line.starts_with('/') && address != line.npos) {
            loaded.objects.push_back({std::string(line.substr(0, address)), false, {}});
        }
    }
}

LoadedObjects read_loaded_objects(const std::string& path, const std::vector<std::string>& wanted) {
    LoadedObjects loaded;
    const Loading loading = loading_of(path);
    if (loading.loader.empty()) return loaded;
    loaded.program = loading.program;
    loaded.objects.push_back({loading.program, false, {}});
    // As ldd does. The loader is the program that starts here, so nothing else runs in any case.
    read_list(
        run_captured({loading.loader, loading.program}, {{"LD_TRACE_LOADED_OBJECTS", "1"}}).out,
        loaded);
    Names names(wanted.begin(), wanted.end());
    names.insert("malloc");
    for (LoadedObject& object : loaded.objects) {
        const bool is_program = &object == &loaded.objects.front();
        const Names found = defined_in(object.path, names, is_program);
        object.has_malloc = found.contains("malloc");
        for (const std::string& name : wanted) {
            if (found.contains(name)) object.entries.push_back(name);
        }
    }
    return loaded;
}

}  // namespace memtrace::launcher
