// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/short_notes.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what is true of many libraries is said once") {
    const std::vector<NoteInfo> found =
        short_notes({{"coverage", "/usr/lib/a.so calls past us."},
                     {"rings", "The newest events are missing."},
                     {"coverage", "/usr/lib/b.so calls past us."},
                     {"coverage", "/opt/my lib/c.so.6 calls past us."},
                     {"coverage", "/usr/lib/d.so has its own."},
                     {"other", "/usr/lib/b.so calls past us."}});
    REQUIRE(found.size() == 4);
    CHECK(found[0].text == "/usr/lib/a.so calls past us. The same is true of b.so, c.so.6.");
    CHECK(found[1].text == "The newest events are missing.");
    CHECK(found[2].text == "/usr/lib/d.so has its own.");
    CHECK(found[3].subject == "other");
}
