// SPDX-License-Identifier: Apache-2.0
//
// Limits of control groups. /proc/self/cgroup has a line for each hierarchy of groups: "0::/a/b"
// for version 2, and "4:memory:/a/b" for version 1. A group may have a lower limit than the group
// that contains it, or a higher one. In the latter case the outer limit counts. So each folder on
// the path up is read:
//
//   /sys/fs/cgroup/a/b/memory.max   /sys/fs/cgroup/a/memory.max   /sys/fs/cgroup/memory.max
//
// In a container the path may be that of the host, and only its upper end exists. The missing
// folders set no limit, and the upper end is the container's own group.
#include "preload/session/machine_memory.h"

#include <sys/sysinfo.h>

#include <algorithm>

#include "preload/base/fixed_text.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t no_limit = UINT64_MAX;

// Reads a number like "1073741824\n". Other text ("max") and numbers too large to parse mean no
// limit.
uint64_t number_in(const char* path) {
    char text[64];
    const size_t length = sys::read_file(path, text, sizeof text);
    std::string_view word(text, length);
    while (word.ends_with('\n')) word.remove_suffix(1);
    uint64_t value = 0;
    return parse_number(word, value) ? value : no_limit;
}

uint64_t least_on_the_way_up(std::string_view root, std::string_view mount, std::string_view group,
                             std::string_view file) {
    uint64_t least = no_limit;
    for (;;) {
        while (group.ends_with('/')) group.remove_suffix(1);
        Path path(root);
        path << mount << group << '/' << file;
        if (!path.was_cut()) least = std::min(least, number_in(path.c_str()));
        if (group.empty()) return least;
        group = group.substr(0, group.rfind('/') + 1);
    }
}

bool has_word(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const size_t end = std::min(list.find(','), list.size());
        if (list.substr(0, end) == word) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

// Returns the limit for one line of /proc/self/cgroup.
uint64_t limit_of_line(std::string_view root, std::string_view line) {
    const size_t first = line.find(':');
    if (first == std::string_view::npos) return no_limit;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) return no_limit;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) {
        // Next to version 1, version 2 is mounted in a separate place.
        return std::min(least_on_the_way_up(root, "/sys/fs/cgroup", group, "memory.max"),
                        least_on_the_way_up(root, "/sys/fs/cgroup/unified", group, "memory.max"));
    }
    if (!has_word(controllers, "memory")) return no_limit;
    return least_on_the_way_up(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
}

}  // namespace

uint64_t machine_memory() {
    struct sysinfo info {};
    if (sys::failed(sys::call(SYS_sysinfo, sys::address_of(&info)))) return 0;
    return static_cast<uint64_t>(info.totalram) * info.mem_unit;
}

uint64_t group_memory_limit(std::string_view root) {
    Path path(root);
    path << "/proc/self/cgroup";
    char text[8192];
    std::string_view rest(text, sys::read_file(path.c_str(), text, sizeof text));
    uint64_t least = no_limit;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        least = std::min(least, limit_of_line(root, rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return least == no_limit ? 0 : least;
}

}  // namespace memtrace::preload
