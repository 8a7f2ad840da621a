// SPDX-License-Identifier: Apache-2.0
#include "preload/session/ancestry.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "preload/base/fixed_text.h"
#include "preload/base/process_info.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr unsigned generations_max = 64;

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view own_file_name() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&find_ancestry), &self) == 0) return "libmemtrace.so";
    return file_name(self.dli_fname);
}

// A line of a memory map: "7f12…-7f13… r-xp … /usr/lib/libmemtrace.so". A debugger also maps the
// shim's file, but not as code.
bool is_code_of(std::string_view line, std::string_view name) {
    const size_t rights = line.find(' ');
    return rights != std::string_view::npos && line.substr(rights + 1).substr(0, 4) == "r-xp" &&
           line.ends_with(name) && line[line.size() - name.size() - 1] == '/';
}

struct MapText {
    char bytes[16384];
};

// True if the process has loaded the shim, so that the shim's name is in its memory map.
bool has_shim(int pid) {
    FixedText<64> path("/proc/");
    path << pid << "/maps";
    const sys::MappedItem<MapText> buffer;
    if (!buffer) return false;
    const int fd = sys::open(path.c_str(), O_RDONLY);
    if (fd < 0) return false;
    const std::string_view name = own_file_name();
    char(&text)[sizeof(MapText)] = buffer->bytes;
    size_t kept = 0;  // bytes of a line that is not complete yet
    bool found = false;
    while (!found && kept < sizeof text) {
        const long got = sys::read(fd, text + kept, sizeof text - kept);
        if (got == -EINTR) continue;
        if (got <= 0) break;
        std::string_view rest(text, kept + static_cast<size_t>(got));
        for (size_t end; !found && (end = rest.find('\n')) != std::string_view::npos;) {
            found = is_code_of(rest.substr(0, end), name);
            rest.remove_prefix(end + 1);
        }
        kept = rest.size();
        std::memmove(text, rest.data(), kept);
    }
    sys::close(fd);
    return found;
}

Launcher kind_of_process(int pid) {
    FixedText<64> link("/proc/");
    link << pid << "/exe";
    const sys::MappedItem<Path> executable;
    if (!executable) return Launcher::none;
    executable->append_from(
        [&](char* room, size_t size) { return sys::readlink(link.c_str(), room, size); });
    return launcher_kind(executable->view());
}

}  // namespace

Launcher launcher_kind(std::string_view executable) {
    const std::string_view name = file_name(executable);
#define MEMTRACE_LAUNCHER(known, kind) \
    if (name == known) return Launcher::kind;
#include "preload/session/launchers.def"
    return Launcher::none;
}

Ancestry find_ancestry() {
    Ancestry found;
    found.own_kind = kind_of_process(sys::pid());
    int pid = sys::parent_pid();
    for (unsigned i = 0; i < generations_max && pid > 1 && has_shim(pid); ++i) {
        const Launcher kind = kind_of_process(pid);
        if (kind == Launcher::starter) break;
        if (kind != Launcher::shell && kind != Launcher::wrapper) {
            found.parent = pid;
            return found;
        }
        found.from_shell |= kind == Launcher::shell;
        found.launched_at = process_start_of(pid);
        pid = parent_of(pid);
    }
    return found;
}

bool same_executable(int other_pid) {
    FixedText<64> path("/proc/");
    path << other_pid << "/exe";
    struct stat ours, theirs;
    return sys::stat("/proc/self/exe", &ours) == 0 && sys::stat(path.c_str(), &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

}  // namespace memtrace::preload
