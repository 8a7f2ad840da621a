// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/call_plumbing.h"

#include "tests/tools/files.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using memtrace::test::TempFile;

namespace {

Frame native(const char* function, const char* module) {
    Frame frame;
    frame.function = function;
    frame.module = module;
    frame.named = true;
    return frame;
}

}  // namespace

TEST_CASE("what calls one function for each call is plumbing") {
    const char* python = "/usr/lib/libpython3.11.so.1.0";
    CHECK(is_call_plumbing(native("_PyEval_EvalFrameDefault", python)));
    CHECK(is_call_plumbing(native("slot_tp_init", python)));
    CHECK(is_call_plumbing(native("malloc", "/lib/libc.so.6")));
    CHECK(is_call_plumbing(native("operator new(unsigned long)", "/lib/libstdc++.so.6")));
    CHECK(is_call_plumbing(
        native("std::allocator_traits<std::allocator<int> >::allocate(unsigned long)", "a.out")));
}

TEST_CASE("a library that goes round by itself may take several blocks in one call") {
    SourceFiles files(0, "");
    const char* python = "/usr/lib/libpython3.11.so.1.0";
    CHECK(may_take_in_a_loop(native("unicode_split", python), files));
    CHECK_FALSE(may_take_in_a_loop(native("bytearray___init__", python), files));
    CHECK(may_take_in_a_loop(native("parse_all", "/opt/lib/libparser.so"), files));
    CHECK_FALSE(may_take_in_a_loop(native("malloc", "/lib/libc.so.6"), files));

    const std::string text =
        "void copy() {\n"
        "    for (;;)\n"
        "        make();\n"
        "    make();\n"
        "}\n";
    const TempFile file({text.begin(), text.end()});
    Frame in_source = native("copy", "/opt/lib/libparser.so");
    in_source.file = file.path();
    in_source.line = 3;
    CHECK(may_take_in_a_loop(in_source, files));
    in_source.line = 4;
    CHECK_FALSE(may_take_in_a_loop(in_source, files));
}

TEST_CASE("functions of Python without lines go round as comprehensions and what is not known do") {
    const std::string text =
        "one = lambda n: bytes(n)\n"
        "many = lambda n: [bytes(i) for i in range(n)]\n";
    const TempFile file({text.begin(), text.end()});
    SourceFiles files(0, "");
    Frame frame;
    frame.kind = FrameKind::python;
    frame.file = file.path();
    const auto may_loop = [&](const char* function, uint32_t line) {
        frame.function = function;
        frame.line = line;
        return may_take_in_a_loop(frame, files);
    };
    CHECK_FALSE(may_loop("<lambda>", 1));
    CHECK(may_loop("Table.<lambda>", 2));
    CHECK(may_loop("work.<locals>.<genexpr>", 1));
    frame.file = "<string>";
    CHECK(may_loop("fill", 1));
    CHECK_FALSE(may_loop("Row.__init__", 1));
}

TEST_CASE("what may call a function many times is not") {
    const char* python = "/usr/lib/libpython3.11.so.1.0";
    CHECK(!is_call_plumbing(native("map_next", python)));
    CHECK(!is_call_plumbing(native("list_extend", python)));
    CHECK(!is_call_plumbing(native("_PyEval_EvalFrameDefault", "/opt/other.so")));
    CHECK(!is_call_plumbing(native("operator new_thing(int)", "a.out")));
    Frame unnamed = native("malloc", "/lib/libc.so.6");
    unnamed.named = false;
    CHECK(!is_call_plumbing(unnamed));
}

TEST_CASE("functions that keep answers call what they were given only if they have none") {
    const auto may_know = [](FrameKind kind, const char* function, const char* file) {
        Frame frame;
        frame.kind = kind;
        frame.function = function;
        (kind == FrameKind::python ? frame.file : frame.module) = file;
        frame.named = true;
        return may_know_the_answer(frame);
    };
    const char* python = "/usr/lib/libpython3.11.so.1.0";
    CHECK(may_know(FrameKind::native, "infinite_lru_cache_wrapper", python));
    CHECK(may_know(FrameKind::native, "bounded_lru_cache_wrapper", python));
    CHECK_FALSE(may_know(FrameKind::native, "uncached_lru_cache_wrapper", python));
    CHECK_FALSE(may_know(FrameKind::native, "partial_call", python));
    CHECK(may_know(FrameKind::python, "cached_property.__get__", "/usr/lib/functools.py"));
    CHECK(may_know(FrameKind::python, "__get__", "/usr/lib/functools.py"));
    CHECK_FALSE(
        may_know(FrameKind::python, "singledispatch.<locals>.wrapper", "/usr/lib/functools.py"));
    CHECK(may_know(FrameKind::python, "cached.<locals>.decorator.<locals>.wrapper",
                   "/x/site-packages/cachetools/__init__.py"));
    CHECK(
        may_know(FrameKind::python, "MemorizedFunc.__call__", "/x/site-packages/joblib/memory.py"));
    CHECK_FALSE(may_know(FrameKind::python, "Module._call_impl",
                         "/x/site-packages/torch/nn/modules/module.py"));
}
