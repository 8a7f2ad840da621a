// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/load_steps.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

TEST_CASE("a dump without source has no steps, and the reason is said") {
    std::string story = "node lane=0 time=1 id=1 parent=0 kind=native module=0 address=0x10\n";
    for (int i = 0; i < 20; ++i) {
        story += "acquire lane=0 time=" + std::to_string(10 + i) +
                 " stack=1 size=8 address=" + std::to_string(4096 + 16 * i) + "\n";
    }
    const TempFile file(dump_from_text(story));
    const StepsOfDump steps = load_steps(file.path(), "", {}, {});
    CHECK_FALSE(steps.has_marks);
    CHECK_FALSE(steps.loops.found.steps);
    CHECK_FALSE(steps.loops.found.why_none.empty());
}
