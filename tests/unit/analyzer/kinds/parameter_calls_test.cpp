// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/parameter_calls.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string maker = "py:Parameter.__new__ " + torch_path + "/nn/parameter.py:49";
const std::string copier = "py:Parameter.__deepcopy__ " + torch_path + "/nn/parameter.py:70";

Frame at(const std::string& file, uint32_t line) {
    Frame frame;
    frame.file = file;
    frame.line = line;
    return frame;
}

}  // namespace

TEST_CASE("parameter_calls: all lines of an expression that makes a parameter") {
    Story story;
    story.site("host", story.stack({"libc:malloc", maker, net_init}), 1, 100);
    story.site("host", story.stack({"libc:malloc", maker, copier, "py:copy /lib/copy.py:5"}), 1, 1);
    for (Frame& frame : story.recording.symbols.frames) {
        if (frame.function == "Net.__init__") frame.end_line = 10;
    }
    const ParameterCalls calls(story.recording.symbols);
    CHECK(calls.contains(at("/home/me/net.py", 8)));
    CHECK(calls.contains(at("/home/me/net.py", 10)));
    CHECK_FALSE(calls.contains(at("/home/me/net.py", 7)));
    CHECK_FALSE(calls.contains(at("/home/me/net.py", 11)));
    CHECK_FALSE(calls.contains(at("/home/me/other.py", 8)));
    CHECK_FALSE(calls.contains(at("/lib/copy.py", 5)));  // what copies makes no expression
}

TEST_CASE("parameter_calls: an expression that asks a tensor for its gradient makes a leaf") {
    Story story;
    const std::string set = "c10::TensorImpl::set_requires_grad(bool)";
    story.site("host", story.stack({"libc:malloc", set, net_init}), 1, 100);
    story.site("host", story.stack({"libc:malloc", set, maker, "py:g /home/me/g.py:5"}), 1, 100);
    const ParameterCalls calls(story.recording.symbols);
    CHECK(calls.makes_leaf(at("/home/me/net.py", 8)));
    CHECK_FALSE(calls.contains(at("/home/me/net.py", 8)));
    CHECK(calls.contains(at("/home/me/g.py", 5)));
    CHECK_FALSE(calls.makes_leaf(at("/home/me/g.py", 5)));
}
