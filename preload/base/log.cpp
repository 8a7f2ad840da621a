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
    bool is_refused;  // A filter of system calls does not let anybody ask.
};
Identity stderr_at_start;
bool has_begun;  // The program runs, and may have opened something else as its descriptor 2.

Identity identity_of(int fd) {
    struct stat status;
    const long result = sys::fstat(fd, &status);
    if (result != 0) return {false, 0, 0, result != -EBADF};
    return {true, status.st_dev, status.st_ino, false};
}

bool is_stderr_still_the_programs() {
    if (stderr_at_start.is_refused) return !has_begun;
    const Identity now = identity_of(2);
    return now.known && stderr_at_start.known && now.device == stderr_at_start.device &&
           now.inode == stderr_at_start.inode;
}

// A pipe that can be written to has room for more (PIPE_BUF). Nearly every line is one piece, which
// nothing of other processes comes into; two long paths make more. The stack has room for it.
constexpr size_t piece_bytes = 1024;

// Returns false if it could not be written whole.
bool write_out(std::string_view text) {
    const HeldSignals held;
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, piece_bytes);
        if (!sys::is_writable_now(2)) return false;
        const long written = sys::send_now(2, piece.data(), piece.size());
        if (written <= 0) return false;
        text.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

}  // namespace

void remember_stderr() { stderr_at_start = identity_of(2); }
void begin_to_mistrust_stderr() { has_begun = true; }

void say_raw(std::string_view text) {
    if (is_stderr_still_the_programs()) write_out(text);
}

void say(std::string_view sentence) { say({sentence}); }

void say(std::initializer_list<std::string_view> parts) {
    if (!is_stderr_still_the_programs()) return;
    FixedText<piece_bytes + 1> piece("memtrace: ");
    const auto add = [&](std::string_view text) {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, piece_bytes - piece.size());
            piece << part;
            text.remove_prefix(part.size());
            if (piece.size() < piece_bytes) continue;
            if (!write_out(piece.view())) return false;
            piece.clear();
        }
        return true;
    };
    for (const std::string_view part : parts) {
        if (!add(part)) return;
    }
    if (add("\n")) write_out(piece.view());
}

}  // namespace memtrace::preload
