// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/elf_symbols.h"

#include <gelf.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace memtrace::analyzer {

namespace {

struct Candidate {
    const char* name = nullptr;
    uint64_t value = 0;
    uint64_t limit = 0;  // end of its section; no function extends beyond it
    int rank = 0;
};

// State of the search for one address while the table is read.
struct Search {
    Candidate sized;          // symbol that covers the address
    Candidate sizeless;       // symbol without an end that starts before the address (assembler)
    uint64_t last_start = 0;  // start of the last symbol at or before the address
};

// A file of debug information has "puts@@GLIBC_2.2.5" where the library has "puts" and its version.
std::string_view without_version(std::string_view name) { return name.substr(0, name.find('@')); }

// Ranks the names of one function, which often has several (malloc, __libc_malloc). The plainest
// name is the best.
int name_rank(const GElf_Sym& symbol, std::string_view name) {
    int rank = 0;
    if (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE) rank -= 4000;
    if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) rank -= 2000;
    const size_t plain = name.starts_with("_Z") || name.starts_with("_R")
                             ? 0
                             : std::min(name.find_first_not_of('_'), size_t{9});
    rank -= static_cast<int>(plain) * 200;
    rank -= static_cast<int>(std::min<size_t>(name.size(), 199));
    return rank;
}

bool better(const Candidate& a, const Candidate& b) {
    if (b.name == nullptr) return true;
    if (a.value != b.value) return a.value > b.value;
    if (a.rank != b.rank) return a.rank > b.rank;
    return std::strcmp(a.name, b.name) < 0;
}

struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
};

enum class Wanted : uint8_t { functions, objects };

bool is_wanted(unsigned type, Wanted wanted) {
    if (wanted == Wanted::objects) return type == STT_OBJECT;
    return type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC;
}

// Returns the address ranges of sections with the wanted kind of symbols, by section number; empty
// ranges for others.
std::vector<Range> find_sections(Elf* elf, Wanted wanted) {
    std::vector<Range> ranges;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        const size_t index = elf_ndxscn(section);
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr) continue;
        if (index >= ranges.size()) ranges.resize(index + 1);
        const uint64_t flag = wanted == Wanted::functions ? SHF_EXECINSTR : SHF_ALLOC;
        if ((header.sh_flags & flag) == 0) continue;
        ranges[index] = {header.sh_addr, header.sh_addr + header.sh_size};
    }
    return ranges;
}

class Table {
public:
    Table(const ElfFile& file, uint32_t type) : file_(file), elf_(file.elf()) {
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
            if (gelf_getshdr(section, &header_) == nullptr || header_.sh_type != type) continue;
            if (header_.sh_entsize == 0) continue;
            section_ = section;
            count_ = header_.sh_size / header_.sh_entsize;
            return;
        }
    }

    bool exists() const { return section_ != nullptr && count_ > 1; }

    // Calls each(symbol, name) for every symbol of the wanted kind.
    void for_each(Wanted wanted, auto&& each) const {
        const auto look_at = [&](const GElf_Sym& symbol) {
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return;
            if (!is_wanted(GELF_ST_TYPE(symbol.st_info), wanted)) return;
            each(symbol, [&] { return elf_strptr(elf_, header_.sh_link, symbol.st_name); });
        };
        if (lies_as_in_memory()) return for_each_read(look_at);
        Elf_Data* const data = elf_getdata(section_, nullptr);
        if (data == nullptr) return;
        for (size_t i = 1; i < count_; ++i) {
            GElf_Sym symbol;
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
            look_at(symbol);
        }
    }

private:
    bool lies_as_in_memory() const {
        constexpr int own_order =
            std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
        const char* const identity = elf_getident(elf_, nullptr);
        return identity != nullptr && identity[EI_CLASS] == ELFCLASS64 &&
               identity[EI_DATA] == own_order && header_.sh_entsize == sizeof(GElf_Sym) &&
               (header_.sh_flags & SHF_COMPRESSED) == 0;
    }

    // A library may have a million symbols, so they are read in parts.
    void for_each_read(auto&& look_at) const {
        std::vector<GElf_Sym> part(std::min<size_t>(count_, 4096));
        for (size_t i = 0; i < count_;) {
            const size_t wanted = std::min(part.size(), count_ - i);
            const size_t read = file_.read(header_.sh_offset + i * sizeof(GElf_Sym), part.data(),
                                           wanted * sizeof(GElf_Sym)) /
                                sizeof(GElf_Sym);
            for (size_t at = i == 0 ? 1 : 0; at < read; ++at) look_at(part[at]);
            if (read < wanted) return;
            i += read;
        }
    }

    const ElfFile& file_;
    Elf* elf_;
    Elf_Scn* section_ = nullptr;
    GElf_Shdr header_{};
    size_t count_ = 0;
};

// Finds the first of sorted addresses that is not below a value. They are divided into ranges of
// equal length, about as many as there are addresses, so most searches take no step at all.
class AddressIndex {
public:
    explicit AddressIndex(std::span<const uint64_t> addresses) : addresses_(addresses) {
        if (addresses.empty()) return;
        const uint64_t length = addresses.back() - addresses.front();
        while (length >> shift_ > addresses.size()) ++shift_;
        begins_.resize((length >> shift_) + 2, static_cast<uint32_t>(addresses.size()));
        for (size_t i = addresses.size(); i-- > 0;) {
            begins_[range_of(addresses[i])] = static_cast<uint32_t>(i);
        }
        for (size_t range = begins_.size() - 1; range-- > 0;) {
            begins_[range] = std::min(begins_[range], begins_[range + 1]);
        }
    }

    size_t first_from(uint64_t value) const {
        if (addresses_.empty() || value <= addresses_.front()) return 0;
        if (value > addresses_.back()) return addresses_.size();
        const size_t range = range_of(value);
        const auto begin = addresses_.begin() + begins_[range];
        const auto end = addresses_.begin() + begins_[range + 1];
        return static_cast<size_t>(std::lower_bound(begin, end, value) - addresses_.begin());
    }

private:
    size_t range_of(uint64_t address) const { return (address - addresses_.front()) >> shift_; }

    std::span<const uint64_t> addresses_;
    unsigned shift_ = 0;
    std::vector<uint32_t> begins_;  // by range: the first address in it or behind it
};

// A table may contain exported functions only. Anything may follow a function then, so symbols
// without a size are ignored.
enum class Sizeless { count, ignored };

void search_table(const ElfFile& file, const Table& table, Wanted wanted, Sizeless sizeless_symbols,
                  std::span<const uint64_t> addresses, std::vector<SymbolHit>& hits) {
    const std::vector<Range> sections = find_sections(file.elf(), wanted);
    const AddressIndex index(addresses);
    std::vector<Search> searches(addresses.size());
    table.for_each(wanted, [&](const GElf_Sym& symbol, auto&& read_name) {
        if (symbol.st_shndx >= sections.size()) return;
        const Range section = sections[symbol.st_shndx];
        if (symbol.st_value < section.begin || symbol.st_value >= section.end) return;
        const size_t first = index.first_from(symbol.st_value);
        if (first == addresses.size() || addresses[first] >= section.end) return;
        // Sizeless symbols reach an address unless another symbol starts in between. The nearest
        // start below an address decides; it is spread upwards when the table has been read.
        searches[first].last_start = std::max(searches[first].last_start, symbol.st_value);
        const bool sized = symbol.st_size != 0;
        if (!sized && sizeless_symbols == Sizeless::ignored) return;
        const uint64_t end = sized ? symbol.st_value + symbol.st_size : addresses[first] + 1;
        Candidate candidate;
        for (size_t i = first; i < addresses.size() && addresses[i] < end; ++i) {
            if (candidate.name == nullptr) {
                const char* name = read_name();
                if (name == nullptr || *name == '\0' || *name == '$') return;
                candidate = {name, symbol.st_value, section.end,
                             name_rank(symbol, without_version(name))};
            }
            Candidate& best = sized ? searches[i].sized : searches[i].sizeless;
            if (better(candidate, best)) best = candidate;
        }
    });
    uint64_t last_start = 0;
    Candidate sizeless;
    for (size_t i = 0; i < searches.size(); ++i) {
        last_start = std::max(last_start, searches[i].last_start);
        if (searches[i].sizeless.name != nullptr) sizeless = searches[i].sizeless;
        if (!hits[i].name.empty()) continue;
        if (searches[i].sized.name != nullptr) {
            hits[i] = {without_version(searches[i].sized.name), searches[i].sized.value};
        } else if (sizeless.name != nullptr && sizeless.value == last_start &&
                   addresses[i] < sizeless.limit) {
            hits[i] = {without_version(sizeless.name), sizeless.value};
        }
    }
}

}  // namespace

void find_symbols(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits) {
    const Wanted wanted = Wanted::functions;
    const Table full(file, SHT_SYMTAB);
    if (full.exists()) return search_table(file, full, wanted, Sizeless::count, addresses, hits);
    const Table dynamic(file, SHT_DYNSYM);
    if (!dynamic.exists()) return;
    search_table(file, dynamic, wanted, Sizeless::ignored, addresses, hits);
}

void find_objects(const ElfFile& file, std::span<const uint64_t> addresses,
                  std::vector<SymbolHit>& hits) {
    for (const uint32_t type : {SHT_SYMTAB, SHT_DYNSYM}) {
        const Table table(file, type);
        if (!table.exists()) continue;
        search_table(file, table, Wanted::objects, Sizeless::ignored, addresses, hits);
    }
}

}  // namespace memtrace::analyzer
