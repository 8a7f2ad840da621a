// SPDX-License-Identifier: Apache-2.0
//
// One-line messages to stderr, by one write(2) each. Only if descriptor 2 is still what it was when
// the program started: a program that closed it and opened a data file there must find nothing of
// ours in its data.
#pragma once

#include <string_view>

namespace memtrace::preload {

// Remembers what descriptor 2 is. Called once, at the start.
void remember_stderr();

// "memtrace: <sentence>\n"
void say(std::string_view sentence);

// `text` as it stands, several lines.
void say_raw(std::string_view text);

}  // namespace memtrace::preload
