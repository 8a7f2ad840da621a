// SPDX-License-Identifier: Apache-2.0
#include "preload/session/end_line.h"

#include <algorithm>

#include "preload/base/log.h"
#include "preload/base/sys.h"
#include "preload/recording/thread_lane.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

// Control characters would change what a terminal shows. A shell takes all other bytes in quotes.
bool is_plain(char c) {
    constexpr std::string_view signs = "%+,-./:=@_";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80 ||
           signs.find(c) != std::string_view::npos;
}

}  // namespace

void append_shell_word(ShellWord& text, std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
        text << word;
        return;
    }
    text << '\'';
    for (const char c : word) {
        if (c == '\'') text << "'\\''";
        else text << c;
    }
    text << '\'';
}

void say_what_was_recorded() {
    uint64_t acquisitions = 0;
    ThreadLane::for_each([&](ThreadLane& lane) { acquisitions += lane.acquisitions(); });
    FixedText<64> count, size;
    count << acquisitions << (acquisitions == 1 ? " allocation" : " allocations");
    const std::string_view path = dump_file::path();
    if (!dump_file::is_at_its_path()) {
        say({count.view(), acquisitions == 1 ? " was" : " were", " recorded in ", path,
             ", which the program does not find any more: deleted or moved, or behind chroot()."});
        return;
    }
    size << " (" << dump_file::stored_bytes() / 1024 << " KiB)";
    const sys::MappedItem<ShellWord> word;
    if (word) append_shell_word(*word, path);
    say({count.view(), " recorded in ", path, size.view(), "; read it with: memtrace-report ",
         word ? word->view() : path});
}

void say_nothing_was_recorded() {
    say({"nothing was recorded, because nobody ran memtrace start (start=later); ",
         dump_file::path(), " has no events."});
}

}  // namespace memtrace::preload
