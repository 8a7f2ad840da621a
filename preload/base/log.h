// SPDX-License-Identifier: Apache-2.0
//
// One-line messages to stderr, each by one write(2). They are written only if descriptor 2 is still
// the same file as at the program's start. A program that closed it and opened a data file there
// must not find foreign output in its data.
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
