// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/next_dlsym.h"

#include <dlfcn.h>

#include "tests/unit/test.h"

using namespace memtrace::preload;

// If no library stands in between, the first library behind the program that has a dlsym is libc.
TEST_CASE("dlsym behind us is libc's", "[look_up]") {
    REQUIRE(real_dlsym() != nullptr);
    REQUIRE(real_dlvsym() != nullptr);
    void* const wanted = dlsym(RTLD_DEFAULT, "getpid");
    CHECK(real_dlsym()(RTLD_DEFAULT, "getpid") == wanted);
    CHECK(real_dlsym() == real_dlsym());
}

TEST_CASE("nothing is in front of the program, in which this test is", "[look_up]") {
    CHECK_FALSE(is_in_front_of_us(reinterpret_cast<void*>(&real_dlsym)));
    CHECK_FALSE(is_in_front_of_us(dlsym(RTLD_DEFAULT, "getpid")));
    CHECK_FALSE(is_in_front_of_us(nullptr));
}
