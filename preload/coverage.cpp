// SPDX-License-Identifier: Apache-2.0
#include "preload/coverage.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "preload/cuda_library.h"
#include "preload/dynamic_symbols.h"
#include "preload/look_up.h"
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
        if (symbols.find(allocator.symbol) == nullptr) continue;
        const char* name = *object->dlpi_name != 0 ? object->dlpi_name : "the program itself";
        if (findings.has(name)) return 0;
        Finding& finding = findings.found[findings.count++];
        finding.object << name;
        finding.allocator = allocator.name;
        break;
    }
    return 0;
}

// The object in which the program finds `name`, unless that is ours.
const char* foreign_home_of(const char* name) {
    void* visible;
    {
        const InLibrary guard;
        visible = real_dlsym()(RTLD_DEFAULT, name);
    }
    static Dl_info theirs;
    Dl_info ours;
    if (visible == nullptr || dladdr(visible, &theirs) == 0 ||
        dladdr(reinterpret_cast<void*>(&note_coverage), &ours) == 0 ||
        theirs.dli_fbase == ours.dli_fbase) {
        return nullptr;
    }
    return theirs.dli_fname;
}

void note_foreign_malloc() {
    const char* const home = foreign_home_of("malloc");
    if (home == nullptr) return;
    FixedText<4500> text("malloc is defined in ");
    text << home
         << ", in front of memtrace: blocks that come from there are not recorded.";
    record_note("coverage", text.view());
}

// Only where there is a driver: other programs do not care.
void note_foreign_dlsym() {
    const char* const home = foreign_home_of("dlsym");
    if (home == nullptr) return;
    FixedText<4500> text("dlsym is defined in ");
    text << home << ", in front of memtrace: if it hands out functions of the GPU's driver itself, "
                    "memory that they give is not recorded.";
    record_note("gpu coverage", text.view());
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
