// SPDX-License-Identifier: Apache-2.0
#include "preload/session/end_line.h"

#include <memory>
#include <string>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

std::string word_of(std::string_view path) {
    const auto word = std::make_unique<ShellWord>();
    append_shell_word(*word, path);
    return std::string(word->view());
}

}  // namespace

TEST_CASE("a path is a word of a command, in quotes where a shell would read more in it") {
    CHECK(word_of("/tmp/memtrace.a-b_1.12.bin") == "/tmp/memtrace.a-b_1.12.bin");
    CHECK(word_of("/tmp/\xc3\xa4.bin") == "/tmp/\xc3\xa4.bin");
    CHECK(word_of("/tmp/a b") == "'/tmp/a b'");
    CHECK(word_of("/tmp/$(date)`x`\"*") == "'/tmp/$(date)`x`\"*'");
    CHECK(word_of("it's") == "'it'\\''s'");
    CHECK(word_of("~/a") == "'~/a'");
    CHECK(word_of("").size() == 2);
    CHECK(word_of(std::string(4096, '\'')).size() == 4 * 4096 + 2);
}
