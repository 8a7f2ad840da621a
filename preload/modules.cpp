// SPDX-License-Identifier: Apache-2.0
#include "preload/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "preload/autograd.h"
#include "preload/clock.h"
#include "preload/lane.h"
#include "preload/options.h"
#include "preload/python_watch.h"
#include "preload/sys.h"
#include "preload/text.h"

namespace memtrace::preload {
namespace {

constexpr uint32_t modules_max = 1u << 16;

struct Known {
    std::atomic<uint64_t> begin;  // 0: this entry is void
    std::atomic<uint64_t> end;
    const link_map*       map = nullptr;
    uint64_t              identity = 0;  // of path and dynamic section: the same library again?
};
constinit Known known[modules_max];
std::atomic<uint32_t> known_count{1};  // ids start at 1

uint64_t identity_of(const dl_find_object& found) {
    const char* name = found.dlfo_link_map->l_name;
    uint64_t hash = 0xcbf29ce484222325u ^ reinterpret_cast<uint64_t>(found.dlfo_link_map->l_ld);
    for (; name != nullptr && *name != 0; ++name) {
        hash = (hash ^ static_cast<uint8_t>(*name)) * 0x100000001b3u;
    }
    return hash;
}

bool look_up(uint64_t address, dl_find_object& found) {
    return _dl_find_object(reinterpret_cast<void*>(address), &found) == 0;
}

// A mapped ELF image; without headers if what is mapped there begins otherwise.
dl_phdr_info image_at(uint64_t base, uint64_t bias) {
    dl_phdr_info image{};
    image.dlpi_addr = bias;
    const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(base);
    if (std::memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) return image;
    image.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(base + elf->e_phoff);
    image.dlpi_phnum = elf->e_phnum;
    return image;
}

// The GNU build id in its notes.
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
        path.append_from([](char* room, size_t size) {
            return sys::readlink("/proc/self/exe", room, size);
        });
        return;
    }
    if (*name != '/' && std::strchr(name, '/') != nullptr) {
        path.append_from([](char* room, size_t size) { return sys::getcwd(room, size) - 1; });
        path << '/';
    }
    path << name;
}

// An interpreter that came by dlopen() may be visible to nobody else.
void look_for_python(const dl_find_object& found) {
    if (!options.python || python_state() != PythonState::none) return;
    const auto* elf = static_cast<const ElfW(Ehdr)*>(found.dlfo_map_start);
    if (std::memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) return;
    dl_phdr_info object{};
    object.dlpi_addr = found.dlfo_link_map->l_addr;
    object.dlpi_phdr = reinterpret_cast<const ElfW(Phdr)*>(
        static_cast<const char*>(found.dlfo_map_start) + elf->e_phoff);
    object.dlpi_phnum = elf->e_phnum;
    start_python_in(object);
}

uint32_t add_module(Lane& lane, const dl_find_object& found) {
    const uint32_t id = known_count.fetch_add(1, std::memory_order_acq_rel);
    if (id >= modules_max) {
        known_count.store(modules_max, std::memory_order_release);
        return no_module;
    }
    const auto begin = reinterpret_cast<uint64_t>(found.dlfo_map_start);
    const auto end = reinterpret_cast<uint64_t>(found.dlfo_map_end);
    const uint64_t bias = found.dlfo_link_map->l_addr;
    Path& path = lane.path_scratch();
    path.clear();
    find_path(*found.dlfo_link_map, path);
    Module record;
    record.time = lane.stamp(ticks_now());
    record.id = id;
    record.begin = begin;
    record.end = end;
    record.bias = bias;
    record.path = path.view();
    const dl_phdr_info image = image_at(begin, bias);
    record.build_id = build_id_of(image);
    lane.put_long(record);
    Known& entry = known[id];
    entry.map = found.dlfo_link_map;
    entry.identity = identity_of(found);
    entry.end.store(end, std::memory_order_relaxed);
    entry.begin.store(begin, std::memory_order_release);
    look_for_python(found);
    look_for_autograd(lane, id, image, begin, end);
    return id;
}

uint32_t count_of_known() {
    const uint32_t count = known_count.load(std::memory_order_acquire);
    return count < modules_max ? count : modules_max;
}

}  // namespace

uint32_t find_module(Lane& lane, uint64_t address) {
    static std::atomic<uint32_t> last_hit{0};
    const auto holds = [address](const Known& entry) {
        const uint64_t begin = entry.begin.load(std::memory_order_acquire);
        return begin != 0 && address >= begin &&
               address < entry.end.load(std::memory_order_relaxed);
    };
    const uint32_t hit = last_hit.load(std::memory_order_relaxed);
    if (holds(known[hit])) return hit;
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) {
        if (holds(known[id])) {
            last_hit.store(id, std::memory_order_relaxed);
            return id;
        }
    }
    dl_find_object found;
    return look_up(address, found) ? add_module(lane, found) : no_module;
}

void forget_unloaded_modules(void (*gone)(uint64_t begin, uint64_t end)) {
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) {
        Known& entry = known[id];
        const uint64_t begin = entry.begin.load(std::memory_order_acquire);
        if (begin == 0) continue;
        dl_find_object found;
        if (look_up(begin, found) && found.dlfo_link_map == entry.map &&
            identity_of(found) == entry.identity) {
            continue;
        }
        const uint64_t end = entry.end.load(std::memory_order_relaxed);
        entry.begin.store(0, std::memory_order_release);
        gone(begin, end);
    }
}

void forget_all_modules() {
    for (uint32_t id = 1, count = count_of_known(); id < count; ++id) known[id].begin.store(0);
    known_count.store(1);
}

}  // namespace memtrace::preload
