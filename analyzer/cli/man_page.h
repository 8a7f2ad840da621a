// SPDX-License-Identifier: Apache-2.0
//
// The man page of a program, in the language of man(7), made from what --help has.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/cli/command_words.h"

namespace memtrace::analyzer {

struct ManPage {
    std::string_view brief;     // one line, for NAME
    std::string_view synopsis;  // lines, one for each form of the command line
    std::string_view see_also;  // "memtrace-report(1)"
};

std::string man_page(const CommandTree& tree, const ManPage& page);

}  // namespace memtrace::analyzer
