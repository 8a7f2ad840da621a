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
    CHECK(find("run")->takes_program);
    CHECK(find("leaks")->takes_files);
    CHECK(find("completion")->words == std::vector<std::string>{"bash", "zsh", "fish"});
}
