// SPDX-License-Identifier: Apache-2.0
#include "preload/session/address_room.h"

#include <sys/resource.h>

#include <algorithm>
#include <string_view>

#include "preload/base/fixed_text.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t page_bytes = 4096;

uint64_t limit_of(int resource) {
    rlimit limit{};
    const long result = sys::call(SYS_prlimit64, 0, resource, 0, sys::address_of(&limit));
    return result != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

// Returns the number of this place, from 0, in a line of numbers.
uint64_t number_at(std::string_view line, unsigned place) {
    for (; place > 0; --place) {
        const size_t space = line.find(' ');
        if (space == std::string_view::npos) return 0;
        line.remove_prefix(space + 1);
    }
    uint64_t value = 0;
    return parse_number(line.substr(0, line.find_first_of(" \n")), value) ? value : 0;
}

uint64_t rest(uint64_t limit, uint64_t used) {
    return limit == UINT64_MAX ? UINT64_MAX : limit - std::min(limit, used);
}

}  // namespace

uint64_t address_room_of(uint64_t address_limit, uint64_t data_limit, uint64_t used,
                         uint64_t data) {
    return std::min(rest(address_limit, used), rest(data_limit, data));
}

uint64_t address_room() {
    const uint64_t address_limit = limit_of(RLIMIT_AS), data_limit = limit_of(RLIMIT_DATA);
    if (address_limit == UINT64_MAX && data_limit == UINT64_MAX) return UINT64_MAX;
    char text[256];
    const std::string_view sizes(text, sys::read_file("/proc/self/statm", text, sizeof text));
    return address_room_of(address_limit, data_limit, number_at(sizes, 0) * page_bytes,
                           number_at(sizes, 5) * page_bytes);
}

}  // namespace memtrace::preload
