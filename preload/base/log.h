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

#include <initializer_list>
#include <string_view>

namespace memtrace::preload {

// Remembers the file behind descriptor 2. Called once, at the start.
void remember_stderr();

// The program runs from here on. Where nobody can ask what descriptor 2 is, nothing is written.
void begin_to_mistrust_stderr();

// Writes "memtrace: <sentence>\n". A sentence may be given in parts, which are joined.
void say(std::string_view sentence);
void say(std::initializer_list<std::string_view> parts);

// Writes `text` unchanged; it may have several lines.
void say_raw(std::string_view text);

}  // namespace memtrace::preload
