// SPDX-License-Identifier: Apache-2.0
//
// The line on stderr at the end of a recording.
#pragma once

#include <string_view>

#include "preload/base/fixed_text.h"

namespace memtrace::preload {

// A word of a command, as a person may give it to a shell: in quotes if a shell would read more
// than a name in it. Four bytes for each quote that a path consists of.
using ShellWord = FixedText<4 * 4096 + 3>;
void append_shell_word(ShellWord& text, std::string_view word);

void say_what_was_recorded();
void say_nothing_was_recorded();

}  // namespace memtrace::preload
