// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/dump_limit.h"

#include <sys/resource.h>

#include <algorithm>

#include "memtrace/dump/format.h"
#include "preload/base/options.h"
#include "preload/base/sys.h"

namespace memtrace::preload::dump_limit {
namespace {

constexpr uint64_t growth_bytes_min = uint64_t{256} << 10;
constexpr uint64_t growth_bytes_max = uint64_t{4} << 20;

// A write beyond RLIMIT_FSIZE would kill the program by SIGXFSZ.
bool within_size_limit(uint64_t length) { return length <= length_limit(); }

uint64_t room_left(uint64_t used) { return options.max_dump > used ? options.max_dump - used : 0; }

unsigned halvings(uint64_t left, uint64_t whole) {
    constexpr unsigned halvings_max = 16;
    unsigned count = 0;
    while (count < halvings_max && left <= whole >> (count + 1)) ++count;
    return count;
}

// A file with holes is in many pieces, and the file system needs blocks of its own to list them.
// They count for what the file takes.
uint64_t bytes_max(uint64_t given_back) {
    constexpr uint64_t list_part = 64, list_bytes_max = 16 << 10;
    if (given_back == 0) return options.max_dump;
    return options.max_dump - std::min(options.max_dump / list_part, list_bytes_max);
}

}  // namespace

uint64_t length_limit() {
    rlimit limit{};
    if (sys::call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, sys::address_of(&limit)) != 0)
        return RLIM_INFINITY;
    return limit.rlim_cur;
}

bool forbids(uint64_t bytes, uint64_t given_back) {
    return options.max_dump != 0 && bytes > bytes_max(given_back);
}

uint64_t grown(uint64_t length, uint64_t needed, uint64_t given_back) {
    const auto forbidden = [&](uint64_t target) {
        return forbids(target - given_back, given_back);
    };
    const uint64_t growth = std::clamp(length / 8, growth_bytes_min, growth_bytes_max);
    uint64_t target = (needed + growth + page_bytes - 1) & ~uint64_t{page_bytes - 1};
    if (forbidden(target)) target = std::max(needed, bytes_max(given_back) + given_back);
    if (!within_size_limit(target)) target = needed;
    return forbidden(target) || !within_size_limit(target) ? 0 : target;
}

unsigned halvings_of_room(uint64_t used) {
    return options.max_dump == 0 ? 0 : halvings(room_left(used), options.max_dump);
}

unsigned halvings_of_length(uint64_t length) {
    if (options.max_dump == 0) return 0;
    const uint64_t limit = length_limit();
    return halvings(limit - std::min(limit, length), std::min(limit, options.max_dump));
}

bool has_room_for_ring(uint64_t used, uint64_t bytes) {
    constexpr uint64_t part = 16;
    return options.max_dump == 0 || bytes <= room_left(used) / part;
}

}  // namespace memtrace::preload::dump_limit
