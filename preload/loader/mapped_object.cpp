// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/mapped_object.h"

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "memtrace/dump/format.h"
#include "preload/base/elf_headers.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr unsigned objects_max = 512;
constexpr unsigned list_max = 10'000;  // objects in the loader's list; more are a circle
constexpr size_t piece_bytes = 1024;
constexpr size_t path_bytes = 1024;

// Memory of this process, which may be gone.
class OwnMemory {
public:
    OwnMemory() : file_(sys::open("/proc/self/mem", O_RDONLY)) {}
    ~OwnMemory() {
        if (file_ >= 0) sys::close(file_);
    }
    OwnMemory(const OwnMemory&) = delete;
    OwnMemory& operator=(const OwnMemory&) = delete;

    template <class Item>
    bool read(uint64_t address, Item& item, unsigned count = 1) const {
        const auto bytes = static_cast<long>(sizeof item * count);
        return file_ >= 0 && sys::call(SYS_pread64, file_, sys::address_of(&item), bytes,
                                       static_cast<long>(address)) == bytes;
    }

private:
    int file_;
};

// The first members of the loader's own structure, which all versions of glibc have.
struct ListEntry {
    uint64_t base;
    uint64_t name;
    uint64_t dynamic;
    uint64_t next;
};

struct Object {
    uint64_t begin = 0;  // of the file's header, and of the object
    uint64_t end = 0;
    uint64_t unwind_header = 0;  // 0: none
    uint64_t map = 0;            // its link_map
    uint64_t base = 0;           // that and the next two tell the object from a later one there
    uint64_t dynamic = 0;
    uint64_t identity = 0;
};

// Objects that were found, each behind a version that is odd while it is written.
struct Remembered {
    std::atomic<uint32_t> version{0};
    std::atomic<uint64_t> words[sizeof(Object) / sizeof(uint64_t)];
};
Remembered remembered[objects_max];
std::atomic<uint32_t> remembered_count;  // all that were ever written

bool load(const Remembered& place, Object& object) {
    uint64_t words[sizeof(Object) / sizeof(uint64_t)];
    const uint32_t before = place.version.load(std::memory_order_acquire);
    if (before % 2 != 0) return false;
    // Each pairs with the writer's store: if a word is newer, the version is, too.
    for (size_t i = 0; i < std::size(words); ++i) {
        words[i] = place.words[i].load(std::memory_order_acquire);
    }
    if (place.version.load(std::memory_order_relaxed) != before) return false;
    std::memcpy(&object, words, sizeof object);
    return true;
}

void remember(const Object& object) {
    uint64_t words[sizeof(Object) / sizeof(uint64_t)];
    std::memcpy(words, &object, sizeof object);
    Remembered& place = remembered[remembered_count.fetch_add(1) % objects_max];
    uint32_t version = place.version.load();
    // Another thread, or one that this handler interrupted, is writing there: it is not remembered.
    if (version % 2 != 0 || !place.version.compare_exchange_strong(version, version + 1)) return;
    for (size_t i = 0; i < std::size(words); ++i) {
        place.words[i].store(words[i], std::memory_order_release);
    }
    place.version.store(version + 2, std::memory_order_release);
}

// Mixes what distinguishes files: their sizes and places of tables.
uint64_t identity_of(const ElfW(Ehdr) & elf) {
    return (elf.e_shoff * 31 + elf.e_entry) * 31 + elf.e_phnum + (uint64_t{elf.e_shnum} << 32);
}

uint64_t find_file_begin(uint64_t address) {
    FileBegin begin(address, getauxval(AT_SYSINFO_EHDR));
    char piece[piece_bytes];
    const int file = sys::open("/proc/self/maps", O_RDONLY);
    if (file < 0) return 0;
    for (;;) {
        const long got = sys::read(file, piece, sizeof piece);
        if (got <= 0 || !begin.read({piece, static_cast<size_t>(got)})) break;
    }
    sys::close(file);
    return begin.get();
}

// Finds the entry of the loader's list, which may change meanwhile, for which matches(entry) is
// true. Returns its address, or 0.
template <class Matches>
uint64_t find_entry(const OwnMemory& memory, ListEntry& entry, Matches matches) {
    auto at = reinterpret_cast<uint64_t>(__atomic_load_n(&_r_debug.r_map, __ATOMIC_ACQUIRE));
    for (unsigned i = 0; at != 0 && i < list_max; ++i) {
        if (!memory.read(at, entry)) return 0;
        if (matches(entry)) return at;
        at = entry.next;
    }
    return 0;
}

// Tools that give a library another search path may move its headers to the end of the file, where
// only the file has them. Its path is in the loader's list.
const char* path_of(const OwnMemory& memory, uint64_t begin, char (&path)[path_bytes]) {
    ListEntry entry;
    const uint64_t found =
        find_entry(memory, entry, [&](const ListEntry& one) { return one.base == begin; });
    if (found == 0) return nullptr;
    for (size_t i = 0; i < path_bytes; ++i) {
        if (!memory.read(entry.name + i, path[i])) return nullptr;
        if (path[i] == '\0') return path;
    }
    return nullptr;
}

// Reads how far the object at `begin` reaches, and where its tables are.
bool read_object(const OwnMemory& memory, uint64_t begin, Object& object) {
    ElfW(Ehdr) elf;
    if (!memory.read(begin, elf)) return false;
    char path[path_bytes];
    const bool is_far = elf.e_phoff > page_bytes / 2;
    const ElfHeaders headers(begin, is_far ? path_of(memory, begin, path) : nullptr);
    bool has_begin = false;
    for (const ElfW(Phdr) & header : headers.get()) {
        if (header.p_type != PT_LOAD || has_begin) continue;
        object.base = begin - (header.p_vaddr & ~(page_bytes - 1));
        has_begin = true;
    }
    if (!has_begin) return false;
    object.begin = begin;
    object.identity = identity_of(elf);
    for (const ElfW(Phdr) & header : headers.get()) {
        const uint64_t place = object.base + header.p_vaddr;
        if (header.p_type == PT_LOAD) object.end = std::max(object.end, place + header.p_memsz);
        if (header.p_type == PT_GNU_EH_FRAME) object.unwind_header = place;
        if (header.p_type == PT_DYNAMIC) object.dynamic = place;
    }
    return object.end > begin;
}

bool find_map(const OwnMemory& memory, Object& object) {
    ListEntry entry;
    object.map = find_entry(memory, entry, [&](const ListEntry& one) {
        return one.base == object.base && one.dynamic == object.dynamic;
    });
    return object.map != 0;
}

bool is_there(const OwnMemory& memory, const Object& object) {
    ElfW(Ehdr) elf;
    ListEntry entry;
    return memory.read(object.begin, elf) && identity_of(elf) == object.identity &&
           memory.read(object.map, entry) && entry.base == object.base &&
           entry.dynamic == object.dynamic;
}

bool find_remembered(const OwnMemory& memory, uint64_t address, Object& object) {
    const uint32_t count = std::min<uint32_t>(remembered_count.load(), objects_max);
    for (uint32_t i = 0; i < count; ++i) {
        if (load(remembered[i], object) && address - object.begin < object.end - object.begin &&
            is_there(memory, object)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool FileBegin::end_line() {
    const bool is_above = numbers_[from] > address_;
    const bool is_file = numbers_[inode] != 0 || (vdso_ != 0 && numbers_[from] == vdso_);
    if (!is_above && is_file && numbers_[offset] == 0 && is_readable_) begin_ = numbers_[from];
    std::fill(std::begin(numbers_), std::end(numbers_), 0);
    field_ = from;
    is_readable_ = false;
    is_first_ = true;
    return !is_above;
}

bool FileBegin::read(std::string_view piece) {
    for (const char letter : piece) {
        if (letter == '\n') {
            if (!end_line()) return false;
        } else if (field_ == rest) {
            continue;
        } else if (letter == ' ' || (field_ == from && letter == '-')) {
            ++field_;
        } else if (field_ == access) {
            if (is_first_) is_readable_ = letter == 'r';
            is_first_ = false;
        } else if (field_ == from || field_ == to || field_ == offset) {
            const int digit = letter <= '9' ? letter - '0' : letter - 'a' + 10;
            numbers_[field_] = numbers_[field_] * 16 + static_cast<uint64_t>(digit);
        } else if (field_ == inode) {
            numbers_[inode] = numbers_[inode] * 10 + static_cast<uint64_t>(letter - '0');
        }
    }
    return true;
}

bool find_mapped_object(const void* address, dl_find_object& found) {
    const auto at = reinterpret_cast<uint64_t>(address);
    const OwnMemory memory;
    Object object;
    if (!find_remembered(memory, at, object)) {
        object = {};
        const uint64_t begin = find_file_begin(at);
        if (begin == 0 || !read_object(memory, begin, object) || at >= object.end ||
            !find_map(memory, object)) {
            return false;
        }
        remember(object);
    }
    found = {};
    found.dlfo_map_start = reinterpret_cast<void*>(object.begin);
    found.dlfo_map_end = reinterpret_cast<void*>(object.end);
    found.dlfo_link_map = reinterpret_cast<link_map*>(object.map);
    found.dlfo_eh_frame = reinterpret_cast<void*>(object.unwind_header);
    return true;
}

}  // namespace memtrace::preload
