// SPDX-License-Identifier: Apache-2.0
//
// tests/e2e/cases/completions.py asks the shells themselves.
#include "analyzer/cli/completion.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

CommandTree sample() {
    CommandTree list{"list", "Lists what's there", "", {}, true, false, {}, {}};
    list.options.push_back({{"--sort"}, "BY", "name or size", Takes::choice, {"name", "size"}});
    list.options.push_back({{"-o", "--output"}, "FILE", "Write [it] to: FILE", Takes::file, {}});
    return {"tool", "What it does.", "", {}, true, false, {}, {list}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("each shell's script has commands, options and choices") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const std::string script = completion(sample(), shell).value();
        for (const char* word : {"list", "sort", "output", "name size"}) CHECK(has(script, word));
    }
    CHECK_FALSE(completion(sample(), "tcsh"));
}

TEST_CASE("what a shell would read in a help text is escaped") {
    CHECK(has(zsh_completion(sample()), R"(Write \[it\] to\: FILE)"));
    CHECK(has(zsh_completion(sample()), R"(what'\''s)"));
    CHECK(has(fish_completion(sample()), R"(what\'s)"));
}
