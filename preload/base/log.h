// SPDX-License-Identifier: Apache-2.0
//
// One-line messages to stderr. They are written only if descriptor 2 is still the same file as at
// the program's start. A program that closed it and opened a data file there must not find foreign
// output in its data.
//
// A message never costs the program anything but its time: nobody may read the pipe any more, or
// not now; the terminal may belong to another job; the file may have reached a limit. Signals that
// the write raises are held back and taken away, and what would have to wait is not written.
#pragma once

#include <string_view>

namespace memtrace::preload {

// Remembers the file behind descriptor 2. Called once, at the start.
void remember_stderr();

// Writes "memtrace: <sentence>\n".
void say(std::string_view sentence);

// Writes `text` unchanged; it may have several lines.
void say_raw(std::string_view text);

}  // namespace memtrace::preload
