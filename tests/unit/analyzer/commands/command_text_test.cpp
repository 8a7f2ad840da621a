// SPDX-License-Identifier: Apache-2.0
//
// `text` reads the dump itself once more, because the recording no longer has its records.
#include "tests/tools/dump_text.h"
#include "tests/tools/files.h"
#include "tests/unit/analyzer/commands/requests.h"

using namespace memtrace::analyzer;

TEST_CASE("text prints the records of the dump, and has no JSON") {
    const memtrace::test::TempFile file(memtrace::test::dump_from_text(
        "acquire lane=0 time=10 api=malloc size=100 address=0x1000\n"));
    Recording recording;
    recording.path = file.path();
    const CommandOutput output = output_of(request_of({"text", "a.bin"}), recording);
    CHECK(output.text == "acquire lane=0 time=10 api=malloc stack=0 size=100 address=0x1000\n");
    CHECK(output.json.empty());
}
