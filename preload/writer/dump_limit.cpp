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
bool within_size_limit(uint64_t length) {
    rlimit limit{};
    if (sys::call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, sys::address_of(&limit)) != 0) return true;
    return limit.rlim_cur == RLIM_INFINITY || length <= limit.rlim_cur;
}

uint64_t room_left(uint64_t used) { return options.max_dump > used ? options.max_dump - used : 0; }

}  // namespace

bool forbids(uint64_t bytes) { return options.max_dump != 0 && bytes > options.max_dump; }

uint64_t grown(uint64_t length, uint64_t needed, uint64_t given_back) {
    const auto forbidden = [&](uint64_t target) { return forbids(target - given_back); };
    const uint64_t growth = std::clamp(length / 8, growth_bytes_min, growth_bytes_max);
    uint64_t target = (needed + growth + page_bytes - 1) & ~uint64_t{page_bytes - 1};
    if (forbidden(target)) target = std::max(needed, options.max_dump + given_back);
    if (!within_size_limit(target)) target = needed;
    return forbidden(target) || !within_size_limit(target) ? 0 : target;
}

unsigned halvings_of_room(uint64_t used) {
    constexpr unsigned halvings_max = 16;
    if (options.max_dump == 0) return 0;
    const uint64_t left = room_left(used);
    unsigned halvings = 0;
    while (halvings < halvings_max && left <= options.max_dump >> (halvings + 1)) ++halvings;
    return halvings;
}

bool has_room_for_ring(uint64_t used, uint64_t bytes) {
    constexpr uint64_t part = 16;
    return options.max_dump == 0 || bytes <= room_left(used) / part;
}

}  // namespace memtrace::preload::dump_limit
