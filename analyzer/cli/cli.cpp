// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/cli.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/terminal.h"
#include "analyzer/cli/documents.h"
#include "analyzer/commands/all_commands.h"
#include "analyzer/commands/option_list.h"
#include "analyzer/phases/nearest_word.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* footer = R"(
Without a dump, the newest memtrace.*.bin of this folder is read.

Exit codes: 0 fine; 1 a check failed; 2 usage, or a file that cannot be read;
            3 the dump is damaged or incomplete (everything readable is reported), or
            check cannot judge it.
Sizes are binary and take suffixes: 500K, 4GiB, 1T.
memtrace-report COMMAND --help lists the options of one command.)";

constexpr ManPage page_of_report{
    "reads what memtrace has recorded of a program's memory, and says where it went",
    "memtrace-report [OPTIONS] [DUMP...]\nmemtrace-report COMMAND [OPTIONS] [DUMP...]",
    "memtrace(1)"};

int fail(const std::string& sentence, const std::string& command, const CalledProgram& caller) {
    log_error(fmt::format("{} ({} {}--help says what is possible)", sentence, caller.name,
                          command.empty() ? "" : command + " "));
    return exit_cannot;
}

// Returns the name of the command that was typed; empty: none.
std::string typed_command(const CLI::App& app) {
    const std::vector<CLI::App*> typed = app.get_subcommands();
    return typed.empty() ? "" : typed.front()->get_name();
}

// An option that another command has is not unknown: --help lists it.
std::string unknown_option(CLI::App& app, const std::string& option) {
    const std::string command = typed_command(app);
    std::vector<CLI::App*> all = app.get_subcommands([](CLI::App*) { return true; });
    all.push_back(&app);
    const bool is_known = std::any_of(all.begin(), all.end(), [&](CLI::App* words) {
        return words->get_option_no_throw(option) != nullptr;
    });
    const bool is_of_others = is_known && !command.empty();
    return (is_of_others ? command + " takes no option " : "there is no option ") +
           printable(option);
}

// Returns the message of CLI11, in plainer words if users often see it.
std::string sentence_of(const CLI::ParseError& error, CLI::App& app) {
    std::string text = error.what();
    const std::string unknown = "The following argument was not expected: ";
    const std::string several = "The following arguments were not expected: ";
    if (text.starts_with(unknown)) {
        return unknown_option(app, text.substr(unknown.size()));
    }
    if (text.starts_with(several)) {
        // CLI11 lists the last one first.
        return "not understood: " + printable(text.substr(several.size()));
    }
    const std::string mistyped = "Could not convert: ";
    if (text.starts_with(mistyped)) {
        return "not a number: " + printable(text.substr(mistyped.size()));
    }
    return printable(text);
}

// "memtrace-report leeks dump.bin" is a misspelt command, not a request for two dumps.
void refuse_unknown_command(const std::string& word, const CalledProgram& caller) {
    std::vector<std::string> names = caller.commands;
    for (const Command* command : all_commands) names.emplace_back(command->name);
    for (const char* name : {"completion", "man"}) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }
    std::error_code error;
    if (word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, error) ||
        std::find(names.begin(), names.end(), word) != names.end()) {
        return;
    }
    const std::string meant = meant_word(word, names);
    throw Error(fmt::format("{}: no such file, and no command of that name; {}", printable(word),
                            meant.empty()
                                ? fmt::format("the commands are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {} {}?", caller.name, meant)));
}

// "help leaks" is "leaks --help".
std::vector<std::string> words_of(int argc, const char* const* argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::error_code error;
    if (!words.empty() && words[0] == "help" && !std::filesystem::exists(words[0], error)) {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    return words;
}

void refuse_two_documents(const Request& request) {
    const std::vector<std::string> documents = request.documents_on_stdout();
    if (documents.size() < 2) return;
    throw Error(
        fmt::format("{} - and {} -: standard output has room for one of them; name a file "
                    "for the other",
                    documents[0], documents[1]));
}

}  // namespace

void refuse_empty_values(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") return;
        // An unset variable of a shell: --phase "$PHASE".
        if (word.empty() && i != 0 && words[i - 1].starts_with('-') && words[i - 1] != "-") {
            throw Error(fmt::format("{} \"\" has no value: give it one, or leave the option out",
                                    printable(words[i - 1])));
        }
        if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
        throw Error(
            fmt::format("{} has no value: give it one, or leave the option out", printable(word)));
    }
}

void add_commands(CLI::App& app, Request& request, std::string& command_name) {
    for (const Command* command : all_commands) {
        CLI::App* const words = app.add_subcommand(command->name, command->help);
        OptionList options(*words);
        command->add_options(options, request);
        words->callback([&request, &command_name, command] {
            request.command = command;
            command_name = command->name;
        });
    }
}

std::variant<Request, int> parse_command_line(int argc, const char* const* argv,
                                              const CalledProgram& caller) {
    Request request;
    DocumentRequest document;
    CLI::App app("Reads what libmemtrace.so recorded, and says where memory went.",
                 "memtrace-report");
    app.footer(footer);
    app.set_version_flag("--version", "memtrace-report " MEMTRACE_VERSION);
    app.require_subcommand(0, 1);
    OptionList options(app);
    all_commands.front()->add_options(options, request);
    std::string command_name;
    add_commands(app, request, command_name);
    add_document_commands(app, document);
    try {
        std::vector<std::string> words = words_of(argc, argv);
        start_log(false, caller.name);
        if (!words.empty() && !words[0].starts_with('-')) refuse_unknown_command(words[0], caller);
        refuse_empty_values(words);
        std::reverse(words.begin(), words.end());  // CLI11 takes the last one first.
        app.parse(std::move(words));
        start_log(request.verbose, caller.name);
        if (document) return print_document(document, tree_of(app), page_of_report);
        const bool is_first = request.command == all_commands.front() && !request.dumps.empty();
        if (is_first) refuse_unknown_command(request.dumps[0], caller);
        request.command->finish(request);
        refuse_two_documents(request);
        request.text.width = terminal_width(STDOUT_FILENO);
        request.text.colour = wants_colour(STDOUT_FILENO);
        return request;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        return fail(sentence_of(error, app), typed_command(app), caller);
    } catch (const std::exception& error) {
        return fail(error.what(), command_name, caller);
    }
}

}  // namespace memtrace::analyzer
