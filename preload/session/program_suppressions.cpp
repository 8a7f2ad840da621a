// SPDX-License-Identifier: Apache-2.0
#include "preload/session/program_suppressions.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "memtrace/dump/program_suppressions.h"
#include "preload/base/sys.h"
#include "preload/recording/event_scope.h"
#include "preload/writer/chunk_writer.h"

// Only one that the loader can see: of a library, or of an executable that exports its symbols.
extern "C" [[gnu::weak, gnu::visibility("default")]] const char* __lsan_default_suppressions();

namespace memtrace::preload {
namespace {

// Splits text into pieces that a record has room for, at the ends of lines.
class Pieces {
public:
    explicit Pieces(std::string_view text) : rest_(text.substr(0, text_max)) {}

    bool is_done() const { return rest_.empty(); }
    std::string_view next() {
        size_t length = std::min(rest_.size(), piece_max);
        if (length < rest_.size()) {
            const size_t line_end = rest_.rfind('\n', length - 1);
            if (line_end != std::string_view::npos) length = line_end + 1;
        }
        const std::string_view piece = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return piece;
    }

private:
    static constexpr size_t text_max = 1 << 20, piece_max = long_text_max / 2;
    std::string_view rest_;
};

}  // namespace

void note_program_suppressions() {
    static std::atomic<int> asked_in;  // this process or, in a forked child, its parent
    if (__lsan_default_suppressions == nullptr || !is_recording()) return;
    if (asked_in.exchange(sys::pid()) == sys::pid()) return;
    const char* const text = __lsan_default_suppressions();
    if (text == nullptr) return;
    EventScope event;
    if (!event) return;
    for (Pieces pieces(text); !pieces.is_done();) {
        Note note;
        note.time = event.lane().stamp(ticks_now());
        note.subject = program_suppressions_subject;
        note.text = pieces.next();
        event.lost_unless(event.lane().put_long(note));
    }
}

}  // namespace memtrace::preload
