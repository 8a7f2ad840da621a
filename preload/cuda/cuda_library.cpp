// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/cuda_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "preload/loader/loader_call.h"
#include "preload/loader/next_dlsym.h"

namespace memtrace::preload::cuda {

Questions queries;

namespace {

void* entries[entries_count];
std::atomic<void*> driver{nullptr};  // handle of the loaded driver
std::atomic<bool> is_filled{false};

template <class Function>
void set(Function& function, void* found) {
    __atomic_store_n(reinterpret_cast<void**>(&function), found, __ATOMIC_RELAXED);
}

// Fills the queries first, so a thread that finds a function finds the queries too.
template <class Find>
void fill(Find&& find) {
#define MEMTRACE_CUDA_QUERY(name, parameters) set(queries.name, find(#name));
#include "preload/cuda/cuda_entries.def"
    for (unsigned i = 0; i < entries_count; ++i) {
        void* const found = find(spelling_of(static_cast<Entry>(i)).data());
        __atomic_store_n(&entries[i], found, __ATOMIC_RELEASE);
    }
    is_filled.store(true, std::memory_order_release);
}

int look_for_driver(dl_phdr_info* object, size_t, void*) {
    constexpr std::string_view wanted = "libcuda.so";
    const std::string_view path = object->dlpi_name;
    return path.substr(path.rfind('/') + 1).substr(0, wanted.size()) == wanted;
}

}  // namespace

bool driver_is_loaded() { return dl_iterate_phdr(look_for_driver, nullptr) != 0; }

bool find_driver() {
    if (driver.load(std::memory_order_acquire) != nullptr) return true;
    // Checked first so that the program's last error message stays where there is no driver.
    if (!driver_is_loaded()) return false;
    const LoaderCall call;
    void* const handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return false;
    fill([handle, look_up = real_dlsym()](const char* name) { return look_up(handle, name); });
    driver.store(handle, std::memory_order_release);
    return true;
}

void forget_what_is_not_held() {
    if (driver.load(std::memory_order_acquire) != nullptr || !is_filled.load()) return;
    fill([](const char*) -> void* { return nullptr; });
    is_filled.store(false, std::memory_order_release);
}

void* real_entry(Entry entry) {
    void** const place = &entries[static_cast<unsigned>(entry)];
    void* const found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found != nullptr || is_filled.load(std::memory_order_acquire)) return found;
    if (!driver_is_loaded()) return nullptr;
    fill([](const char* name) { return find_behind_us(name); });
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

void set_real_entry(Entry entry, void* function) {
    __atomic_store_n(&entries[static_cast<unsigned>(entry)], function, __ATOMIC_RELEASE);
}

bool driver_exports(const char* name) {
    if (!find_driver()) return false;
    const LoaderCall call;
    return real_dlsym()(driver.load(std::memory_order_acquire), name) != nullptr;
}

}  // namespace memtrace::preload::cuda
