// SPDX-License-Identifier: Apache-2.0
#include "preload/host/proc_number.h"

#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

uint64_t leading_number(const char* digits) {
    uint64_t number = 0;
    for (; *digits >= '0' && *digits <= '9'; ++digits) {
        number = number * 10 + static_cast<uint64_t>(*digits - '0');
    }
    return number;
}

struct FileText {
    char bytes[4096];
};

}  // namespace

uint64_t proc_number(const char* path, const char* key, uint64_t otherwise) {
    const sys::MappedItem<FileText> text;
    if (!text || sys::read_file(path, text->bytes, sizeof text->bytes) == 0) return otherwise;
    const size_t length = std::strlen(key);
    for (const char* line = std::strchr(text->bytes, '\n'); line != nullptr;
         line = std::strchr(line + 1, '\n')) {
        if (std::strncmp(line + 1, key, length) != 0) continue;
        const char* next = line + 1 + length;
        while (*next == ' ' || *next == '\t') ++next;
        return leading_number(next);
    }
    return otherwise;
}

// The second number of the file is that of resident pages.
uint64_t resident_bytes() {
    constexpr uint64_t page = 4096;
    char text[128];
    if (sys::read_file("/proc/self/statm", text, sizeof text) == 0) return 0;
    const char* const second = std::strchr(text, ' ');
    return second == nullptr ? 0 : leading_number(second + 1) * page;
}

}  // namespace memtrace::preload
