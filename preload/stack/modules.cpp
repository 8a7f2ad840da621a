// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "memtrace/dump/hash.h"
#include "preload/base/clock.h"
#include "preload/base/elf_headers.h"
#include "preload/base/fixed_text.h"
#include "preload/base/process_info.h"
#include "preload/base/sys.h"
#include "preload/loader/loaded_object.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t modules_max = 1u << 16;

struct Known {
    std::atomic<uint64_t> begin;  // 0 if it is no longer loaded
    std::atomic<uint64_t> end;
    std::atomic<const link_map*> map;
    std::atomic<uint64_t> identity;  // hash of path and dynamic section: still the same library?
    std::atomic<uint64_t> content;   // hash of the record in the dump; 0 if it has no build id
};
constinit Known known[modules_max];
std::atomic<uint32_t> known_count{1};  // ids start at 1
ModuleObserver observer;

uint64_t begin_of(const dl_find_object& found) {
    return reinterpret_cast<uint64_t>(found.dlfo_map_start);
}

uint64_t end_of(const dl_find_object& found) {
    return reinterpret_cast<uint64_t>(found.dlfo_map_end);
}

// The name is part of the identity, because libraries that libc loads for iconv() often have the
// same layout, to the byte.
uint64_t identity_of(const dl_find_object& found) {
    const char* const name = found.dlfo_link_map->l_name;
    const uint64_t hash = name == nullptr ? 0 : hash_bytes(name, std::strlen(name));
    return hash ^ reinterpret_cast<uint64_t>(found.dlfo_link_map->l_ld);
}

bool is_same(const Known& entry, const dl_find_object& found) {
    return entry.begin.load(std::memory_order_acquire) == begin_of(found) &&
           entry.map.load(std::memory_order_relaxed) == found.dlfo_link_map &&
           entry.identity.load(std::memory_order_relaxed) == identity_of(found);
}

bool look_up(uint64_t address, dl_find_object& found) {
    return find_loaded_object(reinterpret_cast<void*>(address), found);
}

// Returns the GNU build id from the image's notes.
Text build_id_of(const dl_phdr_info& image) {
    const ElfW(Phdr)* const headers = image.dlpi_phdr;
    for (unsigned i = 0; i < image.dlpi_phnum; ++i) {
        if (headers[i].p_type != PT_NOTE) continue;
        const char* note = reinterpret_cast<const char*>(image.dlpi_addr + headers[i].p_vaddr);
        const char* end = note + headers[i].p_memsz;
        while (note + sizeof(ElfW(Nhdr)) <= end) {
            const auto* header = reinterpret_cast<const ElfW(Nhdr)*>(note);
            const char* name = note + sizeof *header;
            const char* content = name + ((header->n_namesz + 3) & ~3u);
            if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0 && header->n_descsz <= 64) {
                return {content, header->n_descsz};
            }
            note = content + ((header->n_descsz + 3) & ~3u);
        }
    }
    return {};
}

void find_path(const link_map& map, Path& path) {
    const char* name = map.l_name;
    if (name == nullptr || *name == 0) {
        find_executable(path);
        return;
    }
    if (*name != '/' && std::strchr(name, '/') != nullptr) {
        path.append_from([](char* room, size_t size) { return sys::getcwd(room, size) - 1; });
        path << '/';
    }
    path << name;
}

uint32_t count_of_known() {
    const uint32_t count = known_count.load(std::memory_order_acquire);
    return count < modules_max ? count : modules_max;
}

// Returns a hash of the record without time and id; 0 if it has no build id.
uint64_t content_of(const Module& record) {
    if (record.build_id.empty()) return 0;
    const uint64_t words[] = {record.begin, record.end, record.bias,
                              hash_bytes(record.path.data(), record.path.size()),
                              hash_bytes(record.build_id.data(), record.build_id.size())};
    return hash_bytes(words, sizeof words);
}

// Returns a module that was in the same place before, or no_module. So a program that loads and
// unloads libraries for days needs no more ids than it has libraries.
uint32_t find_content(uint64_t content) {
    for (uint32_t id = 1, count = count_of_known(); id < count && content != 0; ++id) {
        if (known[id].content.load(std::memory_order_acquire) == content) return id;
    }
    return no_module;
}

uint32_t write_module(Lane& lane, Module& record) {
    record.id = known_count.fetch_add(1, std::memory_order_acq_rel);
    if (record.id >= modules_max) {
        known_count.store(modules_max, std::memory_order_release);
        return no_module;
    }
    record.time = lane.stamp(ticks_now());
    lane.put_long(record);
    lane.secure();
    return record.id;
}

uint32_t add_module(Lane& lane, const dl_find_object& found) {
    Module record;
    record.begin = begin_of(found);
    record.end = end_of(found);
    record.bias = found.dlfo_link_map->l_addr;
    Path& path = lane.path_scratch();
    path.clear();
    find_path(*found.dlfo_link_map, path);
    record.path = path.view();
    const ElfHeaders headers(record.begin, path.c_str());
    dl_phdr_info image{};
    image.dlpi_addr = record.bias;
    image.dlpi_phdr = headers.get().data();
    image.dlpi_phnum = static_cast<ElfW(Half)>(headers.get().size());
    record.build_id = build_id_of(image);
    const uint64_t content = content_of(record);
    uint32_t id = find_content(content);
    if (id == no_module) id = write_module(lane, record);
    if (id == no_module) return no_module;
    Known& entry = known[id];
    entry.map.store(found.dlfo_link_map, std::memory_order_relaxed);
    entry.identity.store(identity_of(found), std::memory_order_relaxed);
    entry.content.store(content, std::memory_order_release);
    entry.end.store(record.end, std::memory_order_relaxed);
    entry.begin.store(record.begin, std::memory_order_release);
    if (observer.first_met != nullptr) {
        observer.first_met(lane, id, image, record.begin, record.end);
    }
    return id;
}

bool overlaps(const Known& entry, uint64_t begin, uint64_t end) {
    const uint64_t its_begin = entry.begin.load(std::memory_order_acquire);
    return its_begin != 0 && its_begin < end && entry.end.load(std::memory_order_relaxed) > begin;
}

// Returns a module that was last met in [begin, end), or no_module.
uint32_t known_between(uint64_t begin, uint64_t end) {
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) {
        if (overlaps(known[id], begin, end)) return id;
    }
    return no_module;
}

// Returns the module that was last met at `address`, or no_module.
uint32_t known_at(uint64_t address) {
    // By pieces of two megabytes, few of which belong to several modules.
    constexpr unsigned piece_bits = 21;
    static std::atomic<uint32_t> last_hits[64];
    std::atomic<uint32_t>& last_hit = last_hits[(address >> piece_bits) % 64];
    const uint32_t hit = last_hit.load(std::memory_order_relaxed);
    if (overlaps(known[hit], address, address + 1)) return hit;
    const uint32_t id = known_between(address, address + 1);
    if (id != no_module) last_hit.store(id, std::memory_order_relaxed);
    return id;
}

}  // namespace

void set_module_observer(const ModuleObserver& wanted) { observer = wanted; }

uint32_t find_module(Lane& lane, uint64_t address) {
    if (const uint32_t id = known_at(address)) return id;
    dl_find_object found;
    if (!look_up(address, found)) return no_module;
    const bool was_missed = known_between(begin_of(found), end_of(found)) != no_module;
    if (was_missed && observer.missed_unload != nullptr) observer.missed_unload();
    return add_module(lane, found);
}

bool another_module_is_at(uint64_t address) {
    const uint32_t id = known_at(address);
    dl_find_object found;
    return id != no_module && look_up(address, found) && !is_same(known[id], found);
}

void forget_unloaded_modules(void (*gone)(uint64_t begin, uint64_t end)) {
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) {
        Known& entry = known[id];
        const uint64_t begin = entry.begin.load(std::memory_order_acquire);
        if (begin == 0) continue;
        dl_find_object found;
        if (look_up(begin, found) && is_same(entry, found)) continue;
        const uint64_t end = entry.end.load(std::memory_order_relaxed);
        entry.begin.store(0, std::memory_order_release);
        gone(begin, end);
    }
}

void forget_all_modules() {
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) {
        known[id].begin.store(0);
        known[id].content.store(0);
    }
    known_count.store(1);
}

}  // namespace memtrace::preload
