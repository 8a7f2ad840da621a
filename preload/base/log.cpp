// SPDX-License-Identifier: Apache-2.0
#include "preload/base/log.h"

#include "preload/base/fixed_text.h"
#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

struct Identity {
    bool known;
    dev_t device;
    ino_t inode;
};
Identity stderr_at_start;

Identity identity_of(int fd) {
    struct stat status;
    if (sys::fstat(fd, &status) != 0) return {};
    return {true, status.st_dev, status.st_ino};
}

}  // namespace

void remember_stderr() { stderr_at_start = identity_of(2); }

void say_raw(std::string_view text) {
    const Identity now = identity_of(2);
    if (!now.known || !stderr_at_start.known || now.device != stderr_at_start.device ||
        now.inode != stderr_at_start.inode) {
        return;
    }
    sys::write(2, text.data(), text.size());
}

void say(std::string_view sentence) {
    FixedText<9216> line("memtrace: ");
    line << sentence << '\n';
    say_raw(line.view());
}

}  // namespace memtrace::preload
