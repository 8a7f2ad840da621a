// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/heap_query.h"

#include "tests/unit/test.h"

using namespace memtrace::launcher;

TEST_CASE("the words of Go's clients", "[launcher]") {
    CHECK(parse_heap_query("").seconds == 0);
    CHECK(parse_heap_query("seconds=30").seconds == 30);
    CHECK(parse_heap_query("gc=1&seconds=5").seconds == 5);
    CHECK(parse_heap_query("gc=1").error.empty());
    CHECK_FALSE(parse_heap_query("debug=0").wants_text);
    CHECK(parse_heap_query("debug=1").wants_text);
    CHECK(parse_heap_query("debug=2&gc=1").wants_text);
    // As Go takes them: nonsense is 0, and what has no meaning is left alone.
    CHECK_FALSE(parse_heap_query("debug=yes").wants_text);
    CHECK(parse_heap_query("seconds=").error.empty());
    CHECK(parse_heap_query("rate=7&&=&x").error.empty());
    CHECK(parse_heap_query("seconds=5&debug=0").error.empty());
}

TEST_CASE("a time that is none, and what does not go together", "[launcher]") {
    for (const char* query : {"seconds=0", "seconds=-3", "seconds=x", "seconds=1.5", "seconds=5s",
                              "seconds=99999999999999999999", "seconds=100000"}) {
        CHECK_FALSE(parse_heap_query(query).error.empty());
    }
    CHECK_FALSE(parse_heap_query("seconds=5&debug=1").error.empty());
}
