// SPDX-License-Identifier: Apache-2.0
#include "preload/lost/shared_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t page = 4096;
constexpr int populate_read = 22;  // MADV_POPULATE_READ, since Linux 5.14
constexpr size_t line_max = 8192;  // A path is shorter, and what is cut does not matter.

void enter(uint64_t begin, uint64_t end) {
    const auto bytes = static_cast<long>(end - begin);
    if (!sys::failed(sys::call(SYS_madvise, static_cast<long>(begin), bytes, populate_read)))
        return;
    for (uint64_t at = begin; at < end; at += page) {
        char byte;
        sys::copy_memory(&byte, reinterpret_cast<const void*>(at), 1);
    }
}

void enter_pages(uint64_t begin, uint64_t end) {
    static unsigned char is_there[4096];  // A thread's stack may be small.
    while (begin < end) {
        const uint64_t pages = std::min<uint64_t>((end - begin) / page, sizeof is_there);
        const uint64_t next = begin + pages * page;
        const long asked = sys::call(SYS_mincore, static_cast<long>(begin),
                                     static_cast<long>(next - begin), sys::address_of(is_there));
        for (uint64_t i = 0; !sys::failed(asked) && i < pages;) {
            uint64_t last = i;
            while (last < pages && (is_there[last] & 1) != 0) ++last;
            if (last > i) enter(begin + i * page, begin + last * page);
            i = last + 1;
        }
        begin = next;
    }
}

std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

uint64_t hex(std::string_view digits) {
    uint64_t value = 0;
    for (const char digit : digits) value = value * 16 + (digit & 15u) + (digit > '9' ? 9 : 0);
    return value;
}

// A line of /proc/self/maps: range, rights, offset, device, inode, path.
void enter_pages_of(std::string_view line) {
    const std::string_view range = next_word(line), access = next_word(line);
    for (int i = 0; i < 3; ++i) next_word(line);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const size_t dash = range.find('-');
    if (dash == std::string_view::npos || !may_have_shared_pages(access, line)) return;
    enter_pages(hex(range.substr(0, dash)), hex(range.substr(dash + 1)));
}

}  // namespace

bool may_have_shared_pages(std::string_view access, std::string_view path) {
    if (access.size() < 4 || access[0] != 'r') return false;
    const bool is_nameless = path.starts_with("/memfd:") || path.starts_with("/dev/shm/") ||
                             path.starts_with("/dev/zero") || path.starts_with("/SYSV");
    if (access[3] != 's') return path.starts_with("/memfd:") || path.starts_with("/dev/shm/");
    // What looking at a device's memory does is not known.
    return is_nameless || (access[1] == 'w' && path.starts_with('/') && !path.starts_with("/dev/"));
}

void enter_shared_pages() {
    const int file = sys::open("/proc/self/maps", O_RDONLY);
    if (file < 0) return;
    static char text[line_max];
    size_t size = 0;
    for (;;) {
        const long got = sys::read(file, text + size, sizeof text - size);
        if (got <= 0) break;
        size += static_cast<size_t>(got);
        size_t begin = 0;
        for (;;) {
            const std::string_view rest(text + begin, size - begin);
            const size_t end = rest.find('\n');
            if (end == std::string_view::npos) break;
            enter_pages_of(rest.substr(0, end));
            begin += end + 1;
        }
        size -= begin;
        std::memmove(text, text + begin, size);
        if (size == sizeof text) size = 0;
    }
    sys::close(file);
}

}  // namespace memtrace::preload
