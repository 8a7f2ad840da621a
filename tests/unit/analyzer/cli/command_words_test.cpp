// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/command_words.h"

#include <CLI/CLI.hpp>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Words = std::vector<std::string>;

TEST_CASE("choices stand at the beginning of the help") {
    CHECK(choices_in("bash, zsh or fish") == Words{"bash", "zsh", "fish"});
    CHECK(choices_in("at-peak, own-peak or held: what it is") ==
          Words{"at-peak", "own-peak", "held"});
    CHECK(choices_in("Write to FILE").empty());
    CHECK(choices_in("").empty());
}

TEST_CASE("a tree has the options that --help shows, and the kinds of their values") {
    CLI::App app("What it does.", "tool");
    std::string file, sort, hidden, dump;
    bool flag = false;
    app.add_option("-o,--output", file, "Write to FILE")->type_name("FILE");
    app.add_option("--hidden", hidden)->group("");
    CLI::App* const list = app.add_subcommand("list", "Lists");
    list->add_option("--sort", sort, "name or size (name)")->type_name("BY");
    list->add_flag("--all", flag, "All of them");
    list->add_flag("--page", flag, "A page")->option_text("[=FILE]");
    list->add_option("dumps", dump, "Dumps");

    const CommandTree tree = tree_of(app);
    REQUIRE(tree.options.size() == 2);  // --help, --output
    CHECK(tree.options[1].names == Words{"-o", "--output"});
    CHECK(tree.options[1].takes == Takes::file);
    CHECK_FALSE(tree.takes_files);
    REQUIRE(tree.commands.size() == 1);
    const CommandTree& command = tree.commands[0];
    CHECK(command.takes_files);
    REQUIRE(command.options.size() == 4);
    CHECK(command.options[1].choices == Words{"name", "size"});
    CHECK(command.options[2].takes == Takes::nothing);
    CHECK(command.options[3].takes == Takes::nothing);
    CHECK(command.options[3].value == "[=FILE]");
}
