// SPDX-License-Identifier: Apache-2.0
#include "preload/coverage.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

#include "preload/record.h"
#include "preload/sys.h"
#include "preload/text.h"
#include "preload/thread.h"

namespace memtrace::preload {
namespace {

struct Allocator {
    const char* symbol;
    const char* name;
};
constexpr Allocator own_allocators[] = {
#define MEMTRACE_OWN_ALLOCATOR(symbol, name) {#symbol, name},
#include "preload/own_allocators.def"
};

// The dynamic symbol table of a loaded object.
class DynamicSymbols {
public:
    explicit DynamicSymbols(const dl_phdr_info& object) {
        for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
            if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
            read(reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr),
                 object.dlpi_addr);
        }
    }

    // Whether the object defines `name`, by its GNU hash table.
    bool defines(const char* name) const {
        if (symbols_ == nullptr || strings_ == nullptr || hash_ == nullptr || hash_[0] == 0) {
            return false;
        }
        uint32_t wanted = 5381;
        for (const char* c = name; *c != 0; ++c) wanted = wanted * 33 + static_cast<uint8_t>(*c);
        const uint32_t buckets = hash_[0];
        const uint32_t first = hash_[1];
        const uint32_t bloom_words = hash_[2];
        const uint32_t* bucket = hash_ + 4 + bloom_words * 2;
        const uint32_t* chain = bucket + buckets;
        uint32_t index = bucket[wanted % buckets];
        if (index < first) return false;
        for (;; ++index) {
            const uint32_t hash = chain[index - first];
            const ElfW(Sym)& symbol = symbols_[index];
            if ((hash | 1) == (wanted | 1) && symbol.st_shndx != SHN_UNDEF &&
                std::strcmp(strings_ + symbol.st_name, name) == 0) {
                return true;
            }
            if (hash & 1) return false;
        }
    }

private:
    void read(const ElfW(Dyn)* entry, uint64_t bias) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            // glibc has relocated these in place, except for the vdso's.
            const uint64_t value = entry->d_un.d_ptr < bias ? entry->d_un.d_ptr + bias
                                                            : entry->d_un.d_ptr;
            if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(value);
            if (entry->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(value);
            if (entry->d_tag == DT_GNU_HASH) hash_ = reinterpret_cast<const uint32_t*>(value);
        }
    }

    const ElfW(Sym)* symbols_ = nullptr;
    const char*      strings_ = nullptr;
    const uint32_t*  hash_ = nullptr;
};

struct Finding {
    FixedText<256> object;
    const char*    allocator;
};
constexpr unsigned findings_max = 16;
struct Findings {
    Finding  found[findings_max];
    unsigned count = 0;
    unsigned noted = 0;

    bool has(std::string_view object) const {
        for (unsigned i = 0; i < count; ++i) {
            if (found[i].object.view() == object) return true;
        }
        return false;
    }
};

int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& findings = *static_cast<Findings*>(context);
    const DynamicSymbols symbols(*object);
    for (const Allocator& allocator : own_allocators) {
        if (findings.count == findings_max) return 1;
        if (!symbols.defines(allocator.symbol)) continue;
        const char* name = *object->dlpi_name != 0 ? object->dlpi_name : "the program itself";
        if (findings.has(name)) return 0;
        Finding& finding = findings.found[findings.count++];
        finding.object << name;
        finding.allocator = allocator.name;
        break;
    }
    return 0;
}

void note_foreign_malloc() {
    void* visible;
    {
        const InLibrary guard;
        visible = dlsym(RTLD_DEFAULT, "malloc");
    }
    Dl_info theirs, ours;
    if (visible == nullptr || dladdr(visible, &theirs) == 0 ||
        dladdr(reinterpret_cast<void*>(&note_coverage), &ours) == 0 ||
        theirs.dli_fbase == ours.dli_fbase) {
        return;
    }
    FixedText<4500> text("malloc is defined in ");
    text << theirs.dli_fname
         << ", in front of memtrace: blocks that come from there are not recorded.";
    record_note("coverage", text.view());
}

}  // namespace

void note_coverage() {
    static bool foreign_malloc_noted;
    if (!foreign_malloc_noted) note_foreign_malloc();
    foreign_malloc_noted = true;
    static Findings findings;
    {
        const InLibrary guard;
        dl_iterate_phdr(look_at_object, &findings);
    }
    for (; findings.noted < findings.count; ++findings.noted) {
        const Finding& finding = findings.found[findings.noted];
        FixedText<600> text(finding.object.view());
        text << " contains " << finding.allocator
             << "; blocks that its own functions hand out are not recorded.";
        record_note("coverage", text.view());
    }
}

}  // namespace memtrace::preload
