// SPDX-License-Identifier: Apache-2.0
#include "analyzer/filter/frame_match.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a function is found by its full name, its short name or the last part of it") {
    Frame frame;
    frame.function = "app::Model<float>::make_tensor(int, std::vector<int, std::allocator<int> >)";
    for (const char* const pattern :
         {"make_tensor", "*make_tensor*", "app::Model<float>::make_tensor", "make_*",
          "app::Model<float>::make_tensor(int, std::vector<int, std::allocator<int> >)"}) {
        INFO(pattern);
        CHECK(matches_function(pattern, frame));
    }
    for (const char* const pattern : {"make", "tensor", "Model", "allocator<int>", ""}) {
        INFO(pattern);
        CHECK_FALSE(matches_function(pattern, frame));
    }
    frame.function = "Trainer.step";
    frame.kind = FrameKind::python;
    CHECK(matches_function("step", frame));
    CHECK(matches_function("Trainer.*", frame));
    frame.kind = FrameKind::backward;
    frame.operation = "AddmmBackward0";
    CHECK(matches_function("Addmm*", frame));
}

TEST_CASE("modules and files are found by the end of their paths") {
    Frame frame;
    frame.module = "/opt/torch/lib/libtorch_cpu.so.2";
    frame.file = "/home/me/src/train.py";
    for (const char* const pattern :
         {"libtorch_cpu.so.2", "libtorch_cpu", "libtorch*", "/opt/torch", "lib/libtorch_cpu.so*"}) {
        INFO(pattern);
        CHECK(matches_module(pattern, frame));
    }
    for (const char* const pattern : {"libtorch", "torch_cpu", "/lib"}) {
        INFO(pattern);
        CHECK_FALSE(matches_module(pattern, frame));
    }
    CHECK(matches_file("train.py", frame));
    CHECK(matches_file("src/*.py", frame));
    CHECK_FALSE(matches_file("rain.py", frame));
    frame.file = frame.module = "";
    CHECK_FALSE(matches_file("*", frame));
    CHECK_FALSE(matches_module("*", frame));
}
