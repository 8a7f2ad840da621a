// SPDX-License-Identifier: Apache-2.0
//
// The commands `completion` and `man`, which print what shells and man(1) read about a program.
#pragma once

#include <string>

#include "analyzer/cli/man_page.h"

namespace CLI {
class App;
}

namespace memtrace::analyzer {

// What was asked for. Neither: a command of another kind.
struct DocumentRequest {
    std::string shell;
    bool wants_completion = false;
    bool wants_man_page = false;

    explicit operator bool() const { return wants_completion || wants_man_page; }
};

void add_document_commands(CLI::App& app, DocumentRequest& request);

// Prints the document on standard output. Returns the exit code. Throws Error if there is none.
int print_document(const DocumentRequest& request, const CommandTree& tree, const ManPage& page);

}  // namespace memtrace::analyzer
