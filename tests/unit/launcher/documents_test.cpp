// SPDX-License-Identifier: Apache-2.0
#include "launcher/documents.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace;

TEST_CASE("the tree of memtrace has its own commands and those of memtrace-report", "[launcher]") {
    const analyzer::CommandTree tree = launcher::tree_of_memtrace();
    const auto find = [&](const char* name) {
        return std::find_if(tree.commands.begin(), tree.commands.end(),
                            [&](const analyzer::CommandTree& one) { return one.name == name; });
    };
    for (const char* name : {"run", "doctor", "completion", "man", "summary", "export"}) {
        CHECK(find(name) != tree.commands.end());
    }
    for (const analyzer::CommandTree& command : tree.commands) {
        CHECK(command.takes_program == (command.name == "run"));
    }
    CHECK(find("leaks")->takes_files);
    CHECK(find("completion")->words == std::vector<std::string>{"bash", "zsh", "fish"});
}

TEST_CASE("every command of memtrace's own is known as such", "[launcher]") {
    const std::string footer = launcher::tree_of_memtrace().footer;
    const std::vector<std::string> own = launcher::own_commands();
    for (const char* name : {"run", "doctor", "top", "snapshot", "lost", "start", "stop", "serve",
                             "completion", "man"}) {
        CHECK(std::find(own.begin(), own.end(), name) != own.end());
        CHECK(footer.find(name) != std::string::npos);
    }
    CHECK(own.size() == 10);
}

TEST_CASE("values of options are words for a person, without those of CLI11", "[launcher]") {
    for (const analyzer::CommandTree& command : launcher::tree_of_memtrace().commands) {
        for (const analyzer::OptionWords& option : command.options) {
            INFO(command.name << " " << option.names.back() << " " << option.value);
            CHECK(option.value.find_first_of(":{}") == std::string::npos);
        }
    }
}
