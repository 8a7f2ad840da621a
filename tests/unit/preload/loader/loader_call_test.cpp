// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/loader_call.h"

#include <string>

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

bool message_speaks_of(const char* name) {
    const char* const message = dlerror();
    return message != nullptr && std::string(message).find(name) != std::string::npos;
}

}  // namespace

TEST_CASE("a message of the shim's own call is not the program's next", "[look_up]") {
    {
        const LoaderCall call;
        CHECK(thread_state.inside == ThreadMode::library);
        CHECK(dlopen("libnosuch-of-ours.so", RTLD_NOW) == nullptr);
    }
    CHECK(thread_state.inside == ThreadMode::program);
    CHECK(dlerror() == nullptr);
}

TEST_CASE("the program's message is gone before the shim's call begins", "[look_up]") {
    REQUIRE(dlopen("libnosuch-of-the-program.so", RTLD_NOW) == nullptr);
    const LoaderCall call;
    CHECK(dlerror() == nullptr);
}

TEST_CASE("a message that comes after the shim's call is the program's", "[look_up]") {
    { const LoaderCall call; }
    REQUIRE(dlopen("libnosuch-of-the-program.so", RTLD_NOW) == nullptr);
    CHECK(message_speaks_of("libnosuch-of-the-program"));
}
