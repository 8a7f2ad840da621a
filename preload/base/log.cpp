// SPDX-License-Identifier: Apache-2.0
#include "preload/base/log.h"

#include "preload/base/fixed_text.h"
#include "preload/base/held_signals.h"
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

// A pipe that can be written to has room for this many bytes (PIPE_BUF).
constexpr size_t piece_bytes = 4096;

}  // namespace

void remember_stderr() { stderr_at_start = identity_of(2); }

void say_raw(std::string_view text) {
    const Identity now = identity_of(2);
    if (!now.known || !stderr_at_start.known || now.device != stderr_at_start.device ||
        now.inode != stderr_at_start.inode) {
        return;
    }
    const HeldSignals held;
    while (!text.empty() && sys::is_writable_now(2)) {
        const std::string_view piece = text.substr(0, piece_bytes);
        const long written = sys::send_now(2, piece.data(), piece.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

void say(std::string_view sentence) {
    FixedText<9216> line("memtrace: ");
    line << sentence << '\n';
    say_raw(line.view());
}

}  // namespace memtrace::preload
