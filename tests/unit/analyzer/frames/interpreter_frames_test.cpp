// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/interpreter_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Frame frame(const char* function, const char* file, const char* module, FrameKind kind) {
    Frame made;
    made.function = function;
    made.file = file;
    made.module = module;
    made.kind = kind;
    return made;
}

}  // namespace

TEST_CASE("the interpreter is a library libpython or a program python") {
    for (const char* path : {"/usr/lib/libpython3.11.so.1.0", "/opt/libpython3.13t.so",
                             "/usr/bin/python3.11", "python3", "/v/bin/python3-dbg"}) {
        CHECK(is_interpreter_module(path));
    }
    for (const char* path : {"/torch/libtorch_python.so", "/x/python_parser.cpython-311.so", "",
                             "/usr/bin/ipython3", "/lib/libpy.so", "/venv/python3/lib/libc10.so"}) {
        CHECK_FALSE(is_interpreter_module(path));
    }
}

TEST_CASE("what the interpreter does for itself") {
    const char* python = "/usr/bin/python3.11";
    CHECK(is_interpreter_frame(frame("_PyEval_Vector", "", python, FrameKind::native)));
    CHECK(is_interpreter_frame(frame("Py_INCREF", "", python, FrameKind::inlined)));
    CHECK(is_interpreter_frame(frame("__init__", "__init__", "", FrameKind::python)));
    CHECK_FALSE(is_interpreter_frame(frame("__init__", "/src/net.py", "", FrameKind::python)));
    CHECK_FALSE(is_interpreter_frame(frame("malloc", "", "/lib/libc.so.6", FrameKind::native)));
    CHECK_FALSE(is_interpreter_frame(frame("[stack cut]", "", "", FrameKind::cut)));
    CHECK_FALSE(is_interpreter_frame(frame("[not known of Python]", "", "", FrameKind::gap)));
}
