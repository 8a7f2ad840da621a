// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/documents.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/cli/completion.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

void add_document_commands(CLI::App& app, DocumentRequest& request) {
    CLI::App* const shells =
        app.add_subcommand("completion", "Print the completion of a shell: completion bash");
    shells->add_option("shell", request.shell, "bash, zsh or fish")->type_name("SHELL");
    shells->callback([&request] { request.wants_completion = true; });
    CLI::App* const man = app.add_subcommand("man", "Print the man page, for man -l -");
    man->callback([&request] { request.wants_man_page = true; });
}

int print_document(const DocumentRequest& request, const CommandTree& tree, const ManPage& page) {
    std::string text;
    if (request.wants_man_page) {
        text = man_page(tree, page);
    } else if (auto script = completion(tree, request.shell)) {
        text = std::move(*script);
    } else {
        throw Error(
            request.shell.empty()
                ? "completion: name the shell behind it: bash, zsh or fish"
                : fmt::format("completion {}: choose bash, zsh or fish", printable(request.shell)));
    }
    ReportOutput out("-");
    out.write(text);
    out.finish();
    return exit_fine;
}

}  // namespace memtrace::analyzer
