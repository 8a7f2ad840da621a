// SPDX-License-Identifier: Apache-2.0
//
// Graphs that no backward pass went through. Backward passes run from 100 to 120 and from 200 to
// 220; between them the model is evaluated twice.
#include "analyzer/training/unused_graphs.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string mul = "torch::autograd::VariableType::(anonymous namespace)::mul(at::Tensor)";

class GraphStory : public TrainingStory {
public:
    GraphStory() {
        tensors.runs = {{100, 120}, {200, 220}};
        const uint32_t call = stack({mul, main_frame});
        result_ = tensor_site(stack({"c10::alloc_cpu(unsigned long)"}, call));
        tensor_site(stack({"torch::autograd::set_history(at::Tensor)"}, call));
        node_ = tensor_site(stack({"operator new(unsigned long)"}, call));
    }

    // An operation whose result dies then, and its node some time later.
    void operation(uint64_t born, uint64_t died, uint64_t node_died) {
        tensors.others.push_back({.born = born, .died = node_died, .bytes = 64, .site = node_});
        life(result_, born + 1, died);
    }

    UnusedGraphs unused() const {
        const TrainingSites sites(recording.model, recording.symbols);
        const std::vector<size_t> spaces{0};
        return find_unused_graphs(LifeFacts(tensors, sites, spaces));
    }

private:
    uint32_t result_ = 0, node_ = 0;
};

}  // namespace

TEST_CASE("unused_graphs: what dies with its graph before the next pass was saved for nothing") {
    GraphStory story;
    story.operation(130, 150, 151);
    story.operation(132, 150, 152);
    story.operation(160, 170, 171);
    const UnusedGraphs unused = story.unused();
    CHECK(unused.bytes == 200);
    CHECK(unused.times == 2);
    CHECK(unused.by_site.size() == 1);
}

TEST_CASE("unused_graphs: what a pass goes through is used, and what nothing saves is no matter") {
    GraphStory story;
    story.operation(130, 150, 215);  // its pass gives the node back
    story.operation(132, 133, 215);
    story.operation(140, 142, 160);  // gone while the model went on
    story.operation(144, 230, 160);  // kept without its graph
    CHECK(story.unused().times == 0);
}

TEST_CASE("unused_graphs: nothing is told where blocks were left out") {
    GraphStory story;
    story.operation(130, 150, 151);
    story.tensors.left_out = 1;
    CHECK(story.unused().times == 0);
}
