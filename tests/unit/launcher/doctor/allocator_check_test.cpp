// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/allocator_check.h"

#include "tests/unit/test.h"

using namespace memtrace::launcher;

namespace {

const LoadedObject libc{"/lib/libc.so.6", true, {}};
const LoadedObject program{"/bin/it", false, {}};

Findings judge(std::vector<LoadedObject> objects) {
    return judge_allocators({"/bin/it", std::move(objects), {}}, "");
}

// The only finding.
Finding only(std::vector<LoadedObject> objects) {
    const Findings findings = judge(std::move(objects));
    REQUIRE(findings.size() == 1);
    return findings[0];
}

bool has(const Finding& finding, std::string_view text) {
    return finding.found.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the first malloc in the order of the loader is the one in use", "[launcher]") {
    CHECK(has(only({program, libc}), "glibc's malloc"));
    const LoadedObject jemalloc{"/lib/libjemalloc.so.2", true, {"mallocx"}};
    CHECK(has(only({program, jemalloc, libc}), "jemalloc"));
    CHECK(only({program, jemalloc, libc}).state == State::ok);
    CHECK(has(only({program, libc, {"/lib/libother.so", true, {}}}), "glibc's malloc"));
    CHECK(has(only({program, {"/x/libmemtrace.so", true, {}}, jemalloc, libc}), "jemalloc"));
}

TEST_CASE("an allocator is named by its functions, its file, or its path", "[launcher]") {
    CHECK(has(only({program, {"/x/a.so", true, {"mi_malloc"}}, libc}), "mimalloc (/x/a.so)"));
    CHECK(has(only({program, {"/x/libtcmalloc_minimal.so.4", true, {}}, libc}), "tcmalloc"));
    CHECK(has(only({program, {"/x/libmymalloc.so", true, {}}, libc}), "no name of"));
    CHECK(has(only({program, {"/x/libmymalloc.so", true, {}}, libc}), "/x/libmymalloc.so"));
}

TEST_CASE("a malloc inside the program is in front of the recorder", "[launcher]") {
    const Finding own = only({{"/bin/it", true, {"je_malloc"}}, libc});
    CHECK(own.state == State::limited);
    CHECK(has(own, "(jemalloc)"));
    CHECK(!own.advice.empty());
    const Finding beside = only({{"/bin/it", false, {"mi_malloc"}}, libc});
    CHECK(beside.state == State::limited);
    CHECK(has(beside, "mi_malloc"));
    CHECK(has(only({program, libc, {"/x/libarrow.so", false, {"je_malloc"}}}), "/x/libarrow.so"));
}

TEST_CASE("sanitizers have allocators of their own", "[launcher]") {
    CHECK(only({program, {"/x/libasan.so.8", true, {"__asan_init"}}, libc}).state == State::no);
    CHECK(only({program, {"/x/libtsan.so.2", true, {"__tsan_init"}}, libc}).state == State::no);
    CHECK(only({{"/bin/it", true, {"__asan_init"}}, libc}).state == State::limited);
    CHECK(only({{"/bin/it", true, {"__tsan_init"}}, libc}).state == State::no);
}

TEST_CASE("PYTHONMALLOC is said where it matters", "[launcher]") {
    CHECK(judge_allocators({}, "malloc").size() == 2);
    CHECK(judge_allocators({}, "pymalloc").size() == 1);
}
