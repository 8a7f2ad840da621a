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

TEST_CASE("graph_ops: what an operation does with what it is computed from") {
    TrainingStory story;
    const std::string operation = "torch::autograd::VariableType::(anonymous namespace)::";
    const auto does = [&](const std::string& name, const std::string& outside = "") {
        std::vector<std::string> frames{"c10::alloc_cpu(unsigned long)", operation + name};
        if (!outside.empty()) frames.push_back(outside);
        frames.push_back(main_frame);
        const uint32_t stack = story.stack(frames);
        return GraphOps(story.recording.model, story.recording.symbols).operation_does(stack);
    };
    using Does = GraphOps::Does;
    CHECK(does("sub_Tensor(at::Tensor)") == Does::adds);
    CHECK(does("add_Tensor(at::Tensor)") == Does::adds);
    CHECK(does("mse_loss(at::Tensor)") == Does::compares);
    CHECK(does("mul_Tensor(at::Tensor)") == Does::other);
    CHECK(does("sub_Scalar(at::Tensor)") == Does::other);
    CHECK(does("cat(at::Tensor)") == Does::joins);
    CHECK(does("mean_dim(at::Tensor)") == Does::reduces);
    const uint32_t argmax = story.stack(
        {"c10::alloc_cpu(unsigned long)", "at::_ops::argmax::call(at::Tensor)", main_frame});
    CHECK(GraphOps(story.recording.model, story.recording.symbols).operation_does(argmax) ==
          Does::reduces);
    CHECK(does("div_Tensor(at::Tensor)", "at::_ops::cosine_similarity::call(at::Tensor)") ==
          Does::normalises);
}

TEST_CASE("graph_ops: a hook is called beside forward(), and looks at what is recorded") {
    TrainingStory story;
    const std::string call = "py:Module._call_impl " + torch_path + "/nn/modules/module.py:";
    const std::string outer =
        "py:Module._wrapped_call_impl " + torch_path + "/nn/modules/module.py:1779";
    const std::string learns = "py:<module> /home/me/train.py:44";
    const std::string frozen = "py:<module> /home/me/train.py:45";
    // A stack tree has each line once, and what it calls below it.
    const uint32_t of_learns = story.stack({outer, learns});
    const uint32_t of_frozen = story.stack({outer, frozen});
    const auto tensor_of = [&](const std::vector<std::string>& frames, uint32_t below) {
        return story.tensor_site(story.stack(frames, below));
    };
    const std::string look = "py:look /home/me/train.py:9";
    const uint32_t at_learning = tensor_of({kernel, mul, look, call + "1820"}, of_learns);
    const uint32_t at_frozen = tensor_of({kernel, mul, look, call + "1820"}, of_frozen);
    const uint32_t beside = tensor_of({kernel, mul, look, net_forward, call + "1790"}, of_learns);
    tensor_of({"torch::autograd::set_history(at::Tensor)", mul, net_forward, call + "1790"},
              of_learns);
    const GraphOps graph(story.recording.model, story.recording.symbols);
    const auto is_in_hook = [&](uint32_t number) {
        return graph.is_in_hook(story.space("host").sites.stack(number));
    };
    CHECK(is_in_hook(at_learning));
    CHECK_FALSE(is_in_hook(at_frozen));
    CHECK_FALSE(is_in_hook(beside));
}
