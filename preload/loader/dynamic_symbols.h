// SPDX-License-Identifier: Apache-2.0
//
// Reads what a loaded object defines and needs from the object's own tables. It does not call the
// loader, so it leaves no error message and counts no use.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>

#include "preload/loader/same_text.h"

namespace memtrace::preload {

// The dynamic section of a loaded object.
class DynamicSymbols {
public:
    explicit DynamicSymbols(const dl_phdr_info& object) : bias_(object.dlpi_addr) {
        for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
            if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
            read(reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr),
                 object.dlpi_addr);
        }
    }

    explicit DynamicSymbols(const link_map& object) : bias_(object.l_addr) {
        read(object.l_ld, object.l_addr);
    }

    // Returns the name by which other objects need this object, or nullptr (mostly for a program).
    const char* name() const { return name_ == nullptr ? nullptr : strings_ + name_->d_un.d_val; }

    // True if the object itself needs the library `name`.
    bool needs(const char* name) const {
        if (name == nullptr) return false;
        for (const ElfW(Dyn)* entry = section_; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_NEEDED && same_text(strings_ + entry->d_un.d_val, name)) {
                return true;
            }
        }
        return false;
    }

    // Returns the address of `name` if the object defines it, or nullptr.
    void* find(const char* name) const {
        const ElfW(Sym)* const symbol = find_symbol(name);
        return symbol == nullptr ? nullptr : reinterpret_cast<void*>(bias_ + symbol->st_value);
    }

    // True if the object refers to `name` and does not define it. Such symbols come first in the
    // table, in front of those that the hash table has.
    bool refers_to(const char* name) const {
        if (symbols_ == nullptr || strings_ == nullptr || hash_ == nullptr) return false;
        for (uint32_t index = 1; index < hash_[1]; ++index) {
            if (same_text(strings_ + symbols_[index].st_name, name)) return true;
        }
        return false;
    }

    // Searches the GNU hash table.
    const ElfW(Sym) * find_symbol(const char* name) const {
        if (symbols_ == nullptr || strings_ == nullptr || hash_ == nullptr || hash_[0] == 0) {
            return nullptr;
        }
        uint32_t wanted = 5381;
        for (const char* c = name; *c != 0; ++c) wanted = wanted * 33 + static_cast<uint8_t>(*c);
        const uint32_t buckets = hash_[0];
        const uint32_t first = hash_[1];
        const uint32_t bloom_words = hash_[2];
        const uint32_t* bucket = hash_ + 4 + bloom_words * 2;
        const uint32_t* chain = bucket + buckets;
        uint32_t index = bucket[wanted % buckets];
        if (index < first) return nullptr;
        for (;; ++index) {
            const uint32_t hash = chain[index - first];
            const ElfW(Sym)& symbol = symbols_[index];
            if ((hash | 1) == (wanted | 1) && symbol.st_shndx != SHN_UNDEF &&
                same_text(strings_ + symbol.st_name, name)) {
                return &symbol;
            }
            if (hash & 1) return nullptr;
        }
    }

    // Calls visit(name, address) with each address that the loader looked up by name for this
    // object. For a lazy call that has not been made yet, it is the address of the object's own
    // code that triggers the lookup.
    template <class Visit>
    void for_each_import(Visit&& visit) const {
        const auto visit_all = [&](const ElfW(Rela) * entry, uint64_t bytes) {
            for (const auto* end = entry + bytes / sizeof *entry; entry < end; ++entry) {
                const auto type = ELF64_R_TYPE(entry->r_info);
                if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
                const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(entry->r_info)];
                visit(strings_ + symbol.st_name,
                      *reinterpret_cast<const uint64_t*>(bias_ + entry->r_offset));
            }
        };
        if (symbols_ == nullptr || strings_ == nullptr) return;
        // Relocations without a name come first.
        const uint64_t nameless = nameless_relocations_ * sizeof(ElfW(Rela));
        if (relocation_bytes_ > nameless) {
            visit_all(relocations_ + nameless_relocations_, relocation_bytes_ - nameless);
        }
        visit_all(calls_, call_bytes_);
    }

private:
    void read(const ElfW(Dyn) * entry, uint64_t bias) {
        section_ = entry;
        for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_SONAME) name_ = entry;
            // glibc has relocated these pointers in place, except in the vdso.
            const uint64_t value =
                entry->d_un.d_ptr < bias ? entry->d_un.d_ptr + bias : entry->d_un.d_ptr;
            if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(value);
            if (entry->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(value);
            if (entry->d_tag == DT_GNU_HASH) hash_ = reinterpret_cast<const uint32_t*>(value);
            if (entry->d_tag == DT_RELA) relocations_ = reinterpret_cast<const ElfW(Rela)*>(value);
            if (entry->d_tag == DT_JMPREL) calls_ = reinterpret_cast<const ElfW(Rela)*>(value);
            if (entry->d_tag == DT_RELACOUNT) nameless_relocations_ = entry->d_un.d_val;
            if (entry->d_tag == DT_RELASZ) relocation_bytes_ = entry->d_un.d_val;
            if (entry->d_tag == DT_PLTRELSZ) call_bytes_ = entry->d_un.d_val;
        }
    }

    uint64_t bias_;
    const ElfW(Dyn) * section_ = nullptr;
    const ElfW(Dyn) * name_ = nullptr;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* strings_ = nullptr;
    const uint32_t* hash_ = nullptr;
    const ElfW(Rela) * relocations_ = nullptr;
    const ElfW(Rela) * calls_ = nullptr;
    uint64_t relocation_bytes_ = 0;
    uint64_t nameless_relocations_ = 0;
    uint64_t call_bytes_ = 0;
};

}  // namespace memtrace::preload
