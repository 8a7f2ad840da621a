// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/next_definition.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loaded_object.h"

namespace memtrace::preload {
namespace {

struct Search {
    const char* name;
    const link_map* caller;  // nullptr if the caller is in no loaded object
    uint64_t own_bias;
    bool is_from_start = true;
    void* from_start = nullptr;
    void* needed = nullptr;
    void* first = nullptr;
};

// Returns the base of the object that contains this code. It is not found by the name of a hook,
// because another definition may hide that name.
uint64_t own_bias() {
    dl_find_object own;
    auto* const inside = reinterpret_cast<void*>(&own_bias);
    return find_loaded_object(inside, own) ? own.dlfo_link_map->l_addr : 0;
}

bool is_needed_by(const link_map* caller, const DynamicSymbols& object, uint64_t bias) {
    if (caller == nullptr) return false;
    return caller->l_addr == bias || DynamicSymbols(*caller).needs(object.name());
}

int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    // The loader is the last, or nearly the last, of the objects that every program starts with. No
    // preloaded object comes after it.
    if (object->dlpi_addr == _r_debug.r_ldbase) search.is_from_start = false;
    if (object->dlpi_addr == search.own_bias) {
        search.from_start = search.needed = search.first = nullptr;
        return 0;
    }
    const DynamicSymbols symbols(*object);
    void* const found = symbols.find(search.name);
    if (found == nullptr) return 0;
    if (search.is_from_start && search.from_start == nullptr) search.from_start = found;
    if (search.first == nullptr) search.first = found;
    if (search.needed == nullptr && is_needed_by(search.caller, symbols, object->dlpi_addr)) {
        search.needed = found;
    }
    return 0;
}

}  // namespace

std::atomic<uint32_t> NextDefinition::generation_{1};

void NextDefinition::Caller::write(uint32_t of_generation, uint64_t first, uint64_t behind,
                                   void* result) {
    uint32_t before = version.load(std::memory_order_relaxed);
    if (before % 2 != 0 ||
        !version.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) {
        return;
    }
    generation.store(of_generation, std::memory_order_release);
    begin.store(first, std::memory_order_release);
    end.store(behind, std::memory_order_release);
    found.store(result, std::memory_order_release);
    version.store(before + 2, std::memory_order_release);
}

void* NextDefinition::search(const void* caller) {
    // Read before the search, so that an unload in the meantime invalidates the result.
    const uint32_t generation = generation_.load(std::memory_order_acquire);
    dl_find_object holder;
    const bool is_known = find_loaded_object(caller, holder);
    Search search{
        .name = name_, .caller = is_known ? holder.dlfo_link_map : nullptr, .own_bias = own_bias()};
    dl_iterate_phdr(look_at_object, &search);
    void* const found = search.from_start != nullptr ? search.from_start
                        : search.needed != nullptr   ? search.needed
                                                     : search.first;
    if (!is_known) return found;
    Caller* place = nullptr;
    for (Caller& candidate : callers_) {
        if (place == nullptr && !candidate.is_valid()) place = &candidate;
    }
    if (place == nullptr) {
        place = &callers_[next_.fetch_add(1, std::memory_order_relaxed) % callers_max];
    }
    place->write(generation, reinterpret_cast<uint64_t>(holder.dlfo_map_start),
                 reinterpret_cast<uint64_t>(holder.dlfo_map_end), found);
    return found;
}

}  // namespace memtrace::preload
