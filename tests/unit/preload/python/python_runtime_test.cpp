// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_runtime.h"

#include <string>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

PythonRuntime described() {
    PythonRuntime found;
    found.runtime = found.code_type = found.string_type = found.bytes_type = 8;
    found.this_thread_state = []() -> void* { return nullptr; };
    return found;
}

// Returns the reason why an interpreter with this version is refused, or an empty text.
std::string why_refused(const char* version, const PythonRuntime& found = described()) {
    forget_python();
    adopt_python(found, version);
    const std::string why = python_why();
    CHECK(python_state() == (why.empty() ? PythonState::validating : PythonState::off));
    forget_python();
    return why;
}

}  // namespace

TEST_CASE("there is no Python in this test", "[python_runtime]") {
    forget_python();
    CHECK_FALSE(find_python(nullptr));
    CHECK(python_state() == PythonState::none);
    CHECK(python_why() == std::string());
}

TEST_CASE("an interpreter that is not known is refused with a reason", "[python_runtime]") {
    CHECK(why_refused("3.12.1 (main)").empty());
    CHECK(why_refused("3.10.14 (abc, [PyPy 7.3.17 with GCC 10.2.1])") ==
          "it is PyPy, whose frames are not CPython's");
    CHECK(why_refused("3.8.12 (remotes/origin) [Pyston 2.3.5, GCC]").find("Pyston") !=
          std::string::npos);
    CHECK(why_refused("3.12.0rc1 (main)") == "it is a pre-release");
    CHECK_FALSE(why_refused("3.7.16 (main)").empty());
    PythonRuntime hidden = described();
    hidden.runtime = 0;
    CHECK_FALSE(why_refused("3.12.1 (main)", hidden).empty());
}

TEST_CASE("Python is on after three different stacks, and off for good", "[python_runtime]") {
    const MadePython made(12);
    CHECK(python.version == std::string("3.12.1"));
    CHECK_FALSE(adopt_python(described(), "3.11.1"));  // There is one already.
    for (const uint64_t hash : {3u, 3u, 5u, 3u, 5u}) {
        note_valid_python_stack(hash);
        CHECK(python_state() == PythonState::validating);
    }
    note_valid_python_stack(7);
    CHECK(python_state() == PythonState::on);
    switch_python_off("the first reason");
    switch_python_off("the second reason");
    note_valid_python_stack(9);
    CHECK(python_state() == PythonState::off);
    CHECK(python_why() == std::string("the first reason"));
}

TEST_CASE("whoever ends the interpreter is known", "[python_runtime]") {
    MadePython made(11);
    CHECK(python_finalizer() == 0);
    made.set_finalizer(42);
    CHECK(python_finalizer() == 42);
}
