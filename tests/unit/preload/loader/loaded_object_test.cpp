// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/loaded_object.h"

#include <link.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("code is in the object that has it, and the stack is in none") {
    dl_find_object found;
    REQUIRE(find_loaded_object(reinterpret_cast<const void*>(&find_loaded_object), found));
    CHECK(found.dlfo_link_map == _r_debug.r_map);  // The main program is the first of the list.
    int local = 0;
    CHECK_FALSE(find_loaded_object(&local, found));
}
