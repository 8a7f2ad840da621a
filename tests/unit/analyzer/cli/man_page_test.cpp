// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/man_page.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a man page has every option in full once, and names it where it comes again") {
    const OptionWords json{{"--json"}, "FILE", "Write JSON", Takes::file, {}};
    const OptionWords own{{"-n", "--own"}, "", "Own ones only", Takes::nothing, {}};
    const CommandTree list{"list", "Lists", "", {}, true, false, {json, own}, {}};
    const CommandTree tree{"my-tool", "Does it.", "", {}, true, false, {json}, {list}};
    const std::string page = man_page(tree, {"does it", "my-tool [DUMP]", "other(1)"});
    CHECK(has(page, ".TH MY\\-TOOL 1"));
    CHECK(has(page, "\\fB\\-\\-json\\fR \\fIFILE\\fR\nWrite JSON"));
    CHECK(has(page, "\\fB\\-n\\fR, \\fB\\-\\-own\\fR\nOwn ones only"));
    const OptionWords html{{"--html"}, "[=FILE]", "A page", Takes::nothing, {}};
    const CommandTree run{"run", "Runs", "", {}, false, false, {html}, {}};
    CHECK(has(man_page(run, {"b", "s", "o"}), "\\fB\\-\\-html\\fR\\fI[=FILE]\\fR"));
    CHECK(has(page, "As above: \\fB\\-\\-json\\fR"));
}

TEST_CASE("text that would be a request of man(7) is escaped") {
    const CommandTree tree{"t", ".x\n'y\n\\z", "\n.end", {}, false, false, {}, {}};
    const std::string page = man_page(tree, {"b", "s", "o"});
    CHECK(has(page, "\\&.x\n\\&'y\n\\ez"));
    CHECK(has(page, "\n\\&.end"));
}
