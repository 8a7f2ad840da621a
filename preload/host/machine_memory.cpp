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
#include "preload/host/machine_memory.h"

#include <sys/sysinfo.h>

#include <algorithm>

#include "preload/base/fixed_text.h"
#include "preload/base/sys.h"
#include "preload/host/proc_number.h"

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

// The files of one version of control groups.
struct GroupFiles {
    std::string_view mount;
    std::string_view limit;
    std::string_view usage;
};
constexpr GroupFiles version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                               "memory.usage_in_bytes"};
constexpr GroupFiles version_2{"/sys/fs/cgroup", "memory.max", "memory.current"};
constexpr GroupFiles version_2_beside_1{"/sys/fs/cgroup/unified", "memory.max", "memory.current"};

// What is wanted of the groups: the limit, or what is left of it.
enum class Wanted : bool { limit, room };

// Texts for one question. A thread's stack may be small.
struct Texts {
    Path path;
    char groups[8192];
};

uint64_t number_of_group(Path& path, std::string_view root, std::string_view folder,
                         std::string_view group, std::string_view file) {
    path.clear();
    path << root << folder << group << '/' << file;
    return path.was_cut() ? no_limit : number_in(path.c_str());
}

uint64_t least_on_the_way_up(Path& path, std::string_view root, const GroupFiles& files,
                             std::string_view group, Wanted wanted) {
    uint64_t least = no_limit;
    for (;;) {
        while (group.ends_with('/')) group.remove_suffix(1);
        uint64_t value = number_of_group(path, root, files.mount, group, files.limit);
        if (value != no_limit && wanted == Wanted::room) {
            const uint64_t used = number_of_group(path, root, files.mount, group, files.usage);
            if (used != no_limit) value -= std::min(value, used);
        }
        least = std::min(least, value);
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

uint64_t value_of_line(Path& path, std::string_view root, std::string_view line, Wanted wanted) {
    const size_t first = line.find(':');
    if (first == std::string_view::npos) return no_limit;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) return no_limit;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) {
        // Next to version 1, version 2 is mounted in a separate place.
        return std::min(least_on_the_way_up(path, root, version_2, group, wanted),
                        least_on_the_way_up(path, root, version_2_beside_1, group, wanted));
    }
    if (!has_word(controllers, "memory")) return no_limit;
    return least_on_the_way_up(path, root, version_1, group, wanted);
}

uint64_t least_of_groups(std::string_view root, Wanted wanted) {
    const sys::MappedItem<Texts> texts;
    if (!texts) return no_limit;
    texts->path << root << "/proc/self/cgroup";
    std::string_view rest(texts->groups,
                          sys::read_file(texts->path.c_str(), texts->groups, sizeof texts->groups));
    uint64_t least = no_limit;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        least = std::min(least, value_of_line(texts->path, root, rest.substr(0, end), wanted));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return least;
}

uint64_t available_memory(std::string_view root) {
    const sys::MappedItem<Path> path;
    if (!path) return no_limit;
    *path << root << "/proc/meminfo";
    const uint64_t kilobytes = proc_number(path->c_str(), "MemAvailable:", no_limit / 1024);
    return kilobytes * 1024;
}

}  // namespace

uint64_t machine_memory() {
    struct sysinfo info {};
    if (sys::failed(sys::call(SYS_sysinfo, sys::address_of(&info)))) return 0;
    return static_cast<uint64_t>(info.totalram) * info.mem_unit;
}

uint64_t group_memory_limit(std::string_view root) {
    const uint64_t least = least_of_groups(root, Wanted::limit);
    return least == no_limit ? 0 : least;
}

uint64_t memory_room(std::string_view root) {
    return std::min(least_of_groups(root, Wanted::room), available_memory(root));
}

}  // namespace memtrace::preload
