// SPDX-License-Identifier: Apache-2.0
//
// The line of a forward stack that names its backward operation.
#include "analyzer/symbolise/backward_names.h"

#include <fmt/format.h>

#include "analyzer/frames/backward_frames.h"
#include "analyzer/model/symbols.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::no_stack;
using memtrace::NodeKind;

namespace {

Frame python(const std::string& function, const std::string& file, uint32_t line) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.function = function;
    frame.file = file;
    frame.line = line;
    frame.column = 5;
    frame.end_column = 9;
    return frame;
}

Frame native(const std::string& function, const std::string& module) {
    Frame frame;
    frame.function = function;
    frame.module = module;
    frame.named = true;
    return frame;
}

const std::string package = "/env/site-packages/torch/";
const std::string engine = package + "lib/libtorch_cpu.so";

// Builds stacks from frames, and backward nodes for them.
struct Forward {
    explicit Forward(const std::string& module = engine) {
        tree.nodes.resize(1);
        frames.resize(1);
        tree.modules[1].path = module;
        tree.autograd_module = 1;
    }

    // Adds a stack of frames, the innermost first, and returns it.
    uint32_t stack(const std::vector<Frame>& of) {
        uint32_t node = no_stack;
        for (auto frame = of.rbegin(); frame != of.rend(); ++frame) node = add(node, *frame);
        return node;
    }
    uint32_t add(uint32_t parent, const Frame& frame) {
        StackNode node;
        node.parent = parent;
        node.module = 1;
        node.address = tree.nodes.size();
        node.defined = true;
        tree.nodes.push_back(node);
        frames.push_back(frame);
        return static_cast<uint32_t>(tree.nodes.size() - 1);
    }
    // Adds a backward node for a stack and returns its id.
    uint32_t backward(uint32_t stack) {
        tree.backwards.push_back({0x10, 1, stack});
        return static_cast<uint32_t>(tree.backwards.size() - 1);
    }

    Frame name(uint32_t backward = 1) const {
        const std::vector<std::string> operations(tree.backwards.size(), "MulBackward0");
        return name_backwards(
                   tree, operations,
                   [&](uint32_t node) { return std::vector<const Frame*>{&frames.at(node)}; })
            .at(backward);
    }
    std::string place(uint32_t backward = 1) const {
        const Frame frame = name(backward);
        return fmt::format("{}:{} {}", frame.file, frame.line, backward_function(frame));
    }

    StackTree tree;
    std::vector<Frame> frames;
};

}  // namespace

TEST_CASE("an operation is called like the class of its node", "[backward_names]") {
    CHECK(operation_of("vtable for torch::autograd::generated::AddmmBackward0") ==
          "AddmmBackward0");
    CHECK(operation_of("vtable for torch::autograd::AccumulateGrad") == "AccumulateGrad");
    CHECK(operation_of("vtable for torch::autograd::CppNode<my::Function>") ==
          "CppNode<my::Function>");
    CHECK(operation_of("something") == "something");
}

TEST_CASE("the forward line is the innermost of Python that is not PyTorch's own",
          "[backward_names]") {
    Forward forward;
    forward.backward(forward.stack(
        {native("operator new", "/lib/libstdc++.so.6"), native("at::addmm", engine),
         python("Linear.forward", package + "nn/linear.py", 134), native("my_op", "/env/my_op.so"),
         python("Net.forward", "/home/me/net.py", 42),
         python("<module>", "/home/me/train.py", 7)}));
    CHECK(forward.place() == "/home/me/net.py:42 Net.forward (MulBackward0)");
    const Frame frame = forward.name();
    CHECK(frame.kind == FrameKind::backward);
    CHECK(frame.operation == "MulBackward0");
    CHECK(frame.column == 0);  // All operations of one line are one place.
}

TEST_CASE("where all of Python is PyTorch's own, its innermost line is better than none",
          "[backward_names]") {
    Forward forward;
    forward.backward(
        forward.stack({native("at::addmm", engine), python("linear", package + "functional.py", 5),
                       python("run", package + "run.py", 9)}));
    CHECK(forward.place() == package + "functional.py:5 linear (MulBackward0)");
}

TEST_CASE("without Python it is the program's own innermost function", "[backward_names]") {
    Forward forward("/build/libengine.so");
    forward.backward(
        forward.stack({native("malloc", "/lib/libc.so.6"), native("at::mul", "/build/libengine.so"),
                       native("Net::forward", "/build/server"), native("main", "/build/server")}));
    CHECK(forward.name().function == "Net::forward");
    Forward only_own("/opt/libtorch/lib/libtorch_cpu.so");
    only_own.backward(only_own.stack({native("at::mul", "/opt/libtorch/lib/libtorch.so")}));
    CHECK(only_own.place() == ":0 [forward not recorded] (MulBackward0)");
}

TEST_CASE("a node without a block has a name, and no line", "[backward_names]") {
    Forward forward;
    forward.backward(no_stack);
    CHECK(forward.place() == ":0 [forward not recorded] (MulBackward0)");
}

TEST_CASE("what was made backward has the line that went forward first", "[backward_names]") {
    Forward forward;
    const uint32_t first =
        forward.backward(forward.stack({python("Net.forward", "/home/me/net.py", 42)}));
    const uint32_t train = forward.add(no_stack, python("<module>", "/home/me/train.py", 7));
    const uint32_t entry = forward.add(train, {});
    StackNode node = forward.tree.nodes[entry];
    node.backward = first;
    forward.tree.nodes.set(entry, node);
    const uint32_t made_inside = forward.add(entry, native("at::mul", engine));
    const uint32_t again = forward.backward(made_inside);
    CHECK(forward.place(again) == "/home/me/net.py:42 Net.forward (MulBackward0)");
    // The case where Python went forward inside it, as a checkpoint does.
    const uint32_t recomputed =
        forward.backward(forward.add(entry, python("Block.forward", "/home/me/block.py", 3)));
    CHECK(forward.place(recomputed) == "/home/me/block.py:3 Block.forward (MulBackward0)");
}
