// SPDX-License-Identifier: Apache-2.0
#include "preload/session/coverage.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <iterator>

#include "preload/base/fixed_text.h"
#include "preload/base/recording_state.h"
#include "preload/base/sys.h"
#include "preload/cuda/cuda_library.h"
#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loaded_object.h"
#include "preload/loader/loader_call.h"
#include "preload/loader/next_dlsym.h"
#include "preload/loader/real_functions.h"
#include "preload/recording/record.h"

namespace memtrace::preload {
namespace {

struct Allocator {
    const char* symbol;
    const char* name;
};
constexpr Allocator own_allocators[] = {
#define MEMTRACE_OWN_ALLOCATOR(symbol, name) {#symbol, name},
#include "memtrace/dump/own_allocators.def"
};

struct Finding {
    FixedText<256> object;
    const char* allocator;  // nullptr if the object calls the functions behind the shim
};
constexpr unsigned findings_max = 16;
// What was noted already. The loader calls back one thread at a time.
struct Findings {
    Finding found[findings_max];
    unsigned count = 0;

    bool has(std::string_view object) const {
        for (unsigned i = 0; i < count; ++i) {
            if (found[i].object.view() == object) return true;
        }
        return false;
    }
};
Findings findings;

// What was found while the process slept, for the moment at which it wakes up.
struct Waiting {
    const char* subject;
    FixedText<900> text;
};
Waiting waiting[findings_max + 2];
unsigned waiting_count;

void put_note(const char* subject, std::string_view text) {
    if (recording() != Recording::asleep) return record_note(subject, text);
    if (waiting_count == std::size(waiting)) return;
    Waiting& note = waiting[waiting_count++];
    note.subject = subject;
    note.text << text;
}

const char* own_allocator_of(const DynamicSymbols& symbols) {
    for (const Allocator& allocator : own_allocators) {
        if (symbols.find(allocator.symbol) != nullptr) return allocator.name;
    }
    return nullptr;
}

// An object loaded with RTLD_DEEPBIND finds libc's functions before the shim's. Calls that are
// resolved lazily show only after they were made. The name counts, too: an allocator may have one
// piece of code for several names, such as free() and the operator delete, which is not hooked.
bool calls_past_us(const DynamicSymbols& symbols) {
    struct Behind {
        const char* name;
        uint64_t address;
    };
    const Behind behind_us[] = {
#define MEMTRACE_BEHIND(name) {#name, reinterpret_cast<uint64_t>(real.name)}
        MEMTRACE_BEHIND(malloc),   MEMTRACE_BEHIND(calloc),         MEMTRACE_BEHIND(realloc),
        MEMTRACE_BEHIND(free),     MEMTRACE_BEHIND(posix_memalign), MEMTRACE_BEHIND(aligned_alloc),
        MEMTRACE_BEHIND(memalign), MEMTRACE_BEHIND(mmap),           MEMTRACE_BEHIND(mmap64),
        MEMTRACE_BEHIND(munmap),
#undef MEMTRACE_BEHIND
    };
    bool found = false;
    symbols.for_each_import([&](const char* name, uint64_t address) {
        for (const Behind& one : behind_us) {
            found |= address == one.address && address != 0 && same_text(name, one.name);
        }
    });
    return found;
}

void note(const Finding& finding) {
    FixedText<600> text(finding.object.view());
    if (finding.allocator != nullptr) {
        text << " contains " << finding.allocator
             << "; blocks that its own functions hand out are not recorded.";
    } else {
        text << " calls libc's own functions for memory, past memtrace, as a library does that is "
                "loaded with RTLD_DEEPBIND: what it allocates and frees itself is not recorded. "
                "Blocks that it frees for others seem to live on.";
    }
    put_note("coverage", text.view());
}

// Returns 1 if nothing more can be noted.
int look_at_object(dl_phdr_info* object, size_t, void*) {
    if (findings.count == findings_max) return 1;
    const DynamicSymbols symbols(*object);
    const char* const allocator = own_allocator_of(symbols);
    if (allocator == nullptr && !calls_past_us(symbols)) return 0;
    const char* name = *object->dlpi_name != 0 ? object->dlpi_name : "the program itself";
    if (findings.has(name)) return 0;
    Finding& finding = findings.found[findings.count++];
    finding.object << name;
    finding.allocator = allocator;
    note(finding);
    return 0;
}

const link_map* link_map_of(const dl_phdr_info& object) {
    dl_find_object found;
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type != PT_LOAD) continue;
        void* const address =
            reinterpret_cast<void*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        return find_loaded_object(address, found) ? found.dlfo_link_map : nullptr;
    }
    return nullptr;
}

// The library may be anything that the program took for one.
int look_at_library(dl_phdr_info* object, size_t size, void* library) {
    if (link_map_of(*object) != library) return 0;
    look_at_object(object, size, nullptr);
    return 1;
}

// The first object, in the order in which the loader searches, whose tables define a name.
struct Home {
    const char* name;
    FixedText<4096> object;
    bool is_ours;
};

const void* own_base() {
    Dl_info ours;
    return dladdr(reinterpret_cast<void*>(&note_coverage), &ours) == 0 ? nullptr : ours.dli_fbase;
}

int look_for_home(dl_phdr_info* object, size_t, void* context) {
    auto& home = *static_cast<Home*>(context);
    if (DynamicSymbols(*object).find_symbol(home.name) == nullptr) return 0;
    home.is_ours = reinterpret_cast<const void*>(object->dlpi_addr) == own_base();
    home.object << (*object->dlpi_name != 0 ? object->dlpi_name : "the program itself");
    return 1;
}

// Finds the object in which the program finds `home.name`; false: it is the shim, or nothing is.
bool find_foreign_home(Home& home) {
    const LoaderCall call;  // At the end, a message of the program may be there.
    void* const visible = real_dlsym()(RTLD_DEFAULT, home.name);
    Dl_info info;
    void* entry = nullptr;
    if (visible == nullptr || dladdr1(visible, &info, &entry, RTLD_DL_SYMENT) == 0) return false;
    const auto* const symbol = static_cast<const ElfW(Sym)*>(entry);
    if (info.dli_fbase == own_base()) return false;
    if (symbol == nullptr || symbol->st_shndx != SHN_UNDEF) {
        home.object << info.dli_fname;
        return true;
    }
    // A program with a fixed address that takes the function's address has a jump of its own for
    // it, and dlsym() returns that jump. Who defines the function stands in the tables.
    return dl_iterate_phdr(look_for_home, &home) != 0 && !home.is_ours;
}

void note_foreign(const char* name, const char* kind, const char* effect) {
    static Home home;
    static FixedText<4500> text;
    home.name = name;
    home.object.clear();
    home.is_ours = false;
    if (!find_foreign_home(home)) return;
    text.clear();
    text << name << " is defined in " << home.object.view() << ", in front of memtrace: " << effect;
    put_note(kind, text.view());
}

void note_foreign_malloc() {
    note_foreign("malloc", "coverage", "blocks that come from there are not recorded.");
}

// Only if a driver is loaded, because other programs do not need it.
void note_foreign_dlsym() {
    note_foreign("dlsym", "gpu coverage",
                 "if it hands out functions of the GPU's driver itself, memory that they give is "
                 "not recorded.");
}

}  // namespace

void note_coverage() {
    static bool foreign_malloc_noted;
    if (!foreign_malloc_noted) note_foreign_malloc();
    foreign_malloc_noted = true;
    static bool foreign_dlsym_noted;
    if (!foreign_dlsym_noted && cuda::driver_is_loaded()) {
        note_foreign_dlsym();
        foreign_dlsym_noted = true;
    }
    dl_iterate_phdr(look_at_object, nullptr);
}

void note_coverage_of_sleep() {
    for (unsigned i = 0; i < waiting_count; ++i) {
        record_note(waiting[i].subject, waiting[i].text.view());
    }
    waiting_count = 0;
}

void note_coverage_of(const void* library) {
    dl_iterate_phdr(look_at_library, const_cast<void*>(library));
}

}  // namespace memtrace::preload
