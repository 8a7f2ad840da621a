// SPDX-License-Identifier: Apache-2.0
//
// Operations with and without a node of the graph, as their stacks show it.
#include "analyzer/kinds/graph_ops.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

const std::string mul = "torch::autograd::VariableType::(anonymous namespace)::mul(at::Tensor)";
const std::string kernel = "c10::alloc_cpu(unsigned long)";

}  // namespace

TEST_CASE("graph_ops: an operation is recorded if the same call makes a node") {
    Story story;
    const uint32_t line = story.stack({"py:loss /home/me/train.py:8"});
    const uint32_t other = story.stack({"py:evaluate /home/me/train.py:20"});
    // A stack tree has the call of the operation once, and what it calls below it.
    const uint32_t call = story.stack({"at::_ops::mul::call", "py:loss /home/me/train.py:8"});
    const uint32_t result = story.stack({kernel, mul}, call);
    const uint32_t edges = story.stack({"torch::autograd::collect_next_edges(int)", mul}, call);
    const uint32_t made = story.stack({"operator new(unsigned long)", mul}, call);
    const uint32_t plain = story.stack({kernel, mul}, other);
    for (const uint32_t stack : {result, edges, made, plain}) story.site("host", stack, 1, 100);
    const GraphOps graph(story.recording.model, story.recording.symbols);
    CHECK(graph.is_recorded(result) == true);
    CHECK(graph.is_recorded(plain) == false);
    CHECK_FALSE(graph.is_recorded(line).has_value());
    CHECK(graph.is_node(made));
    CHECK_FALSE(graph.is_node(edges));
    CHECK_FALSE(graph.is_node(result));
}

TEST_CASE("graph_ops: without names of the graph's functions nothing is told") {
    Story story;
    const uint32_t result = story.stack({kernel, mul, main_frame});
    story.site("host", result, 1, 100);
    const GraphOps graph(story.recording.model, story.recording.symbols);
    CHECK_FALSE(graph.is_recorded(result).has_value());
}

TEST_CASE("graph_ops: sums and differences save nothing of what they are computed from") {
    Story story;
    const std::string operation = "torch::autograd::VariableType::(anonymous namespace)::";
    const auto is_sum = [&](const std::string& name) {
        const uint32_t stack = story.stack({kernel, operation + name, main_frame});
        return GraphOps(story.recording.model, story.recording.symbols).is_sum(stack);
    };
    CHECK(is_sum("sub_Tensor(at::Tensor)"));
    CHECK(is_sum("add_Tensor(at::Tensor)"));
    CHECK_FALSE(is_sum("mul_Tensor(at::Tensor)"));
    CHECK_FALSE(is_sum("sub_Scalar(at::Tensor)"));
}
