// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/next_definition.h"

#include <dlfcn.h>
#include <search.h>

#include <thread>
#include <vector>

#include "tests/unit/test.h"

using memtrace::preload::NextDefinition;

namespace {

// Returns an address in the code of this program, which needs libc.
__attribute__((noinline)) const void* an_address_here() { return __builtin_return_address(0); }

}  // namespace

TEST_CASE("a function is found behind ourselves, for who calls from a loaded object",
          "[next_definition]") {
    NextDefinition next("lfind");
    void* const real = dlsym(RTLD_DEFAULT, "lfind");
    REQUIRE(real != nullptr);
    CHECK(next.find(an_address_here()) == real);
    CHECK(next.find(an_address_here()) == real);  // The remembered result is the same.
    CHECK(next.find(real) == real);               // Also for a caller inside the library itself.
}

TEST_CASE("what nobody defines is not found, also the second time", "[next_definition]") {
    NextDefinition next("no_library_defines_this");
    CHECK(next.find(an_address_here()) == nullptr);
    CHECK(next.find(an_address_here()) == nullptr);
}

// Defined only in this program, and so the caller's own hook.
extern "C" __attribute__((visibility("default"), used)) void defined_in_the_unit_tests_alone() {}

TEST_CASE("the definition of our own is not the next one", "[next_definition]") {
    NextDefinition next("defined_in_the_unit_tests_alone");
    CHECK(next.find(an_address_here()) == nullptr);
}

TEST_CASE("a caller in code that was made at run time gets the first definition",
          "[next_definition]") {
    NextDefinition next("lfind");
    const int not_code = 0;
    CHECK(next.find(&not_code) == dlsym(RTLD_DEFAULT, "lfind"));
}

TEST_CASE("after an unload a function is looked for again", "[next_definition]") {
    NextDefinition next("lfind");
    void* const real = next.find(an_address_here());
    for (int i = 0; i < 100; ++i) {
        NextDefinition::forget_all();
        REQUIRE(next.find(an_address_here()) == real);
    }
}

TEST_CASE("threads that look while others forget find the function every time",
          "[next_definition]") {
    NextDefinition next("lfind");
    void* const real = dlsym(RTLD_DEFAULT, "lfind");
    const void* const callers[] = {an_address_here(), real, dlsym(RTLD_DEFAULT, "dlclose"), &real};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 3'000; ++i) {
                if (i % 100 == 0) NextDefinition::forget_all();
                if (next.find(callers[i % 4]) != real) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}
