// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/file_system.h"

#include <algorithm>
#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t safe_types[] = {
#define MEMTRACE_FILE_SYSTEM(name, type) type,
#include "preload/writer/file_systems.def"
};
constexpr uint64_t overlay_type = 0x794c7630;

// What people call the file systems that are met most often and are not safe.
struct Known {
    uint64_t type;
    std::string_view name;
};
constexpr Known known[] = {
    {0x9123683e, "btrfs"},  {0x2fc12fc1, "zfs"},    {0xca451a4e, "bcachefs"}, {0x65735546, "FUSE"},
    {0x6969, "NFS"},        {0x01021997, "9p"},     {0xff534d42, "CIFS"},     {0xfe534d42, "SMB"},
    {0x00c36400, "Ceph"},   {0x0bd00bd0, "Lustre"}, {0xf2f52010, "f2fs"},     {0x47504653, "GPFS"},
    {0x786f4256, "vboxsf"},
};

// Types of mounts, as mountinfo writes them, whose pages are not safe below an overlay.
constexpr std::string_view unsafe_mounts[] = {" - btrfs ", " - zfs ", " - bcachefs ", " - f2fs "};

// A container sees its overlay only, and not what lies below. But files such as /etc/hosts are
// mounted into it from the same place, so the type of that place is in the list of mounts.
bool is_overlay_unsafe() {
    constexpr size_t kept = 16;  // at least as long as the longest of unsafe_mounts
    char text[1024 + kept];
    size_t before = 0;
    const int fd = sys::open("/proc/self/mountinfo", O_RDONLY);
    if (fd < 0) return true;  // Nothing is known.
    bool found = false;
    for (;;) {
        const long got = sys::read(fd, text + before, sizeof text - before);
        if (got <= 0) break;
        const size_t size = before + static_cast<size_t>(got);
        found = found || has_unsafe_mount(std::string_view(text, size));
        before = std::min(size, kept);
        std::memmove(text, text + size - before, before);
    }
    sys::close(fd);
    return found;
}

}  // namespace

bool is_safe_file_system(uint64_t type) {
    return std::find(std::begin(safe_types), std::end(safe_types), type) != std::end(safe_types);
}

bool has_unsafe_mount(std::string_view mounts) {
    return std::any_of(std::begin(unsafe_mounts), std::end(unsafe_mounts),
                       [&](std::string_view type) { return mounts.find(type) != mounts.npos; });
}

bool has_safe_pages(int fd, FileSystemName& name) {
    struct statfs status = {};
    if (sys::fstatfs(fd, &status) != 0) {
        name << "unknown";
        return false;
    }
    const auto type = static_cast<uint32_t>(status.f_type);
    if (is_safe_file_system(type)) {
        if (type != overlay_type || !is_overlay_unsafe()) return true;
        name << "overlay on a copy-on-write file system";
        return false;
    }
    const auto* place = std::find_if(std::begin(known), std::end(known),
                                     [&](const Known& one) { return one.type == type; });
    if (place != std::end(known)) name << place->name;
    else name << "type " << uint64_t{type};
    return false;
}

}  // namespace memtrace::preload
