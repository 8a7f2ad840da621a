// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/source_files.h"

#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

std::vector<uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Frame python(const std::string& file) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.file = file;
    return frame;
}

}  // namespace

TEST_CASE("a source file is read once, in its language") {
    const TempFile file(bytes_of("for x in y:\n    f(x)\n"));
    SourceFiles files(0, "");
    const ParsedSource& source = files.of(python(file.path()));
    CHECK(source.why_not.empty());
    CHECK(source.is_python);
    REQUIRE(source.tree.at(2));
    CHECK(source.tree.loop_of(*source.tree.at(2)));
    CHECK(&files.of(python(file.path())) == &source);
}

TEST_CASE("a file that is not there, or was changed since the recording, is not used") {
    SourceFiles files(0, "");
    CHECK(files.of(python("/no/such/file.py")).why_not == "/no/such/file.py is not here");
    const TempFile file(bytes_of("x = 1\n"));
    SourceFiles early(1'000'000'000, "");
    CHECK(early.of(python(file.path())).why_not ==
          file.path() + " was changed since the recording");
}

TEST_CASE("a file that was only written again has its functions where they were") {
    const TempFile file(bytes_of("import x\n@x.y\ndef f():\n    pass\n"));
    const auto why = [&](uint64_t line, const char* name) {
        PythonCodeInfo code;
        code.file = file.path();
        code.name = name;
        code.first_line = line;
        SourceFiles files(1'000'000'000, "", {{1, code}});
        return files.of(python(file.path())).why_not;
    };
    CHECK(why(2, "f").empty());
    CHECK_FALSE(why(1, "g").empty());
    CHECK_FALSE(why(4, "f").empty());
}
